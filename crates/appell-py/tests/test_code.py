"""Exported code, run where its target is there, gives Appell's own numbers."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell as ap

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = ["skate", "perpendicular", "rolling-disc", "appell-particle", "snakeboard", "bicycle", "hyperbolic-geodesic"]
Equations = Callable[[float, Any, Any], tuple[Any, Any]]


def python(module: str) -> Callable[[str, Path, ap.Model], Equations]:
    def load(text: str, _: Path, __: ap.Model) -> Equations:
        pytest.importorskip(module)
        scope: dict[str, Any] = {}
        exec(compile(text, module, "exec"), scope)

        def equations(t: float, y: Any, p: Any) -> tuple[Any, Any]:
            found = scope["equations"](t, y, p)
            return (np.array(found[key], dtype=float).ravel() for key in ("rate", "lambda"))  # type: ignore[return-value]

        return equations

    return load


def casadi(text: str, folder: Path, model: ap.Model) -> Equations:
    """As symbols, not only as numbers."""
    ca = pytest.importorskip("casadi")
    scope: dict[str, Any] = {}
    exec(compile(text, "casadi", "exec"), scope)
    symbols = [ca.SX.sym("t"), ca.SX.sym("y", 2 * len(model.coordinates)), ca.SX.sym("p", len(model.parameters))]
    found = scope["equations"](*symbols)
    function = ca.Function("f", symbols, [ca.vertcat(found["rate"]), ca.vertcat(found["lambda"])])
    return lambda t, y, p: tuple(np.array(x).ravel() for x in function(t, y, p))  # type: ignore[return-value]


def c(text: str, folder: Path, model: ap.Model) -> Equations:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler of C")
    source, library = folder / "equations.c", folder / "equations.so"
    source.write_text(text)
    flags = ["-std=c99", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
    function = ctypes.CDLL(str(library)).equations
    pointer = np.ctypeslib.ndpointer(dtype=float, flags="C_CONTIGUOUS")
    function.argtypes = [ctypes.c_double, pointer, pointer, pointer, pointer]
    rows = text.count("    lambda[")

    def equations(t: float, y: Any, p: Any) -> tuple[Any, Any]:
        rate, multipliers = np.empty(len(y)), np.empty(max(rows, 1))
        assert function(t, np.ascontiguousarray(y), np.ascontiguousarray(p), rate, multipliers) == 0
        return rate, multipliers[:rows]

    return equations


def interpreted(program: str, call: str) -> Callable[[str, Path, ap.Model], Equations]:
    def load(text: str, folder: Path, _: ap.Model) -> Equations:
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")

        def equations(t: float, y: Any, p: Any) -> tuple[Any, Any]:
            script = folder / ("script.jl" if program == "julia" else "equations_of_motion.m")
            numbers = [", ".join(repr(float(x)) for x in xs) for xs in (y, p)]
            script.write_text(("" if program == "julia" else "1;\n") + text + call.format(t, *numbers))
            done = subprocess.run([program, str(script)], capture_output=True, text=True, check=True)
            rate, multipliers = ([float(x) for x in line.split()] for line in done.stdout.split("\n")[:2])
            return rate, multipliers

        return equations

    return load


TARGETS: dict[str, Callable[[str, Path, ap.Model], Equations]] = {
    "numpy": python("numpy"),
    "jax": python("jax"),
    "casadi": casadi,
    "c": c,
    "julia": interpreted("julia", "r = equations({}, [{}], [{}])\nprintln(join(r.rate, ' '))\nprintln(join(r.lambda, ' '))\n"),
    "matlab": interpreted(
        "octave", "[r, l] = equations({}, [{}], [{}]);\nprintf('%.17g ', r); printf('\\n'); printf('%.17g ', l);\n"
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_code_gives_the_same_numbers(name: str, target: str, tmp_path: Path) -> None:
    model = ap.Model.gallery(name)
    equations = TARGETS[target](model.derive("multipliers").code(target), tmp_path, model)
    f, p = model.rhs(), np.array(list(model.parameters.values()))
    n = len(model.coordinates)
    rng = np.random.default_rng(7)
    for _ in range(1 if target in ("julia", "matlab") else 3):
        t, y = 0.3, rng.uniform(0.2, 0.9, size=2 * n)
        state = model.eval({"t": t, "q": y[:n], "v": y[n:]}, form="multipliers").states[0].forms["multipliers"]
        rate, multipliers = equations(t, y, p)
        wanted = f(t, y)
        assert np.allclose(rate, wanted, rtol=1e-11, atol=1e-11 * max(1, np.abs(wanted).max()))
        if "lambda" in state:
            scale = max(1, np.abs(state.lambda_).max(initial=0))
            assert np.allclose(multipliers, state.lambda_, rtol=1e-10, atol=1e-10 * scale)


@pytest.mark.parametrize("form", ["gibbs-appell", "hamilton", "kane"])
def test_other_forms_are_code_too(form: str, tmp_path: Path) -> None:
    """In their own state; its rate is that of the right-hand side."""
    model = ap.Model.gallery("skate")
    equations = python("numpy")(model.derive(form).code("numpy"), tmp_path, model)
    f = model.rhs(form)
    y = np.linspace(0.2, 0.7, len(f.state_names))
    if form == "kane":
        # Beside the constraints code first moves the velocities on to them.
        y[3:5] = 0.5 * np.cos(y[2]), 0.5 * np.sin(y[2])
    rate, _ = equations(0.0, y, np.array(list(model.parameters.values())))
    assert np.allclose(rate, f(0.0, y), rtol=1e-13, atol=1e-13)


STRANGERS = Path(__file__).parents[3] / "strangers"
DEPENDENT = ["cone-on-slope", "toe-angle-zero", "ball-in-turning-cylinder", "car-four-wheels-ackermann", "hoop-quaternion"]


@pytest.mark.parametrize("target", ["numpy", "casadi"])
@pytest.mark.parametrize("name", DEPENDENT)
def test_code_integrates_to_the_end_of_the_run(name: str, target: str, tmp_path: Path) -> None:
    """Also with rows that are dependent on the constraints only, without a return to these."""
    integrate = pytest.importorskip("scipy.integrate")
    model = ap.Model(STRANGERS / f"{name}.toml")
    equations = TARGETS[target](model.derive("multipliers").code(target), tmp_path, model)
    p = np.array(list(model.parameters.values()))
    motion = model.run(rtol=1e-12, atol=1e-14, samples=2)

    def rate(t: float, y: Any) -> Any:
        return next(iter(equations(t, y, p)))

    done = integrate.solve_ivp(rate, motion.t, motion.y[:, 0], method="DOP853", rtol=1e-12, atol=1e-13)
    assert done.success, done.message
    apart = np.abs(done.y[:, -1] - motion.y[:, -1]) / np.maximum(1, np.abs(motion.y[:, -1]))
    assert apart.max() < 1e-8, apart


@pytest.mark.parametrize(
    ("name", "form"),
    [("coin-on-turntable", "multipliers"), ("segway", "projector"), ("car-four-wheels-ackermann", "projector")],
)
def test_casadi_solves_without_pivots_as_others_with(name: str, form: str, tmp_path: Path) -> None:
    """Entries of very different sizes, and ranks that are not full."""
    model = ap.Model(STRANGERS / f"{name}.toml")
    p, y = np.array(list(model.parameters.values())), model.run(samples=2).y[:, 0]
    rates = [
        next(iter(TARGETS[target](model.derive(form).code(target), tmp_path, model)(0.0, y, p)))
        for target in ("numpy", "casadi")
    ]
    assert np.allclose(*rates, rtol=1e-10, atol=1e-10 * max(1, np.abs(rates[0]).max()))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("redundant", [True, False])
@pytest.mark.parametrize(("mass", "radius"), [(1e-6, 1e-3), (1e-9, 1e-4), (1e-12, 1e-5)])
def test_small_masses_say_as_much_as_large_ones(
    mass: float, radius: float, redundant: bool, target: str, tmp_path: Path
) -> None:
    """By hand `x'' = -k x/(m + J/r^2)` where th = 0; the rows of rods are of the order of 1."""
    rows = {"roll": "x' = r*th'", "skew": "y' = x'*sin(th) + 1e-3"}
    model = ap.Model(
        coordinates="x y th", parameters={"m": mass, "J": mass * radius**2 / 2, "r": radius, "k": 1.0},
        kinetic="m*(x'^2 + y'^2)/2 + J*th'^2/2", potential="k*(x^2 + 2*y^2)/2",
        constraints=rows | ({"again": "2*x' - 2*r*th' = 0"} if redundant else {}), initial=["x = 1e-6", "x' = 0.01"],
    )  # fmt: skip
    equations = TARGETS[target](model.derive("multipliers").code(target), tmp_path, model)
    y = np.array([1e-6, 0, 0, 0.01, 1e-3, 0.01 / radius])
    rate, multipliers = equations(0.0, y, np.array(list(model.parameters.values())))
    assert rate[3] == pytest.approx(-1e-6 / (1.5 * mass), rel=1e-6)
    # `m x'' = -k x + lambda (1 or, of both equal rows, 1 + 2*2 of the least)`.
    force = mass * rate[3] + 1e-6
    assert multipliers[0] == pytest.approx(force / (5 if redundant else 1), rel=1e-4)


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_undefined_is_no_number(target: str, tmp_path: Path) -> None:
    """Roots of negative numbers, and `min` and `sign` of them: an error or NaN, and never a complex number."""
    if target == "casadi":
        pytest.skip("`fmin` of CasADi is that of C")
    for force in ("sqrt(y)", "min(sqrt(y), 1)", "max(1, sqrt(y))", "sign(log(y))", "y^(1/3)", "asin(y)"):
        model = ap.Model(coordinates="x y", kinetic="(x'^2 + y'^2)/2", forces={"x": force}, initial=["y = 0.5"])
        equations = TARGETS[target](model.derive("multipliers").code(target), tmp_path, model)
        try:
            rate, _ = equations(0.0, [0.0, -8.0, 0.0, 0.0], [])
        except (AssertionError, subprocess.CalledProcessError):
            continue
        assert np.isnan(rate[2]), (force, rate)


def test_comments_say_what_parameters_are() -> None:
    model = ap.Model(
        coordinates="x", parameters={"m": {"value": 2, "unit": "kg"}, "k": "3*m"}, inputs={"F": {"value": 4}},
        kinetic="m*x'^2/2", potential="k*x^2/2", forces={"x": "F"}, initial=["x = 1"],
    )  # fmt: skip
    code = model.derive("multipliers").code("c")
    for line in ("p[0] = m, here 2.0 kg", "p[1] = k, here 6.0: 3*m, to be kept by the caller", "p[2] = F, an input, here 4.0"):
        assert f"// {line}" in code, code


def test_jax_differentiates(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    model = ap.Model.gallery("perpendicular")
    scope: dict[str, Any] = {}
    exec(model.derive("multipliers").code("jax"), scope)
    y, p = np.array([1, -2, 1, 2, 0.3, 0.4, 0.4, -0.3]), np.array(list(model.parameters.values()))
    jacobian = jax.jacfwd(lambda y: scope["equations"](0.0, y, p)["rate"])(y)
    assert np.allclose(jacobian, model.rhs().jac(0, y), rtol=1e-9, atol=1e-9)


def test_unknown_languages_are_refused() -> None:
    derivation = ap.Model.gallery("skate").derive()
    with pytest.raises(ValueError, match="there is in c, numpy"):
        derivation.code("cobol")
    assert derivation.code("numpy").startswith("# Skate on an inclined plane")


@pytest.mark.parametrize("name", ["rolling-disc", "bicycle"])
def test_casadi_calls_a_solver_where_symbols_are_matrices(name: str) -> None:
    """With `MX` a linear solve is one call, which CasADi differentiates as such."""
    ca = pytest.importorskip("casadi")
    scope: dict[str, Any] = {}
    model = ap.Model.gallery(name)
    exec(model.derive("multipliers").code("casadi"), scope)
    y, p = ca.MX.sym("y", 2 * len(model.coordinates)), ca.MX.sym("p", len(model.parameters))
    rate = scope["equations"](0.0, y, p)["rate"]
    f = ca.Function("f", [y, p], [rate, ca.jacobian(rate, y)])
    at, side = model.run(0.1).y[:, -1], model.rhs()
    values, slopes = f(at, side.values)
    assert np.array(values).ravel() == pytest.approx(side(0.0, at), rel=1e-9, abs=1e-9)
    expected = side.jac(0.0, at)
    assert np.array(slopes) == pytest.approx(expected, rel=1e-8, abs=1e-8 * np.abs(expected).max())
