"""Frames of SymPy that a quaternion turns: the norm is the model's, and nothing is divided by a component."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import appell as ap

sympy = pytest.importorskip("sympy")
pytest.importorskip("scipy")
from scipy.integrate import solve_ivp  # noqa: E402
from foreign import Oracle  # noqa: E402
from strangers import quaternion_top  # noqa: E402
from sympy.physics import mechanics as me  # noqa: E402

T = me.dynamicsymbols._t
VALUES = {"m": 0.7, "h": 0.3, "g": 9.81, "I_A": 0.11, "I_D": 0.16, "I_C": 0.07}


def by_euler(y0: Any, until: float) -> Any:
    """The top by Euler's equations about its tip, `J w' = (J w) x w + c x R^T (-m g z)`, and `Q' = E w / 2`."""
    arm = np.array([0.1, 0, 0.3])
    inertia = np.diag([0.11, 0.16, 0.07]) + 0.7 * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    def rates(_: float, y: Any) -> Any:
        e0, e1, e2, e3 = y[:4]
        w = y[4:]
        table = np.array([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])
        up = np.array([2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), e0**2 - e1**2 - e2**2 + e3**2])
        moment = np.cross(inertia @ w, w) + np.cross(arm, -0.7 * 9.81 * up)
        return np.concatenate([table @ w / 2, np.linalg.solve(inertia, moment)])

    return solve_ivp(rates, (0, until), y0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("form", ["rates", "angular velocity", "signs"])
def test_a_component_may_vanish(form: str) -> None:
    """Speeds are 2 E^T Q': those solved from four equations by pivots were divided by a component, and a start without a turn had none."""
    kane, _ = quaternion_top(form)
    model = ap.Model.from_sympy(kane, parameters=VALUES)
    assert "/e" not in model.text
    w = np.array([0.4, -0.3, 2.0])
    rate = dict(zip(["e1'", "e2'", "e3'"], (-w if form == "signs" else w) / 2, strict=True))
    motion = model.run(0.8, x0={"e0": 1, "e1": 0, "e2": 0, "e3": 0, "e0'": 0, **rate}, rtol=1e-11, atol=1e-12)
    wanted = by_euler([1, 0, 0, 0, *w], 0.8)[:4]
    if form == "signs":
        wanted[1:] *= -1
    assert motion.y[:4, -1] == pytest.approx(wanted, abs=1e-9)
    assert motion.y[:4, -1] @ motion.y[:4, -1] == pytest.approx(1, abs=1e-13)


def test_speeds_along_other_axes() -> None:
    """`Q' = F u / 2` with the components along the axes at rest, doubled: the coefficients are numbers on the unit norm too."""
    e, u = me.dynamicsymbols("e0:4"), me.dynamicsymbols("u1:4")
    e0, e1, e2, e3 = e
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    B.orient_quaternion(N, e)
    spin = 2 * u[0] * N.x + u[1] * N.y + (u[2] - u[0]) * N.z
    w1, w2, w3 = spin.to_matrix(N)
    kd = [2 * e0.diff(T) + e1 * w1 + e2 * w2 + e3 * w3, 2 * e1.diff(T) - e0 * w1 - e3 * w2 + e2 * w3,
          e2.diff(T) - 0.5 * (-e3 * w1 + e0 * w2 + e1 * w3), e3.diff(T) - (e2 * w1 - e1 * w2 + e0 * w3) / 2]  # fmt: skip
    B.set_ang_vel(N, spin)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    body = me.RigidBody("body", origin, B, 1, (me.inertia(B, 0.2, 0.3, 0.4), origin))
    model = ap.Model.from_sympy(list(e), u=list(u), kd=kd, bodies=[body], frame=N)
    assert "/e" not in model.text
    # At e = (1, 0, 0, 0) the angular velocity is 2 (e1', e2', e3').
    energy = model.run(0.1, x0={"e0": 1, "e1'": 0.1, "e2'": 0.2, "e3'": 0.3}).energy
    assert energy == pytest.approx((0.2 * 0.2**2 + 0.3 * 0.4**2 + 0.4 * 0.6**2) / 2)


def test_a_norm_that_sympy_has_not_is_told() -> None:
    """Quietly where the kinematical equations keep it, aloud where nothing of SymPy's does."""
    for form in ("rates", "norm", "Lagrange"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = ap.Model.from_sympy(quaternion_top(form)[0], parameters=VALUES)
        assert any("unit quaternion" in remark for remark in model.remarks)
    e = me.dynamicsymbols("e0:4")
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    B.orient_quaternion(N, e)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    body = me.RigidBody("body", origin, B, 1, (me.inertia(B, 1, 2, 3), origin))
    with pytest.warns(ap.SympyRemark, match="e0, e1, e2, e3 are a unit quaternion"):
        model = ap.Model.from_sympy(list(e), bodies=[body], frame=N)
    assert model.constraints == ["unit_B"]


@pytest.mark.parametrize("scale", [1e-12, 1, 1e12])
def test_a_norm_in_any_units_is_one_row(scale: float) -> None:
    """And a row that says more than the norm is kept."""
    e = me.dynamicsymbols("e0:4")
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    B.orient_quaternion(N, e)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    body = me.RigidBody("body", origin, B, 1, (me.inertia(B, 1, 2, 3), origin))
    rows = {"norm": scale * (sum(x**2 for x in e) - 1), "knife": scale * B.ang_vel_in(N).dot(B.x)}
    model = ap.Model.from_sympy(list(e), bodies=[body], frame=N, constraints=rows)
    assert model.constraints == ["knife", "unit_B"]


def test_a_wrong_angular_velocity_is_still_caught() -> None:
    e, u = me.dynamicsymbols("e0:4"), me.dynamicsymbols("u1:4")
    e0, e1, e2, e3 = e
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    B.orient_quaternion(N, e)
    table = sympy.Matrix([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])
    B.set_ang_vel(N, u[0] * B.x + u[1] * B.y - u[2] * B.z)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    body = me.RigidBody("body", origin, B, 1, (me.inertia(B, 1, 2, 3), origin))
    kd = list(sympy.Matrix(e).diff(T) - table * sympy.Matrix(u) / 2)
    with pytest.raises(ValueError, match=r"angular velocity given to B\b"):
        ap.Model.from_sympy(list(e), u=list(u), kd=kd, bodies=[body], frame=N)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("kind", ["one axis", "axes exchanged", "three turns", "a right angle"])
def test_constant_turns_beside_a_quaternion(side: str, kind: str) -> None:
    """A matrix of a quaternion times one of numbers: the frame is a chain, the body has its row and SymPy's accelerations."""
    third, large = sympy.Rational(3, 5), sympy.Rational(4, 5)
    about = sympy.Matrix([[third, -large, 0], [large, third, 0], [0, 0, 1]])
    other = sympy.Matrix([[1, 0, 0], [0, -third, large], [0, -large, -third]])
    exchanged = sympy.Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    upright = sympy.Matrix([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    turn = {"one axis": about, "axes exchanged": exchanged, "three turns": about * other * exchanged * about, "a right angle": upright * other}[kind]
    e, u = me.dynamicsymbols("e0:4"), me.dynamicsymbols("u1:4")
    e0, e1, e2, e3 = e
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    own = me.ReferenceFrame("own").orientnew("Q", "Quaternion", e)
    plain = next(iter(own._dcm_dict.values())).T
    plain = plain if plain[0, 1].subs({e0: 1, e1: 0, e2: 0, e3: 1}) == -2 else plain.T
    B.orient_explicit(N, turn * plain if side == "before" else plain * turn)
    table = sympy.Matrix([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])
    # The speeds are along the axes that the quaternion turns.
    rates = sympy.Matrix(u) if side == "before" else turn.T * sympy.Matrix(u)
    B.set_ang_vel(N, sum((w * axis for w, axis in zip(rates, B, strict=True)), me.Vector(0)))
    origin = me.Point("O")
    origin.set_vel(N, 0)
    body = me.RigidBody("body", origin, B, 1, (me.inertia(B, 1, 2, 2.5, 0.3), origin))
    kane = me.KanesMethod(N, e, u, list(sympy.Matrix(e).diff(T) - table * sympy.Matrix(u) / 2))
    kane.kanes_equations([body], [(B, 0.4 * N.x + 0.3 * B.y)])
    model, oracle = ap.Model.from_sympy(kane), Oracle.of(kane)
    assert model.bodies == ["body"]
    assert [name.partition("_")[0] for name in model.constraints] == ["unit"]
    for y in oracle.states(2, 3):
        motion = model.run(0.5, x0=oracle.start(model, y), rtol=1e-11, atol=1e-12)
        assert model.rhs()(0.0, motion.y[:, 0])[4:] == pytest.approx(oracle.accelerations()(y), rel=1e-10, abs=1e-10)
        assert motion.y[:4, -1] == pytest.approx(oracle.end(y, 0.5), rel=1e-8, abs=1e-8)
