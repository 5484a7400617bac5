"""SymPy: lambdify, and the derivation by KanesMethod."""

import time

import sympy
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import common
import systems
from common import result, seconds

SIZES = [4] if common.QUICK else [4, 8, 10]


def right_side():
    def measurement(system):
        y = sympy.symbols(f"y:{system.size}")
        rates = system.field(systems.Mathematics(sympy.sin, sympy.cos, sympy.Rational), y)
        function = sympy.lambdify([y], rates, modules="math", cse=True)
        state = common.sample_states(system.size)[0]

        def measure():
            time = seconds(lambda: function(state))
            yield result("SymPy, lambdify", system.name, "right-hand side", time * 1e9, "ns", "with cse")
            yield common.rates("SymPy, lambdify", system, function(state))

        return measure

    return [measurement(system) for system in systems.SYSTEMS]


def callable_from(method, states, speeds, parameters):
    """Mass matrix and forcing as one function; its caller solves the linear system."""
    matrices = [method.mass_matrix_full, method.forcing_full]
    return sympy.lambdify([states, speeds, list(parameters)], matrices, cse=True)


def disc():
    """The rolling disc with its contact followed by two coordinates."""
    x, y, psi, th, ph = q = dynamicsymbols("x y psi th ph")
    u = dynamicsymbols("u1:6")
    m, r, g = sympy.symbols("m r g")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [psi, N.z])
    B = A.orientnew("B", "Axis", [th, A.x])
    C = B.orientnew("C", "Axis", [ph, B.y])
    kinematics = [q_i.diff() - u_i for q_i, u_i in zip(q, u)]
    rates = {q_i.diff(): u_i for q_i, u_i in zip(q, u)}
    C.set_ang_vel(N, C.ang_vel_in(N).subs(rates))
    origin, contact, centre = Point("O"), Point("P"), Point("G")
    origin.set_vel(N, 0)
    contact.set_pos(origin, x * N.x + y * N.y)
    centre.set_pos(contact, r * B.z)
    velocity = (x * N.x + y * N.y + r * B.z).dt(N).subs(rates)
    centre.set_vel(N, velocity)
    touching = velocity + C.ang_vel_in(N).cross(-r * B.z)
    rows = [touching.dot(A.x), touching.dot(A.y)]
    body = RigidBody("disc", centre, C, m, (inertia(C, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), centre))
    method = KanesMethod(
        N, q, u[2:], kd_eqs=kinematics, u_dependent=u[:2], velocity_constraints=rows,
    )
    method.kanes_equations([body], [(centre, -m * g * N.z)])
    return callable_from(method, q, u, (m, r, g))


def snake(n):
    """n links in absolute angles, each on wheels: as the model that Appell is given."""
    q, u = dynamicsymbols(f"q:{n + 2}"), dynamicsymbols(f"u:{n + 2}")
    m, J, l = sympy.symbols("m J l")
    N = ReferenceFrame("N")
    origin = Point("O")
    origin.set_vel(N, 0)
    rates = {q_i.diff(): u_i for q_i, u_i in zip(q, u)}
    bodies, rows, place, before = [], [], q[0] * N.x + q[1] * N.y, None
    for i in range(n):
        L = N.orientnew(f"L{i}", "Axis", [q[i + 2], N.z])
        L.set_ang_vel(N, u[i + 2] * N.z)
        if before is not None:
            place = place - l * before.x - l * L.x
        centre = origin.locatenew(f"G{i}", place)
        velocity = place.dt(N).subs(rates)
        centre.set_vel(N, velocity)
        rows.append(velocity.dot(L.y))
        bodies.append(RigidBody(f"B{i}", centre, L, m, (inertia(L, J, J, J), centre)))
        before = L
    # Two velocities are free: the first link's along itself, and its turning.
    free, bound = [u[0], u[2]], [u[1], *u[3:]]
    method = KanesMethod(
        N, q, free, kd_eqs=[q_i.diff() - u_i for q_i, u_i in zip(q, u)],
        u_dependent=bound, velocity_constraints=rows,
    )
    method.kanes_equations(bodies, [])
    return callable_from(method, q, free + bound, (m, J, l))


def bicycle():
    """The bicycle with rolling wheels: three speeds are free, and the pitch follows from lean and steer."""
    psi, phi, th, delta = q = dynamicsymbols("psi phi th delta")
    u = dynamicsymbols("u:6")
    names = sympy.symbols("g tilt w c rr rf xb zb xh zh mr mb mh mf rx ry bx by bz bxz hx hy hz hxz fx fy")
    g, tilt, w, c, rr, rf, xb, zb, xh, zh, mr, mb, mh, mf, rx, ry, bx, by, bz, bxz, hx, hy, hz, hxz, fx, fy = names
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [psi, N.z])
    L = Y.orientnew("L", "Axis", [phi, Y.x])
    B = L.orientnew("B", "Axis", [th, L.y])
    S = B.orientnew("S", "Axis", [tilt, B.y])
    E = S.orientnew("E", "Axis", [delta, S.z])
    H = E.orientnew("H", "Axis", [-tilt, E.y])
    # Frames that do not turn with the wheels: their inertia is the same all around.
    R, F = L.orientnew("R", "Axis", [0, L.y]), H.orientnew("F", "Axis", [0, H.y])
    L.set_ang_vel(N, u[0] * N.z + u[1] * L.x)
    R.set_ang_vel(L, u[3] * L.y)
    B.set_ang_vel(L, u[2] * B.y)
    E.set_ang_vel(S, u[4] * S.z)
    F.set_ang_vel(H, u[5] * H.y)
    down = (N.z - N.z.dot(H.y) * H.y).normalize()
    ground, origin, rear = Point("ground"), Point("O"), Point("rear")
    ground.set_vel(N, 0)
    rear.set_pos(ground, -rr * L.z)
    rear.set_vel(N, R.ang_vel_in(N).cross(-rr * L.z))
    frame = rear.locatenew("frame", xb * B.x + (zb + rr) * B.z)
    axis = rear.locatenew("axis", (w + c) * B.x + rr * B.z)
    fork = axis.locatenew("fork", (xh - w - c) * H.x + zh * H.z)
    front = axis.locatenew("front", -c * H.x - rf * H.z)
    contact = front.locatenew("contact", rf * down)
    for point, other, body in [(frame, rear, B), (axis, rear, B), (fork, axis, H), (front, axis, H)]:
        point.v2pt_theory(other, N, body)
    # A wheel's frame does not spin, so its velocity of rolling is put together by hand.
    contact.set_vel(N, front.vel(N) + F.ang_vel_in(N).cross(rf * down))
    rows = [contact.vel(N).dot(direction) for direction in (Y.x, Y.y, Y.z)]
    touching = [contact.pos_from(ground).dot(N.z)]
    bodies = [
        RigidBody("rear", rear, R, mr, (inertia(R, rx, ry, rx), rear)),
        RigidBody("frame", frame, B, mb, (inertia(B, bx, by, bz, 0, 0, bxz), frame)),
        RigidBody("fork", fork, H, mh, (inertia(H, hx, hy, hz, 0, 0, hxz), fork)),
        RigidBody("front", front, F, mf, (inertia(F, fx, fy, fx), front)),
    ]
    method = KanesMethod(
        N, [psi, phi, delta], [u[1], u[3], u[4]], kd_eqs=[a.diff() - b for a, b in zip(q, (u[0], u[1], u[2], u[4]))],
        q_dependent=[th], configuration_constraints=touching, u_dependent=[u[0], u[2], u[5]],
        velocity_constraints=rows,
    )
    method.kanes_equations(bodies, [(body.masscenter, body.mass * g * N.z) for body in bodies])
    return callable_from(method, [psi, phi, delta, th], [u[1], u[3], u[4], u[0], u[2], u[5]], names)


def derivation():
    def measurement(name, derive):
        def measure():
            # SymPy remembers what it derived before; who derives once does not profit.
            sympy.core.cache.clear_cache()
            start = time.process_time()
            derive()
            yield result(
                "SymPy, KanesMethod", name, "model to right-hand side", time.process_time() - start, "s",
                "mass matrix and forcing by lambdify with cse",
            )

        return measure

    snakes = [measurement(f"snake, n = {n}", lambda n=n: snake(n)) for n in SIZES]
    return [measurement("rolling-disc", disc), measurement("bicycle", bicycle), *snakes]


if __name__ == "__main__":
    common.serve({"right-side": right_side, "derivation": derivation})
