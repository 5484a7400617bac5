"""Examples of PyDy and of courses in multibody dynamics, written anew from their equations.

Each function gives what its author would hand over: an object of SymPy, and numbers where those of chance are no mechanism.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy.physics import mechanics as me

T = me.dynamicsymbols._t
Handed = tuple[Any, dict[str, float]]


def _fixed(frame: Any, name: str = "O") -> Any:
    point = me.Point(name)
    point.set_vel(frame, 0)
    return point


def carvallo_whipple() -> Handed:
    """The bicycle by coordinates of the rear contact that its rows then hold at rest, wheels without angles (PyDy)."""
    x, y, yaw, roll, pitch, steer = q = me.dynamicsymbols("q1:6 q7")
    u1, u2, u3, u4, u5, u6, u7, u8 = me.dynamicsymbols("u1:9")
    rf, rr, d1, d2, d3, l1, l2, l3, l4, g = sympy.symbols("rf rr d1 d2 d3 l1 l2 l3 l4 g")
    masses = sympy.symbols("mc md me mf")
    ic, ie = sympy.symbols("ic11 ic22 ic33 ic31"), sympy.symbols("ie11 ie22 ie33 ie31")
    wheels = sympy.symbols("id11 id22 if11 if22")
    steering = me.dynamicsymbols("T7")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (yaw, N.z))
    B = A.orientnew("B", "Axis", (roll, A.x))
    C = B.orientnew("C", "Axis", (pitch, B.y))
    E = C.orientnew("E", "Axis", (steer, C.z))
    D, F = me.ReferenceFrame("D"), me.ReferenceFrame("F")
    for frame, before, spin in ((A, N, u3 * N.z), (B, A, u4 * A.x), (C, B, u5 * B.y), (E, C, u7 * C.z)):
        frame.set_ang_vel(before, spin)
    D.set_ang_vel(C, u6 * C.y)
    F.set_ang_vel(E, u8 * E.y)
    o = _fixed(N, "o")
    dn = o.locatenew("dn", x * N.x + y * N.y)
    do = dn.locatenew("do", -rr * B.z)
    co = do.locatenew("co", l1 * C.x + l2 * C.z)
    ce = do.locatenew("ce", d1 * C.x)
    fo = ce.locatenew("fo", d2 * E.z + d3 * E.x)
    eo = fo.locatenew("eo", l3 * E.x + l4 * E.z)
    fn = fo.locatenew("fn", rf * E.y.cross(A.z).cross(E.y).normalize())
    dn.set_vel(N, u1 * N.x + u2 * N.y)
    for point, before, frame in ((do, dn, D), (co, do, C), (ce, do, C), (fo, ce, E), (eo, fo, E), (fn, fo, F)):
        point.v2pt_theory(before, N, frame)
    rows = [dn.vel(N).dot(A.x), dn.vel(N).dot(A.y), *(fn.vel(N).dot(axis) for axis in A)]
    still, alpha = fn.pos_from(dn).dot(A.z), sympy.Symbol("alpha")
    # With Baumgarte's forces on the one row that has no coordinate of its own.
    accelerations = [row.diff(T) for row in rows]
    accelerations[-1] += 2 * alpha * rows[-1] + alpha**2 * still
    bodies = [
        me.RigidBody("Rear Frame", co, C, masses[0], (me.inertia(C, ic[0], ic[1], ic[2], 0, 0, ic[3]), co)),
        me.RigidBody("Rear Wheel", do, D, masses[1], (me.inertia(C, wheels[0], wheels[1], wheels[0]), do)),
        me.RigidBody("Front Frame", eo, E, masses[2], (me.inertia(E, ie[0], ie[1], ie[2], 0, 0, ie[3]), eo)),
        me.RigidBody("Front Wheel", fo, F, masses[3], (me.inertia(E, wheels[2], wheels[3], wheels[2]), fo)),
    ]
    loads = [(body.masscenter, body.mass * g * A.z) for body in bodies] + [(C, -steering * C.z), (E, steering * C.z)]
    kane = me.KanesMethod(
        N, [x, y, yaw, roll, steer], [u4, u6, u7], [a.diff(T) - b for a, b in zip(q, (u1, u2, u3, u4, u5, u7), strict=True)],
        q_dependent=[pitch], configuration_constraints=[still], u_dependent=[u1, u2, u3, u5, u8],
        velocity_constraints=rows, acceleration_constraints=accelerations, constraint_solver="CRAMER",
    )  # fmt: skip
    kane.kanes_equations(bodies, loads)
    return kane, {}


def conical_pendulum(right: bool) -> Handed:
    """Links by two space-fixed angles each; with PyDy's angular velocities, which are those of other turns."""
    alpha, beta, u1, u2 = me.dynamicsymbols("alpha beta omega delta")
    length, mass, g = sympy.symbols("l m g")
    frame = me.ReferenceFrame("I")
    link = me.ReferenceFrame("A")
    link.orient(frame, "Space", [alpha, beta, 0], "ZXY")
    spin = link.ang_vel_in(frame).subs({alpha.diff(T): u1, beta.diff(T): u2})
    link.set_ang_vel(frame, spin if right else u1 * frame.z + u2 * frame.x)
    hinge = _fixed(frame)
    bob = hinge.locatenew("P", length * link.x)
    bob.v2pt_theory(hinge, frame, link)
    body = me.RigidBody("link", bob, link, mass, (me.inertia(link, 0.1, 0.3, 0.3), bob))
    kane = me.KanesMethod(frame, [alpha, beta], [u1, u2], [alpha.diff(T) - u1, beta.diff(T) - u2])
    kane.kanes_equations([body], [(bob, -mass * g * frame.z)])
    return kane, {}


def conical_pendulum_corrected() -> Handed:
    """The same with the angular velocity of the turns."""
    return conical_pendulum(True)


def conical_pendulum_printed() -> Handed:
    """The same as it is printed."""
    return conical_pendulum(False)


def astrobee() -> Handed:
    """A free body under forces and torques in its own axes (PyDy)."""
    q, u = me.dynamicsymbols("x y z phi theta psi"), me.dynamicsymbols("u1:7")
    mass, ix, iy, iz = sympy.symbols("m Ix Iy Iz")
    f = me.dynamicsymbols("F1:4 T1:4")
    N = me.ReferenceFrame("N")
    body_frame = N.orientnew("B", "Body", q[3:], "123")
    spin = body_frame.ang_vel_in(N)
    axes = [body_frame.x, body_frame.y, body_frame.z]
    kd = [x.diff(T) - s for x, s in zip(q[:3], u[:3], strict=True)]
    kd += [spin.dot(axis) - s for axis, s in zip(axes, u[3:], strict=True)]
    body_frame.set_ang_vel(N, sum((s * axis for s, axis in zip(u[3:], axes, strict=True)), me.Vector(0)))
    origin = _fixed(N)
    centre = origin.locatenew("G", sum((x * axis for x, axis in zip(q[:3], N, strict=True)), me.Vector(0)))
    centre.set_vel(N, sum((s * axis for s, axis in zip(u[:3], N, strict=True)), me.Vector(0)))
    body = me.RigidBody("astrobee", centre, body_frame, mass, (me.inertia(body_frame, ix, iy, iz), centre))
    force, torque = (
        sum((s * axis for s, axis in zip(part, axes, strict=True)), me.Vector(0)) for part in (f[:3], f[3:])
    )
    kane = me.KanesMethod(N, list(q), list(u), kd)
    kane.kanes_equations([body], [(centre, force), (body_frame, torque)])
    return kane, {}


def sleigh() -> Handed:
    """Chaplygin's sleigh by speeds along the blade, one of which is held at zero."""
    q = me.dynamicsymbols("x y theta")
    u = me.dynamicsymbols("u1:4")
    mass, inertia, a = sympy.symbols("m I a")
    N = me.ReferenceFrame("N")
    blade = N.orientnew("B", "Axis", [q[2], N.z])
    knife = _fixed(N).locatenew("K", q[0] * N.x + q[1] * N.y)
    knife.set_vel(N, u[0] * blade.x + u[1] * blade.y)
    blade.set_ang_vel(N, u[2] * N.z)
    centre = knife.locatenew("G", a * blade.x)
    centre.v2pt_theory(knife, N, blade)
    rate = q[0].diff(T) * N.x + q[1].diff(T) * N.y
    kd = [rate.dot(blade.x) - u[0], rate.dot(blade.y) - u[1], q[2].diff(T) - u[2]]
    body = me.RigidBody("sleigh", centre, blade, mass, (me.inertia(blade, inertia, inertia, inertia), centre))
    kane = me.KanesMethod(N, list(q), [u[0], u[2]], kd, u_dependent=[u[1]], velocity_constraints=[u[1]])
    kane.kanes_equations([body], [])
    return kane, {}


def rattleback() -> Handed:
    """An ellipsoid that rolls: the contact is at rest, and the centre is placed from it (Kane and Levinson)."""
    q, u = me.dynamicsymbols("alpha beta gamma"), me.dynamicsymbols("u1:4")
    a, b, c, h, mass, g = sympy.symbols("a b c h M g")
    moments = sympy.symbols("Ixx Iyy Izz Ixy")
    N = me.ReferenceFrame("N")
    first = N.orientnew("A", "Axis", [q[2], N.z])
    second = first.orientnew("L", "Axis", [q[0], first.x])
    stone = second.orientnew("R", "Axis", [q[1], second.y])
    spin = stone.ang_vel_in(N)
    stone.set_ang_vel(N, u[0] * stone.x + u[1] * stone.y + u[2] * stone.z)
    kd = [spin.dot(axis) - s for axis, s in zip(stone, u, strict=True)]
    up = [N.z.dot(axis) for axis in stone]
    size = sympy.sqrt((a * up[0]) ** 2 + (b * up[1]) ** 2 + (c * up[2]) ** 2)
    contact = _fixed(N, "P")
    arm = (a**2 * up[0] * stone.x + b**2 * up[1] * stone.y + c**2 * up[2] * stone.z) / size
    centre = contact.locatenew("O", arm)
    mass_centre = centre.locatenew("G", -h * stone.z)
    mass_centre.set_vel(N, stone.ang_vel_in(N).cross(mass_centre.pos_from(contact)))
    inertia = me.inertia(stone, moments[0], moments[1], moments[2], moments[3])
    body = me.RigidBody("stone", mass_centre, stone, mass, (inertia, mass_centre))
    kane = me.KanesMethod(N, list(q), list(u), kd)
    kane.kanes_equations([body], [(mass_centre, -mass * g * N.z)])
    return kane, {"a": 0.8, "b": 0.6, "c": 0.5, "h": 0.1}


def jumper() -> Handed:
    """Two masses on a leg over ground that pushes where it is pressed, as Heaviside's function has it."""
    y, v, leg, w = me.dynamicsymbols("y v s w")
    m1, m2, k, c, g, length = sympy.symbols("m1 m2 k c g l")
    N = me.ReferenceFrame("N")
    foot = _fixed(N).locatenew("F", (y - 2) * N.y)
    foot.set_vel(N, v * N.y)
    head = foot.locatenew("H", (length + leg) * N.y)
    head.set_vel(N, (v + w) * N.y)
    push = -k * (y - 2) * sympy.Heaviside(2 - y) * N.y
    spring = (-k * leg - c * w) * N.y
    bodies = [me.Particle("foot", foot, m1), me.Particle("head", head, m2)]
    loads = [(foot, push - m1 * g * N.y - spring), (head, spring - m2 * g * N.y)]
    kane = me.KanesMethod(N, [y, leg], [v, w], [y.diff(T) - v, leg.diff(T) - w])
    kane.kanes_equations(bodies, loads)
    return kane, {}


def stiffening() -> Handed:
    """An oscillator whose spring is a piecewise function."""
    x, v = me.dynamicsymbols("x v")
    m, k = sympy.symbols("m k")
    N = me.ReferenceFrame("N")
    P = _fixed(N).locatenew("P", x * N.x)
    P.set_vel(N, v * N.x)
    force = sympy.Piecewise((-k * x, x < 5), (-k * (2 * x - 5), True))
    kane = me.KanesMethod(N, [x], [v], [x.diff(T) - v])
    kane.kanes_equations([me.Particle("P_", P, m)], [(P, force * N.x)])
    return kane, {}


def snakeboard() -> Handed:
    """Three bars in a row, each on wheels that do not slip sideways (a course's chapter on such rows)."""
    q, u = me.dynamicsymbols("q1:6"), me.dynamicsymbols("u1:6")
    length, mass, inertia = sympy.symbols("l m I")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q[2], N.z])
    B = A.orientnew("B", "Axis", [q[3], N.z])
    C = A.orientnew("C", "Axis", [q[4], N.z])
    for frame, before, speed in ((A, N, u[2]), (B, A, u[3]), (C, A, u[4])):
        frame.set_ang_vel(before, speed * N.z)
    middle = _fixed(N).locatenew("Ao", q[0] * N.x + q[1] * N.y)
    middle.set_vel(N, u[0] * N.x + u[1] * N.y)
    front, rear = middle.locatenew("Bo", length * A.x), middle.locatenew("Co", -length * A.x)
    for point in (front, rear):
        point.v2pt_theory(middle, N, A)
    rows = [middle.vel(N).dot(A.y), front.vel(N).dot(B.y), rear.vel(N).dot(C.y)]
    bodies = [
        me.RigidBody(name, point, frame, mass, (me.inertia(frame, inertia, inertia, inertia), point))
        for name, point, frame in (("bar", middle, A), ("front", front, B), ("rear", rear, C))
    ]
    kane = me.KanesMethod(
        N, list(q), [u[3], u[4]], [x.diff(T) - s for x, s in zip(q, u, strict=True)],
        u_dependent=[u[0], u[1], u[2]], velocity_constraints=rows,
    )  # fmt: skip
    kane.kanes_equations(bodies, [(B, 0.3 * N.z), (A, -0.3 * N.z)])
    return kane, {}


def springs_and_rods() -> Handed:
    """A rod on a hinge, a second one across it with a spring at the hinge, and a bead that slides on it (a course)."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    g, kt, kl, m, length = sympy.symbols("g k_t k_l m l")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q[0], N.z])
    B = A.orientnew("B", "Axis", [q[1], A.x])
    A.set_ang_vel(N, u[0] * N.z)
    B.set_ang_vel(A, u[1] * A.x)
    origin = _fixed(N)
    ao = origin.locatenew("Ao", length / 2 * A.x)
    bo = origin.locatenew("Bo", length * A.x)
    bead = bo.locatenew("Q", q[2] * B.y)
    bead.set_vel(B, u[2] * B.y)
    ao.v2pt_theory(origin, N, A)
    bo.v2pt_theory(origin, N, A)
    bead.v1pt_theory(bo, N, B)
    moment = m * length**2 / 12
    bodies = [
        me.RigidBody("A_", ao, A, m, (moment * (me.outer(A.y, A.y) + me.outer(A.z, A.z)), ao)),
        me.RigidBody("B_", bo, B, m, (moment * (me.outer(B.x, B.x) + me.outer(B.z, B.z)), bo)),
        me.Particle("Q_", bead, m / 4),
    ]
    loads = [(point, body.mass * g * N.x) for point, body in zip((ao, bo, bead), bodies, strict=True)]
    loads += [(bead, -kl * q[2] * B.y), (bo, kl * q[2] * B.y)]
    loads += [(B, -kt * q[1] * A.x), (A, kt * q[1] * A.x)]
    kane = me.KanesMethod(N, list(q), list(u), [x.diff(T) - s for x, s in zip(q, u, strict=True)])
    kane.kanes_equations(bodies, loads)
    return kane, {}


def shaken_pendulum() -> Handed:
    """A pendulum on a hinge that is moved as the time says."""
    theta, omega = me.dynamicsymbols("theta omega")
    m, length, g, a = sympy.symbols("m l g a")
    N = me.ReferenceFrame("N")
    arm = N.orientnew("A", "Axis", [theta, N.z])
    arm.set_ang_vel(N, omega * N.z)
    hinge = _fixed(N).locatenew("H", a * sympy.sin(3 * T) * N.y)
    hinge.set_vel(N, 3 * a * sympy.cos(3 * T) * N.y)
    bob = hinge.locatenew("P", -length * arm.y)
    bob.v2pt_theory(hinge, N, arm)
    kane = me.KanesMethod(N, [theta], [omega], [theta.diff(T) - omega])
    kane.kanes_equations([me.Particle("bob", bob, m)], [(bob, -m * g * N.y)])
    return kane, {}


SCRIPTS = {
    "PyDy, Carvallo-Whipple bicycle": carvallo_whipple,
    "PyDy, conical pendulum, as printed": conical_pendulum_printed,
    "PyDy, conical pendulum, corrected": conical_pendulum_corrected,
    "PyDy, Astrobee": astrobee,
    "Chaplygin's sleigh by Kane": sleigh,
    "Kane and Levinson, rattleback": rattleback,
    "Course, jumping man": jumper,
    "Course, stiffening spring": stiffening,
    "Course, snakeboard": snakeboard,
    "Course, rods, bead and springs": springs_and_rods,
    "Course, shaken pendulum": shaken_pendulum,
}
