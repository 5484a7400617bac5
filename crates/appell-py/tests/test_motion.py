"""Motions: SciPy's fields, names, forces, tables, plots; and the right-hand side for others."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import appell as ap

STATE = [1, -2, 1, 2, 0.3, 0.4, 0.4, -0.3]


@pytest.fixture(scope="module")
def model() -> ap.Model:
    return ap.Model.gallery("perpendicular")


@pytest.fixture(scope="module")
def motion(model: ap.Model) -> ap.Motion:
    return model.run(until=2, samples=21)


def test_the_fields_of_scipy(motion: ap.Motion) -> None:
    from scipy.integrate import solve_ivp

    theirs = solve_ivp(lambda t, y: -y, (0, 1), [1.0], events=lambda t, y: y[0] - 2)
    for name in theirs:
        assert hasattr(motion, name), name
    assert motion.status == 0 and motion.success and motion.message.startswith("The motion was computed")
    assert motion.t.shape == (21,) and motion.y.shape == (8, 21) and motion.nfev > 0
    assert motion.t_events == []


def test_names_reach_columns_without_copies(motion: ap.Motion) -> None:
    assert np.shares_memory(motion["x1'"], motion.y) and np.shares_memory(motion.t, motion["t"])
    assert motion["x1'"].flags.c_contiguous
    assert np.array_equal(motion["x1'"], motion.y[motion.state_names.index("x1'")])
    assert np.array_equal(motion.energy, motion["E"])
    assert motion.residual.shape == (1, 21) and np.abs(motion.residual).max() < 1e-12
    assert np.array_equal(motion.multipliers[0], motion["lambda[perpendicular]"])
    assert "x1" in motion and "nothing" not in motion
    with pytest.raises(KeyError, match="there are t, x1"):
        motion["x3"]
    with pytest.raises(AttributeError):
        motion.nothing  # noqa: B018


def test_reactions_are_vectors(model: ap.Model, motion: ap.Motion) -> None:
    """m a = f + R on each puck, and R along the velocity of the other: Roithmayr & Hodges, (27)."""
    for puck, other, mass in (("1", "2", 1.0), ("2", "1", 2.0)):
        force = motion.reaction(f"P{puck}")
        assert force.shape == (21, 3)
        rate = np.array([model.eval(y, params={}).states[0].accel for y in motion.y.T])
        accel = rate[:, :2] if puck == "1" else rate[:, 2:]
        assert np.allclose(mass * accel - [1.0, 0.0], force[:, :2], rtol=0, atol=1e-12)
        along = np.array([motion[f"x{other}'"], motion[f"y{other}'"]])
        assert np.allclose(force[:, 0] * along[1], force[:, 1] * along[0], rtol=0, atol=1e-12)
    assert np.array_equal(motion.reaction("P1", "perpendicular"), motion.reaction("P1"))
    with pytest.raises(KeyError, match="P1, P2"):
        motion.reaction("P3")
    with pytest.raises(KeyError, match="of `none`"):
        motion.reaction("P1", "none")


def test_states_between_samples(model: ap.Model, motion: ap.Motion) -> None:
    assert np.array_equal(motion.sol(motion.t), motion.y)
    assert motion.sol(0.37).shape == (8,)
    times = np.array([[1.9, 0.1], [0.1, 1.0]])
    states = motion.sol(times)
    assert states.shape == (8, 2, 2) and np.array_equal(states[:, 0, 1], states[:, 1, 0])
    assert motion.sol([]).shape == (8, 0)
    with pytest.raises(ValueError, match="known from 0.0 to 2.0"):
        motion.sol(2.1)
    backwards = model.run(until=-1)
    assert backwards.t[-1] == -1.0
    assert np.array_equal(backwards.sol([-0.2, -0.7]), backwards.sol([-0.7, -0.2])[:, ::-1])
    assert np.array_equal(backwards.sol(backwards.t), backwards.y)


def test_chosen_times(model: ap.Model) -> None:
    motion = model.run(t_eval=[0.5, 1.0])
    assert motion.t.tolist() == [0.5, 1.0]
    with pytest.raises(ap.ModelError, match="in order"):
        model.run(t_eval=[1.0, 0.5], until=2)


def test_starts(model: ap.Model) -> None:
    whole = model.run(1.0)
    ways: list[Any] = [
        STATE,
        np.array(STATE),
        {"q": STATE[:4], "v": STATE[4:]},
        {"x1": 1, "y1'": 0.4},
        ["x1 = 1", "y1' = 0.4"],
        "x1 = 1",
    ]
    for x0 in ways:
        assert np.allclose(model.run(1.0, x0=x0).y, whole.y, rtol=0, atol=1e-13)
    assert model.run(3.0, x0=STATE, t0=2.0).t[0] == 2.0
    moved = model.run(1.0, x0={"x1": 5})
    assert moved["x1"][0] == 5.0 and moved["y1'"][0] == 0.4
    with pytest.raises(ap.ModelError, match="E0501"):
        model.run(1.0, x0=[0, 0, 0, 0, 1, 0, 1, 0])
    with pytest.raises(ap.ModelError, match="unknown name"):
        model.run(1.0, x0={"x9": 1})


def test_an_event_ends_a_motion() -> None:
    falling = ap.Model(
        coordinates="z", kinetic="z'^2/2", potential="10*z", initial=["z = 5"], simulate={"until": 9, "stop": ["z < 0"]}
    )
    motion = falling.run()
    assert motion.status == 1 and motion.success and "z < 0" in motion.message
    assert motion.t_events[0] == pytest.approx([1.0], abs=1e-9)
    assert motion.y_events[0].shape == (1, 2) and motion.y_events[0][0, 1] == pytest.approx(-10, abs=1e-8)
    assert motion.stopped_by == "z < 0"


def test_a_motion_into_a_singular_state_is_kept() -> None:
    """Appell's particle thrown up comes to rest at the vertex of its cone of velocities."""
    model = ap.Model.gallery("appell-particle")
    unstopped = ap.Model(text=model.text.replace("stop ", "# stop "))
    motion = unstopped.run()
    assert not motion.success and "singular state" in motion.message
    assert motion.t[-1] == pytest.approx(2 * 2 / 9.81, abs=1e-6)
    assert motion.status == -1 and motion.exit == "numerical failure" and motion.t.size > 1


def test_nothing_to_go_by() -> None:
    model = ap.Model(coordinates="x", kinetic="x'^2")
    with pytest.raises(ap.ModelError, match="no end time"):
        model.run()
    with pytest.raises(ap.ModelError, match="unknown method"):
        model.run(1, method="euler")
    with pytest.raises(ap.ModelError, match="tolerances"):
        model.run(1, rtol=-1.0)
    wrong: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (TypeError, "until='10': a number", {"until": "10"}),
        (TypeError, "until=True", {"until": True}),
        (ValueError, "not a finite", {"until": float("nan")}),
        (ValueError, "samples=-1: give 1 or more", {"until": 1, "samples": -1}),
        (TypeError, "samples=2.5: a whole number", {"until": 1, "samples": 2.5}),
        (TypeError, "rtol='a'", {"until": 1, "rtol": "a"}),
        (ValueError, "x that is not a finite", {"until": 1, "x0": [np.nan, 0.0]}),
        (ValueError, r"x0\['x'\] = nan", {"until": 1, "x0": {"x": np.nan}}),
        (TypeError, "params=3: a mapping", {"until": 1, "params": 3}),
    ]
    for kind, words, arguments in wrong:
        with pytest.raises(kind, match=words):
            model.run(**arguments)
    with pytest.raises(TypeError):
        model.parameters["m"] = 3  # type: ignore[index]


def test_answers_are_pickled_and_copied() -> None:
    """In another process they are what they were, and go on answering."""
    model = ap.Model.gallery("skate")
    motion, f = model.run(1), model.rhs(params={"m": 2})
    many = model.ensemble({"x": np.array([0.0, 1.0])}, until=1)
    for copied in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        again = copied(motion)
        assert (again.y == motion.y).all() and again.message == motion.message and repr(again) == repr(motion)
        assert again.sol(0.3) == pytest.approx(motion.sol(0.3), rel=1e-12)
        assert again.ledger == motion.ledger and again.columns == motion.columns
        assert (copied(f)(0.1, [0.1] * 6) == f(0.1, [0.1] * 6)).all()
        assert (copied(many).y == many.y).all() and copied(many).counts == many.counts
        assert copied(model) == model and hash(copied(model)) == hash(model)
    assert ap.Model.gallery("roller-racer") != model


def test_a_motion_is_its_columns() -> None:
    """As a table of pandas is: names when iterated, samples by columns as an array."""
    motion = ap.Model.gallery("skate").run(1, samples=5)
    assert list(motion) == motion.columns and len(motion) == 5
    assert (np.asarray(motion)[:, 1] == motion["x"]).all() and np.asarray(motion).shape == (5, len(motion.columns))
    assert {"ledger", "steps", "energy"} <= set(dir(motion))
    assert "theta'" in motion._ipython_key_completions_()
    f = ap.Model.gallery("skate").rhs()
    states = np.random.default_rng(1).uniform(-1, 1, (6, 3))
    assert (f(0, states)[:, 1] == f(0, states[:, 1])).all()


def test_tables_of_other_libraries(motion: ap.Motion) -> None:
    pandas = pytest.importorskip("pandas")
    frame = motion.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert list(frame.columns) == motion.columns[1:] and np.array_equal(frame["x1'"], motion["x1'"])
    pytest.importorskip("xarray")
    data = motion.to_xarray()
    assert data.sizes["t"] == 21 and np.array_equal(data["E"], motion.energy)


def test_arrow(motion: ap.Motion) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(motion)
    assert table.column_names == motion.columns
    assert np.array_equal(table["x1"].to_numpy(), motion["x1"])


def test_plots(motion: ap.Motion) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    axes = motion.plot()
    assert [line.get_label() for line in axes.lines] == ["norm(R(P1))", "norm(R(P2))"]
    size = np.hypot(*motion.reaction("P1")[:, :2].T)
    assert np.allclose(axes.lines[0].get_ydata(), size, rtol=0, atol=1e-13)
    own = motion.plot("x1", ax=plt.figure().add_subplot())
    assert own.get_ylabel() == "x1"
    sleigh = ap.Model.gallery("chaplygin-sleigh").run(1)
    assert len(sleigh.plots) == 2
    with pytest.raises(ValueError, match=r"2 plots, and ax is one: .* plt.subplots\(2\)"):
        sleigh.plot(ax=own)
    axes = plt.subplots(2)[1]
    assert sleigh.plot(ax=axes) is axes and all(one.lines for one in axes)
    plt.close("all")


@pytest.mark.parametrize("name", ["perpendicular", "rolling-disc", "snakeboard", "bicycle"])
def test_rhs_has_an_address_for_c(name: str) -> None:
    """The numbers of the call from C are those of the call from Python, from several threads too."""
    f = ap.Model.gallery(name).rhs()
    found = f.c_function
    if found is None:
        pytest.skip("no machine code on this machine")
    pointer = ctypes.POINTER(ctypes.c_double)
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, pointer, pointer, ctypes.c_void_p)(found[0])
    n = len(f.state_names)

    def called(y: np.ndarray) -> np.ndarray:
        out = np.full(n, np.nan)
        assert function(0.3, y.ctypes.data_as(pointer), out.ctypes.data_as(pointer), found[1]) == 0
        return out

    states = list(np.random.default_rng(3).uniform(0.2, 0.9, size=(64, n)))
    with ThreadPoolExecutor(4) as pool:
        for y, out in zip(states, pool.map(called, states), strict=True):
            assert np.array_equal(out, f(0.3, y))


def test_addresses_keep_what_lies_there() -> None:
    """The pair of addresses outlives the model and the right-hand side that gave it."""
    found = ap.Model.gallery("perpendicular").rhs().c_function
    if found is None:
        pytest.skip("no machine code on this machine")
    gc.collect()
    pointer = ctypes.POINTER(ctypes.c_double)
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, pointer, pointer, ctypes.c_void_p)(found[0])
    y, out = np.linspace(0.2, 0.9, 8), np.full(8, np.nan)
    assert function(0.3, y.ctypes.data_as(pointer), out.ctypes.data_as(pointer), found[1]) == 0
    assert np.array_equal(out, ap.Model.gallery("perpendicular").rhs()(0.3, y))
    with pytest.raises(TypeError, match="another process"):
        pickle.dumps(found)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, ">f8"])
def test_the_right_side_takes_any_array(model: ap.Model, dtype: Any) -> None:
    f = model.rhs()
    exact = np.array([1, -2, 1, 2, 1, 2, 2, -1])
    wanted = f(0.0, [float(x) for x in exact])
    y = np.array(exact, dtype=dtype)
    strided = np.zeros((8, 3), dtype=dtype)
    strided[:, 1] = y
    for given in (y, strided[:, 1], y[::-1].copy()[::-1], tuple(exact), np.asfortranarray(y)):
        assert np.array_equal(f(0.0, given), wanted)
        assert np.array_equal(f.jac(0.0, given), f.jac(0.0, y))
    assert f.state_names == model.run(1).state_names
    with pytest.raises(ap.NumericalError, match="8 are needed"):
        f(0.0, [1.0])


@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_scipy_integrates_the_right_side(model: ap.Model, method: str) -> None:
    from scipy.integrate import solve_ivp

    f = model.rhs()
    jacobian = {"jac": f.jac} if method == "Radau" else {}
    theirs = solve_ivp(f, (0, 2), STATE, method=method, rtol=1e-9, atol=1e-10, **jacobian)
    assert theirs.success
    assert np.allclose(theirs.y[:, -1], model.run(2).y[:, -1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("backend", ["auto", "interp", "jit", "cc"])
def test_every_backend_evaluates_the_right_side(model: ap.Model, backend: str) -> None:
    f, usual = model.rhs(backend=backend), model.rhs()
    p = np.array(list(model.parameters.values()))
    assert np.allclose(f(0.0, STATE), usual(0.0, STATE), rtol=1e-13, atol=1e-13)
    assert np.allclose(f(0.0, STATE, p), usual(0.0, STATE, p), rtol=1e-13, atol=1e-13)
    again = pickle.loads(pickle.dumps(f))
    assert np.array_equal(again(0.0, STATE), f(0.0, STATE))


def test_a_backend_that_there_is_not() -> None:
    model = ap.Model.gallery("skate")
    with pytest.raises((ap.ModelError, ValueError), match="unknown backend `fpga`"):
        model.rhs(backend="fpga")
    with pytest.raises(ValueError, match="cuda"):
        model.rhs(backend="cuda")


def test_a_singular_state_has_no_right_side() -> None:
    f = ap.Model(coordinates="x y", kinetic="x'^2 + x^2*y'^2", potential="y").rhs()
    assert np.isfinite(f(0.0, [0.1, 0.0, 1.0, 1.0])).all()
    with pytest.raises(ap.NumericalError, match="equations of motion"):
        f(0.0, [0.0, 0.0, 1.0, 1.0])


def test_only_numpy_is_needed() -> None:
    """Importing, reading and running load nothing else."""
    import subprocess

    code = (
        "import sys, appell; appell.Model.gallery('skate').run(1); "
        "print([m for m in ('sympy', 'scipy', 'pandas', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_steps_are_no_longer_than_they_may_be() -> None:
    """A push of a ten-thousandth of a second gives a velocity of 1; one of many is not looked for."""
    others = "".join(f" + exp(-(t - {k})^2)" for k in range(100, 170))
    push = "10000/sqrt(pi)*exp(-(10000*(t - 4.9123))^2)" + others
    model = ap.Model(coordinates="x", kinetic="x'^2/2", forces={"x": push})
    assert abs(model.run(10)["x'"][-1]) < 1e-9
    assert abs(model.run(10, max_step=1e-4)["x'"][-1] - 1) < 1e-6


PUSHED: dict[str, Any] = {"coordinates": "x", "kinetic": "x'^2/2", "forces": {"x": "sin(t)"}}


def test_the_time_of_the_start_is_heeded_with_every_start() -> None:
    """x'' = sin t from rest at t0 = 2."""
    model = ap.Model(**PUSHED)
    true = 3 * np.cos(2) - np.sin(5) + np.sin(2)
    starts: list[Any] = [None, [0, 0], {"x": 0, "x'": 0}, ["x = 0"], {"q": [0], "v": [0]}, {"t": 2, "q": [0], "v": [0]}]
    for x0 in starts:
        motion = model.run(5, x0=x0, t0=2, rtol=1e-11, atol=1e-11)
        assert motion.t[0] == 2 and motion["x"][-1] == pytest.approx(true, abs=1e-9), x0
    with pytest.raises(ValueError, match="own time"):
        model.run(5, x0={"t": 1, "q": [0], "v": [0]}, t0=2)
    loop = model.stepper(0.5, t0=2)
    assert loop.t == 2
    loop.step()
    loop.reset(t0=3)
    assert loop.t == 3 and loop.state.tolist() == [0, 0]
    slope = model.adjoint(["x'"], [1, 0], 5, t0=2)
    assert slope["x'"] == pytest.approx(3, rel=1e-7)


def test_tables_with_names_are_read_by_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    model = ap.Model(coordinates=["x", "y"], parameters={"k": 4}, kinetic="(x'^2 + y'^2)/2", potential="k*x^2/2 + y^2/2")
    state = {"y": 2.0, "y'": 0.4, "x": 1.0, "x'": 0.3}
    motion = model.run(1, x0=pandas.Series(state))
    assert motion.y[:, 0].tolist() == [1.0, 2.0, 0.3, 0.4]
    frame = pandas.DataFrame([state, state])
    assert model.eval(frame).states[1].accel == pytest.approx([-4.0, -2.0])
    ends = model.ensemble(frame, until=1)
    assert ends["y"][0] == pytest.approx(motion["y"][-1], abs=1e-8)
    again = model.run(2, x0=motion.to_pandas().reset_index().iloc[-1])
    assert again.t[0] == 1 and again["x"][0] == motion["x"][-1]
    table = motion.to_pandas()
    found = model.fit(motion.t, table[["y", "x"]], free={"k": 3.5}, x0=state)
    assert found.estimates["k"] == pytest.approx(4, rel=1e-6)
    f, mixed = model.rhs(), pandas.Series(state)
    values = [1.0, 2.0, 0.3, 0.4]
    assert f(0, mixed).tolist() == f(0, values).tolist() and f.jac(0, mixed).tolist() == f.jac(0, values).tolist()
    assert f(0, frame)[:, 1].tolist() == f(0, values).tolist()
    assert model.stepper(0.1).reset(mixed).tolist() == values
    weights = pandas.Series({"y'": 0, "y": 0, "x'": 0, "x": 1})
    assert model.adjoint(["k"], weights, 1, x0=state) == model.adjoint(["k"], [1, 0, 0, 0], 1, x0=state)
    with pytest.raises(ValueError, match="y' is missing"):
        f(0, mixed[["x", "y", "x'"]])
    assert model.run(1, x0=state, params=pandas.Series({"k": 9.0}))["x"][-1] == model.run(1, x0=state, params={"k": 9.0})["x"][-1]
    spring = ap.Model(coordinates="x", parameters=pandas.Series({"k": 4.5}), kinetic="x'^2/2", potential="k*x^2/2")
    assert spring.parameters == {"k": 4.5}
    several = model.ensemble(state, params=pandas.DataFrame({"k": [1.0, 4.0]}), until=1)
    assert several["x"][1] == pytest.approx(motion["x"][-1], abs=1e-8)


def test_states_name_what_is_wrong_and_take_coordinates_of_sympy() -> None:
    sympy = pytest.importorskip("sympy")
    model = ap.Model(**PUSHED)
    with pytest.raises(ValueError, match=r"q\[0\]"):
        model.eval({"q": [np.nan], "v": [0]})
    x, t = sympy.Function("x"), sympy.Symbol("t")
    assert model.run(1, x0={x(t): 3, x(t).diff(t): 2}).y[:, 0].tolist() == [3, 2]
    plain = sympy.Symbol("x")
    assert model.run(1, x0={plain: 3, "x'": 2}).y[:, 0].tolist() == [3, 2]
    assert model.ensemble({plain: [3, 4]}, until=1).y[:, 0] == pytest.approx([3 + 1 - np.sin(1), 4 + 1 - np.sin(1)], abs=1e-7)


def test_times_of_samples_are_asked_for_in_one_way(model: ap.Model) -> None:
    with pytest.raises(ValueError, match="give one of them"):
        model.run(1, t_eval=[0, 0.5], samples=4)
    with pytest.raises(ValueError, match=r"t_eval has the shape \(2, 2\)"):
        model.run(1, t_eval=[[0, 0.5], [0.6, 0.7]])
    with pytest.raises(ValueError, match="times and samples=3 both"):
        model.ensemble(np.array([STATE]), until=1, times=[0, 0.5], samples=3)
    # What is not asked for is the end, where one is named.
    assert model.run(t_eval=[0, 0.5]).t.tolist() == [0, 0.5] and model.run(1, t_eval=[0, 0.5]).t.tolist() == [0, 0.5, 1]
    with pytest.raises(ap.ModelError, match="number of samples"):
        model.run(1, samples=10**30)


def test_numbers_are_real_and_none_is_hidden(model: ap.Model) -> None:
    turned, hidden = np.array(STATE) + 0.5j, np.ma.masked_greater(np.array(STATE, dtype=float), 0.9)
    calls: list[Any] = [
        lambda y: model.run(1, y),
        lambda y: model.run(1, {"q": y[:4], "v": y[4:]}),
        lambda y: model.run(1, t_eval=y),
        lambda y: model.ensemble(y, until=1),
        lambda y: model.eval(y),
        lambda y: model.rhs()(0, y),
        lambda y: model.rhs().jac(0, y),
        lambda y: model.rhs()(0, STATE, y[: len(model.parameters)]),
        lambda y: model.stepper(0.1).reset(y),
        lambda y: model.run(1).sol(y),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="not real numbers|not a real number"):
            call(turned)
        with pytest.raises(ValueError, match="masked entries"):
            call(hidden)
    with pytest.raises(TypeError, match="a number is needed"):
        model.run(np.complex128(1 + 2j))
    with pytest.raises(ValueError, match=r"y has the shape \(8, 2, 2\)"):
        model.rhs()(0, np.zeros((8, 2, 2)))


def test_a_start_of_nothing_is_the_model_s_own(model: ap.Model) -> None:
    own = model.run(1)
    np.testing.assert_array_equal(model.run(1, {}).y, own.y)
    np.testing.assert_array_equal(model.stepper(0.1, {}).state, own.y[:, 0])
    assert model.run(1, {}, t0=0.5).t[0] == 0.5


@pytest.mark.parametrize("method", ["auto", "radau5"])
def test_a_motion_says_what_a_relative_tolerance_alone_does_not_allow(method: str) -> None:
    spring = ap.Model(coordinates="x", kinetic="x'^2/2", potential="x^2/2", initial=["x = 1"], simulate={"until": 2})
    words = r"`x'` is 0 there, and a relative tolerance alone allows what is 0 no error\. Give an absolute one too"
    motion = spring.run(rtol=1e-8, atol=0, method=method)
    assert not motion.success
    assert re.search(words, motion.message)
    assert re.search(words, spring.ensemble({"x": [1.0]}, rtol=1e-8, atol=0).remarks[0][1])
    assert spring.run(x0={"x'": 0.1}, rtol=1e-8, atol=0, method=method).success
