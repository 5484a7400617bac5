"""What SymPy's Kane takes and does not take, beside SymPy's own accelerations, and at states where pivots vanish."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import appell as ap

sympy = pytest.importorskip("sympy")
pytest.importorskip("scipy")
from foreign import Oracle  # noqa: E402
from sympy.physics import mechanics as me  # noqa: E402

from appell._cofactors import solved  # noqa: E402

T = me.dynamicsymbols._t


def imported(handed: Any, values: dict[Any, float]) -> ap.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ap.Model.from_sympy(handed, parameters=values)


def agrees(handed: Any, values: dict[Any, float], states: list[list[float]], until: float = 0.5) -> ap.Model:
    """Holds accelerations and motions from states (q, u) against SymPy's equations."""
    model, oracle = imported(handed, values), Oracle.of(handed, values)
    n = len(oracle.q)
    for y in map(np.array, states):
        motion = model.run(until, x0=oracle.start(model, y), rtol=1e-11, atol=1e-12)
        own = model.rhs()(0.0, motion.y[:, 0])[len(model.coordinates) :][:n]
        assert own == pytest.approx(oracle.accelerations()(y), rel=1e-10, abs=1e-10)
        assert motion.t[-1] == pytest.approx(until)
        assert motion.y[:n, -1] == pytest.approx(oracle.end(y, until), rel=1e-8, abs=1e-8)
    return model


def pendulum() -> tuple[Any, ...]:
    """A pendulum whose bob knows its potential energy, and its weight."""
    q, u = me.dynamicsymbols("q u")
    m, length, g = sympy.symbols("m l g")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    bob = origin.locatenew("P", -length * A.y)
    bob.v2pt_theory(origin, N, A)
    particle = me.Particle("bob", bob, m)
    particle.potential_energy = m * g * bob.pos_from(origin).dot(N.y)
    return q, u, N, particle, [(bob, -m * g * N.y)], {m: 1.3, length: 0.7, g: 9.81}


@pytest.mark.parametrize("has_loads", [True, False])
def test_kane_looks_at_no_potential_energy(has_loads: bool) -> None:
    q, u, N, particle, loads, values = pendulum()
    kane = me.KanesMethod(N, [q], [u], [q.diff(T) - u])
    kane.kanes_equations([particle], loads if has_loads else None)
    model = agrees(kane, values, [[0.4, 1.0]])
    assert any("potential energy of bob does not count" in remark for remark in model.remarks)
    assert model.rhs()(0.0, [0.4, 1.0])[1] == pytest.approx(-9.81 / 0.7 * np.sin(0.4) if has_loads else 0, abs=1e-12)


@pytest.mark.parametrize("method", [me.KanesMethod, me.LagrangesMethod, None])
def test_a_system_takes_potential_energies_as_its_method_does(method: Any) -> None:
    """None: not formed yet, and Kane's method is what SymPy forms if nothing is said."""
    x, v = me.dynamicsymbols("x v")
    m, k = sympy.symbols("m k")
    ground, cart = me.RigidBody("ground"), me.Particle("cart", mass=m)
    cart.potential_energy = k * x**2 / 2
    system = me.System.from_newtonian(ground)
    rate = x.diff(T) if method is me.LagrangesMethod else v
    system.add_joints(me.PrismaticJoint("slide", ground, cart, coordinates=x, speeds=rate, joint_axis=ground.x))
    system.add_loads(me.Force(cart.masscenter, 0.3 * ground.x))
    if method is not None:
        system.form_eoms(eom_method=method)
    model = imported(system, {m: 2.0, k: 5.0})
    wanted = (0.3 - 5 * 0.2) / 2 if method is me.LagrangesMethod else 0.3 / 2
    assert model.rhs()(0.0, [0.2, 0.7])[1] == pytest.approx(wanted, rel=1e-12)
    if method is not None:
        matrix, right = (x.subs({m: 2.0, k: 5.0}) for x in (system.mass_matrix_full, system.forcing_full))
        rate = matrix.LUsolve(right).subs({x.diff(T): 0.7, v: 0.7}).subs(x, 0.2)[1]
        assert float(rate) == pytest.approx(wanted, rel=1e-12)


def planar(speeds: int) -> tuple[Any, dict[Any, float]]:
    """A body in a plane by the components of its velocity along its own axes: both, with a row, or the one that a blade leaves."""
    x, y, th = me.dynamicsymbols("x y th")
    u = me.dynamicsymbols("u1:4")
    m, J = sympy.symbols("m J")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [th, N.z])
    A.set_ang_vel(N, u[2] * N.z)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("G", x * N.x + y * N.y)
    centre.set_vel(N, u[0] * A.x + (u[1] * A.y if speeds == 3 else 0 * A.y))
    kd = [x.diff(T) - centre.vel(N).dot(N.x), y.diff(T) - centre.vel(N).dot(N.y), th.diff(T) - u[2]]
    body = me.RigidBody("body", centre, A, m, (me.inertia(A, 0, 0, J), centre))
    row = {"u_dependent": [u[1]], "velocity_constraints": [u[1] + u[2] / 10]} if speeds == 3 else {}
    kane = me.KanesMethod(N, [x, y, th], [u[0], u[2]], kd, **row)
    kane.kanes_equations([body], [(centre, 1.3 * A.x), (A, 0.4 * N.z)])
    return kane, {m: 2.0, J: 0.5}


@pytest.mark.parametrize("speeds", [2, 3])
def test_headings_of_0_and_90_degrees(speeds: int) -> None:
    """The inverse of a turn is `u1 = x' cos th + y' sin th`; by pivots it was divided by a sine or a cosine."""
    handed, values = planar(speeds)
    own = {2: [0.7, 1.1], 3: [0.7, 1.1, -0.11]}[speeds]
    starts = [[0.1, 0.2, heading, *own] for heading in (0.0, np.pi / 2, 1.2)]
    model = agrees(handed, values, starts)
    assert "u1 = \"sin(th)*y' + cos(th)*x'\"" in model.text
    if speeds == 2:
        assert "kd = \"-sin(th)*x' + cos(th)*y' = 0\"" in model.text


@pytest.mark.parametrize("form", ["solved", "matrix"])
def test_speeds_along_the_axes_of_a_body_in_space(form: str) -> None:
    """Six speeds, of the mass centre and of the turns, with rates solved by SymPy, divided by cos b; the start has no angles."""
    q, u = me.dynamicsymbols("x y z a b c"), me.dynamicsymbols("u1:7")
    N = me.ReferenceFrame("N")
    B = N.orientnew("B", "Body", q[3:], "123")
    spin = B.ang_vel_in(N).to_matrix(B)
    if form == "solved":
        solved = sympy.solve(list(spin - sympy.Matrix(u[3:])), [x.diff(T) for x in q[3:]])
        turns = [x.diff(T) - sympy.trigsimp(solved[x.diff(T)]) for x in q[3:]]
    else:
        turns = list(sympy.Matrix(u[3:]) - spin)
    moves = sympy.Matrix(q[:3]).diff(T) - B.dcm(N).T * sympy.Matrix(u[:3])
    B.set_ang_vel(N, sum((x * axis for x, axis in zip(u[3:], B, strict=True)), me.Vector(0)))
    origin = me.Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("G", sum((x * axis for x, axis in zip(q[:3], N, strict=True)), me.Vector(0)))
    centre.set_vel(N, sum((x * axis for x, axis in zip(u[:3], B, strict=True)), me.Vector(0)))
    body = me.RigidBody("body", centre, B, 2, (me.inertia(B, 0.3, 0.4, 0.5, 0.01), centre))
    kane = me.KanesMethod(N, list(q), list(u), [*moves, *turns])
    kane.kanes_equations([body], [(centre, 1.3 * B.x - N.z), (B, 0.2 * N.y)])
    # SymPy's own rates of the matrix divide by cos c.
    turn = np.pi / 2 if form == "solved" else 1.5
    starts = [[0.1, 0.2, 0.3, *angles, 0.7, 0.2, -0.3, 0.4, 0.5, -0.6] for angles in ([0, 0, 0], [0.1, 0.2, turn], [0.4, -0.5, 0.6])]
    model = agrees(kane, {}, starts, until=0.3)
    assert "/" not in model.text.partition("[define]")[2].partition("[frames]")[0]


def test_speeds_along_oblique_axes() -> None:
    """A determinant that is not constant, -cos th; single coefficients vanish where it does not."""
    x, y, th = q = me.dynamicsymbols("x y th")
    u = me.dynamicsymbols("u1:4")
    N = me.ReferenceFrame("N")
    origin = me.Point("O")
    origin.set_vel(N, 0)
    point = origin.locatenew("P", x * N.x + y * N.y + th * N.z)
    point.set_vel(N, x.diff(T) * N.x + y.diff(T) * N.y + th.diff(T) * N.z)
    first, second = (sympy.cos(th), sympy.sin(th)), (sympy.sin(2 * th), -sympy.cos(2 * th))
    kd = [s.diff(T) - u[0] * a - u[1] * b for s, a, b in zip((x, y), first, second, strict=True)] + [th.diff(T) - u[2]]
    rates = sympy.solve(kd, [x.diff(T) for x in q])
    point.set_vel(N, sum((rates[s.diff(T)] * axis for s, axis in zip(q, N, strict=True)), me.Vector(0)))
    kane = me.KanesMethod(N, list(q), list(u), kd)
    kane.kanes_equations([me.Particle("P_", point, 2)], [(point, 0.3 * N.x - 0.2 * N.y)])
    agrees(kane, {}, [[0.1, 0.2, 0.0, 0.7, 0.2, 0.1], [0.1, 0.2, np.pi / 4, 0.7, 0.2, 0.1]], until=0.3)


def test_a_speed_along_an_axis_in_space() -> None:
    """An aircraft without slip, level and upright: three rows for one speed, each of whose coefficients vanishes somewhere."""
    x, y, z, yaw, pitch = q = me.dynamicsymbols("x y z yaw pitch")
    u = me.dynamicsymbols("u1:4")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [yaw, N.z])
    B = A.orientnew("B", "Axis", [pitch, A.y])
    A.set_ang_vel(N, u[1] * N.z)
    B.set_ang_vel(A, u[2] * A.y)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("G", x * N.x + y * N.y + z * N.z)
    centre.set_vel(N, u[0] * B.x)
    kd = [*(sympy.Matrix([x, y, z]).diff(T) - centre.vel(N).to_matrix(N)), yaw.diff(T) - u[1], pitch.diff(T) - u[2]]
    kane = me.KanesMethod(N, list(q), list(u), kd)
    body = me.RigidBody("body", centre, B, 2, (me.inertia(B, 1, 2, 2.5), centre))
    kane.kanes_equations([body], [(centre, 1.3 * B.x - 9 * N.z), (B, 0.3 * N.x)])
    angles = [[0.0, 0.0], [np.pi / 2, 0.0], [0.3, np.pi / 2], [0.4, -0.5]]
    model = agrees(kane, {}, [[0.1, 0.2, 0.3, *at, 0.7, 0.5, -0.4] for at in angles])
    assert model.constraints == ["kd", "kd_2", "kd_3"]


@pytest.mark.parametrize("seed", range(12))
def test_cofactors_solve_random_equations(seed: int) -> None:
    """What is solved gives the unknowns that the rows were made of, and the rows left have the rank that is missing."""
    rng = np.random.default_rng(seed)
    a, b = me.dynamicsymbols("a b")
    k = sympy.Symbol("k")
    pool = [sympy.sin(a), sympy.cos(a), sympy.sin(b) * sympy.cos(a), sympy.tan(b), 1 / sympy.cos(b), a * b, k]
    pool += [sympy.S.Zero, sympy.S.One, sympy.cos(T)]
    n = int(rng.integers(1, 4))
    m = n + int(rng.integers(0, 2 if n > 1 else 4))
    table = sympy.Matrix(m, n, lambda i, j: pool[rng.integers(len(pool))] + int(i == j))
    rest = sympy.symbols(f"r0:{m}")
    at = {a: 0.3, b: 0.7, k: 1.3, T: 0.2}
    numbers, wanted = np.array(table.subs(at).evalf(), float), rng.normal(size=n)
    assert np.linalg.matrix_rank(numbers) == n
    found = solved(table, list(rest), T)
    assert found is not None
    sides = dict(zip(rest, -numbers @ wanted, strict=True))
    assert [float(x.subs(at).subs(sides)) for x in found[0]] == pytest.approx(wanted, rel=1e-10)
    slopes = np.array([[float(row.diff(x).subs(at)) for x in rest] for row in found[1]]).reshape(-1, m)
    assert slopes @ numbers == pytest.approx(np.zeros((len(slopes), n)), abs=1e-12)
    assert (np.linalg.matrix_rank(slopes) if len(slopes) else 0) == m - n


@pytest.mark.parametrize("held", [False, True])
def test_configuration_constraints_without_their_rates_are_remarked(held: bool) -> None:
    x, y, u1, u2 = me.dynamicsymbols("x y u1 u2")
    m, g = sympy.symbols("m g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x + y * frame.y)
    point.set_vel(frame, u1 * frame.x + u2 * frame.y)
    place = x**2 + y - 1
    rates = {"u_dependent": [u2], "velocity_constraints": [2 * x * u1 + u2]} if held else {}
    kane = me.KanesMethod(
        frame, [x], [u1] if held else [u1, u2], kd_eqs=[x.diff() - u1, y.diff() - u2], q_dependent=[y],
        configuration_constraints=[place], **rates,
    )  # fmt: skip
    kane.kanes_equations([me.Particle("p", point, m)], [(point, -m * g * frame.y)])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = ap.Model.from_sympy(kane, parameters={m: 1, g: 9.81})
    said = [str(warning.message) for warning in heard if isinstance(warning.message, ap.SympyRemark)]
    assert model.constraints == ["c1"]
    assert any("do not keep c1" in words for words in said) is not held


@pytest.mark.parametrize("place", [lambda x, y: x - y, lambda x, y: x - sympy.sin(y)], ids=["line", "curve"])
def test_a_body_that_constraints_hold_at_rest_has_a_mass(place: Any) -> None:
    """Two rows on two coordinates leave no freedom, and forces that the rows hold against."""
    x, y = me.dynamicsymbols("x y")
    m, frame, origin = sympy.Symbol("m"), me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x + y * frame.y)
    point.set_vel(frame, x.diff() * frame.x + y.diff() * frame.y)
    model = ap.Model.from_sympy(
        [x, y], bodies=[me.Particle("p", point, m)], forces=[(point, -3 * frame.y)], constraints=[place(x, y), x.diff() - 2 * y.diff()],
        frame=frame, origin=origin, parameters={m: 1.3},
    )  # fmt: skip
    found = model.eval({"q": [0, 0], "v": [0, 0]}, form="multipliers").states[0]
    assert found.accel == pytest.approx([0, 0], abs=1e-14)
    assert found.reaction == pytest.approx([0, 3], abs=1e-13)


def test_kane_s_rows_that_leave_no_freedom_keep_the_place_of_a_body() -> None:
    x, y, u1, u2 = me.dynamicsymbols("x y u1 u2")
    m, frame, origin = sympy.Symbol("m"), me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x + y * frame.y)
    point.set_vel(frame, u1 * frame.x + u2 * frame.y)
    kane = me.KanesMethod(
        frame, [x], [u1], kd_eqs=[x.diff() - u1, y.diff() - u2], q_dependent=[y], u_dependent=[u2],
        configuration_constraints=[x - y], velocity_constraints=[u1 - 2 * u2],
    )  # fmt: skip
    kane.kanes_equations([me.Particle("p", point, m)], [(point, -3 * frame.y)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ap.SympyRemark)
        model = ap.Model.from_sympy(kane, parameters={m: 1.3})
    assert model.eval({"q": [0, 0], "v": [0, 0]}, form="multipliers").states[0].reaction == pytest.approx([0, 3], abs=1e-13)
