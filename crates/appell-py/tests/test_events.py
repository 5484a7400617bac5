"""Events of a run: noted, ending it, and with resets; beside SciPy and closed forms."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import appell as ap

G, E = 9.81, 0.8


def ball() -> ap.Model:
    return ap.Model(
        coordinates="x z",
        parameters={"g": G, "e": E},
        kinetic="(x'^2 + z'^2)/2",
        potential="g*z",
        initial=["x = 0", "z = 1", "x' = 0.5", "z' = 0"],
    )


def pendulum() -> ap.Model:
    return ap.Model(
        coordinates="theta", parameters={"g": G}, kinetic="theta'^2/2", potential="-g*cos(theta)",
        initial=["theta = 1.2", "theta' = 0"],
    )  # fmt: skip


def test_crossings_are_those_of_scipy() -> None:
    motion = pendulum().run(6, rtol=1e-11, atol=1e-12, events={"through": "theta = 0", "falls": "theta < 0.5", "turn": "theta'"})

    def through(t: float, y: Any) -> float:
        return float(y[0])

    def falls(t: float, y: Any) -> float:
        return float(y[0] - 0.5)

    def turn(t: float, y: Any) -> float:
        return float(y[1])

    falls.direction = -1  # type: ignore[attr-defined]
    events = [through, falls, turn]
    found = solve_ivp(lambda t, y: [y[1], -G * np.sin(y[0])], (0, 6), [1.2, 0], "DOP853", rtol=1e-12, atol=1e-13, events=events)
    own = pendulum().run(6, rtol=1e-11, atol=1e-12, events=events)
    for k, name in enumerate(["through", "falls", "turn"]):
        expected = found.t_events[k][found.t_events[k] > 1e-9]
        assert motion.t_events[k] == pytest.approx(expected, abs=1e-8)
        assert motion.events[name].t is motion.t_events[k] and motion.events[name].y.shape == (len(expected), 2)
        assert own.t_events[k] == pytest.approx(expected, abs=1e-8)
    assert motion.success and motion.status == 0 and motion.t[-1] == 6
    # Who only looks changes nothing.
    assert np.array_equal(motion.y, pendulum().run(6, rtol=1e-11, atol=1e-12).y)


@pytest.mark.parametrize("stop", ["z < 0.5", lambda t, y: y[1] - 0.5, ["x > 99", "z < 0.5"]])
def test_a_condition_ends_the_motion(stop: Any) -> None:
    motion = ball().run(5, stop=stop)
    assert motion.status == 1 and motion.success
    assert motion.t[-1] == pytest.approx(np.sqrt(2 * 0.5 / G), abs=1e-9)
    assert motion["z"][-1] == pytest.approx(0.5, abs=1e-9)
    assert motion.t_events[-1] == pytest.approx([np.sqrt(1 / G)], abs=1e-9)


def test_terminal_and_direction_are_those_of_the_function() -> None:
    def hits(t: float, y: Any) -> float:
        return float(y[1])

    hits.terminal, hits.direction = True, 1  # type: ignore[attr-defined]
    # Rising through zero never happens.
    assert ball().run(1, events=[hits]).status == 0
    hits.direction = -1  # type: ignore[attr-defined]
    motion = ball().run(1, events=[hits])
    assert motion.status == 1 and motion.t[-1] == pytest.approx(np.sqrt(2 / G), abs=1e-9)


def bounces(count: int) -> np.ndarray:
    """The times of the first impacts of a ball that falls from a height of 1."""
    fall = np.sqrt(2 / G)
    return np.cumsum([fall, *(2 * fall * E**k for k in range(1, count))])


RESETS = [{"z'": "-e*z'"}, lambda t, y: [*y[:3], -E * y[3]]]


@pytest.mark.parametrize("reset", RESETS, ids=["expressions", "function"])
def test_a_ball_bounces(reset: Any) -> None:
    motion = ball().run(2.5, rtol=1e-11, atol=1e-13, events={"impact": {"when": "z < 0", "reset": reset}})
    impact = motion.events["impact"]
    assert impact.t == pytest.approx(bounces(len(impact.t)), abs=1e-9)
    assert impact.after is not None and impact.after[:, 3] == pytest.approx(-E * impact.y[:, 3], rel=1e-12)
    assert motion.success and motion["x"][-1] == pytest.approx(0.5 * 2.5, abs=1e-12)
    assert (motion["z"] > -1e-9).all()
    lost = sum((E**2 - 1) * v**2 / 2 for v in impact.y[:, 3])
    assert motion.ledger.work["resets"] == pytest.approx(lost, rel=1e-9)
    assert abs(motion.ledger.defect) < 1e-8
    assert motion.sol(2.0) == pytest.approx(np.array([np.interp(2.0, motion.t, row) for row in motion.y]), abs=1e-2)


def test_resting_events_end_the_motion() -> None:
    motion = ball().run(9, events={"impact": {"when": "z < 0", "reset": {"z'": "-e*z'"}}})
    rest = np.sqrt(2 / G) * (1 + 2 * E / (1 - E))
    assert motion.status == 1 and "again and again" in motion.message
    assert motion.t[-1] == pytest.approx(rest, rel=1e-3)
    at_once = ball().run(9, events={"impact": {"when": "z < 0", "reset": {"z'": 0}}})
    assert at_once.t[-1] == pytest.approx(np.sqrt(2 / G), abs=1e-9) and "again and again" in at_once.message


def test_after_a_reset_the_constraints_hold() -> None:
    """A sleigh whose blade is hit from the side keeps the part of the blow that the blade allows."""
    model = ap.Model(
        coordinates="x y theta",
        parameters={"m": 2, "I": 0.3},
        kinetic="m*(x'^2 + y'^2)/2 + I*theta'^2/2",
        constraints={"blade": "x'*sin(theta) - y'*cos(theta) = 0"},
        initial=["theta = 0.4", "x' = 1", "theta' = 0.5"],
    )
    motion = model.run(2, rtol=1e-11, atol=1e-12, events={"blow": {"when": "t = 1", "reset": {"x'": "x' + 1", "theta'": "2*theta'"}}})
    before, after = motion.events["blow"].y[0], motion.events["blow"].after[0]
    theta = before[2]
    along = np.array([np.cos(theta), np.sin(theta)])
    assert after[3:5] == pytest.approx(along * (along @ (before[3:5] + [1, 0])), abs=1e-10)
    assert after[5] == pytest.approx(1.0, abs=1e-10)
    assert motion.max_residual < 1e-10 and abs(motion.ledger.defect) < 1e-8
    energy = lambda y: (y[3] ** 2 + y[4] ** 2) + 0.15 * y[5] ** 2  # noqa: E731
    assert motion.ledger.work["resets"] == pytest.approx(energy(after) - energy(before), rel=1e-9)


def test_events_read_inputs_and_parameters() -> None:
    model = ap.Model(
        coordinates="x", parameters={"top": 2}, inputs={"push": 0}, kinetic="x'^2/2", forces={"x": "push"}, initial=["x = 0"],
    )  # fmt: skip
    motion = model.run(9, inputs={"push": "cos(t)^2"}, params={"top": 3}, stop="x > top + push")
    assert motion["x"][-1] == pytest.approx(3 + np.cos(motion.t[-1]) ** 2, abs=1e-8)


def wrong(**given: Any) -> Any:
    return lambda: ball().run(1, **given)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (wrong(events={"a": "w < 0"}), ValueError, "event `a`: `w`"),
        (wrong(events={"a": {"when": "z < 0", "reset": {"w": 1}}}), ValueError, "`w` cannot be set"),
        (wrong(events={"a": {"if": "z < 0"}}), ValueError, "'if'"),
        (wrong(events={"a": {"when": "z < 0", "direction": 1}}), ValueError, "too much"),
        (wrong(events={"a": {"when": "z < 0", "terminal": True, "reset": {"z": 0}}}), ValueError, "cannot be terminal"),
        (wrong(events={"a": 3}), TypeError, "'z < 0'"),
        (wrong(events=["z < 0"], stop="z < 0"), ValueError, "two events"),
        (wrong(stop=lambda t, y: float("nan")), ValueError, "finite number"),
        (wrong(events={"a": {"when": "z < 0.9", "reset": lambda t, y: [1]}}), ValueError, "4 finite numbers"),
        (wrong(stop="z < 0", sensitivity=["g"]), ValueError, "cannot be differentiated"),
        (wrong(stop="z < 0", form="hamilton"), ap.ModelError, "an event is a function"),
    ],
)
def test_wrong_events_are_errors_in_words(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_an_exception_of_a_function_comes_through() -> None:
    def broken(t: float, y: Any) -> float:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ball().run(1, events=[broken])


class Guard:
    """As SciPy's users write them."""

    terminal = True
    direction = -1

    def __call__(self, t: float, y: Any) -> float:
        return float(y[1] - 0.5)


def test_events_backwards_in_pickles_and_at_one_place() -> None:
    straight = ap.Model(coordinates="x", kinetic="x'^2/2", initial=["x = 1", "x' = -1"])
    assert straight.run(-3, events={"far": "x > 2"}).events["far"].t == pytest.approx([-1], abs=1e-12)
    motion = ball().run(3, events=Guard())
    assert motion.status == 1 and len(motion.t_events) == 1
    again = pickle.loads(pickle.dumps(motion))
    assert again.t_events[0] == motion.t_events[0] and again.events["event"].y.shape == (1, 4)
    two = ap.Model(
        coordinates="a b", parameters={"g": G}, kinetic="(a'^2 + b'^2)/2", potential="g*(a + b)", initial=["a = 1", "b = 1"],
    )  # fmt: skip
    hits = {name: {"when": f"{name} < 0", "reset": {f"{name}'": f"-{e}*{name}'"}} for name, e in [("a", 1), ("b", 0.5)]}
    motion = two.run(0.8, events=hits, rtol=1e-11, atol=1e-13)
    fall = np.sqrt(2 / G)
    assert motion.t_events[0] == pytest.approx([fall], abs=1e-9) and motion.t_events[1] == pytest.approx([fall], abs=1e-9)
    speeds = G * fall - G * (0.8 - fall), 0.5 * G * fall - G * (0.8 - fall)
    assert (motion["a'"][-1], motion["b'"][-1]) == pytest.approx(speeds, abs=1e-8)


def test_what_comes_often_is_met_each_time() -> None:
    # A free particle takes steps of seconds.
    model = ap.Model(coordinates="x", kinetic="x'^2/2")
    often = {"fine": "sin(50*x)", "coarse": "sin(5*x)", "clock": "sin(2*pi*10*t) > 0.5"}
    found = model.run(20, x0={"x'": 1}, events=often).events
    for name, count in (("fine", 318), ("coarse", 31), ("clock", 200)):
        assert len(found[name].t) == count, name
    np.testing.assert_allclose(found["fine"].t, np.pi / 50 * np.arange(1, 319), atol=1e-10)
    # Also in members of an ensemble: what ends a motion ends it where it first happens.
    model = ap.Model(coordinates="x", kinetic="x'^2/2", simulate={"stop": ["sin(50*x) < -0.5"]})
    members = model.ensemble({"x'": [1.0, 2.0, 3.0, 0.5, 0.25]}, until=20)
    first = (np.pi + np.arcsin(0.5)) / 50
    np.testing.assert_allclose(members["x"], first, atol=1e-10)


def test_results_in_an_event_are_refused_with_the_place_where_they_stand() -> None:
    model = ap.Model(coordinates="x", kinetic="x'^2/2", potential="x")
    for formula in ("E > 0.2", "norm([x, 0, 0]) > 1", "multiplier(c) < 0"):
        with pytest.raises(ValueError, match="`stop` of \\[simulate\\]"):
            model.run(1, x0={"x": 1}, stop=formula)
    # Energies of the state are functions of it: T = t^2/2.
    assert model.run(9, x0={"x": 1}, stop="T > 0.5").t[-1] == pytest.approx(1, abs=1e-9)
    assert model.run(9, x0={"x": 1}, stop="V < 0.5").t[-1] == pytest.approx(1, abs=1e-9)


def free() -> ap.Model:
    return ap.Model(coordinates="x y", kinetic="(x'^2 + y'^2)/2", initial=["x = 0", "y = 0", "x' = 1", "y' = 0"])


KICKS = ["x > 1", {"when": "x - 1", "direction": 1}, "x - 1", "t > 1", "t - 1", "sin(x) > sin(1)"]


@pytest.mark.parametrize("when", KICKS, ids=str)
@pytest.mark.parametrize(("reset", "end"), [({"x'": "x' + 1"}, 5), ({"x'": "x'/2"}, 2), ({"y'": "y' + 1"}, 3), ({"x'": "-x'"}, -1)], ids=str)
def test_a_reset_follows_a_condition_that_becomes_true_once(when: Any, reset: dict[str, str], end: float) -> None:
    """What was true stays so: only where the motion turns back the condition may become true again."""
    given = when if isinstance(when, dict) else {"when": when}
    motion = free().run(3, events={"kick": {**given, "reset": reset}})
    times = motion.events["kick"].t
    assert times[0] == pytest.approx(1, abs=1e-9)
    # Turned back, the sine comes to its value no more before the end, and the time goes on.
    assert len(times) == 1, times
    assert motion["x"][-1] == pytest.approx(end, abs=1e-8) and motion.t[-1] == 3


def test_a_kick_on_a_constraint_comes_once() -> None:
    """A bead on a circle is kicked along x where y rises above sin 1."""
    model = ap.Model(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"c": "x^2 + y^2 = 1"})
    kick = {"when": "y > sin(1)", "reset": {"x'": "x' + 0.1"}}
    motion = model.run(3, x0={"x": 1, "y": 0, "y'": 1}, events={"kick": kick})
    assert len(motion.events["kick"].t) == 1
    # The circle takes the radial part of the blow.
    speed = 1 - 0.1 * np.sin(1)
    assert np.hypot(motion["x'"][-1], motion["y'"][-1]) == pytest.approx(speed, abs=1e-9)
    # Backwards it is met where y falls, in the direction of the motion.
    back = model.run(-3, x0={"x": 1, "y": 0, "y'": -1}, events={"kick": kick})
    assert len(back.events["kick"].t) == 1


def test_events_that_happen_together_are_all_met() -> None:
    back, log = {"when": "x > 1", "reset": {"x'": "-x'"}}, {"when": "x > 1"}
    motion = free().run(3, events={"a": back, "b": log})
    assert [len(motion.events[name].t) for name in "ab"] == [1, 1]
    # One that ends the motion ends it, whichever stands first.
    for events in ({"a": back, "b": {**log, "terminal": True}}, {"b": {**log, "terminal": True}, "a": back}):
        motion = free().run(3, events=events)
        assert motion.status == 1 and motion.t[-1] == pytest.approx(1, abs=1e-9)
        assert [len(motion.events[name].t) for name in "ab"] == [1, 1]
        assert motion["x'"][-1] == 1
    assert free().run(3, events={"a": back}, stop="x > 1").t[-1] == pytest.approx(1, abs=1e-9)
    # Resets follow each other.
    twice = {"a": {"when": "x > 1", "reset": {"x'": "x' + 1"}}, "b": {"when": "x > 1", "reset": {"x'": "2*x'"}}}
    motion = free().run(2, events=twice)
    assert motion["x'"][-1] == pytest.approx(4) and motion["x"][-1] == pytest.approx(5, abs=1e-9)
    corner = free().run(
        1.5,
        x0={"x'": 1, "y'": 1},
        events={"a": {"when": "x > 1", "reset": {"x'": "-x'"}}, "b": {"when": "y > 1", "reset": {"y'": "-y'"}}},
    )
    assert corner.y[:, -1] == pytest.approx([0.5, 0.5, -1, -1], abs=1e-9)


def test_what_becomes_true_by_a_reset_happens_then() -> None:
    """A hop from x = 1 to x = 3 makes `x > 2` true; no place of the motion is x = 2."""
    leap = {"when": "x > 1", "reset": {"x": 3}}
    motion = free().run(2, events={"hop": leap, "far": "x > 2", "slow": "x' < 0.5", "zero": "x - 2", "on": "x = 3"})
    times = {name: list(own.t) for name, own in motion.events.items()}
    hop = motion.events["hop"].t[0]
    assert times == {"hop": [hop], "far": [hop], "slow": [], "zero": [], "on": [hop]}
    assert motion.events["far"].y[0] == pytest.approx([3, 0, 1, 0])
    assert motion["x"][-1] == pytest.approx(4, abs=1e-9)
    # The motion ends there, by an event, a condition of the question or one of the model.
    ended = [
        free().run(2, events={"hop": leap, "far": {"when": "x > 2", "terminal": True}}),
        free().run(2, events={"hop": leap}, stop="x > 2"),
        free_until("x > 2").run(2, events={"hop": leap}),
    ]
    for motion in ended:
        assert motion.status == 1 and motion.t[-1] == pytest.approx(1, abs=1e-9)
        assert motion.y[:, -1] == pytest.approx([3, 0, 1, 0], abs=1e-9)
    # Its reset follows, each once: `back` leads below 1, from where `hop` happens again 0.5 later.
    back = {"when": "x > 2", "reset": {"x": "x - 2.5", "y": "y + 1"}}
    motion = free().run(1.7, events={"back": back, "hop": leap})
    assert [list(motion.events[name].t) for name in ("hop", "back")] == [pytest.approx([1, 1.5], abs=1e-9)] * 2
    assert motion["x"][-1] == pytest.approx(0.7, abs=1e-9) and motion["y"][-1] == pytest.approx(2, abs=1e-9)
    # Bounces are no apexes of an expression, which vanishes between them.
    motion = ball().run(1, events={"impact": {"when": "z < 0", "reset": {"z'": "-e*z'"}}, "apex": "z'", "up": "z' > 0"})
    first = np.sqrt(2 / G)
    assert motion.events["up"].t == pytest.approx([first], abs=1e-8)
    assert motion.events["apex"].t == pytest.approx([first * (1 + E)], abs=1e-8)


def test_what_rests_behind_an_event_stays() -> None:
    """A latch: the motion along x ends at 1, that along y goes on."""
    latch = {"latch": {"when": "x > 1", "reset": {"x'": 0}}}
    motion = free().run(4, x0={"y'": 1}, events=latch)
    assert len(motion.events["latch"].t) == 1
    assert motion.t[-1] == 4 and motion.y[:, -1] == pytest.approx([1, 4, 0, 1], abs=1e-9)
    # One that ends the motion, made true by one reset and false by the next.
    there_and_back = {"there": {"when": "x > 1", "reset": {"x": 8}}, "back": {"when": "x > 7.5", "reset": {"x": 2}}}
    for events in ({**there_and_back, "end": {"when": "x > 7", "terminal": True}}, {"end": {"when": "x > 7", "terminal": True}, **there_and_back}):
        motion = free().run(9, events=events)
        assert motion.status == 1 and motion.t[-1] == pytest.approx(1, abs=1e-9) and motion["x"][-1] == 8


def free_until(condition: str) -> ap.Model:
    return ap.Model(
        coordinates="x y", kinetic="(x'^2 + y'^2)/2", initial=["x = 0", "y = 0", "x' = 1", "y' = 0"], simulate={"stop": [condition]}
    )


@pytest.mark.parametrize("method", ["auto", "dop853", "taylor"])
def test_crossings_close_to_each_other_are_all_found(method: str) -> None:
    """Between two crossings a quantity turns within a part of a step; an event that only the second makes true is met too."""
    thrown = ap.Model(coordinates="x", kinetic="x'^2/2", forces={"x": "-1"}, initial=["x = 0.5", "x' = 1"])
    for level in (0.75, 0.99, 0.9999, 0.999999):
        apart = np.sqrt(2 * (1 - level))

        def through(t: float, y: Any, level: float = level) -> float:
            return float(y[0] - level)

        given = {"both": f"x - {level}", "below": f"x < {level}", "above": f"x > {level}", "function": through}
        times = {name: own.t for name, own in thrown.run(3, events=given, method=method, rtol=1e-12, atol=1e-13).events.items()}
        for name in ("both", "function"):
            assert times[name] == pytest.approx([1 - apart, 1 + apart], abs=1e-9), (level, name)
        assert times["above"] == pytest.approx([1 - apart], abs=1e-9)
        assert times["below"] == pytest.approx([1 + apart], abs=1e-9)
        assert thrown.run(3, stop=f"x < {level}", method=method).t[-1] == pytest.approx(1 + apart, abs=1e-9)
    swing = ap.Model(coordinates="x", kinetic="x'^2/2", potential="x^2/2", initial=["x = 0", "x' = 1"])
    first = np.arcsin(0.9999)
    found = swing.run(20, events={"top": "x - 0.9999"}, method=method, rtol=1e-12, atol=1e-13).events["top"].t
    assert found == pytest.approx(sorted(x + 2 * np.pi * k for k in range(3) for x in (first, np.pi - first)), abs=1e-8)


def swing() -> ap.Model:
    """x = sin t."""
    return ap.Model(coordinates="x", kinetic="x'^2/2", potential="x^2/2", initial=["x = 0", "x' = 1"])


def is_far(t: float, y: Any) -> Any:
    return y[0] > 0.5


@pytest.mark.parametrize("far", [is_far, lambda t, y: bool(y[0] > 0.5), lambda t, y: y[:1] > 0.5], ids=["numpy", "python", "array"])
def test_a_function_that_answers_true_is_a_condition(far: Any) -> None:
    """It is met where it becomes true, as in words."""
    words = swing().run(9, events={"far": "x > 0.5"})
    motion = swing().run(9, events={"far": far, "left": lambda t, y: y[0] < 0, "level": lambda t, y: y[0] - 0.5})
    assert motion.events["far"].t == pytest.approx([np.pi / 6, 13 * np.pi / 6], abs=1e-9)
    assert motion.events["far"].t == pytest.approx(words.events["far"].t, abs=1e-9)
    assert motion.events["left"].t == pytest.approx([np.pi], abs=1e-9) and len(motion.events["level"].t) == 4
    ends = swing().run(9, stop=far)
    assert ends.status == 1 and ends.t[-1] == pytest.approx(np.pi / 6, abs=1e-9)
    # What holds from some time on is met there; a direction may say where it becomes false.
    assert swing().run(3, stop=lambda t, y: bool(t > 1.25)).t[-1] == pytest.approx(1.25, abs=1e-9)
    falls = swing().run(9, events={"far": {"when": far, "direction": -1}}).events["far"].t
    assert falls == pytest.approx([5 * np.pi / 6, 17 * np.pi / 6], abs=1e-9)
    back = swing().run(3, events={"far": {"when": far, "reset": {"x'": "-x'"}}})
    assert len(back.events["far"].t) == 1


def test_a_condition_in_a_pickle_and_answers_of_two_kinds() -> None:
    motion = swing().run(1, events=[is_far])
    again = pickle.loads(pickle.dumps(motion))
    assert again.sol(0.75) == pytest.approx(motion.sol(0.75), abs=1e-12)
    for mixed in (lambda t, y: y[0] - 9 if t < 0.5 else False, lambda t, y: False if t < 0.5 else y[0] - 9):
        with pytest.raises(TypeError, match="True or False elsewhere"):
            swing().run(3, stop=mixed)
    with pytest.raises(ValueError, match="one finite number"):
        swing().run(1, stop=lambda t, y: 1 + 1j)


CRADLE = {
    "ab": {"when": "a > b - 1", "reset": {"a'": "b'", "b'": "a'"}},
    "bc": {"when": "b > c - 1", "reset": {"b'": "c'", "c'": "b'"}},
    "cd": {"when": "c > d - 1", "reset": {"c'": "d'", "d'": "c'"}},
}


@pytest.mark.parametrize("names", [["ab", "bc", "cd"], ["cd", "bc", "ab"]])
@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-3])
def test_a_blow_passes_through_balls_that_touch(names, gap):
    """A condition that is at its edge becomes true by what the reset of another sets moving."""
    model = ap.Model(
        coordinates="a b c d",
        kinetic="(a'^2 + b'^2 + c'^2 + d'^2)/2",
        initial=["a = -1.5", "b = 0", "c = 1", "d = 2", "a' = 1"],
    )
    motion = model.run(2, x0={"d": 2 + gap}, events={name: CRADLE[name] for name in names}, samples=3)
    assert motion.success
    assert np.allclose(motion.y[:, -1], [-1, 0, 1 + gap, 2 + 1.5, 0, 0, 0, 1], atol=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.3, 0.7])
def test_a_rope_that_becomes_taut_holds(e):
    """Resets that follow each other at once at a curved surface end the motion there: it was left through it."""
    model = ap.Model(
        coordinates="x z", kinetic="(x'^2 + z'^2)/2", potential="9.81*z", initial=["x = 0.6", "z = 0", "x' = 0.3"]
    )
    along = f"(1 + {e})*(x*x' + z*z')/(x^2 + z^2)"
    taut = {"when": "x^2 + z^2 > 1", "reset": {"x'": f"x' - {along}*x", "z'": f"z' - {along}*z"}}
    motion = model.run(1.5, events={"taut": taut}, samples=3)
    assert "again and again" in motion.message
    assert abs(np.hypot(*motion.y[:2, -1]) - 1) < 1e-9


def test_a_ball_comes_to_rest_on_a_moving_floor_and_in_a_bowl():
    floor = ap.Model(coordinates="z", kinetic="z'^2/2", potential="9.81*z", initial=["z = 0.5"])
    reset = {"z'": "-0.6*(z' - 0.2*cos(20*t)) + 0.2*cos(20*t)"}
    motion = floor.run(5, events={"hit": {"when": "z < 0.01*sin(20*t)", "reset": reset}}, samples=3)
    assert "again and again" in motion.message
    assert abs(motion.y[0, -1] - 0.01 * np.sin(20 * motion.t[-1])) < 1e-9
    bowl = ap.Model(
        coordinates="x z", kinetic="(x'^2 + z'^2)/2", potential="9.81*z", initial=["x = 0.5", "z = 1", "x' = 0.4"]
    )
    along = "1.5*(z' - 2*x*x')/(1 + 4*x^2)"
    hit = {"when": "z < x^2", "reset": {"x'": f"x' + {along}*2*x", "z'": f"z' - {along}"}}
    motion = bowl.run(4, events={"hit": hit}, samples=3)
    assert "again and again" in motion.message
    assert abs(motion.y[1, -1] - motion.y[0, -1] ** 2) < 1e-9


@pytest.mark.parametrize("names", [["floor", "balls"], ["balls", "floor"]])
def test_a_ball_on_a_ball_is_thrown_up(names):
    """Touching balls fall together: the upper one gets three times the speed, the lower one comes to rest on the floor."""
    model = ap.Model(
        coordinates="b u",
        parameters={"M": 3, "m": 1},
        kinetic="(M*b'^2 + m*u'^2)/2",
        potential="9.81*(M*b + m*u)",
        initial=["b = 1", "u = 1"],
    )
    balls = {"b'": "((M - m)*b' + 2*m*u')/(M + m)", "u'": "((m - M)*u' + 2*M*b')/(M + m)"}
    events = {"floor": {"when": "b < 0", "reset": {"b'": "-b'"}}, "balls": {"when": "u < b", "reset": balls}}
    motion = model.run(0.6, events={name: events[name] for name in names}, samples=2)
    assert "again and again" in motion.message
    assert np.allclose(motion.y[:, -1], [0, 0, 0, 2 * np.sqrt(2 * 9.81)], atol=1e-9)


def test_slow_bounces_are_answered_once():
    """A ball along the wall of a circle, whose normal speed is small beside its own: bounces at equal intervals."""
    model = ap.Model(
        coordinates="x y", kinetic="(x'^2 + y'^2)/2", initial=["x = 0", "y = -0.9999", "x' = 1", "y' = 0"]
    )
    along = "2*(x*x' + y*y')/(x^2 + y^2)"
    wall = {"when": "x^2 + y^2 > 1", "reset": {"x'": f"x' - {along}*x", "y'": f"y' - {along}*y"}}
    motion = model.run(3, events={"wall": wall}, samples=3)
    assert motion.success and motion.message.startswith("The motion was computed to its end")
    chord = 2 * np.sqrt(1 - 0.9999**2)
    times = motion.events["wall"].t
    assert np.allclose(times, chord / 2 + chord * np.arange(len(times)), atol=1e-9)
    assert len(times) == int(3 / chord + 0.5)


@pytest.mark.parametrize("when", ["z < 0", "z", lambda t, y: y[1]])
def test_a_sliding_ball_comes_to_rest_on_the_floor(when: Any):
    model = ap.Model(coordinates="x z", kinetic="(x'^2 + z'^2)/2", potential="9.81*z", initial=["z = 1", "x' = 1"])
    motion = model.run(10, events={"floor": {"when": when, "reset": bounced(when)}}, samples=3)
    assert "again and again" in motion.message
    rest = np.sqrt(2 / 9.81) * (1 + 2 * 0.8 / 0.2)
    assert abs(motion.t[-1] - rest) < 1e-6 and abs(motion.y[1, -1]) < 1e-9


def bounced(when: Any) -> Any:
    return (lambda t, y: [y[0], y[1], y[2], -0.8 * y[3]]) if callable(when) else {"z'": "-0.8*z'"}


def test_blows_at_one_instant_are_answered_until_all_part():
    """Three beads meet at once: the middle one goes to and fro between the others until they part."""
    masses = [3.0, 1.0, 3.0]

    def hit(i: int) -> dict[str, Any]:
        a, b = masses[i], masses[i + 1]
        u, v = f"x{i}'", f"x{i + 1}'"
        both = f"{a}*{u} + {b}*{v}"
        return {
            "when": f"x{i} > x{i + 1}",
            "reset": {u: f"({both} - {b}*({u} - {v}))/{a + b}", v: f"({both} + {a}*({u} - {v}))/{a + b}"},
        }

    model = ap.Model(
        coordinates="x0 x1 x2",
        kinetic="(3*x0'^2 + x1'^2 + 3*x2'^2)/2",
        initial=["x0 = -1", "x1 = 0", "x2 = 1", "x0' = 1", "x1' = 0", "x2' = -1"],
    )
    for names in (["a", "b"], ["b", "a"]):
        hits = {"a": hit(0), "b": hit(1)}
        motion = model.run(3, events={name: hits[name] for name in names}, samples=3)
        x, v = motion.y[:3, -1], motion.y[3:, -1]
        assert motion.success and (np.diff(x) > -1e-9).all() and (np.diff(v) > -1e-9).all(), names
        assert abs(np.dot(masses, v)) < 1e-9 and abs(np.dot(masses, v**2) - 6) < 1e-9


def test_a_counter_lets_the_motion_through():
    """A reset that leaves the velocity through the surface is answered once."""
    model = ap.Model(coordinates="x n", kinetic="(x'^2 + n'^2)/2", initial=["x' = 1"])
    gate = {"when": "x - 1", "reset": {"n": "n + 1", "x'": "2*x'"}}
    motion = model.run(2, events={"gate": gate}, samples=3)
    assert np.allclose(motion.y[:, -1], [3, 1, 2, 0], atol=1e-9)


def test_a_long_cradle():
    """Half of twenty touching balls come in: a hundred blows at one instant, ten of the middle pair."""
    n, half = 20, 10
    names = [f"x{i}" for i in range(n)]
    model = ap.Model(
        coordinates=names,
        kinetic=" + ".join(f"{x}'^2/2" for x in names),
        initial=[f"{x} = {i - (i < half)}" for i, x in enumerate(names)]
        + [f"{x}' = {int(i < half)}" for i, x in enumerate(names)],
    )
    events = {
        f"hit{i}": {"when": f"{a} > {b} - 1", "reset": {f"{a}'": f"{b}'", f"{b}'": f"{a}'"}}
        for i, (a, b) in enumerate(zip(names, names[1:], strict=False))
    }
    motion = model.run(3, events=events, samples=2)
    wanted = [i + 2.0 * (i >= half) for i in range(n)]
    assert motion.success and np.allclose(motion.y[:n, -1], wanted, atol=1e-9), motion.message
    # Those that move together may be noted as meeting, which changes nothing.
    assert sum(len(motion.events[name].t) for name in events) >= half * half
