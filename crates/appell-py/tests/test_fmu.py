"""Functional Mock-up Units: their form, and their motions beside those of `run`, by FMPy."""

from __future__ import annotations

import ctypes
import importlib
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import appell as ap

fmpy = pytest.importorskip("fmpy", reason="FMPy simulates the units, and is not installed")
for part in ("fmi1", "fmi3", "validation"):
    importlib.import_module(f"fmpy.{part}")

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler for the library of a unit")


def simulated(path: Path, kind: str, until: float, **more: Any) -> Any:
    """The end of a simulation, by name."""
    # FMPy's method for Model Exchange, CVode's for stiff equations, is of order 5 at most: its errors add up to a few
    # hundred times the tolerance, which are 3e-9 of the ball on a turntable at 1e-12.
    own = {
        "CoSimulation": {"output_interval": until / 20, "relative_tolerance": 1e-12},
        "ModelExchange": {"step_size": until / 20, "relative_tolerance": 1e-14},
    }
    found = fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=until, **own[kind], **more)
    return dict(zip(found.dtype.names, found[-1], strict=True))


def names_of(model: ap.Model) -> list[str]:
    return [*model.coordinates, *(f"{name}'" for name in model.coordinates)]


def pendulum() -> ap.Model:
    """In Cartesian coordinates, with a motor's force."""
    return ap.Model(
        title="A pendulum <on> a rod & a motor",
        coordinates="x y",
        parameters={"m": {"value": 2, "unit": "kg"}, "l": {"value": 0.5, "unit": "m"}, "g": {"value": 9.81, "unit": "m/s^2"}},
        inputs={"push": {"value": 0, "unit": "N", "about": "a force along x"}},
        particles={"P": {"mass": "m", "position": "[x, y, 0]", "force": "[push, -m*g, 0]"}},
        constraints={"rod": "x^2 + y^2 = l^2"},
        initial=["x = 0.3", "y = -0.4", "x' = 0.4", "y' = 0.3"],
        simulate={"until": 2},
        plots=[{"x": "t", "y": ["x/l"]}],
    )


@needs_compiler
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("name", ["skate", "perpendicular", "rolling-disc", "bicycle", "ball-on-turntable", "chaplygin-sleigh", "parallel-velocities"])
def test_a_unit_ends_where_a_run_does(name: str, kind: str, tmp_path: Path) -> None:
    model = ap.Model.gallery(name)
    path = model.fmu(tmp_path / f"{name}.fmu")
    assert fmpy.validation.validate_fmu(str(path)) == []
    until = 1.0
    found = simulated(path, kind, until)
    expected = model.run(until, rtol=1e-12, atol=1e-13)
    for column, value in zip(names_of(model), expected.y[:, -1], strict=True):
        assert abs(found[column] - value) <= 1e-9 * max(1.0, abs(value)), (column, found[column], value)


def exchanged(path: Path, folder: Path, until: float) -> np.ndarray:
    """The end by SciPy's method of order 8, which asks the unit for derivatives; each step ends as an importer ends it."""
    description = fmpy.read_model_description(str(path))
    unit = fmpy.fmi3.FMU3Model(
        guid=description.guid, unzipDirectory=fmpy.extract(str(path), unzipdir=str(folder)),
        modelIdentifier=description.modelExchange.modelIdentifier, instanceName="exchanged",
    )  # fmt: skip
    unit.instantiate()
    unit.enterInitializationMode(startTime=0.0, tolerance=1e-12)
    unit.exitInitializationMode()
    unit.enterContinuousTimeMode()
    count = len(description.derivatives)
    room = (ctypes.c_double * count)()

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        unit.setTime(t)
        unit.setContinuousStates((ctypes.c_double * count)(*y), count)
        unit.getContinuousStateDerivatives(room, count)
        return np.array(room)

    unit.getContinuousStates(room, count)
    y = np.array(room)
    for t in np.linspace(0, until, 11)[:-1]:
        y = solve_ivp(rate, (t, t + until / 10), y, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        rate(t + until / 10, y)
        event, _ = unit.completedIntegratorStep()
        if event:
            unit.enterEventMode()
            unit.updateDiscreteStates()
            unit.getContinuousStates(room, count)
            y = np.array(room)
            unit.enterContinuousTimeMode()
    unit.terminate()
    unit.freeInstance()
    return y


@needs_compiler
@pytest.mark.parametrize("name", ["rolling-disc", "bicycle", "ball-on-turntable"])
def test_derivatives_are_exchanged(name: str, tmp_path: Path) -> None:
    model = ap.Model.gallery(name)
    path = model.fmu(tmp_path / f"{name}.fmu", kind="me")
    expected = model.run(1.0, rtol=1e-12, atol=1e-13).y[:, -1]
    assert exchanged(path, tmp_path / "unpacked", 1.0) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@needs_compiler
def test_parameters_inputs_and_outputs(tmp_path: Path) -> None:
    model = pendulum()
    path = model.fmu(tmp_path / "a pendulum.fmu")
    values = {"m": 3.0, "push": 1.5, "g": 1.62}
    outputs = ["x", "y", "E", "lambda[rod]", "R[rod on P].x", "x/l", "residual[rod]"]
    found = simulated(path, "CoSimulation", 1.0, start_values=values, output=outputs)
    run = model.run(1.0, params=values, rtol=1e-12, atol=1e-13)
    for name in ["x", "y", "E", "lambda[rod]", "R[rod on P].x"]:
        assert found[name] == pytest.approx(run[name][-1], rel=1e-9), name
    assert found["x/l"] == pytest.approx(2 * run["x"][-1], rel=1e-9)
    assert abs(found["residual[rod]"]) < 1e-12


@needs_compiler
def test_a_varying_input_is_held_over_each_step(tmp_path: Path) -> None:
    model = pendulum()
    path = model.fmu(tmp_path / "driven.fmu", kind="cs")
    times = np.linspace(0, 1, 21)
    held = np.sin(7 * times)
    signal = np.array(list(zip(times, held, strict=True)), dtype=[("time", float), ("push", float)])
    found = simulated(path, "CoSimulation", 1.0, input=signal)
    loop = model.stepper(0.05, rtol=1e-12, atol=1e-13)
    for push in held[:-1]:
        loop.step({"push": push})
    assert found["x"] == pytest.approx(loop.state[0], abs=1e-8)


@needs_compiler
def test_another_start_is_brought_onto_the_constraints(tmp_path: Path) -> None:
    path = pendulum().fmu(tmp_path / "start.fmu")
    found = fmpy.simulate_fmu(str(path), stop_time=0.5, start_values={"l": 1.0, "x'": 0.0, "y'": 0.0})
    assert found["x"][0] ** 2 + found["y"][0] ** 2 == pytest.approx(1.0, abs=1e-12)
    assert found["x"] ** 2 + found["y"] ** 2 == pytest.approx(1.0, abs=1e-12)


@needs_compiler
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_what_is_given_of_a_start_stays(kind: str, tmp_path: Path) -> None:
    """As in a run, values that are set, and those of the file, are kept, and the others follow from the constraints."""
    model = ap.Model(
        coordinates="x y theta phi", parameters={"a": 0.3, "w": 2.5},
        kinetic="(x'^2 + y'^2)/2 + theta'^2/10 + phi'^2/20", potential="phi^2",
        constraints={"blade": "-x'*sin(theta) + y'*cos(theta) = a*theta'", "turns": "phi' = 0.2*x' + 0.1*sin(w*t)"},
        initial={"t": 0.7, "state": ["x = 0.1", "y = 0.2", "theta = 0.4", "phi = 0.3", "x' = 1", "theta' = 0.7"]},
    )  # fmt: skip
    path, names = model.fmu(tmp_path / "given.fmu"), names_of(model)
    initial = {own.name: own.initial for own in fmpy.read_model_description(str(path)).modelVariables}
    assert [initial[name] for name in names] == [*4 * ["exact"], "exact", "approx", "exact", "approx"]
    assert fmpy.validation.validate_fmu(str(path)) == []
    for values in ({}, {"x'": 0.5}, {"a": 0.6}, {"w": 3.0, "x": 0.4}, {"theta'": -1.0, "x'": 2.0}):
        params, x0 = ({n: x for n, x in values.items() if (n in ("a", "w")) is own} for own in (True, False))
        run = model.run(0.8, params=params or None, x0=x0 or None, rtol=1e-12, atol=1e-13)
        told: list[str] = []
        found = fmpy.simulate_fmu(
            str(path), fmi_type=kind, start_time=0.7, stop_time=0.8, start_values=values, output=names, relative_tolerance=1e-12,
            logger=lambda *parts, told=told: told.append(str(parts)),
        )  # fmt: skip
        assert [found[name][0] for name in names] == pytest.approx(run.y[:, 0], rel=1e-12), values
        assert not any("do not allow" in text for text in told)


@needs_compiler
def test_a_value_that_must_move_is_named(tmp_path: Path) -> None:
    path = pendulum().fmu(tmp_path / "moved.fmu")
    description = fmpy.read_model_description(str(path))
    folder = fmpy.extract(str(path), unzipdir=str(tmp_path / "moved"))
    by_name = {own.name: own.valueReference for own in description.modelVariables}
    # A longer rod leaves no place for both coordinates of the file; with one set, the other follows; both set cannot stay either.
    cases: list[tuple[dict[str, float], list[str]]] = [
        ({}, []),
        ({"l": 1.0}, ["x = 0.29999999999999999, which the model gives", "y = -0.40000000000000002, which the model gives"]),
        ({"l": 1.0, "x": 0.6, "y": -0.8}, []),
        ({"l": 1.0, "x": 0.6}, ["y = -0.40000000000000002, which the model gives"]),
        ({"x": 0.3, "y": -0.5}, ["x = 0.29999999999999999, which was set", "y = -0.5, which was set"]),
    ]
    for values, moved in cases:
        told: list[str] = []
        unit = fmpy.fmi3.FMU3Slave(
            guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="moved"
        )
        unit.instantiate(logMessage=lambda *parts, told=told: told.append(str(parts[-1])))
        unit.enterInitializationMode()
        for name, value in values.items():
            unit.setFloat64([by_name[name]], [value])
        unit.exitInitializationMode()
        x, y = unit.getFloat64([by_name["x"], by_name["y"]])
        assert np.hypot(x, y) == pytest.approx(values.get("l", 0.5), rel=1e-12)
        for text in moved:
            assert any(f"the constraints do not allow {text}" in line for line in told), (values, told)
        assert bool(told) is bool(moved), told
        if values == {"l": 1.0, "x": 0.6}:
            assert (x, y) == pytest.approx((0.6, -0.8), rel=1e-12)
        unit.terminate()
        unit.freeInstance()


@needs_compiler
def test_what_is_made_of_parameters_follows_them(cli: Any, tmp_path: Path) -> None:
    """Parameters that are made of others, and starts by formulas in them, as in a run with these parameters."""
    model = ap.Model(
        coordinates="x y",
        parameters={"m": 2, "l": 0.5, "g": 9.81, "k": "3*m", "stiff": "k*l"},
        kinetic="m/2*(x'^2 + y'^2)", potential="m*g*y + stiff*x^2/2", constraints={"rod": "x^2 + y^2 = l^2"},
        initial=["x = 0.6*l", "y = x - 1.4*l", "x' = k/10", "y' = 3/4*x'"],
    )  # fmt: skip
    text, path = tmp_path / "made.toml", tmp_path / "made.fmu"
    text.write_text(model.text, encoding="utf-8")
    cli("fmu", str(text), "-o", str(path))
    assert fmpy.validation.validate_fmu(str(path)) == []
    by_name = {own.name: own for own in fmpy.read_model_description(str(path)).modelVariables}
    assert [by_name[name].causality for name in ("m", "k", "stiff")] == ["parameter", "calculatedParameter", "calculatedParameter"]
    assert (by_name["stiff"].initial, by_name["stiff"].start, by_name["y'"].initial) == ("calculated", None, "approx")
    for values in ({}, {"l": 1.0}, {"m": 3.0, "l": 0.8}):
        found = simulated(path, "CoSimulation", 1.0, start_values=values, output=["x", "y", "x'", "stiff"])
        end = model.run(1.0, params=values, rtol=1e-12, atol=1e-13)
        for name in ("x", "y", "x'"):
            assert found[name] == pytest.approx(end[name][-1], rel=1e-9, abs=1e-9), (values, name)
        assert found["stiff"] == pytest.approx(3 * values.get("m", 2) * values.get("l", 0.5))
    # A start that is set itself follows nothing.
    set_ = fmpy.simulate_fmu(str(path), stop_time=0.1, start_values={"l": 1.0, "x": 0.8, "y": -0.6}, output=["x", "y"])
    assert (set_["x"][0], set_["y"][0]) == pytest.approx((0.8, -0.6), abs=1e-14)
    with pytest.raises(fmpy.fmi1.FMICallException):
        fmpy.simulate_fmu(str(path), stop_time=0.1, start_values={"stiff": 1.0})


SKATE = {
    "coordinates": "x y theta",
    "parameters": {"m": 1, "J": 0.2, "speed": 1.5, "turn": 2},
    "constraints": {"blade": "x'*sin(theta) - y'*cos(theta) = 0"},
}
STARTS = {
    # An equation between two velocities; a variable that gives them; variables that are defined by them.
    "joint": {
        "kinetic": "m*(x'^2 + y'^2)/2 + J*theta'^2/2",
        "initial": ["theta = 0.5", "x'*cos(theta) + y'*sin(theta) = speed", "theta' = turn"],
    },
    "given": {
        "kinetic": "m*(x'^2 + y'^2)/2 + J*theta'^2/2",
        "motion": {"variables": ["z1", "z2"], "equations": ["x' = z1*cos(theta)", "y' = z1*sin(theta)", "theta' = z2"]},
        "initial": ["theta = 0.5", "z1 = speed", "z2 = turn"],
    },
    "defined": {
        "kinetic": "m*(x'^2 + y'^2)/2 + J*theta'^2/2",
        "motion": {"variables": ["u1", "u2", "u3"], "independent": ["u1", "u2"],
                   "equations": ["u1 = x'*cos(theta) + y'*sin(theta)", "u2 = theta' + u1", "u3 = y'"]},
        "initial": ["theta = 0.5", "u1 = speed", "u2 = turn + speed"],
    },
}  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("name", STARTS)
def test_equations_of_the_start_are_kept(name: str, tmp_path: Path) -> None:
    model = ap.Model(**SKATE, **STARTS[name])
    path = model.fmu(tmp_path / f"{name}.fmu")
    assert fmpy.validation.validate_fmu(str(path)) == []
    wanted = ["x'", "y'", "theta'"]

    def begins(values: dict[str, float]) -> list[float]:
        found = fmpy.simulate_fmu(str(path), stop_time=0.01, start_values=values, output=wanted)[0]
        return [float(found[one]) for one in wanted]

    def moving(theta: float, speed: float, turn: float) -> list[float]:
        return [speed * np.cos(theta), speed * np.sin(theta), turn]

    assert begins({}) == pytest.approx(moving(0.5, 1.5, 2))
    assert begins({"speed": 3.0, "turn": -1.0}) == pytest.approx(moving(0.5, 3, -1))
    assert begins({"theta": 1.2}) == pytest.approx(moving(1.2, 1.5, 2))
    if name != "defined":
        # What is set has the last word, and the other equations stay.
        assert begins({"theta'": 7.0}) == pytest.approx(moving(0.5, 1.5, 7))
    # The blade gives y' beside it: the speed cannot stay.
    assert begins({"x'": 1.0})[:2] == pytest.approx([1, np.tan(0.5)])


@needs_compiler
def test_inputs_limits_and_units_are_those_of_the_model(tmp_path: Path) -> None:
    """An input whose value is a formula is set as any other; what a run refuses, a unit refuses."""
    model = ap.Model(
        coordinates="x", parameters={"M": {"value": 2, "min": 0.1, "max": 10}, "wait": {"value": 1, "unit": "min"}},
        inputs={"G": {"value": "2*M"}}, kinetic="M/2*x'^2", forces={"x": "G"}, initial=["x' = 1"],
    )  # fmt: skip
    path = model.fmu(tmp_path / "limits.fmu")
    assert fmpy.validation.validate_fmu(str(path)) == []
    description = fmpy.read_model_description(str(path))
    mass = next(own for own in description.modelVariables if own.name == "M")
    assert (float(mass.min), float(mass.max)) == (0.1, 10.0)
    minute = next(unit for unit in description.unitDefinitions if unit.name == "min")
    assert float(minute.baseUnit.factor) == 60
    for values, end in (({}, 1 + 2 / 2), ({"G": 6.0}, 1 + 3 / 2), ({"G": 6.0, "M": 10.0}, 1 + 0.6 / 2)):
        found = simulated(path, "CoSimulation", 1.0, start_values=values, output=["x"])
        assert found["x"] == pytest.approx(end, rel=1e-10), values
    for beyond in (20.0, 0.01):
        with pytest.raises(fmpy.fmi1.FMICallException):
            fmpy.simulate_fmu(str(path), stop_time=0.1, start_values={"M": beyond})


@needs_compiler
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_stop_ends_the_simulation(kind: str, tmp_path: Path) -> None:
    model = ap.Model(
        coordinates="z", parameters={"g": 9.81}, kinetic="z'^2/2", potential="g*z",
        initial=["z = 1", "z' = 2"], simulate={"until": 5, "stop": ["z < 0"]},
    )  # fmt: skip
    path = model.fmu(tmp_path / "fall.fmu")
    found = simulated(path, kind, 5.0)
    run = model.run()
    assert found["z"] == pytest.approx(0, abs=1e-6)
    assert found["z'"] == pytest.approx(run["z'"][-1], rel=1e-6)


@needs_compiler
@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_pulse_between_two_steps_is_met(kind: str, tmp_path: Path) -> None:
    model = ap.Model(
        coordinates="x", kinetic="x'^2/2", forces={"x": "100*(sign(t - 5) - sign(t - 5.001))/2"},
        initial=["x = 0", "x' = 0"], simulate={"until": 10},
    )  # fmt: skip
    path = model.fmu(tmp_path / "pulse.fmu")
    # At 1e-14 CVode meets a root again where it has begun anew, and stays there.
    found = fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=10.0, relative_tolerance=1e-12)[-1]
    assert found["x'"] == pytest.approx(0.1, abs=1e-9)
    assert found["x"] == pytest.approx(0.1 * (5 - 0.0005), abs=1e-8)


@needs_compiler
@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
@pytest.mark.parametrize("pulse", ["max(0, 1 - abs(u))", "(sign(u + 1/2) - sign(u - 1/2))/2", "exp(-u^2)/sqrt(pi)", "1/cosh(u)/pi"])
@pytest.mark.parametrize("step", [4.0, 0.1])
def test_a_unit_looks_within_its_own_steps(pulse: str, step: float, tmp_path: Path) -> None:
    """A push that is shorter than any step, and the time between two exchanges does not matter."""
    formula = re.sub(r"\bu\b", "((x - 1.13)/1e-4)", pulse)
    model = ap.Model(
        coordinates="x y", kinetic="(x'^2 + y'^2)/2", forces={"y": f"({formula})/1e-4"}, initial=["x = 0", "y = 0", "x' = 1", "y' = 0"],
    )  # fmt: skip
    found = fmpy.simulate_fmu(str(model.fmu(tmp_path / "pulse.fmu")), fmi_type="CoSimulation", stop_time=4.0, output_interval=step)[-1]
    assert found["y'"] == pytest.approx(1.0, abs=1e-5)


@needs_compiler
@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
@pytest.mark.parametrize("step", [20.0, 1.0, 0.1])
@pytest.mark.parametrize(
    ("potential", "start"),
    [("500*max(-x, 0)^2 + 9.81*x", "x = 1"), ("abs(x)", "x = 1"), ("-exp(-(x/0.1)^2)", "x = 0")],
)
def test_corners_and_wells_do_not_depend_on_the_exchange(potential: str, start: str, step: float, tmp_path: Path) -> None:
    model = ap.Model(coordinates="x", kinetic="x'^2/2", potential=potential, initial=[start, "x' = 1"])
    found = fmpy.simulate_fmu(str(model.fmu(tmp_path / "well.fmu")), fmi_type="CoSimulation", stop_time=20.0, output_interval=step)[-1]
    run = model.run(until=20)
    assert [found["x"], found["x'"]] == pytest.approx([run["x"][-1], run["x'"][-1]], abs=1e-3)


@needs_compiler
@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
@pytest.mark.parametrize(
    ("name", "until", "more"),
    [
        # Dry friction that holds what slides.
        ("sticks", 10.9, {"coordinates": "x", "potential": "2*x^2", "forces": {"x": "-0.3*sign(x')"}, "initial": ["x = 1", "x' = 0"]}),
        # A row that jumps: no equation of motion says how the motion goes on.
        ("jumps", 0.9, {"coordinates": "x y", "constraints": {"c": "y' = (1 + 0.5*sign(x))*x'"}, "initial": ["x = -1", "y = 0", "x' = 1"]}),
        # A potential that jumps.
        ("step", 0.9, {"coordinates": "x", "potential": "2*sign(x)", "initial": ["x = -1", "x' = 1"]}),
    ],
)
def test_a_unit_ends_where_no_equation_says_how(name: str, until: float, more: dict[str, Any], tmp_path: Path) -> None:
    kinetic = " + ".join(f"{q}'^2/2" for q in more["coordinates"].split())
    path = ap.Model(kinetic=kinetic, simulate={"until": 20}, **more).fmu(tmp_path / f"{name}.fmu")
    assert fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=until)["time"][-1] == pytest.approx(until)
    with pytest.raises(fmpy.fmi1.FMICallException, match="fmi3DoStep failed with status 3"):
        fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=20.0)


@needs_compiler
@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
def test_a_unit_ends_where_the_momentum_jumps(tmp_path: Path) -> None:
    model = ap.Model(
        coordinates="u", particles={"P": {"mass": 1, "position": "[u + abs(t - 1), 0, 0]"}}, potential="u^2",
        initial=["u = -1", "u' = 1"], simulate={"until": 3},
    )  # fmt: skip
    path = model.fmu(tmp_path / "corner.fmu")
    for kind in ["CoSimulation", "ModelExchange"]:
        with pytest.raises(Exception, match="status 3"):
            fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=3.0)


@needs_compiler
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("v0", [-1.0, 0.0, 1.0])
def test_a_unit_that_starts_on_a_stop_ends_as_a_run(kind: str, v0: float, tmp_path: Path) -> None:
    model = ap.Model(
        coordinates="z", parameters={"v0": 1}, kinetic="z'^2/2", potential="9.81*z",
        initial=["z = 0", "z' = v0"], simulate={"until": 1, "stop": ["z < 0"]},
    )  # fmt: skip
    found = fmpy.simulate_fmu(str(model.fmu(tmp_path / "throw.fmu")), fmi_type=kind, stop_time=1.0, start_values={"v0": v0})
    # Whoever exchanges the model sees it at the end of the first step.
    assert found["time"][-1] == pytest.approx(model.run(params={"v0": v0}).t[-1], abs=0.02)


@needs_compiler
def test_states_are_kept_and_given_back(tmp_path: Path) -> None:
    path = pendulum().fmu(tmp_path / "kept.fmu")
    description = fmpy.read_model_description(str(path))
    folder = fmpy.extract(str(path), unzipdir=str(tmp_path / "kept"))
    unit = fmpy.fmi3.FMU3Slave(
        guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="kept"
    )
    references = [own.valueReference for own in description.modelVariables if own.name in ("x", "y")]
    unit.instantiate()
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.doStep(0.0, 0.25)
    state = unit.getFMUState()
    kept = unit.serializeFMUState(state)
    unit.doStep(0.25, 0.25)
    first = unit.getFloat64(references)
    unit.setFMUState(unit.deserializeFMUState(kept))
    unit.doStep(0.25, 0.25)
    assert unit.getFloat64(references) == first
    with pytest.raises(fmpy.fmi1.FMICallException):
        unit.setFloat64([references[0]], [float("nan")])
    unit.terminate()
    unit.freeInstance()


def test_the_archive_has_sources_and_units(tmp_path: Path) -> None:
    path = pendulum().fmu(tmp_path / "a-1.fmu", kind="me")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        text = archive.read("modelDescription.xml").decode()
        assert archive.testzip() is None
    assert {"modelDescription.xml", "sources/a_1.c", "sources/buildDescription.xml"} <= set(names)
    description = fmpy.read_model_description(str(path))
    assert description.coSimulation is None and description.modelExchange.modelIdentifier == "a_1"
    assert description.modelName == "A pendulum <on> a rod & a motor"
    by_name = {own.name: own for own in description.modelVariables}
    assert (by_name["push"].causality, by_name["push"].unit) == ("input", "N")
    assert (by_name["x"].unit, by_name["x'"].unit, by_name["der(x')"].unit) == ("m", "m/s", "m/s²")
    assert (by_name["l"].variability, by_name["l"].start) == ("tunable", "0.5")
    assert '<Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit>' in text


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="both, me or cs"):
        pendulum().fmu(tmp_path / "a.fmu", kind="all")
    with pytest.raises((ap.Unavailable, ValueError), match="not \\(q, v\\)"):
        pendulum().fmu(tmp_path / "a.fmu", form="hamilton")
    with pytest.raises(FileNotFoundError):
        pendulum().fmu(tmp_path / "nowhere" / "a.fmu")
