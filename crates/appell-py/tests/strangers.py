"""Scripts as a stranger writes them: idioms of SymPy's mechanics that no test of SymPy has in this way."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import sympy
from sympy.physics import mechanics as me

T = me.dynamicsymbols._t
Handed = tuple[Any, dict[str, float]]


def spherical_pendulum() -> Handed:
    """A rod on a ball joint, by three angles of the body (`SphericalJoint`)."""
    g, length = sympy.symbols("g l", positive=True)
    wall, rod = me.RigidBody("wall"), me.RigidBody("rod")
    joint = me.SphericalJoint("S", wall, rod, child_point=length * rod.z, rot_order="123")
    system = me.System.from_newtonian(wall)
    system.add_joints(joint)
    system.apply_uniform_gravity(-g * wall.z)
    system.form_eoms()
    moments = {f"rod_i{axes}": 1.0 + 0.1 * number for number, axes in enumerate(("xx", "yy", "zz"))}
    return system, moments | {f"rod_i{axes}": 0.05 for axes in ("xy", "yz", "zx")}


def planar_joint() -> Handed:
    """A plate on a table, pulled by a spring to a point (`PlanarJoint`, `LinearSpring`)."""
    k, length = sympy.symbols("k l_0")
    table, plate = me.RigidBody("table"), me.RigidBody("plate")
    joint = me.PlanarJoint("P", table, plate)
    corner = plate.masscenter.locatenew("corner", plate.y / 3)
    corner.set_vel(plate.frame, 0)
    corner.v2pt_theory(plate.masscenter, table.frame, plate.frame)
    anchor = table.masscenter.locatenew("anchor", 2 * table.y + table.z)
    anchor.set_vel(table.frame, 0)
    system = me.System.from_newtonian(table)
    system.add_joints(joint)
    system.add_actuators(me.LinearSpring(k, me.LinearPathway(anchor, corner), equilibrium_length=length))
    system.form_eoms()
    return system, {}


def cylinder_and_weld() -> Handed:
    """A collar that slides and turns on a shaft, with a lump welded to it (`CylindricalJoint`, `WeldJoint`)."""
    g, off = sympy.symbols("g d")
    shaft, collar, lump = me.RigidBody("shaft"), me.RigidBody("collar"), me.RigidBody("lump")
    first = me.CylindricalJoint("slide", shaft, collar, joint_axis=shaft.z)
    second = me.WeldJoint("weld", collar, lump, parent_point=off * collar.x)
    system = me.System.from_newtonian(shaft)
    system.add_joints(first, second)
    system.apply_uniform_gravity(-g * shaft.x)
    system.form_eoms()
    return system, {}


def prismatic_chain() -> Handed:
    """A slider on a rod that turns, with a damper along it (`PinJoint`, `PrismaticJoint`, `LinearDamper`)."""
    g, c = sympy.symbols("g c")
    N, rod = me.RigidBody("N_"), me.RigidBody("rod")
    slider = me.Particle("slider", mass=sympy.Symbol("m_s", positive=True))
    s, v = me.dynamicsymbols("s v")
    pin = me.PinJoint("pin", N, rod, joint_axis=N.z)
    slide = me.PrismaticJoint("slide", rod, slider, s, v, joint_axis=rod.x)
    system = me.System.from_newtonian(N)
    system.add_joints(pin, slide)
    system.add_actuators(me.LinearDamper(c, me.LinearPathway(slide.parent_point, slide.child_point)))
    system.apply_uniform_gravity(-g * N.y)
    system.form_eoms()
    return system, {}


def lagrange_skate() -> Handed:
    """A skate on a slope, with a row on velocities and a torque, its energies as SymPy's functions give them."""
    x, y, theta = me.dynamicsymbols("x y theta")
    m, J, g, alpha, drive = sympy.symbols("m J g alpha tau", real=True)
    N = me.ReferenceFrame("N")
    F = N.orientnew("F", "Axis", (theta, N.z))
    origin = me.Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("C", x * N.x + y * N.y)
    centre.set_vel(N, x.diff() * N.x + y.diff() * N.y)
    body = me.RigidBody("skate", centre, F, m, (me.inertia(F, 0, 0, J), centre))
    body.potential_energy = m * g * sympy.sin(alpha) * x
    L = me.Lagrangian(N, body)
    row = centre.vel(N).dot(F.y)
    method = me.LagrangesMethod(L, [x, y, theta], nonhol_coneqs=[row], forcelist=[(F, drive * N.z)], bodies=[body], frame=N)
    method.form_lagranges_equations()
    return method, {}


def inertia_elsewhere() -> Handed:
    """A bar whose inertia is given about its hinge, not its mass centre."""
    theta, omega = me.dynamicsymbols("theta omega")
    m, length, g, moment = sympy.symbols("m l g I_O")
    N = me.ReferenceFrame("N")
    B = N.orientnew("B", "Axis", (theta, N.z))
    B.set_ang_vel(N, omega * N.z)
    hinge = me.Point("O")
    hinge.set_vel(N, 0)
    centre = hinge.locatenew("C", length * B.x)
    centre.v2pt_theory(hinge, N, B)
    bar = me.RigidBody("bar", centre, B, m, (me.inertia(B, m * length**2, moment + m * length**2, moment + m * length**2), hinge))
    kane = me.KanesMethod(N, [theta], [omega], [theta.diff() - omega])
    kane.kanes_equations([bar], [(centre, m * g * N.x)])
    return kane, {}


def massless_frames() -> Handed:
    """A top by three frames, of which two have no body, in rotating speeds."""
    a, b, c, u1, u2, u3 = me.dynamicsymbols("a b c u1 u2 u3")
    m, h, g, A, C = sympy.symbols("m h g I_1 I_3", positive=True)
    N, P, Q, B = (me.ReferenceFrame(name) for name in "NPQB")
    P.orient_axis(N, N.z, a)
    Q.orient_axis(P, P.x, b)
    B.orient_axis(Q, Q.z, c)
    spin = B.ang_vel_in(N)
    B.set_ang_vel(N, u1 * Q.x + u2 * Q.y + u3 * Q.z)
    tip = me.Point("tip")
    tip.set_vel(N, 0)
    centre = tip.locatenew("G", h * Q.z)
    centre.v2pt_theory(tip, N, B)
    top = me.RigidBody("top", centre, B, m, (me.inertia(Q, A, A, C), centre))
    kd = [spin.dot(axis) - u for axis, u in zip(Q, (u1, u2, u3), strict=True)]
    kane = me.KanesMethod(N, [a, b, c], [u1, u2, u3], kd)
    kane.kanes_equations([top], [(centre, -m * g * N.z)])
    return kane, {}


def turning_hoop() -> Handed:
    """A bead on a hoop that is turned as the time says: frames that no coordinate turns."""
    theta, w = me.dynamicsymbols("theta w")
    m, r, g, Omega = sympy.symbols("m r g Omega")
    N = me.ReferenceFrame("N")
    H = N.orientnew("H", "Axis", (Omega * T + sympy.sin(T) / 5, N.z))
    A = H.orientnew("A", "Axis", (theta, H.x))
    A.set_ang_vel(H, w * H.x)
    centre = me.Point("O")
    centre.set_vel(N, 0)
    bead = centre.locatenew("bead", -r * A.z)
    bead.v2pt_theory(centre, N, A)
    kane = me.KanesMethod(N, [theta], [w], [theta.diff(T) - w])
    kane.kanes_equations([me.Particle("P", bead, m)], [(bead, -m * g * N.z)])
    return kane, {}


def stops_of_steel() -> Handed:
    """A cart between stops, pushed by an actuator in steps of the time (`Heaviside`, `Piecewise`, `Max`, `Abs`)."""
    x, v = me.dynamicsymbols("x v")
    m, k, mu = sympy.symbols("m k mu")
    N = me.ReferenceFrame("N")
    P = me.Point("P")
    origin = me.Point("O")
    origin.set_vel(N, 0)
    P.set_pos(origin, x * N.x)
    P.set_vel(N, v * N.x)
    wall = -k * sympy.Max(0, x - sympy.Rational(3, 10)) + k * sympy.Piecewise((-x - sympy.Rational(3, 10), x < -sympy.Rational(3, 10)), (0, True))
    push = 2 * sympy.Heaviside(T - sympy.Rational(1, 5)) - mu * v * sympy.Abs(v)
    kane = me.KanesMethod(N, [x], [v], [x.diff(T) - v])
    kane.kanes_equations([me.Particle("cart", P, m)], [(P, (wall + push) * N.x)])
    return kane, {}


def level_one() -> Handed:
    """Coordinates as symbols of level one: `dynamicsymbols(names, 1)` are the speeds."""
    x, y = me.dynamicsymbols("x y")
    xd, yd = me.dynamicsymbols("x y", 1)
    m, k = sympy.symbols("m k")
    L = m * (xd**2 + 2 * yd**2 + xd * yd * sympy.cos(x)) / 2 - k * (x**2 + x * y**2) / 2
    method = me.LagrangesMethod(L, [x, y])
    method.form_lagranges_equations()
    return method, {}


def duffing_muscle() -> Handed:
    """A mass on a Duffing spring and a torsional one (`DuffingSpring`, `TorqueActuator`)."""
    k, beta, rest, c = sympy.symbols("k beta l_0 c", positive=True)
    q, u, a, w = me.dynamicsymbols("q u a w")
    N = me.ReferenceFrame("N")
    D = N.orientnew("D", "Axis", (a, N.z))
    D.set_ang_vel(N, w * N.z)
    o, p = me.Point("o"), me.Point("p")
    o.set_vel(N, 0)
    p.set_pos(o, q * N.x)
    p.set_vel(N, u * N.x)
    disc = me.RigidBody("disc", p, D, sympy.Symbol("m"), (me.inertia(D, 1, 1, sympy.Symbol("J")), p))
    spring = me.DuffingSpring(beta, k, me.LinearPathway(o, p), rest)
    torque = me.TorqueActuator(-c * w - a**3, N.z, D, N)
    kane = me.KanesMethod(N, [q, a], [u, w], [q.diff(T) - u, a.diff(T) - w])
    kane.kanes_equations([disc], [*spring.to_loads(), *torque.to_loads()])
    return kane, {"l_0": 0.2}


def rope_over_a_drum() -> Handed:
    """A spring whose rope is wrapped on a drum (`WrappingPathway`)."""
    r, k = sympy.symbols("r k", positive=True)
    q, u = me.dynamicsymbols("q u")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (q, N.z))
    A.set_ang_vel(N, u * N.z)
    o, pA, pB = me.Point("o"), me.Point("pA"), me.Point("pB")
    o.set_vel(N, 0)
    drum = me.WrappingCylinder(r, o, N.z)
    pA.set_pos(o, r * N.x)
    pA.set_vel(N, 0)
    pB.set_pos(o, r * A.x)
    pB.set_vel(N, r * u * A.y)
    spring = me.LinearSpring(k, me.WrappingPathway(pA, pB, drum))
    body = me.RigidBody("arm", pB, A, sympy.Symbol("m"), (me.inertia(A, 1, 1, sympy.Symbol("J")), pB))
    kane = me.KanesMethod(N, [q], [u], [q.diff(T) - u])
    kane.kanes_equations([body], spring.to_loads())
    return kane, {}


def dcm_body() -> Handed:
    """A pendulum whose frame is turned by a matrix that was given as such (`orient_explicit`)."""
    q, u = me.dynamicsymbols("q u")
    m, length, g = sympy.symbols("m l g")
    N, A = me.ReferenceFrame("N"), me.ReferenceFrame("A")
    A.orient_explicit(N, sympy.Matrix([[sympy.cos(q), -sympy.sin(q), 0], [sympy.sin(q), sympy.cos(q), 0], [0, 0, 1]]))
    A.set_ang_vel(N, u * N.z)
    o = me.Point("o")
    o.set_vel(N, 0)
    bob = o.locatenew("b", -length * A.y)
    bob.v2pt_theory(o, N, A)
    body = me.RigidBody("body", bob, A, m, (me.inertia(A, 1, 1, sympy.Symbol("J")), bob))
    kane = me.KanesMethod(N, [q], [u], [q.diff(T) - u])
    kane.kanes_equations([body], [(bob, -m * g * N.y)])
    return kane, {}


def scaled_speeds() -> Handed:
    """A double pendulum in speeds that are momenta-like combinations of the rates."""
    a, b, p, s = me.dynamicsymbols("a b p s")
    m, length, g = sympy.symbols("m l g")
    N = me.ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", (a, N.z)), N.orientnew("B", "Axis", (b, N.z))
    o = me.Point("o")
    o.set_vel(N, 0)
    first, second = o.locatenew("f", -length * A.y), o.locatenew("s_", -length * A.y - length * B.y)
    kd = [p - 2 * a.diff(T) - sympy.cos(a - b) * b.diff(T), s - b.diff(T) + a * a.diff(T)]
    found = sympy.solve(kd, [a.diff(T), b.diff(T)])
    A.set_ang_vel(N, found[a.diff(T)] * N.z)
    B.set_ang_vel(N, found[b.diff(T)] * N.z)
    first.v2pt_theory(o, N, A)
    second.v2pt_theory(first, N, B)
    bodies = [me.Particle("P1", first, m), me.Particle("P2", second, m)]
    kane = me.KanesMethod(N, [a, b], [p, s], kd)
    kane.kanes_equations(bodies, [(x, -m * g * N.y) for x in (first, second)])
    return kane, {}


def positions_only() -> Handed:
    """Velocities are left to SymPy: points have positions, frames turns, and nothing more."""
    x, phi, v, w = me.dynamicsymbols("x phi v w")
    m, M, length, g = sympy.symbols("m M l g")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (phi, N.z))
    o = me.Point("o")
    o.set_vel(N, 0)
    cart = o.locatenew("cart", x * N.x)
    bob = cart.locatenew("bob", -length * A.y)
    kane = me.KanesMethod(N, [x, phi], [v, w], [x.diff(T) - v, phi.diff(T) - w])
    with warnings.catch_warnings():
        # SymPy says that it found the velocities by itself.
        warnings.simplefilter("ignore")
        kane.kanes_equations([me.Particle("C", cart, M), me.Particle("D", bob, m)], [(bob, -m * g * N.y), (cart, 3 * sympy.cos(2 * T) * N.x)])
    return kane, {}


def system_with_rows() -> Handed:
    """A bar with both ends on lines, by `System`, in coordinates that are too many."""
    x, y, phi, vx, vy, w = me.dynamicsymbols("x y phi v_x v_y omega")
    length, g = sympy.symbols("l g")
    ground = me.RigidBody("ground")
    bar = me.RigidBody("bar")
    bar.frame.orient_axis(ground.frame, ground.z, phi)
    bar.frame.set_ang_vel(ground.frame, w * ground.z)
    bar.masscenter.set_pos(ground.masscenter, x * ground.x + y * ground.y)
    bar.masscenter.set_vel(ground.frame, vx * ground.x + vy * ground.y)
    system = me.System.from_newtonian(ground)
    system.add_bodies(bar)
    system.q_ind, system.q_dep = [phi], [x, y]
    system.u_ind, system.u_dep = [w], [vx, vy]
    system.add_kdes(x.diff(T) - vx, y.diff(T) - vy, phi.diff(T) - w)
    system.add_holonomic_constraints(y - length / 2 * sympy.sin(phi), x - length / 2 * sympy.cos(phi))
    system.apply_uniform_gravity(-g * ground.y)
    system.form_eoms()
    return system, {}


def rolling_system() -> Handed:
    """A ball that is rolled on by a row of `System`, with the row as a vector's components."""
    x, y, a, b, c = q = me.dynamicsymbols("x y a b c")
    vx, vy, w1, w2, w3 = u = me.dynamicsymbols("v_x v_y w1:4")
    r, m = sympy.symbols("r m", positive=True)
    ground, ball = me.RigidBody("ground"), me.RigidBody("ball", mass=m)
    ball.central_inertia = me.inertia(ball.frame, *(3 * [2 * m * r**2 / 5]))
    ball.frame.orient_body_fixed(ground.frame, (a, b, c), "ZXY")
    rate = ball.frame.ang_vel_in(ground.frame)
    ball.frame.set_ang_vel(ground.frame, w1 * ground.x + w2 * ground.y + w3 * ground.z)
    ball.masscenter.set_pos(ground.masscenter, x * ground.x + y * ground.y + r * ground.z)
    ball.masscenter.set_vel(ground.frame, vx * ground.x + vy * ground.y)
    slip = ball.masscenter.vel(ground.frame) + ball.frame.ang_vel_in(ground.frame).cross(-r * ground.z)
    system = me.System.from_newtonian(ground)
    system.add_bodies(ball)
    system.q_ind = list(q)
    system.u_ind, system.u_dep = [w1, w2, w3], [vx, vy]
    turning = rate - ball.frame.ang_vel_in(ground.frame)
    # Without simplification SymPy divides by a zero that it does not see.
    system.add_kdes(x.diff(T) - vx, y.diff(T) - vy, *(sympy.trigsimp(turning.dot(e).expand()) for e in ground.frame))
    system.add_nonholonomic_constraints(slip.dot(ground.x), slip.dot(ground.y))
    system.add_loads(me.Force(ball.masscenter, m / 3 * ground.x), me.Torque(ball.frame, m * r * ground.z))
    system.form_eoms()
    return system, {}


def roof(form: str) -> Handed:
    """A skate on a curved roof, by `System`: a row on coordinates, one on velocities, and rates of the former, set or repeated."""
    x, y, z, theta = q = me.dynamicsymbols("x y z theta")
    vx, vy, vz, w = me.dynamicsymbols("v_x v_y v_z omega")
    m, g = sympy.symbols("m g")
    ground = me.RigidBody("ground")
    point = me.Point("P")
    point.set_pos(ground.masscenter, x * ground.x + y * ground.y + z * ground.z)
    point.set_vel(ground.frame, vx * ground.x + vy * ground.y + vz * ground.z)
    blade = ground.frame.orientnew("A", "Axis", (theta, ground.z))
    blade.set_ang_vel(ground.frame, w * ground.z)
    skate = me.RigidBody("skate", point, blade, m, (me.inertia(blade, 0, 0, m / 7), point))
    system = me.System.from_newtonian(ground)
    system.add_bodies(skate)
    system.q_ind, system.q_dep = [x, y, theta], [z]
    system.u_ind, system.u_dep = [vx, w], [vy, vz]
    system.add_kdes(*(a.diff(T) - b for a, b in zip(q, (vx, vy, vz, w), strict=True)))
    system.add_holonomic_constraints(z + x**2 / 4 + sympy.sin(y) / 5)
    knife, rate = vy * sympy.cos(theta) - vx * sympy.sin(theta), vz + x * vx / 2 + sympy.cos(y) * vy / 5
    if form == "set":
        system.velocity_constraints = [5 * rate, knife + 3 * rate]
    else:
        system.add_nonholonomic_constraints(knife, *([rate] if form == "repeated" else ()))
    system.apply_uniform_gravity(-g * ground.z)
    if form != "repeated":
        system.form_eoms()
    return system, {}


def quaternion_top(form: str) -> Handed:
    """A lopsided top turned by a quaternion, whose rates or whose angular velocity are the kinematical equations, in forms that people write."""
    e, u = me.dynamicsymbols("e0:4"), me.dynamicsymbols("u1:4")
    e0, e1, e2, e3 = e
    m, h, g, A, D, C = sympy.symbols("m h g I_A I_D I_C")
    N, B = me.ReferenceFrame("N"), me.ReferenceFrame("B")
    rates = sympy.Matrix([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])
    if form == "matrix":
        B.orient_explicit(N, sympy.Matrix([
            [1 - 2 * (e2**2 + e3**2), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1**2 + e3**2), 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1**2 + e2**2)],
        ]))  # fmt: skip
    elif form == "backwards":
        N.orient(B, "Quaternion", (e0, -e1, -e2, -e3))
    elif form == "signs":
        N.orient(B, "Quaternion", e)
        rates = sympy.diag(-1, 1, 1, 1) * rates.subs({e0: -e0}, simultaneous=True)
    else:
        B.orient_quaternion(N, e)
    spin = B.ang_vel_in(N)
    kd = list(sympy.Matrix(e).diff(T) - rates * sympy.Matrix(u) / 2)
    if form == "angular velocity":
        kd = [spin.dot(axis) - w for axis, w in zip(B, u, strict=True)] + [sum(x * x.diff(T) for x in e)]
    if form in ("Lagrange", "norm"):
        u, kd = me.dynamicsymbols("u0:4"), []
    else:
        B.set_ang_vel(N, sum((w * axis for axis, w in zip(B, u, strict=True)), me.Vector(0)))
    tip = me.Point("tip")
    tip.set_vel(N, 0)
    centre = tip.locatenew("G", h * B.z + h / 3 * B.x)
    if form == "Lagrange":
        centre.set_vel(N, centre.pos_from(tip).dt(N))
    else:
        centre.v2pt_theory(tip, N, B)
    top = me.RigidBody("top", centre, B, m, (me.inertia(B, A, D, C), centre))
    norm = sum(x**2 for x in e) - 1
    if form == "Lagrange":
        top.potential_energy = m * g * centre.pos_from(tip).dot(N.z)
        lagrange = me.LagrangesMethod(me.Lagrangian(N, top), list(e), hol_coneqs=[norm], bodies=[top], frame=N)
        lagrange.form_lagranges_equations()
        return lagrange, {"h": 0.3}
    more: dict[str, Any] = {}
    if form == "norm":
        kd = [x.diff(T) - w for x, w in zip(e, u, strict=True)]
        more = {"q_dependent": [e0], "configuration_constraints": [norm], "u_dependent": [u[0]],
                "velocity_constraints": [sum(x * w for x, w in zip(e, u, strict=True))]}  # fmt: skip
    own = slice(1, None) if form == "norm" else slice(None)
    kane = me.KanesMethod(N, e[own], u[own], kd, **more)
    kane.kanes_equations([top], [(centre, -m * g * N.z)])
    return kane, {"h": 0.3}


def bearing() -> Handed:
    """A lopsided rotor whose bearing's torques and forces are brought to light by speeds that are zero, of angles and of the centre."""
    q, u, *still = me.dynamicsymbols("q u w_x w_y v_x v_y v_z")
    torque_x, torque_y, *force = me.dynamicsymbols("T_x T_y F_x F_y F_z")
    m, g, a, b = sympy.symbols("m g a b")
    moments = sympy.symbols("Ixx Iyy Izz Ixy Iyz Ixz")
    N = me.ReferenceFrame("N")
    rotor = N.orientnew("A", "Axis", (q, N.z))
    rotor.set_ang_vel(N, still[0] * rotor.x + still[1] * rotor.y + u * N.z)
    origin = me.Point("O")
    origin.set_vel(N, 0)
    hub = origin.locatenew("H", b * N.z)
    hub.set_vel(N, sum((v * axis for v, axis in zip(still[2:], N, strict=True)), me.Vector(0)))
    centre = hub.locatenew("G", a * rotor.x + b * rotor.z)
    centre.v2pt_theory(hub, N, rotor)
    loads = [(centre, -m * g * N.x), (rotor, torque_x * rotor.x + torque_y * rotor.y + 2 * sympy.sin(T) * N.z)]
    loads += [(hub, sum((f * axis for f, axis in zip(force, N, strict=True)), me.Vector(0)))]
    body = me.RigidBody("rotor", centre, rotor, m, (me.inertia(rotor, *moments), centre))
    kane = me.KanesMethod(N, [q], [u], [q.diff(T) - u], u_auxiliary=still)
    kane.kanes_equations([body], loads)
    return kane, {}


def held_body() -> Handed:
    """A cart, and a body that nothing moves but speeds that are zero: what holds it where the cart pulls it by a spring."""
    x, v, vx, vy, w = me.dynamicsymbols("x v v_x v_y w")
    m, k, g = sympy.symbols("m k g")
    N = me.ReferenceFrame("N")
    origin = me.Point("O")
    origin.set_vel(N, 0)
    cart = origin.locatenew("C", x * N.x)
    cart.set_vel(N, v * N.x)
    held = N.orientnew("B", "Axis", (0, N.z))
    held.set_ang_vel(N, w * N.z)
    post = origin.locatenew("P", -2 * N.x)
    post.set_vel(N, vx * N.x + vy * N.y)
    top = post.locatenew("Q", 3 * held.y)
    top.v2pt_theory(post, N, held)
    pull = k * (x + 2) * N.x + k * 3 * N.y
    bodies = [me.Particle("cart", cart, m), me.RigidBody("post", post, held, 2 * m, (me.inertia(held, m, m, m), post))]
    kane = me.KanesMethod(N, [x], [v], [x.diff(T) - v], u_auxiliary=[vx, vy, w])
    kane.kanes_equations(bodies, [(cart, -k * (x + 2) * N.x), (top, pull), (post, -2 * m * g * N.y)])
    return kane, {}


def bead_under_a_wire() -> Handed:
    """A bead on a wire, by a row on the place and its rate with a speed that is zero, which brings the force of the wire to light."""
    x, y, u, v, w = me.dynamicsymbols("x y u v w")
    m, g, a = sympy.symbols("m g a")
    N = me.ReferenceFrame("N")
    origin = me.Point("O")
    origin.set_vel(N, 0)
    bead = origin.locatenew("P", x * N.x + y * N.y)
    bead.set_vel(N, u * N.x + v * N.y)
    wire = y - a * sympy.cos(x)
    kane = me.KanesMethod(
        N, [x], [u], [x.diff(T) - u, y.diff(T) - v], q_dependent=[y], configuration_constraints=[wire], u_dependent=[v],
        velocity_constraints=[v + a * sympy.sin(x) * u - w], u_auxiliary=[w],
    )  # fmt: skip
    kane.kanes_equations([me.Particle("bead", bead, m)], [(bead, -m * g * N.y)])
    return kane, {}


def drifter() -> Handed:
    """A particle that is given by its velocity alone, with a part that is zero."""
    x, u, w = me.dynamicsymbols("x u w")
    m, k, g = sympy.symbols("m k g")
    N = me.ReferenceFrame("N")
    P = me.Point("P")
    P.set_vel(N, u * N.x + w * N.y)
    kane = me.KanesMethod(N, [x], [u], [x.diff(T) - u], u_auxiliary=[w])
    kane.kanes_equations([me.Particle("mass", P, m)], [(P, -k * x * N.x - m * g * N.y)])
    return kane, {}


def skate_on_a_roof_by_lagrange() -> Handed:
    """A skate on a roof by `LagrangesMethod`, with the rate of the row on coordinates among those on velocities."""
    x, y, z, theta = q = me.dynamicsymbols("x y z theta")
    m, g, J = sympy.symbols("m g J")
    place = z + x**2 / 4 + sympy.sin(y) / 5
    knife = y.diff(T) * sympy.cos(theta) - x.diff(T) * sympy.sin(theta)
    lagrangian = m / 2 * sum(s.diff(T) ** 2 for s in (x, y, z)) + J / 2 * theta.diff(T) ** 2 - m * g * z
    lagrange = me.LagrangesMethod(lagrangian, list(q), hol_coneqs=[place], nonhol_coneqs=[knife, -3 * place.diff(T)])
    lagrange.form_lagranges_equations()
    return lagrange, {}


STRANGERS = {
    "a rod on a ball joint": spherical_pendulum,
    "a plate on a table, at a spring": planar_joint,
    "a collar with a welded lump": cylinder_and_weld,
    "a slider on a turning rod": prismatic_chain,
    "a skate by SymPy's Lagrangian": lagrange_skate,
    "an inertia about the hinge": inertia_elsewhere,
    "a top by massless frames": massless_frames,
    "a hoop that the time turns": turning_hoop,
    "a cart between stops, pushed in steps": stops_of_steel,
    "symbols of level one": level_one,
    "Duffing's spring and a torque": duffing_muscle,
    "a rope over a drum": rope_over_a_drum,
    "a frame by a matrix": dcm_body,
    "speeds that mix the rates": scaled_speeds,
    "positions alone": positions_only,
    "a bar on two lines by System": system_with_rows,
    "a ball that rolls by System": rolling_system,
    "a skate on a roof by System": partial(roof, "rates"),
    "a skate on a roof by System with velocity_constraints": partial(roof, "set"),
    "a skate on a roof by Lagrange, with a rate repeated": skate_on_a_roof_by_lagrange,
    "a top by a quaternion": partial(quaternion_top, "rates"),
    "a top by a quaternion and its angular velocity": partial(quaternion_top, "angular velocity"),
    "a top by a matrix in a quaternion": partial(quaternion_top, "matrix"),
    "a top by a quaternion, the frame at rest turned": partial(quaternion_top, "backwards"),
    "a top by a quaternion with other signs": partial(quaternion_top, "signs"),
    "a top by a quaternion whose norm is a row": partial(quaternion_top, "norm"),
    "a top by a quaternion and Lagrange": partial(quaternion_top, "Lagrange"),
    "a rotor's bearing by speeds that are zero": bearing,
    "a body held by speeds that are zero": held_body,
    "a particle by its velocity, a part of which is zero": drifter,
    "a bead whose wire a speed that is zero brings to light": bead_under_a_wire,
}
