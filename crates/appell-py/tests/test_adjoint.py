"""The adjoint equations, and JAX: beside forward sensitivities and differences."""

from __future__ import annotations

import numpy as np
import pytest

import appell as ap


def robot() -> ap.Model:
    """A sleigh with an off-centre mass, drag, a motor, and a start that depends on a parameter."""
    return ap.Model(
        coordinates="x y theta",
        parameters={"m": 1.5, "I": 0.4, "a": 0.3, "c": 0.2, "v0": 1.1},
        inputs={"tau": 0.3},
        kinetic="m*(x'^2 + y'^2)/2 + I*theta'^2/2",
        forces={"theta": "tau - c*theta'", "x": "-c*x'", "y": "-c*y'"},
        constraints={"edge": "-x'*sin(theta) + y'*cos(theta) = a*theta'"},
        initial=["x = 0", "y = 0", "theta = 0.2", "theta' = 0.1", "x' = v0"],
    )


NAMES = ["m", "I", "a", "c", "v0", "tau", "x", "theta", "theta'"]
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


@pytest.mark.parametrize("inputs", [None, {"tau": "0.3*cos(2*t) - 0.5*theta"}, {"tau": ([0, 0.7, 1.1], [0.3, -0.2, 0.5])}])
def test_the_adjoint_gives_what_forward_sensitivities_give(inputs: dict[str, object] | None) -> None:
    model, times = robot(), np.linspace(0, 2, 9)
    weights = np.random.default_rng(3).normal(size=(len(times), 6))
    motion = model.run(t_eval=times, inputs=inputs, sensitivity=NAMES, **TIGHT)
    expected = np.einsum("ks,ksn->n", weights, motion.sensitivity)
    found = model.adjoint(NAMES, weights, t_eval=times, inputs=inputs, **TIGHT)
    assert list(found) == NAMES
    assert np.array(list(found.values())) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_end_state_by_default() -> None:
    model, weights = robot(), np.arange(6.0)
    motion = model.run(1.5, sensitivity=NAMES, params={"m": 2}, **TIGHT)
    found = model.adjoint(NAMES, weights, 1.5, params={"m": 2}, **TIGHT)
    assert np.array(list(found.values())) == pytest.approx(weights @ motion.sensitivity[-1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["rolling-disc", "ball-on-turntable", "bicycle", "rattleback"])
def test_gallery(name: str) -> None:
    model = ap.Model.gallery(name)
    names = list(model.parameters)
    weights = np.ones(2 * len(model.coordinates))
    motion = model.run(0.5, sensitivity=names, **TIGHT)
    expected = weights @ motion.sensitivity[-1]
    found = np.array(list(model.adjoint(names, weights, 0.5, **TIGHT).values()))
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-8 * max(1.0, np.abs(expected).max()))


def test_wrong_weights_and_names() -> None:
    with pytest.raises(ValueError, match=r"\(1, 6\) is needed"):
        robot().adjoint(["m"], [1.0, 2.0], 1)
    with pytest.raises(ValueError, match="did you mean `tau`"):
        robot().adjoint(["tao"], np.ones(6), 1)
    with pytest.raises(ValueError, match="not known"):
        robot().adjoint(["m"], np.ones(6), 1, inputs={"tau": lambda t, y: y[0]})


def test_derivatives_of_the_right_side_by_parameters() -> None:
    f = robot().rhs()
    y, p, h = np.array([0.1, 0.2, 0.3, 1.0, 0.4, 0.2]), f.values, 1e-6
    by_p = f.jac_p(0.0, y, p)
    for k in range(len(p)):
        d = np.eye(len(p))[k] * h
        assert by_p[:, k] == pytest.approx((f(0.0, y, p + d) - f(0.0, y, p - d)) / (2 * h), abs=1e-8)


def test_jax_differentiates_the_right_side() -> None:
    jax = pytest.importorskip("jax")
    model = ap.Model.gallery("bicycle")
    f, side = model.jax_rhs(), model.rhs()
    y = np.array(model.run(0.1).y[:, -1])
    p = side.values
    assert np.array(jax.jit(f)(0.0, y)) == pytest.approx(side(0.0, y), rel=1e-13)
    assert np.array(jax.jit(jax.jacfwd(f, 1))(0.0, y, p)) == pytest.approx(side.jac(0.0, y), rel=1e-12)
    assert np.array(jax.jacrev(f, 2)(0.0, y, p)) == pytest.approx(side.jac_p(0.0, y), rel=1e-12)
    many = jax.vmap(lambda y: f(0.0, y))(np.stack([y, 1.01 * y]))
    assert np.array(many[0]) == pytest.approx(side(0.0, y), rel=1e-13)


def test_jax_differentiates_a_motion_backwards() -> None:
    jax = pytest.importorskip("jax")
    model, times = robot(), np.linspace(0, 1, 5)
    names = ["m", "c", "theta'"]
    motion = model.jax_motion(names, times, **TIGHT)
    values = np.array([1.5, 0.2, 0.1])
    loss = lambda values: (motion(values)[:, :2] ** 2).sum()  # noqa: E731
    gradient = np.array(jax.jit(jax.grad(loss))(values))
    run = model.run(t_eval=times, sensitivity=names, **TIGHT)
    expected = 2 * np.einsum("sk,ksn->n", run.y[:2], run.sensitivity[:, :2])
    assert gradient == pytest.approx(expected, rel=1e-9)
    assert float(loss(values)) == pytest.approx((run.y[:2] ** 2).sum(), rel=1e-12)


def test_a_motion_in_jax_adds_to_what_drives_an_input() -> None:
    pytest.importorskip("jax")
    model, times = robot(), np.linspace(0, 1, 5)
    motion = model.jax_motion(["tau", "m"], times, inputs={"tau": "sin(t)"}, **TIGHT)
    wanted = model.run(t_eval=times, params={"m": 1.5}, inputs={"tau": "sin(t) + 0.3"}, **TIGHT)
    np.testing.assert_allclose(np.array(motion(np.array([0.3, 1.5]))), wanted.y.T, atol=1e-9)
    with pytest.raises(ValueError, match="`q` is no parameter, input or start; there are m, I"):
        model.jax_motion(["q"], times)


def test_weights_are_real() -> None:
    with pytest.raises(TypeError, match="weights has entries of the type complex128"):
        robot().adjoint(["m"], np.ones(6) + 1j, 1)
    with pytest.raises(ValueError, match="weights has masked entries"):
        robot().adjoint(["m"], np.ma.masked_less(np.arange(6.0), 2), 1)


def test_rows_that_depend_on_each_other() -> None:
    """Equal angles by cosines and sines: the rows contradict each other beside the constraints."""
    model = ap.Model(
        coordinates="a b",
        parameters={"k": 2},
        kinetic="(a'^2 + 3*b'^2)/2",
        potential="k*a^2/2",
        constraints={"x": "cos(a) = cos(b)", "y": "sin(a) = sin(b)"},
        initial=["a = 1", "b = 1", "a' = 0.5"],
    )
    found = model.adjoint(["k", "a'"], np.array([1.0, 0.0, 0.0, 2.0]), 1)
    w = np.sqrt(2 / 4)
    # a = cos(w t) + sin(w t)/(2 w) and its velocity at 1, by k, of which w is sqrt(k)/2.
    by_w = -np.sin(w) + 0.5 * (np.cos(w) / w - np.sin(w) / w**2)
    rate_by_w = -np.sin(w) - w * np.cos(w) - 0.5 * np.sin(w)
    assert abs(found["k"] - (by_w + 2 * rate_by_w) / (8 * w)) < 1e-9
    assert abs(found["a'"] - (np.sin(w) / w + 2 * np.cos(w))) < 1e-9
    slopes = model.rhs().jac(0, model.run(1, samples=2).y[:, 0])
    assert np.allclose(slopes @ [1, 1, 0, 0], [0, 0, -0.5, -0.5], atol=1e-12)
    assert np.allclose(slopes @ [0, 0, 1, 1], [1, 1, 0, 0], atol=1e-12)


@pytest.mark.parametrize("times", [[1.0, 1.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0], [0.0, -1.0, -1.0], [0.5, 0.5, 0.5, 1.0]], ids=str)
def test_every_sample_counts_at_a_time_that_stands_twice(times: list[float]) -> None:
    model = ap.Model(coordinates="x", parameters={"k": 2}, kinetic="x'^2/2", potential="k*x^2/2", initial=["x = 1", "x' = 0.3"])
    weights = np.random.default_rng(5).normal(size=(len(times), 2))
    motion = model.run(t_eval=times, sensitivity=["k", "x'"], **TIGHT)
    expected = np.einsum("ts,tsk->k", weights, motion.sensitivity)
    found = model.adjoint(["k", "x'"], weights, t_eval=times, **TIGHT)
    assert list(found.values()) == pytest.approx(expected, rel=1e-9, abs=1e-10)
