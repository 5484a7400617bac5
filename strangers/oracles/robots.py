"""Robots, cars with trailers, segway and unicycle."""
import numpy as np

from mechanics import EX, EY, EZ, System, cross, integrate, matrix, named, oracle, turns, vector

PLANAR = """Newton-Euler equations of all bodies in the plane with axle and hitch forces as unknowns
(strangers/oracles/mechanics.py), integrated by DOP853."""
SPATIAL = """Newton-Euler equations of all bodies in space with contact and hinge forces as unknowns
(strangers/oracles/mechanics.py), angles as quadratures, integrated by DOP853."""


def along(th):
    return np.array([np.cos(th), np.sin(th)])


def across(th):
    return np.array([-np.sin(th), np.cos(th)])


def flat(force):
    return np.array([force[0], force[1], 0.0])


@oracle("trolley-two-castors", note=PLANAR)
def trolley(m, rtol):
    p = m.p
    pivot = [np.array([p.b, p.w]), np.array([p.b, -p.w])]

    def spot(th, a):
        return a[0] * along(th) + a[1] * across(th)

    def rows(t, s, rows):
        for i in (1, 2):
            rows.joint("hinge", 0, spot(s.th[0], pivot[i - 1]), i, p.e * along(s.th[i]))
            rows.point(("one", "two")[i - 1], i, np.zeros(2), across(s.th[i]))
        rows.point("axle", 0, -p.a * along(s.th[0]), across(s.th[0]))

    def loads(t, s, loads):
        loads.force(0, p.P * along(s.th[0]), spot(s.th[0], [-0.4, 0.15]))
        loads.force(0, -p.k * s.v[0])

    system = System([p.M, p.mc, p.mc], [p.J, p.Jc, p.Jc], rows, loads, dim=2)
    th = [0.15, 0.15 + 2.2, 0.15 - 1.9]
    r = [np.zeros(2)] + [spot(th[0], pivot[i - 1]) - p.e * along(th[i]) for i in (1, 2)]

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(2), along(0.15), rhs=0.25)
        rows.spin("given", 0, rhs=0.1)

    s, F = system.end(system.velocities(0, r, th, given), m.T, rtol=rtol)
    out = named(["x", "y", "th", "c1", "c2"], [*s.r[0], s.th[0], s.th[1] - s.th[0], s.th[2] - s.th[0]])
    w = s.w
    out |= named(["x'", "y'", "th'", "c1'", "c2'"], [*s.v[0], w[0], w[1] - w[0], w[2] - w[0]])
    return (out | vector("R(trolley)", flat(F["axle"])) | vector("R(castor1)", flat(F["one"]))
            | vector("R(castor2)", flat(F["two"])))


def wheels_by_hand(mass, centre, J, A, Jw, torque, friction, R, y0, T, rtol):
    """A platform on omnidirectional wheels: R f_i' = A_i . (u, w, psi') in the platform's axes; `centre` is
    the mass centre there. Newton-Euler in (u, w, psi') by hand, wheels eliminated."""
    n = len(A)
    cx, cy = centre
    M = np.array([[mass, 0, -mass * cy], [0, mass, mass * cx], [-mass * cy, mass * cx, J + mass * (cx**2 + cy**2)]])
    full = M + Jw / R**2 * A.T @ A

    def f(t, y):
        psi, V = y[2], y[3 + n:]
        u, w, r = V
        spins = A @ V / R
        drive = torque(t) - friction * spins
        bias = mass * r * np.array([-w - r * cx, u - r * cy, cx * u + cy * w])
        dV = np.linalg.solve(full, A.T @ drive / R - bias)
        go = u * along(psi) + w * across(psi)
        return np.array([*go, r, *spins, *dV])

    y = integrate(f, y0, T, rtol=rtol)
    rate = f(T, y)
    push = (torque(T) - friction * A @ y[3 + n:] / R - Jw * A @ rate[3 + n:] / R) / R
    return y, rate, push


@oracle("mecanum", note="""Newton-Euler equations by hand in the platform's axes (u, w, psi'), the wheels' spins
eliminated by u, w, psi'; the force of each roller from the balance of moments of its wheel. DOP853.""")
def mecanum(m, rtol):
    p = m.p
    k = p.a + p.b
    A = np.array([[1, -1, -k], [1, 1, k], [1, 1, -k], [1, -1, k]])
    V = [0.3 * np.cos(0.4) - 0.2 * np.sin(0.4), -0.3 * np.sin(0.4) - 0.2 * np.cos(0.4), 0.15]

    def torque(t):
        return np.array([0.9 + 0.2 * np.sin(1.3 * t), 0.4, -0.15 * t, 0.7 * np.cos(t)])

    y, rate, push = wheels_by_hand(p.M, (0, 0), p.J, A, p.Jw, torque, p.c, p.R, [0, 0, 0.4, 0, 0, 0, 0, *V], m.T, rtol)
    names = ["x", "y", "psi", "f1", "f2", "f3", "f4"]
    out = named(names + [n + "'" for n in names], [*y[:7], *rate[:7]])
    # phi = R f' - ..., so the roller's force along its own direction is minus the multiplier
    return out | named([f"multiplier({n})" for n in ("front_left", "front_right", "rear_left", "rear_right")], -push)


@oracle("omni-three", note="""Newton-Euler equations by hand in the platform's axes about its middle, the mass centre
off it, the wheels' spins eliminated; the force of each wheel from the balance of moments of the wheel. DOP853.""")
def omni(m, rtol):
    p = m.p
    A = np.array([[-np.sin(a), np.cos(a), p.D] for a in (0, 2 * np.pi / 3, -2 * np.pi / 3)])
    U = np.array([p.U1, p.U2, p.U3])
    y, rate, push = wheels_by_hand(p.M, (p.g1, p.g2), p.J, A, p.Jw, lambda t: U, p.k, p.R,
                                   [0, 0, 0, 0, 0, 0, 0.4, 0.1, -0.8], m.T, rtol)
    names = ["x", "y", "th", "q1", "q2", "q3"]
    out = named(names + [n + "'" for n in names], [*y[:6], *rate[:6]])
    return out | named(["multiplier(w1)", "multiplier(w2)", "multiplier(w3)"], push)


@oracle("trailer-off-axle", note=PLANAR)
def trailer(m, rtol):
    p = m.p
    back = p.d - 0.35

    def rows(t, s, rows):
        a, b = s.th
        rows.joint("hitch", 0, -(1.2 + p.p) * along(a), 1, back * along(b))
        rows.point("rear_axle", 0, -1.2 * along(a), across(a))
        rows.point("front_axle", 0, (p.L - 1.2) * along(a), across(a + p.delta))
        rows.point("trailer_axle", 1, -0.35 * along(b), across(b))

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(2), along(0), rhs=2.2)

    system = System([p.m0, p.m1], [p.J0, p.J1], rows, lambda t, s, L: L.force(0, p.F * along(s.th[0])), dim=2)
    r = [1.2 * along(0), -p.p * along(0) - back * along(-0.4)]
    s, F = system.end(system.velocities(0, r, [0, -0.4], given), m.T, rtol=rtol)
    rear = s.r[0] - 1.2 * along(s.th[0])
    v = s.v[0] - 1.2 * s.w[0] * across(s.th[0])
    out = named(["x", "y", "th", "hitch", "x'", "y'", "th'", "hitch'"],
                [*rear, s.th[0], s.th[1] - s.th[0], *v, s.w[0], s.w[1] - s.w[0]])
    f = F["front_axle"] @ across(s.th[0] + p.delta)
    f2 = F["trailer_axle"] @ across(s.th[1])
    return out | {"multiplier(front_axle)": float(f), "multiplier(trailer_axle)": float(f2)}


@oracle("trailers-five", note=PLANAR)
def five(m, rtol):
    p = m.p

    def rows(t, s, rows):
        for i in range(6):
            rows.point(f"b{i}", i, np.zeros(2), across(s.th[i]))
            if i:
                rows.joint("hitch", i - 1, np.zeros(2), i, p.d * along(s.th[i]))
        k = 0.21 * np.cos(0.4 * t)
        at = s.width * 0
        row = np.zeros(s.width * s.n, dtype=complex)
        row[at:at + 2], row[at + 2] = -k * along(s.th[0]), 1
        rows.J.append(row), rows.b.append(0.0), rows.labels.append("steer"), rows.along.append(np.ones(1))

    def loads(t, s, loads):
        a = along(s.th[0])
        loads.force(0, (p.P - p.k * s.v[0] @ a) * a)

    th = [0, 0.1, 0.15, 0, -0.2, -0.1]
    r = [np.zeros(2)]
    for a in th[1:]:
        r.append(r[-1] - p.d * along(a))
    system = System([p.m0] + [p.m] * 5, [p.J0] + [p.J] * 5, rows, loads, dim=2)
    y0 = system.velocities(0, r, th, lambda t, s, R: R.point("given", 0, np.zeros(2), along(0), rhs=2.1))
    s, F = system.end(y0, m.T, rtol=rtol)
    names = [f"a{i}" for i in range(6)]
    out = named(["x", "y", "x'", "y'"], [*s.r[0], *s.v[0]]) | named(names, s.th)
    out |= named([n + "'" for n in names], s.w)
    out |= {"multiplier(steer)": float(F["steer"][0]), "multiplier(b0)": float(F["b0"] @ across(s.th[0]))}
    return out | {f"multiplier(b{i})": float(F[f"b{i}"] @ across(s.th[i])) for i in range(1, 6)}


@oracle("semitrailer-reversing", note="""The motion is kinematics alone (speed and steering angle are given): three
first-order equations by hand. The forces: Newton-Euler equations of truck and trailer with the axle forces, the
kingpin's force and the drive as unknowns, the accelerations from the same integration in the plane. DOP853.""")
def semitrailer(m, rtol):
    p = m.p

    def rows(t, s, rows):
        a, b = s.th
        delta = 0.1 - p.K * (b - a - 0.05)
        rows.joint("pin", 0, (p.q - 1.9) * along(a), 1, 5.2 * along(b))
        rows.point("rear", 0, -1.9 * along(a), across(a))
        rows.point("front", 0, (p.L - 1.9) * along(a), across(a + delta))
        rows.point("bogie", 1, -(p.d - 5.2) * along(b), across(b))
        rows.point("cruise", 0, -1.9 * along(a), along(a), rhs=-1.4 + 0.2 * np.sin(0.5 * t))

    th = [3.0, 3.12]
    r = [1.9 * along(3.0), p.q * along(3.0) - 5.2 * along(3.12)]
    system = System([p.m0, p.m1], [p.J0, p.J1], rows, dim=2)
    y0 = system.velocities(0, r, th, lambda t, s, R: None)
    s, F = system.end(y0, m.T, rtol=rtol)

    def f(t, y):                                           # the same by kinematics
        u = -1.4 + 0.2 * np.sin(0.5 * t)
        w = u * np.tan(0.1 - p.K * (y[3] - 0.05)) / p.L
        pin = u * along(0) + p.q * w * across(0)           # in the truck's axes
        return np.array([*(u * along(y[2])), w, pin @ across(y[3]) / p.d - w])

    y = integrate(f, [0, 0, 3.0, 0.12], m.T, rtol=rtol)
    rate = f(m.T, y)
    rear = s.r[0] - 1.9 * along(s.th[0])
    if np.abs(np.array([*rear, s.th[0], s.th[1] - s.th[0]]) - y).max() > 1e-9:
        raise ArithmeticError("the two computations differ")
    out = named(["x", "y", "th", "be", "x'", "y'", "th'", "be'"], [*y, *rate])
    delta = 0.1 - p.K * (y[3] - 0.05)
    return out | {"multiplier(cruise)": float(F["cruise"] @ along(y[2])),
                  "multiplier(front_axle)": float(F["front"] @ across(y[2] + delta)),
                  "multiplier(rear_axle)": float(F["rear"] @ across(y[2])),
                  "multiplier(bogie)": float(F["bogie"] @ across(y[2] + y[3]))}


def level(rows, i):
    """A body that stays at its height and upright."""
    rows.point("level", i, 0 * EX, EZ)
    rows.spin("level", i, EX)
    rows.spin("level", i, EY)


@oracle("segway", note=SPATIAL + " The wheels share the lateral force equally.")
def segway(m, rtol):
    """The ground's normal forces are left out (the height of the axle is no coordinate of the model)."""
    p = m.p
    wheel = [p.mw * p.R**2 / 4, p.mw * p.R**2 / 2, p.mw * p.R**2 / 4]
    body = np.array([[3.1, 0, 0.06], [0, 2.75, 0], [0.06, 0, 0.92]])

    def rows(t, s, rows):
        side = s.R[0] @ EY
        for i, name, sign in ((1, "left", 1), (2, "right", -1)):
            rows.joint("axle", 0, s.R[0] @ np.array([0, sign * p.d, -p.h]), i, np.zeros(3), side)
            rows.contact(name, i, -p.R * EZ)

    def loads(t, s, loads):
        y = s.R[0] @ EY
        th, thd = s.aux[1], s.w[0] @ y
        spins = [s.w[i] @ y for i in (1, 2)]
        motor = p.k1 * th + p.k2 * thd + p.k3 * sum(spins) / 2 * p.R
        loads.torque(1, (motor / 2 - p.tau) * y, 0)
        loads.torque(2, (motor / 2 + p.tau) * y, 0)

    def aux(t, s):
        y = s.R[0] @ EY
        return [s.w[1][2], s.w[0] @ y, s.w[1] @ y, s.w[2] @ y]

    system = System([p.mb, p.mw, p.mw], [body, wheel, wheel], rows, loads, -9.81 * EZ, aux)
    up = np.array([np.sin(0.12), 0, np.cos(0.12)])
    r = [p.R * EZ + p.h * up, p.R * EZ + p.d * EY, p.R * EZ - p.d * EY]
    e = [turns((EY, 0.12)), turns(), turns()]

    def given(t, s, rows):
        rows.spin("given", 1, EY, rhs=2.0)
        rows.spin("given", 2, EY, rhs=2.6)
        rows.spin("given", 0, EY)

    s, F = system.end(system.velocities(0, r, e, given, [0, 0.12, 0, 0]), m.T, rtol=rtol)
    psi = s.aux[0]
    y = across(psi)
    y = np.array([*y, 0])
    middle = (s.r[1] + s.r[2]) / 2
    v = (s.v[1] + s.v[2]) / 2
    out = named(["x", "y", "psi", "th", "pl", "pr"], [*middle[:2], *s.aux])
    out |= named(["x'", "y'", "psi'", "th'", "pl'", "pr'"], [*v[:2], *aux(0, s)])
    half = (F["left"] - F["right"]) @ y / 2 * y
    for name, force in (("left", F["left"] - half), ("right", F["right"] + half)):
        out |= {f"dot(R({name}), N.{a})": float(force[k]) for k, a in ((0, "x"), (1, "y"))}
    return out


def rates(axes, omega):
    """The rates of angles whose axes these are, from the angular velocity."""
    return np.linalg.solve(np.array(axes).T, omega)


@oracle("unicycle-rider", note=SPATIAL)
def unicycle(m, rtol):
    p = m.p

    def frames(s):
        psi, phi, sp, pi_, ro = s.aux
        Lx = np.array([np.cos(psi), np.sin(psi), 0])
        Hy = np.array([-np.sin(psi), np.cos(psi), 0])
        Ly = np.cos(phi) * Hy + np.sin(phi) * EZ
        Lz = -np.sin(phi) * Hy + np.cos(phi) * EZ
        return Lx, Ly, Lz, np.cos(pi_) * Lx - np.sin(pi_) * Lz

    def angle_rates(s):
        Lx, Ly, Lz, Fx = frames(s)
        a = rates([EZ, Lx, Ly], s.w[0])
        b = s.w[1] - a[0] * EZ - a[1] * Lx
        return np.array([*a, b @ Ly, b @ Fx])

    def rows(t, s, rows):
        y, x = s.R[0] @ EY, s.R[1] @ EX
        rows.joint("hub", 0, np.zeros(3), 1, -p.h * (s.R[1] @ EZ))
        rows.spin("hub:couple", 1, cross(x, y), 0)
        down = EZ - (y @ EZ) * y
        rows.contact("roll", 0, -p.R * down / np.sqrt(down @ down))

    def loads(t, s, loads):
        _, Ly, _, Fx = frames(s)
        _, phid, _, pid, rod = angle_rates(s)
        _, phi, _, pi_, ro = s.aux
        M = p.kp * pi_ + p.cp * pid
        loads.torque(0, M * Ly, 1)
        loads.torque(1, (-p.kt * (ro + 1.6 * phi) - p.ct * rod) * Fx, 0)

    rider = np.array([[8.1, 0, 0.22], [0, 7.4, 0], [0.22, 0, 1.9]])
    system = System([p.mw, p.mr], [[0.11, 0.21, 0.11], rider], rows, loads, -9.81 * EZ, lambda t, s: angle_rates(s))
    psi, phi, pi_, ro = 0.2, 0.03, 0.02, -0.045
    e = [turns((EZ, psi), (EX, phi)), turns((EZ, psi), (EX, phi), (EY, pi_), (EX, ro))]
    r0 = p.R * np.cos(phi) * EZ
    r = [r0, r0 + p.h * matrix(e[1]) @ EZ]
    aux0 = [psi, phi, 0, pi_, ro]

    def given(t, s, rows):
        Lx, Ly, Lz, _ = frames(s)
        w = 0.3 * EZ + 6.5 * Ly
        for d in (EX, EY, EZ):
            rows.spin("given", 0, d, rhs=w @ d)
            rows.spin("given", 1, d, rhs=0.3 * (EZ @ d))

    s, F = system.end(system.velocities(0, r, e, given, aux0), m.T, rtol=rtol)
    out = named(["x", "y", "z", "psi", "phi", "sp", "pi_", "ro"], [*s.r[0], *s.aux])
    out |= named(["x'", "y'", "z'", "psi'", "phi'", "sp'", "pi_'", "ro'"], [*s.v[0], *angle_rates(s)])
    return out | vector("R(wheel)", F["roll"])


@oracle("tricycle-front-drive", note=SPATIAL)
def tricycle(m, rtol):
    p = m.p
    I = p.mf * p.R**2

    def rows(t, s, rows):
        C, F = s.R[0], s.R[1]
        level(rows, 0)
        level(rows, 1)
        rows.point("rear", 0, -p.a * C[:, 0], C[:, 1])
        for d in (EX, EY):
            rows.point("pivot", 0, (p.l - p.a) * C[:, 0], d, 1, np.zeros(3))
        rows.joint("axle", 1, np.zeros(3), 2, np.zeros(3), F[:, 1])
        for d in (EX, EY):
            rows.point("front", 2, -p.R * EZ, d)

    def loads(t, s, loads):
        de, ph = s.aux
        ded, phd = s.w[1][2] - s.w[0][2], (s.w[2] - s.w[1]) @ s.R[1][:, 1]
        loads.torque(1, (-35 * (de - 0.5 * np.sin(0.9 * t)) - 6 * ded) * EZ, 0)
        loads.torque(2, (4.5 - 0.6 * phd) * s.R[1][:, 1], 1)

    def aux(t, s):
        return [s.w[1][2] - s.w[0][2], (s.w[2] - s.w[1]) @ s.R[1][:, 1]]

    # the fork's mass is carried by the wheel: here a part of the wheel's mass, moved to the fork
    part = 0.3 * p.mf
    system = System([p.m, part, p.mf - part],
                    [[p.J / 2, p.J / 2, p.J], [p.Jk / 2, p.Jk / 2, p.Jk], [I / 4, I / 2, I / 4]], rows, loads, aux=aux)
    r = [np.array([p.a, 0, p.R]), np.array([p.l, 0, p.R]), np.array([p.l, 0, p.R])]
    e = [turns(), turns((EZ, 0.1)), turns((EZ, 0.1))]

    def given(t, s, rows):
        rows.spin("given", 1, EZ, 0)
        rows.spin("given", 2, s.R[1][:, 1], 1, rhs=3.0)

    s, F = system.end(system.velocities(0, r, e, given, [0.1, 0]), m.T, rtol=rtol)
    C = s.R[0]
    rear = s.r[0] - p.a * C[:, 0]
    v = s.v[0] - p.a * cross(s.w[0], C[:, 0])
    angle = 2 * np.arctan2(s.e[0][3], s.e[0][0])
    out = named(["x", "y", "th", "de", "ph"], [*rear[:2], angle, *s.aux])
    out |= named(["x'", "y'", "th'", "de'", "ph'"], [*v[:2], s.w[0][2], *aux(0, s)])
    return (out | {f"dot(R(wheel), N.{a})": float(F["front"][k]) for k, a in ((0, "x"), (1, "y"))}
            | vector("R(chassis)", F["rear"]))
