"""Inputs, right-hand sides with parameters, and steppers: beside SciPy and closed forms."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import appell as ap


def sleigh() -> ap.Model:
    """A knife edge with a torque and a push along the edge."""
    return ap.Model(
        coordinates="x y theta",
        parameters={"m": 1.5, "I": 0.4, "a": 0.3},
        inputs={"tau": 0, "push": {"value": 0.2, "unit": "N"}},
        kinetic="m*(x'^2 + y'^2)/2 + I*theta'^2/2",
        forces={"theta": "tau", "x": "push*cos(theta)", "y": "push*sin(theta)"},
        constraints={"edge": "-x'*sin(theta) + y'*cos(theta) = a*theta'"},
        initial=["x = 0", "y = 0", "theta = 0", "x' = 1", "theta' = 0.1"],
    )


def by_scipy(model: ap.Model, tau: Any, until: float) -> np.ndarray:
    """The end of the motion by SciPy, from the same right-hand side with the input as an argument."""
    f, p = model.rhs(), dict(zip(model.rhs().parameters, model.rhs().values, strict=True))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return f(t, y, list({**p, "tau": tau(t, y)}.values()))

    start = model.run(0).y[:, 0]
    found = solve_ivp(rates, (0, until), start, method="DOP853", rtol=1e-12, atol=1e-13)
    return found.y[:, -1]


def test_inputs_are_told_apart_from_parameters() -> None:
    model = sleigh()
    assert dict(model.parameters) == {"m": 1.5, "I": 0.4, "a": 0.3}
    assert dict(model.inputs) == {"tau": 0, "push": 0.2}
    assert model.rhs().parameters == ["m", "I", "a", "tau", "push"]


@pytest.mark.parametrize(
    ("formula", "end"),
    [
        # A triangle of 10 ms, of the area 1e4*0.005^2.
        ("1e4*max(0, min(t - 5, 5.01 - t))", [0.25 * 4.995, 0.25]),
        # The same in a place that is passed at the speed 1: the energy grows by 0.25.
        ("1e4*max(0, min(x - 5, 5.01 - x))", None),
        ("sign(t - 3)", [-4.5 - 3 * 7 + 24.5, 4.0]),
    ],
)
@pytest.mark.parametrize("method", ["auto", "dop853"])
@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
def test_corners_and_jumps_of_a_formula_are_met(formula: str, end: list[float] | None, method: str) -> None:
    """As those of the same formula as a force, however short it acts."""
    start = {"x": 0, "x'": 0 if end else 1}
    given: dict[str, Any] = {"coordinates": "x", "kinetic": "x'^2/2"}
    driven = ap.Model(**given, inputs={"u": 0}, forces={"x": "u"})
    motion = driven.run(10, x0=start, inputs={"u": formula}, method=method, rtol=1e-10, atol=1e-12)
    same = ap.Model(**given, forces={"x": formula}).run(10, x0=start, method=method, rtol=1e-10, atol=1e-12)
    assert motion.success and motion.y[:, -1] == pytest.approx(same.y[:, -1], abs=1e-7)
    if end is not None:
        assert motion.y[:, -1] == pytest.approx(end, abs=1e-7)
    else:
        assert motion["x'"][-1] == pytest.approx(np.sqrt(1.5), abs=1e-7)


def test_functions_and_expressions_are_what_scipy_finds() -> None:
    model = sleigh()

    def tau(t: float, y: np.ndarray) -> float:
        return np.sin(3 * t) - 0.5 * y[2] - 0.2 * y[5]

    wanted = by_scipy(model, tau, 2.0)
    by_function = model.run(2, inputs={"tau": tau}, rtol=1e-12, atol=1e-13)
    by_text = model.run(2, inputs={"tau": "sin(3*t) - 0.5*theta - 0.2*theta'"}, rtol=1e-12, atol=1e-13)
    for motion in (by_function, by_text):
        assert motion.success
        assert motion.y[:, -1] == pytest.approx(wanted, abs=1e-9)
        # The work of the torque, as an integral along the samples of the motion.
        assert abs(motion.ledger["defect"]) < 1e-9


def test_the_work_of_an_input_is_in_the_account() -> None:
    motion = sleigh().run(2, inputs={"tau": "cos(t)"}, samples=20001)
    power = np.cos(motion.t) * motion["theta'"]
    work = np.sum((power[1:] + power[:-1]) / 2 * np.diff(motion.t))
    assert motion.ledger["work"]["theta"] == pytest.approx(work, abs=1e-7)


def test_samples_are_held_or_joined() -> None:
    cart = ap.Model(coordinates="x", inputs={"tau": 0}, kinetic="x'^2/2", forces={"x": "tau"})
    times = np.linspace(0, 1, 11)
    held = cart.run(2, inputs={"tau": (times, times)})
    # The sum of 0.1 k over steps of 0.1, then 1.
    assert held["x'"][-1] == pytest.approx(0.45 + 1.0, abs=1e-12)
    joined = cart.run(1, inputs={"tau": (times, times, "linear")})
    assert joined["x'"][-1] == pytest.approx(0.5, abs=1e-12)
    with pytest.raises(ap.ModelError, match="end at t = 1"):
        cart.run(2, inputs={"tau": (times, times, "linear")})


def test_functions_of_the_user_may_fail() -> None:
    model = sleigh()

    def late(t: float, y: np.ndarray) -> float:
        if t > 0.5:
            raise RuntimeError("the motor stalls")
        return 0.0

    with pytest.raises(RuntimeError, match="the motor stalls"):
        model.run(2, inputs={"tau": late})
    with pytest.raises(ValueError, match="'tau' gave .*one finite number"):
        model.run(2, inputs={"tau": lambda t, y: np.nan})
    with pytest.raises(ValueError, match="one finite number"):
        model.run(2, inputs={"tau": lambda t, y: y})


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        ({"tua": 1}, ap.ModelError, "unknown input `tua`"),
        ({"m": 1}, ap.ModelError, "unknown input `m`"),
        ({"tau": np.inf}, ValueError, "not a finite number"),
        ({"tau": [1, 2, 3, 4]}, TypeError, "give a number"),
        ({"tau": np.zeros(3)}, TypeError, "give a number"),
        ({"tau": ([0, 1], [1, 2], "cubic")}, ValueError, "'zero' or 'linear'"),
        ({"tau": ([0, 1], [1, 2, 3])}, ValueError, "shapes"),
        ({"tau": ([1, 2], [1, 2])}, ap.ModelError, "begin at t = 1"),
        ({"tau": "sin(tt)"}, ValueError, "tt"),
        ([1.0], TypeError, "a mapping"),
    ],
)
def test_what_is_no_input_is_said(inputs: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        sleigh().run(1, inputs=inputs)


def test_a_sample_time_belongs_to_functions() -> None:
    with pytest.raises(TypeError, match="sample_time is for functions"):
        sleigh().run(1, inputs={"tau": 1.0}, sample_time=0.1)


def test_a_right_side_takes_parameters_and_columns() -> None:
    model = sleigh()
    f, y = model.rhs(), np.array([0.1, -0.2, 0.7, 1.0, 0.4, 0.9])
    other = {"m": 2, "tau": 1.25}
    p = [{**dict(zip(f.parameters, f.values, strict=True)), **other}[name] for name in f.parameters]
    wanted = model.rhs(params=other)
    assert f(0.3, y, p) == pytest.approx(wanted(0.3, y), rel=1e-13)
    assert f.jac(0.3, y, p) == pytest.approx(wanted.jac(0.3, y), rel=1e-13)
    columns = np.stack([y, 2 * y, y - 1], axis=1)
    each = np.stack([f(0.3, column, p) for column in columns.T], axis=1)
    assert np.array_equal(f(0.3, columns, p), each)
    assert np.array_equal(f(0.3, columns, np.stack([p, p, p], axis=1)), each)
    assert f(0.3, columns)[:, 1] == pytest.approx(f(0.3, 2 * y), rel=1e-13)
    again = pickle.loads(pickle.dumps(f))
    assert np.array_equal(again(0.3, y, p), f(0.3, y, p))
    with pytest.raises(ValueError, match="5 parameters: m, I, a, tau, push"):
        f(0.3, y, p[1:])


def test_a_stepper_is_a_run_with_a_sampled_controller() -> None:
    model = sleigh()

    def torque(t: float, y: np.ndarray) -> float:
        return 1 - y[2] - 0.8 * y[5]

    loop = model.stepper(0.05, rtol=1e-12, atol=1e-13)
    for _ in range(40):
        state = loop.step({"tau": torque(loop.t, loop.state)})
    motion = model.run(2, inputs={"tau": torque}, sample_time=0.05, rtol=1e-12, atol=1e-13)
    assert loop.t == 2.0
    assert state == pytest.approx(motion.y[:, -1], abs=1e-10)
    assert loop.inputs["push"] == 0.2
    assert loop.multipliers()["edge"] == pytest.approx(motion["lambda[edge]"][-1], abs=1e-2)
    assert loop.reset() == pytest.approx(motion.y[:, 0], abs=1e-12)
    assert loop.t == 0.0
    with pytest.raises(ValueError, match="no input 'tua'; its inputs: tau, push"):
        loop.step({"tua": 1})
    with pytest.raises(ValueError, match="number > 0"):
        model.stepper(0)


def test_a_stepper_ends_at_a_stop_condition() -> None:
    ball = ap.Model(
        coordinates="z", kinetic="z'^2/2", potential="10*z", initial=["z = 5", "z' = 0"], simulate={"stop": ["z < 0"]}
    )
    loop = ball.stepper(0.3)
    while loop.stopped_by is None:
        loop.step()
    assert loop.stopped_by == "z < 0"
    assert loop.t == pytest.approx(1.0, abs=1e-9)
    loop.reset([0.0, 10.0], t0=1.0)
    assert loop.step() == pytest.approx([0.3 * 10 - 0.45, 7.0])


def rises(t: float, y: Any) -> float:
    return t


@pytest.mark.parametrize("function", [rises, lambda t, y: t], ids=["by name", "lambda"])
def test_a_driven_motion_is_pickled(function: Any) -> None:
    model = ap.Model(coordinates="x", inputs={"u": 0}, kinetic="x'^2/2", forces={"x": "u"}, initial=["x = 0", "x' = 0"])
    motion = model.run(1, inputs={"u": function})
    again = pickle.loads(pickle.dumps(motion))
    assert np.array_equal(again.y, motion.y)
    if function is rises:
        assert again.sol(0.5) == pytest.approx(motion.sol(0.5), abs=1e-12)
    else:
        with pytest.raises(RuntimeError, match="cannot be pickled"):
            again.sol(0.5)


def test_a_stepper_takes_names_with_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    loop = sleigh().stepper(0.1)
    for wrong in ([1], 1.0, np.ones(2)):
        with pytest.raises(TypeError, match="a mapping of names to numbers"):
            loop.step(wrong)  # type: ignore[arg-type]
    for value in (None, "1", 1j, np.complex128(1j)):
        with pytest.raises(TypeError, match="a number is needed"):
            loop.step({"push": 7, "tau": value})  # type: ignore[dict-item]
    # What is refused changes nothing.
    assert loop.t == 0 and loop.inputs == {"tau": 0, "push": 0.2}
    loop.step(pandas.Series({"tau": 0.5}))
    assert loop.inputs == {"tau": 0.5, "push": 0.2}


def test_arrays_over_common_times() -> None:
    model, times = sleigh(), np.array([0, 0.5, 1.2])
    values = np.array([0.3, -0.2, 0.4])
    expected = model.run(2, inputs={"tau": (times, values)}).y
    for own in (values, values.tolist(), tuple(values)):
        np.testing.assert_array_equal(model.run(2, inputs={"tau": own}, input_times=times).y, expected)
    np.testing.assert_array_equal(model.run(2, {"theta": 0}, inputs={"tau": values}, input_times=times.tolist()).y, expected)
    # What has times of its own keeps them.
    with pytest.raises(TypeError, match="input_times is for arrays"):
        model.run(2, inputs={"tau": (times, values)}, input_times=times)
    with pytest.raises(TypeError, match="input_times is for arrays"):
        model.run(2, input_times=times)
    with pytest.raises(ValueError, match="shapes"):
        model.run(2, inputs={"tau": values[:2]}, input_times=times)


def swarm() -> ap.Model:
    return ap.Model(
        coordinates="x y", kinetic="(x'^2 + y'^2)/2", potential="x^4 + y^4 + 10*x^2*y^2", initial=["x = 1", "y = 0.5"]
    )


def test_other_threads_go_on_during_a_step() -> None:
    stepper = swarm().stepper(3000)
    thread = threading.Thread(target=stepper.step)
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 3 and stepper.t == 3000


def test_ctrl_c_ends_a_step_which_can_be_gone_on_with() -> None:
    stepper = swarm().stepper(1e7)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            stepper.step()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert 0 < stepper.t < 1e7
    stepper.reset([1, 0.5, 0, 0], 0)
    assert stepper.t == 0
