"""Velocities that are not those of positions: understood where they are a rolling contact's, else refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import appell as ap

sympy = pytest.importorskip("sympy")
from foreign import Oracle, of_sympy  # noqa: E402
from strangers import roof  # noqa: E402
from sympy.physics import mechanics as me  # noqa: E402

from appell._handed import _repeated  # noqa: E402

T = me.dynamicsymbols._t


class Chain:
    """A random open chain of particles and rigid bodies on turning arms, with speeds of its own.

    Its velocities come from SymPy's theorems about two points, and are then given explicitly.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.n = int(rng.integers(2, 4))
        self.q, self.u = me.dynamicsymbols(f"q1:{self.n + 1}"), me.dynamicsymbols(f"u1:{self.n + 1}")
        self.symbols = sympy.symbols(f"m1:{self.n + 1} l1:{self.n + 1} g")
        masses, lengths, weight = self.symbols[: self.n], self.symbols[self.n : 2 * self.n], self.symbols[-1]
        self.frame, self.origin = me.ReferenceFrame("N"), me.Point("O")
        self.origin.set_vel(self.frame, 0)
        mixes = bool(rng.integers(2))
        self.kd = [x.diff(T) - u - (self.u[0] * sympy.cos(x) / 3 if mixes and i else 0)
                   for i, (x, u) in enumerate(zip(self.q, self.u, strict=True))]  # fmt: skip
        rates = dict(sympy.solve(self.kd, [x.diff(T) for x in self.q]))
        before, point = self.frame, self.origin
        self.points, self.frames, self.bodies, self.loads = [], [], [], []
        for i, x in enumerate(self.q):
            axis = "xyz"[rng.integers(3)]
            turned = before.orientnew(f"A{i}", "Axis", [x, getattr(before, axis)])
            turned.set_ang_vel(before, rates[x.diff(T)] * getattr(before, axis))
            # Away from the axis, for particles have no inertia about it.
            arm, other = rng.permutation([a for a in "xyz" if a != axis])
            offset = lengths[i] * getattr(turned, arm) + lengths[0] / 3 * (getattr(turned, other) + getattr(turned, axis))
            end = point.locatenew(f"P{i}", offset)
            end.v2pt_theory(point, self.frame, turned)
            if rng.integers(2):
                body = me.Particle(f"B{i}", end, masses[i])
            else:
                inertia = masses[i] * me.inertia(turned, 1, 1.2, 0.9)
                body = me.RigidBody(f"B{i}", end, turned, masses[i], (inertia, end))
            self.bodies.append(body)
            self.points.append(end)
            self.frames.append(turned)
            self.loads.append((end, -masses[i] * weight * self.frame.y))
            before, point = turned, end

    def spoil(self, rng: np.random.Generator) -> str:
        """Makes one velocity wrong; gives the name of what it belongs to."""
        kind = int(rng.integers(4))
        i = int(rng.integers(self.n))
        point, turned = self.points[i], self.frames[i]
        velocity = point.vel(self.frame)
        size = sympy.Rational(int(rng.integers(1, 9)), 7)
        rigid = [j for j, body in enumerate(self.bodies) if isinstance(body, me.RigidBody)]
        if kind == 0 and velocity != 0:
            point.set_vel(self.frame, velocity * (1 + size))
        elif kind <= 1:
            point.set_vel(self.frame, velocity + size * self.u[i] * self.frame.z)
        elif kind == 2 or not rigid:
            point.set_vel(self.frame, velocity + size * sympy.sin(self.q[i]) * self.u[-1] * turned.x)
        else:
            i = rigid[int(rng.integers(len(rigid)))]
            turned = self.frames[i]
            turned.set_ang_vel(self.frame, turned.ang_vel_in(self.frame) + size * self.u[i] * turned.y)
            return f"A{i}"
        return f"P{i}"

    def model(self) -> ap.Model:
        return ap.Model.from_sympy(
            self.q, u=self.u, kd=self.kd, bodies=self.bodies, forces=self.loads, frame=self.frame,
            parameters={s: 0.8 + 0.07 * i for i, s in enumerate(self.symbols)},
        )  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_one_wrong_velocity_is_caught(seed: int) -> None:
    """And named. The same system with right ones is read."""
    if seed < 6:
        agrees_with_kane(Chain(seed))
    chain = Chain(seed)
    name = chain.spoil(np.random.default_rng(1000 + seed))
    with pytest.raises(ValueError, match=rf"velocity given to {name}\b"):
        chain.model()


def agrees_with_kane(chain: Chain) -> None:
    kane = me.KanesMethod(chain.frame, chain.q, chain.u, chain.kd)
    kane.kanes_equations(chain.bodies, chain.loads)
    oracle = Oracle.of(kane, {str(s): 0.8 + 0.07 * i for i, s in enumerate(chain.symbols)})
    f = chain.model().rhs()
    for y in oracle.states(2, 5):
        state = [*y[: chain.n], *oracle.right_side()(0.0, y)[: chain.n]]
        wanted = oracle.accelerations()(y)
        assert f(0.0, state)[chain.n :] == pytest.approx(wanted, rel=1e-10, abs=1e-10 * (1 + np.abs(wanted).max()))


def test_rows_on_accelerations_must_be_rates() -> None:
    x, y, u, v = me.dynamicsymbols("x y u v")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x + y * frame.y)
    point.set_vel(frame, u * frame.x + v * frame.y)
    row = v - sympy.cos(x) * u
    for extra, is_right in ((3 * row, True), (sympy.sin(x), False)):
        kane = me.KanesMethod(
            frame, [x, y], [u], [x.diff(T) - u, y.diff(T) - v],
            u_dependent=[v], velocity_constraints=[row], acceleration_constraints=[row.diff(T) + extra],
        )  # fmt: skip
        kane.kanes_equations([me.Particle("bead", point, 1)], [(point, -frame.y)])
        if is_right:
            assert ap.Model.from_sympy(kane).coordinates == ["x", "y"]
        else:
            with pytest.raises(ValueError, match="acceleration_constraints are not the rates"):
                ap.Model.from_sympy(kane)


def test_velocities_can_be_meant() -> None:
    """With `velocities='given'` the system is SymPy's, positions or not."""
    chain = Chain(0)
    chain.points[-1].set_vel(chain.frame, chain.points[-1].vel(chain.frame) * sympy.Rational(3, 2))
    kane = me.KanesMethod(chain.frame, chain.q, chain.u, chain.kd)
    kane.kanes_equations(chain.bodies, chain.loads)
    oracle = Oracle.of(kane)
    with pytest.warns(ap.SympyRemark, match="kept by constraints"):
        model = ap.Model.from_sympy(kane, parameters=oracle.values, velocities="given")
    n = chain.n
    for y in oracle.states(2, 3):
        motion = model.run(1e-3, x0=oracle.start(model, y))
        own = model.rhs()(0.0, motion.y[:, 0])[len(model.coordinates) :][:n]
        assert own == pytest.approx(oracle.accelerations()(y), rel=1e-10, abs=1e-10)
    with pytest.raises(ValueError, match="checked"):
        ap.Model.from_sympy(kane, velocities="as they are")


def test_the_rolling_disc_of_sympy() -> None:
    """C.set_vel(N, 0) says that the disc rolls; it does not say that C stays where it is."""
    kane = of_sympy("kane:test_rolling_disc", 0)
    with pytest.warns(ap.SympyRemark, match="C is the point where BodyD rolls"):
        model = ap.Model.from_sympy(kane, parameters={"m": 1, "r": 0.5, "g": 9.81})
    assert any("BodyD" in remark for remark in model.remarks) and "rolls" in model.about
    q, v = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
    # From the equations of the test, u' = ((6 u2 u3 r - u3^2 r tan q2 + 4 g sin q2)/5r, ..), q2' = u1.
    u2, u3 = np.sin(q[1]) * v[0] + v[2], np.cos(q[1]) * v[0]
    wanted = (6 * u2 * u3 * 0.5 - u3**2 * 0.5 * np.tan(q[1]) + 4 * 9.81 * np.sin(q[1])) / (5 * 0.5)
    motion = model.run(0.01, x0=dict(zip(["q1", "q2", "q3", "q1'", "q2'", "q3'"], [*q, *v], strict=True)))
    own = model.rhs()(0.0, motion.y[:, 0])[len(model.coordinates) :]
    assert own[1] == pytest.approx(wanted, rel=1e-12)
    assert motion.residual.max() < 1e-12


def test_a_wheel_without_its_angle_must_be_round() -> None:
    q1, u1, u2 = me.dynamicsymbols("q1 u1 u2")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    arm = frame.orientnew("A", "Axis", [q1, frame.z])
    arm.set_ang_vel(frame, u1 * frame.z)
    for moments, is_round in (((2, 3, 2), True), ((2, 3, 2.5), False)):
        wheel = me.ReferenceFrame("W")
        wheel.set_ang_vel(arm, u2 * arm.y)
        hub = origin.locatenew("H", 2 * arm.y)
        hub.v2pt_theory(origin, frame, arm)
        body = me.RigidBody("wheel", hub, wheel, 1, (me.inertia(arm, *moments), hub))
        given = {"u": [u1, u2], "kd": [q1.diff(T) - u1], "bodies": [body], "frame": frame}
        if is_round:
            with pytest.warns(ap.SympyRemark):
                assert "W_turn" in ap.Model.from_sympy([q1], **given).coordinates
        else:
            with pytest.raises(ValueError, match="wheel turns, has no angle of its own, and is not round"):
                ap.Model.from_sympy([q1], **given)


def test_accelerations_that_were_given() -> None:
    """Those of two points of a body are right, others are refused."""
    q, u = me.dynamicsymbols("q u")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    origin.set_acc(frame, 0)
    arm = frame.orientnew("A", "Axis", [q, frame.z])
    arm.set_ang_vel(frame, u * frame.z)
    bob = origin.locatenew("P", 2 * arm.x)
    bob.v2pt_theory(origin, frame, arm)
    bob.a2pt_theory(origin, frame, arm)
    given = {"u": [u], "kd": [q.diff(T) - u], "bodies": [me.Particle("bob", bob, 1)], "frame": frame}
    assert ap.Model.from_sympy([q], **given).bodies == ["bob"]
    bob.set_acc(frame, bob.acc(frame) + u**2 * arm.y)
    with pytest.raises(ValueError, match="acceleration given to P"):
        ap.Model.from_sympy([q], **given)


def test_a_body_is_rigid_before_it_is_a_particle() -> None:
    """SymPy's `Body` is of both classes; that of a disc of inertia 5 turning with 1 rad/s has the energy 3, not 0.5."""
    x, theta = me.dynamicsymbols("x theta")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    turned = frame.orientnew("A", "Axis", [theta, frame.z])
    centre = origin.locatenew("C", x * frame.x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        disc = me.Body("disc", centre, sympy.S.One, turned, me.inertia(turned, 3, 3, 5))
        point = me.Body("point", centre, sympy.S.One)
    model = ap.Model.from_sympy([x, theta], bodies=[disc], frame=frame, origin=origin)
    motion = model.run(0.1, x0={"x'": 1, "theta'": 1})
    assert motion.energy[0] == pytest.approx(3)
    assert "inertia" not in ap.Model.from_sympy([x], bodies=[point], frame=frame, origin=origin).text


def test_a_lagrangian_of_velocities_that_hold_a_constraint_is_refused() -> None:
    """Energy from velocities without slip is not the system's: Lagrange's equations ask for those of all motions."""
    x, theta = me.dynamicsymbols("x theta")
    r, m = sympy.symbols("r m")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    centre = origin.locatenew("C", x * frame.x)
    body = me.Particle("P", centre, m)
    for velocity, is_right in ((x.diff(T), True), (r * theta.diff(T), False)):
        centre.set_vel(frame, velocity * frame.x)
        kinetic = body.kinetic_energy(frame) + theta.diff(T) ** 2
        method = me.LagrangesMethod(
            kinetic, [x, theta], nonhol_coneqs=[x.diff(T) - r * theta.diff(T)], bodies=[body], frame=frame
        )
        method.form_lagranges_equations()
        if is_right:
            assert ap.Model.from_sympy(method, parameters={r: 1, m: 1}).coordinates == ["x", "theta"]
        else:
            with pytest.raises(ValueError, match="velocity given to C"):
                ap.Model.from_sympy(method, parameters={r: 1, m: 1})


def test_equal_names_are_numbered() -> None:
    x, y = me.dynamicsymbols("x y")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    first, second = (origin.locatenew("P", z * axis) for z, axis in ((x, frame.x), (y, frame.y)))
    m, positive = sympy.Symbol("m"), sympy.Symbol("m", positive=True)
    bodies = [me.Particle("P", first, m), me.Particle("P", second, positive)]
    model = ap.Model.from_sympy([x, y], bodies=bodies, frame=frame, parameters={m: 1, positive: 3}, kd=[])
    assert model.bodies == ["P", "P_2"] and sorted(model.parameters.values()) == [1, 3]
    assert any("P_2" in remark for remark in model.remarks)
    energy = model.run(0.1, x0={"x'": 1, "y'": 1}).energy[0]
    assert energy == pytest.approx(2)
    with pytest.raises(ValueError, match="2 symbols are called `m`"):
        ap.Model.from_sympy([x, y], bodies=bodies, frame=frame, parameters={"m": 1})


def test_names_of_any_kind() -> None:
    theta, spin = me.dynamicsymbols(r"\theta_1 N")
    mass, tension, length = sympy.symbols("m_{1} T Rear\\ Frame")
    t = me.dynamicsymbols._t
    lagrangian = mass * (length * theta.diff(t)) ** 2 / 2 + spin.diff(t) ** 2 / 2 - tension * sympy.cos(theta)
    values: dict[Any, Any] = {mass: 2, tension: 3, length: 1}
    model = ap.Model.from_sympy([theta, spin], lagrangian=lagrangian, parameters=values)
    assert model.coordinates == ["theta_1", "N_"]
    assert set(model.parameters) == {"m_1", "T_", "Rear_Frame"}
    assert any("`T` is called `T_`" in remark for remark in model.remarks)
    renamed = ap.Model.from_sympy(
        [theta, spin], lagrangian=lagrangian, parameters=values, rename={tension: "tension", "N": "turn"}
    )
    assert renamed.coordinates == ["theta_1", "turn"] and "tension" in renamed.parameters
    with pytest.raises(ValueError, match="cannot be a name"):
        ap.Model.from_sympy([theta, spin], lagrangian=lagrangian, parameters=values, rename={tension: "a b"})
    with pytest.raises(ValueError, match="`T` means something else in a model"):
        ap.Model.from_sympy([theta, spin], lagrangian=lagrangian, parameters=values, rename={mass: "T"})
    with pytest.raises(ValueError, match="nothing of the model is called `zz`; its names: theta_1"):
        ap.Model.from_sympy([theta, spin], lagrangian=lagrangian, parameters=values, rename={"zz": "a"})
    clash = ap.Model.from_sympy([theta, spin], lagrangian=lagrangian, parameters=values, rename={tension: "m_1"})
    assert set(clash.parameters) == {"m_1", "m_1_2", "Rear_Frame"}
    assert any("m_1_2" in remark for remark in clash.remarks)


def test_a_body_is_renamed_by_itself_or_by_what_it_is_called() -> None:
    x = me.dynamicsymbols("x")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    body = me.Particle("P", origin.locatenew("P", x * frame.x), 2)
    for key in (body, "P"):
        model = ap.Model.from_sympy([x], bodies=[body], frame=frame, origin=origin, rename={key: "bead"})
        assert model.bodies == ["bead"]


def test_an_angular_velocity_is_not_kept_as_given_and_why() -> None:
    q, u = me.dynamicsymbols("q u")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    turned = frame.orientnew("B", "Axis", [q, frame.z])
    turned.set_ang_vel(frame, 2 * u * frame.z)
    body = me.RigidBody("b", origin, turned, 1, (me.inertia(turned, 2, 2, 2), origin))
    kane = me.KanesMethod(frame, [q], [u], [q.diff(T) - u])
    kane.kanes_equations([body], [(turned, 3 * frame.z)])
    with pytest.raises(ValueError, match="not that of its orientation") as told:
        ap.Model.from_sympy(kane)
    assert "velocities='given'" not in str(told.value)
    with pytest.raises(ValueError, match="velocities='given' keeps the velocities of points only"):
        ap.Model.from_sympy(kane, velocities="given")


def test_forces_by_auxiliary_speeds() -> None:
    """The multipliers are what SymPy's auxiliary equations say of the unknown forces."""
    q, u, ux, uy, fx, fy = me.dynamicsymbols("q u ux uy fx fy")
    m, length, g = sympy.symbols("m l g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    arm = frame.orientnew("A", "Axis", [q, frame.z])
    arm.set_ang_vel(frame, u * frame.z)
    hinge = origin.locatenew("H", 0 * frame.x)
    hinge.set_vel(frame, ux * frame.x + uy * frame.y)
    bob = hinge.locatenew("P", -length * arm.y)
    bob.v2pt_theory(hinge, frame, arm)
    loads = [(bob, -m * g * frame.y), (hinge, fx * frame.x + fy * frame.y)]
    kane = me.KanesMethod(frame, [q], [u], [q.diff(T) - u], u_auxiliary=[ux, uy])
    kane.kanes_equations([me.Particle("bob", bob, m)], loads)
    values = {m: 1.3, length: 0.7, g: 9.81}
    with pytest.warns(ap.SympyRemark):
        model = ap.Model.from_sympy(kane, parameters=values)
    assert any("fx, fy became multipliers" in remark for remark in model.remarks)
    motion = model.run(0.2, x0={"q": 0.4, "q'": -0.6})
    rate = -9.81 / 0.7 * np.sin(0.4)
    state = {u.diff(T): rate, q.diff(T): -0.6, u: -0.6, q: 0.4, **values}
    equations = sympy.Matrix(kane.auxiliary_eqs).subs({x.diff(T): 0 for x in (ux, uy)}).subs({ux: 0, uy: 0})
    forces = sympy.solve([e.subs(state) for e in equations], [fx, fy])
    for name, force in (("no_ux", fx), ("no_uy", fy)):
        assert motion[f"lambda[{name}]"][0] == pytest.approx(float(forces[force]), rel=1e-10)
    with pytest.raises(ValueError, match="no value is known of g"):
        ap.Model.from_sympy(kane, parameters={m: 1, length: 1})


def test_prescribed_functions_and_actuators() -> None:
    x, v, force, height = me.dynamicsymbols("x v F h")
    m, k, c = sympy.symbols("m k c")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x + height * frame.y)
    point.set_vel(frame, v * frame.x + height.diff(T) * frame.y)
    anchor = origin.locatenew("Q", 0 * frame.x)
    anchor.set_vel(frame, 0)
    flat = me.LinearPathway(anchor, point)
    spring = me.LinearSpring(k, flat, equilibrium_length=sympy.Rational(1, 2))
    given: dict[str, Any] = {
        "u": sympy.ImmutableMatrix([v]), "kd": sympy.ImmutableMatrix([x.diff(T) - v]), "frame": frame,
        "bodies": (me.Particle("P_", point, m),), "forces": [me.Force(point, force * frame.x), spring],
    }  # fmt: skip
    specified = {force: sympy.sin(3 * T), height: 1 + T / 5}
    model = ap.Model.from_sympy(sympy.ImmutableMatrix([x]), parameters={m: 2, k: 5}, specified=specified, **given)
    t, a = 0.3, 0.7
    length = np.hypot(a, 1 + t / 5)
    wanted = (np.sin(3 * t) - 5 * (length - 0.5) * a / length) / 2
    assert model.rhs()(t, [a, 0.2])[1] == pytest.approx(wanted, rel=1e-12)
    held = ap.Model.from_sympy([x], parameters={m: 2, k: 5, force: 4}, specified={height: 1 + T / 5}, **given)
    assert held.parameters["F"] == 4
    with pytest.raises(ValueError, match="no value is known of F"):
        ap.Model.from_sympy([x], parameters={m: 2, k: 5}, specified={height: 1 + T / 5}, **given)
    with pytest.raises(TypeError, match="is no load"):
        ap.Model.from_sympy([x], **{**given, "forces": [c]})
    with pytest.raises(TypeError, match="is neither"):
        ap.Model.from_sympy([x], **{**given, "forces": [(c, frame.x)]})


def test_a_ground_needs_no_mass() -> None:
    x = me.dynamicsymbols("x")
    ground, cart = me.RigidBody("ground"), me.RigidBody("cart")
    rail = me.PrismaticJoint("rail", ground, cart, coordinates=x, joint_axis=ground.x)
    system = me.System.from_newtonian(ground)
    system.add_joints(rail)
    system.add_loads((cart.masscenter, -3 * x * ground.x))
    model = ap.Model.from_sympy(system, parameters={cart.mass: 2}, rename={"cart": "wagon"})
    assert model.bodies == ["wagon"] and model.rhs()(0, [1.0, 0.0])[1] == pytest.approx(-1.5)


def test_positions_alone_are_enough() -> None:
    """With a point at rest, which must be known."""
    q = me.dynamicsymbols("q")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    bob = origin.locatenew("P", sympy.sin(q) * frame.x - sympy.cos(q) * frame.y)
    given = {"bodies": [me.Particle("bob", bob, 1)], "forces": [(bob, -9 * frame.y)], "frame": frame}
    with pytest.raises(ValueError, match="say origin=O"):
        ap.Model.from_sympy([q], **given)
    model = ap.Model.from_sympy([q], origin=origin, **given)
    assert model.rhs()(0, [0.3, 0.5])[1] == pytest.approx(-9 * np.sin(0.3))


def test_what_changes_is_refused() -> None:
    """A mass of the time has a thrust in SymPy; an inertia that turns otherwise than its body is none."""
    q = me.dynamicsymbols("q")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    turned = frame.orientnew("A", "Axis", [q, frame.z])
    rocket = origin.locatenew("P", q * frame.x)
    with pytest.raises(ValueError, match="mass of rocket changes"):
        ap.Model.from_sympy([q], bodies=[me.Particle("rocket", rocket, 2 - T / 9)], frame=frame)
    body = me.RigidBody("plate", rocket, turned, 1, (me.inertia(frame, 1, 2, 3), rocket))
    with pytest.raises(ValueError, match="inertia of plate is not constant in its frame A"):
        ap.Model.from_sympy([q], bodies=[body], frame=frame)


def test_rows_that_follow_from_the_coordinates_are_left_out() -> None:
    """Also where their components are in other axes than those of the constraint of the place, but not where they say more."""
    x, y, z, u, v, w = me.dynamicsymbols("x y z u v w")
    m, length, g = sympy.symbols("m l g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    bob = origin.locatenew("P", x * frame.x + y * frame.y + z * frame.z)
    bob.set_vel(frame, u * frame.x + v * frame.y + w * frame.z)
    place, blade = x**2 + y**2 - length**2, w - x * u / 2
    kane = me.KanesMethod(
        frame, [x, z], [u], [x.diff(T) - u, y.diff(T) - v, z.diff(T) - w], q_dependent=[y], configuration_constraints=[place],
        u_dependent=[v, w], velocity_constraints=[3 * sympy.sin(z) * (x * u + y * v) + x * u + y * v, blade],
    )  # fmt: skip
    kane.kanes_equations([me.Particle("bob", bob, m)], [(bob, -m * g * frame.y)])
    model = ap.Model.from_sympy(kane, parameters={m: 2, length: 0.5, g: 9.81})
    assert model.constraints == ["c1", "c3"]
    assert model.remarks == ["c2 follows from the constraints of the coordinates and is left out"]
    motion = model.run(0.5, x0={"x": 0.3, "y": -0.4, "z": 0.1}, rtol=1e-11, atol=1e-12)
    # The multiplier is the force of the rod: m (y'' + g) = 2 y lambda.
    along = model.coordinates.index("y") + len(model.coordinates)
    rise = np.array([model.rhs()(t, state)[along] for t, state in zip(motion.t, motion.y.T, strict=True)])
    assert 2 * (rise + 9.81) == pytest.approx(2 * motion["y"] * motion["lambda[c1]"], rel=1e-9)


@pytest.mark.parametrize("scale", [sympy.Rational(1, 10**12), sympy.Integer(10) ** 12, 1e-12, 1e12, 1])
def test_rows_in_any_units_are_left_out_or_kept_alike(scale: Any) -> None:
    """A row is looked at beside its own terms: a blade in small units says as much as one in large."""
    x, y, z, u, v, w = me.dynamicsymbols("x y z u v w")
    m, length, g = sympy.symbols("m l g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    bob = origin.locatenew("P", x * frame.x + y * frame.y + z * frame.z)
    bob.set_vel(frame, u * frame.x + v * frame.y + w * frame.z)
    rate, blade = x * u + y * v, w - x * u / 2
    for moving, left_out in (([scale * rate, blade], "c2"), ([rate, scale * blade], "c2"), ([scale * blade, rate / scale], "c3")):
        kane = me.KanesMethod(
            frame, [x, z], [u], [x.diff(T) - u, y.diff(T) - v, z.diff(T) - w], q_dependent=[y],
            configuration_constraints=[x**2 + y**2 - length**2], u_dependent=[v, w], velocity_constraints=moving,
        )  # fmt: skip
        kane.kanes_equations([me.Particle("bob", bob, m)], [(bob, -m * g * frame.y)])
        model = ap.Model.from_sympy(kane, parameters={m: 2, length: 0.5, g: 9.81})
        assert model.constraints == [name for name in ("c1", "c2", "c3") if name != left_out]


def test_a_small_part_of_a_row_is_not_overlooked() -> None:
    """Where numbers are exact, a row that follows but for 1e-14 of it says something of its own; rounded ones say less."""
    x, y, z, u, v, w = me.dynamicsymbols("x y z u v w")
    kd = [x.diff(T) - u, y.diff(T) - v, z.diff(T) - w]
    speeds = [*(s.diff(T) for s in (x, y, z)), u, v, w]
    place, rate = x**2 + y**2, x * u + y * v
    small = sympy.Rational(1, 10**14)
    assert _repeated(kd, [place], [rate + small * w, rate, w, 0 * w], speeds) == [1, 3]
    assert _repeated(kd, [place], [0.1 * rate + 1e-16 * w, 0.3 * (x * u) + (0.1 + 0.2) * (y * v), 0.1 * rate + 1e-9 * w], speeds) == [0, 1]
    # What has no value is kept.
    assert _repeated(kd, [place], [rate * sympy.log(-1 - z**2)], speeds) == []


def test_rows_of_a_system_beside_those_of_its_coordinates() -> None:
    """`System` has rows on coordinates and on velocities; where the latter were set, they stand for the rates of the former too."""
    for name in ("rates", "set", "repeated"):
        system, _ = roof(name)
        model = ap.Model.from_sympy(system, parameters={"m": 1, "g": 9.81})
        assert model.constraints == {"rates": ["c1", "c2"], "set": ["c1", "c3"], "repeated": ["c1", "c2"]}[name]
        left_out = {"rates": [], "set": ["c2 follows"], "repeated": ["c3 follows"]}[name]
        assert [remark[:10] for remark in model.remarks if "follows" in remark] == left_out


def turned_plate(turn: str, constant: Any, order: str, slip: Any = 0) -> Any:
    """Kane's equations of a plate turned by two angles and a constant one, whose angular velocity is wrong by a slip."""
    phi, psi, u, v = me.dynamicsymbols("phi psi u v")
    m, g = sympy.symbols("m g")
    frame, plate, origin = me.ReferenceFrame("N"), me.ReferenceFrame("C"), me.Point("O")
    origin.set_vel(frame, 0)
    getattr(plate, turn)(frame, [constant if x is None else x for x in {"first": (None, phi, psi), "last": (phi, psi, None)}[order]], "ZXZ")
    if slip != 0:
        plate.set_ang_vel(frame, plate.ang_vel_in(frame) + slip * u * frame.x)
    centre = origin.locatenew("G", sympy.Rational(3, 10) * plate.x)
    centre.v2pt_theory(origin, frame, plate)
    body = me.RigidBody("plate", centre, plate, m, (me.inertia(plate, 1, 2, 2.5), centre))
    kane = me.KanesMethod(frame, [phi, psi], [u, v], kd_eqs=[phi.diff(T) - u, psi.diff(T) - v])
    kane.kanes_equations([body], [(centre, -m * g * frame.z)])
    return ap.Model.from_sympy(kane, parameters={m: 1, g: 9.81})


@pytest.mark.parametrize("turn", ["orient_body_fixed", "orient_space_fixed"])
@pytest.mark.parametrize("order", ["first", "last"])
def test_constant_angles_may_be_rounded(turn: str, order: str) -> None:
    """SymPy rounds the cosine of 0.1, and its angular velocity is that of its orientation to rounding only."""
    exact, rounded = (turned_plate(turn, constant, order) for constant in (sympy.Rational(1, 10), 0.1))
    for state in np.random.default_rng(5).uniform(0.3, 1.2, (3, 4)):
        assert rounded.rhs()(0.0, state) == pytest.approx(exact.rhs()(0.0, state), rel=1e-10)
    for constant, slip in ((0.1, 1e-10), (sympy.Rational(1, 10), sympy.Rational(1, 10**14))):
        with pytest.raises(ValueError, match="the angular velocity given to C is not that of its orientation"):
            turned_plate(turn, constant, order, slip)


def test_points_of_another_system_are_not_looked_at() -> None:
    """In a notebook several systems start from one origin; a point of one is nothing to another, whatever its velocity says."""
    m, g = sympy.symbols("m g")
    x, y, z, u, v, w = me.dynamicsymbols("x y z u v w")
    frame, other, free = (me.ReferenceFrame(name) for name in ("N", "N2", "B"))
    free.set_ang_vel(frame, v * frame.x)
    origin = me.Point("O")
    origin.set_vel(frame, 0)
    kanes = {}
    for q, speed, axis in ((x, u, frame.x), (z, w, frame.z)):
        name = str(q.func.__name__)
        point = origin.locatenew(f"P{name}", q * axis)
        point.set_vel(frame, speed * axis)
        kanes[name] = me.KanesMethod(frame, [q], [speed], kd_eqs=[q.diff(T) - speed])
        kanes[name].kanes_equations([me.Particle("a", point, m)], [(point, -m * g * axis)])
    # Of systems in a frame that is not turned from this one, and in one of which only the angular velocity is known.
    for axis, rest in ((other.y, other), (free.y, frame)):
        origin.locatenew("P", y * axis).set_vel(rest, v * axis)
    for name, kane in kanes.items():
        model = ap.Model.from_sympy(kane, parameters={m: 2, g: 9.81})
        assert model.coordinates == [name]
        assert model.rhs()(0.0, [0.3, 0.2]) == pytest.approx([0.2, -9.81])


def test_points_between_a_body_and_the_origin_are_looked_at() -> None:
    """What places a body is part of its system: its velocity must be that of its position."""
    m, length = sympy.symbols("m l")
    x, phi, u, omega = me.dynamicsymbols("x phi u omega")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    arm = frame.orientnew("A", "Axis", [phi, frame.z])
    arm.set_ang_vel(frame, omega * frame.z)
    pivot = origin.locatenew("Q", x * frame.x)
    bob = pivot.locatenew("P", length * arm.x)
    bob.set_vel(frame, u * frame.x + length * omega * arm.y)
    pivot.set_vel(frame, 2 * u * frame.x)
    kane = me.KanesMethod(frame, [x, phi], [u, omega], kd_eqs=[x.diff(T) - u, phi.diff(T) - omega])
    kane.kanes_equations([me.Particle("bob", bob, m)], [])
    with pytest.raises(ValueError, match="the velocity given to Q"):
        ap.Model.from_sympy(kane, parameters={m: 1, length: 1})
