"""Balls that roll on planes and surfaces, at rest or turning."""
import numpy as np

from mechanics import EX, EY, EZ, System, cross, integrate, matrix, named, oracle, turn, unit, vector

NOTE = """Newton's and Euler's equations of the ball with the contact force as the unknown,
m a = F + m g, J omega' = rho x F (strangers/oracles/mechanics.py), the no-slip condition differentiated along the
motion, in Cartesian coordinates and a quaternion; DOP853."""
UNIT = np.array([1.0, 0, 0, 0])
NAMES = ["x", "y", "z", "e0", "e1", "e2", "e3"]


def length(a):
    return np.sqrt(a @ a)


def roll(m, rtol, J, normal, r0, given, a=None, g=9.81, e0=UNIT, table=lambda t, r: 0 * EX, force=0 * EX, more=None):
    """The end state of a ball whose contact is at -a*normal(r); `given`: (direction, speed) for the centre
    and (None, direction, rate) for the spin. `table(t, at)` is the velocity of what it rolls on."""
    a = m.p.a if a is None else a
    mass = m.p.m

    def rows(t, s, rows):
        rho = -a * normal(s.r[0])
        rows.contact("roll", 0, rho, table(t, s.r[0] + rho))
        if more:
            more(s, rows)

    def start(t, s, rows):
        for item in given:
            if item[0] is None:
                rows.spin("given", 0, np.asarray(item[1], float), rhs=item[2])
            else:
                rows.point("given", 0, 0 * EX, np.asarray(item[0], float), rhs=item[1])

    system = System([mass], [[J, J, J] if np.ndim(J) == 0 else J], rows, lambda t, s, L: L.force(0, force), -g * np.asarray(EZ))
    y0 = system.velocities(0, [np.asarray(r0, float)], [e0], start)
    return system.end(y0, m.T, rtol=rtol)


def answer(s, F):
    out = named(NAMES, [*s.r[0], *s.e[0]]) | named(["x'", "y'", "z'"], s.v[0])
    total = F["roll"] + (F["height"] if "height" in F else 0)
    return out | vector("R(ball)", total)


@oracle("ball-on-incline", note=NOTE)
def incline(m, rtol):
    p = m.p
    S = matrix(turn(EY, p.be))
    s, F = roll(m, rtol, 0.4 * p.m * p.a**2, lambda r: S[:, 2], p.a * S[:, 2],
                [(S[:, 0], -0.4), (EY, 0.55), (None, S[:, 2], 3.1)])
    down = 5 / 7 * 9.81 * np.sin(p.be)                       # closed form beside it
    if abs((s.r[0] @ S[:, 0]) - (-0.4 * m.T + down * m.T**2 / 2)) > 1e-9:
        raise ArithmeticError("closed form")
    return answer(s, F)


@oracle("ball-in-bowl-cartesian", note=NOTE)
def bowl(m, rtol):
    p = m.p
    r0 = np.array([0.2, 0, -np.sqrt((p.b - p.a)**2 - 0.04)])
    n0 = -unit(r0)
    return answer(*roll(m, rtol, 0.4 * p.m * p.a**2, lambda r: -r / length(r), r0, [(EX, 0), (EY, 1.1), (None, n0, 12.5)]))


@oracle("ball-in-bowl-angles", note=NOTE + " Angles from the position of the centre and the quaternion.")
def bowl_angles(m, rtol):
    p = m.p
    al, ph, c = 0.7, 0.4, p.b - p.a
    px, py = np.array([np.cos(ph), np.sin(ph), 0]), np.array([-np.sin(ph), np.cos(ph), 0])
    Dz = np.cos(al) * EZ - np.sin(al) * px                   # D turns by -al about P.y
    Dx = np.cos(al) * px + np.sin(al) * EZ
    r0 = -c * Dz
    v0 = c * 0.9 * Dx + c * np.sin(al) * 3.4 * py
    s, F = roll(m, rtol, 0.4 * p.m * p.a**2, lambda r: -r / length(r), r0,
                [(Dx, v0 @ Dx), (py, v0 @ py), (None, Dz, -4.2)])
    x, y, z = s.r[0]
    vx, vy, vz = s.v[0]
    rho = np.hypot(x, y)
    out = {"al": np.arctan2(rho, -z), "ph": np.arctan2(y, x) % (2 * np.pi),    # it goes round once, not quite
           "al'": (-z * (x * vx + y * vy) / rho + rho * vz) / (rho**2 + z**2), "ph'": (x * vy - y * vx) / rho**2}
    R = s.R[0]                                               # Rx(q1) Ry(q2) Rz(q3)
    out |= {"q2": np.arcsin(R[0, 2])}                        # q1 and q3 may have made whole turns
    Dz = -s.r[0] / c
    Dx = np.cos(out["al"]) * np.array([np.cos(out["ph"]), np.sin(out["ph"]), 0]) + np.sin(out["al"]) * EZ
    Dy = cross(Dz, Dx)
    return {k: float(v) for k, v in out.items()} | {"multiplier(r1)": float(F["roll"] @ Dx), "multiplier(r2)": float(F["roll"] @ Dy)}


@oracle("ball-on-dome", note=NOTE + " The rows dome and roll share the normal force so that the sum of squares of the multipliers is least.")
def dome(m, rtol):
    p = m.p
    r0 = np.array([0.1, 0.2, np.sqrt((p.D + p.a)**2 - 0.05)])
    s, F = roll(m, rtol, p.J, lambda r: r / length(r), r0, [(EX, 0.3), (EY, -0.1), (None, unit(r0), -1.5)],
                table=lambda t, r: p.Om * cross(EZ, r))
    out = answer(s, F)
    # dome and roll share the normal force N: 2 (D + a) d + r = N with d^2 + r^2 least
    n, R = unit(s.r[0]), F["roll"]
    N, k = R @ n, 2 * (p.D + p.a)
    shared = R - N * n + N / (1 + k**2) * n
    for axis in "xyz":
        del out[f"dot(R(ball), N.{axis})"]
    return out | {"multiplier(dome)": float(k * N / (1 + k**2))} | named([f"multiplier(roll.{a})" for a in "xyz"], shared)


@oracle("ball-in-cone-root", note=NOTE)
def cone(m, rtol):
    p = m.p

    def n(r):
        rho = np.sqrt(r[0]**2 + r[1]**2)
        return np.array([-p.k * r[0] / rho, -p.k * r[1] / rho, 1 + 0 * rho]) / np.sqrt(1 + p.k**2)

    r0 = np.array([0.35, -0.15, p.k * np.sqrt(0.145)])
    return answer(*roll(m, rtol, 0.4 * p.m * p.a**2, n, r0, [(EX, 0.6), (EY, 1.3), (None, n(r0), 6)]))


@oracle("ball-in-trough", note=NOTE + " Angle round the pipe from the position of the centre.")
def trough(m, rtol):
    p = m.p
    c = p.P - p.a

    def n(r):
        return np.array([0 * r[1], -r[1], -r[2]]) / np.sqrt(r[1]**2 + r[2]**2)

    Kz = np.array([0, -np.sin(0.9), np.cos(0.9)])
    Ky = np.array([0, np.cos(0.9), np.sin(0.9)])
    r0 = -c * Kz
    v = c * -0.5 * Ky                                        # Kz' = -be' Ky
    tilt = 9.81 * np.array([np.sin(0.07), 0, -np.cos(0.07)])
    s, F = roll(m, rtol, 2 / 3 * p.m * p.a**2, n, r0, [(EX, 0.8), (Ky, v @ Ky), (None, Kz, 7.7)], g=0, force=p.m * tilt)
    be = np.arctan2(s.r[0][1], -s.r[0][2])
    Ky = np.array([0, np.cos(be), np.sin(be)])
    return named(["s", "be", "e0", "e1", "e2", "e3", "s'", "be'"], [s.r[0][0], be, *s.e[0], s.v[0][0], s.v[0] @ Ky / c]) | {
        "multiplier(along)": float(F["roll"][0]), "multiplier(across)": float(F["roll"] @ Ky)}


@oracle("ball-in-turning-cylinder", note=NOTE)
def turning_cylinder(m, rtol):
    p = m.p

    def n(r):
        return -np.array([r[0], r[1], 0 * r[0]]) / np.sqrt(r[0]**2 + r[1]**2)

    s, F = roll(m, rtol, 2 / 3 * p.m * p.a**2, n, [p.W - p.a, 0, 0], [(EY, 1.8), (EZ, -0.3), (None, EX, 9)],
                table=lambda t, r: p.Om * cross(EZ, r))
    return answer(s, F)


@oracle("ball-in-oblique-cylinder", note=NOTE)
def oblique(m, rtol):
    p = m.p
    K = matrix(turn(EY, p.tilt))
    ax = K[:, 2]

    def n(r):
        d = r - (r @ ax) * ax
        return -d / length(d)

    c = p.W - p.a
    r0 = K @ np.array([0.6 * c, -0.8 * c, 0.1])
    s, F = roll(m, rtol, 0.4 * p.m * p.a**2, n, r0, [(ax, 0.7), (cross(ax, -n(r0)), 1.6), (None, -n(r0), -3)])
    return answer(s, F)


@oracle("ball-in-paraboloid", note=NOTE + " Cylindrical coordinates from the position of the centre.")
def paraboloid(m, rtol):
    p = m.p

    def n(r):
        return np.array([-p.c * r[0], -p.c * r[1], 1 + 0 * r[0]]) / np.sqrt(1 + p.c**2 * (r[0]**2 + r[1]**2))

    r0 = np.array([0.6, 0, p.c / 2 * 0.36])
    s, F = roll(m, rtol, 0.4 * p.m * p.a**2, n, r0, [(EX, -0.2), (EY, 0.6 * 1.7), (None, n(r0), 1.1)],
                table=lambda t, r: p.Om * cross(EZ, r))
    (x, y, z), (vx, vy) = s.r[0], s.v[0][:2]
    rho = np.hypot(x, y)
    out = named(["s", "z", "e0", "e1", "e2", "e3"], [rho, z, *s.e[0]])
    out["be'"] = float((x * vy - y * vx) / rho**2)
    out["s'"] = float((x * vx + y * vy) / rho)
    return out | vector("R(ball)", F["roll"])


@oracle("ball-on-egg-carton", note=NOTE)
def carton(m, rtol):
    p = m.p

    def n(r):
        fx = -p.h * p.k * np.sin(p.k * r[0]) * np.cos(p.k * r[1])
        fy = -p.h * p.k * np.cos(p.k * r[0]) * np.sin(p.k * r[1])
        return np.array([-fx, -fy, 1 + 0 * fx]) / np.sqrt(1 + fx**2 + fy**2)

    r0 = np.array([0.7, 0.5, p.h * np.cos(0.7 * p.k) * np.cos(0.5 * p.k)])
    return answer(*roll(m, rtol, 0.4 * p.m * p.a**2, n, r0, [(EX, 0.5), (EY, 0.2), (None, n(r0), 2)]))


@oracle("ball-between-plates", note="""By hand: the velocity of the centre is half of the plate's there,
r' = Omega z x (r - c)/2, a circle about the plate's axis, and omega follows from both contacts; the quaternion by
DOP853. Of the vertical forces only the sum is determined; the tangential ones together give m r''.""")
def plates(m, rtol):
    p = m.p
    c = np.array([p.cx, 0.0])

    def at(t):
        phase = p.Om / 2 * t
        d = np.array([0.9, 0.35]) - c
        return c + np.array([d[0] * np.cos(phase) - d[1] * np.sin(phase), d[0] * np.sin(phase) + d[1] * np.cos(phase)])

    def f(t, e):
        d = at(t) - c
        v = p.Om / 2 * np.array([-d[1], d[0], 0])
        w = cross(EZ, v) / p.a + 0.8 * EZ                    # v = omega x a z
        return np.array([-0.5 * (w @ e[1:]), *(0.5 * (e[0] * w + cross(w, e[1:])))])

    e = integrate(f, UNIT, m.T, rtol=rtol)
    r = at(m.T)
    d = r - c
    v = p.Om / 2 * np.array([-d[1], d[0]])
    force = -p.m * (p.Om / 2)**2 * d
    return named(NAMES, [*r, p.a, *e]) | named(["x'", "y'"], v) | vector("R(ball)", [*force, p.m * 9.81])


@oracle("gyrostat-ball", note=NOTE + " Shell and rotor are two bodies joined at the centre.")
def gyrostat(m, rtol):
    p = m.p
    axis = np.array([0, 0.6, 0.8])
    rotor = 0.0011 * np.eye(3) + 0.0009 * np.outer(axis, axis)

    def rows(t, s, rows):
        rows.contact("roll", 0, -p.a * EZ)
        rows.joint("centre", 0, np.zeros(3), 1, np.zeros(3), s.R[0] @ axis)

    def aux(t, s):
        return [(s.w[1] - s.w[0]) @ (s.R[0] @ axis)]

    def loads(t, s, loads):
        loads.torque(1, -0.0004 * aux(t, s)[0] * (s.R[0] @ axis), 0)

    system = System([p.m, p.mr], [[0.014, 0.016, 0.019], rotor], rows, loads, -9.81 * EZ, aux)
    e0 = np.array([0.8, 0.6, 0, 0])

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(3), EX, rhs=0.35)
        rows.point("given", 0, np.zeros(3), EY, rhs=-0.2)
        rows.spin("given", 0, EZ, rhs=1.4)
        rows.spin("given", 1, s.R[0] @ axis, 0, rhs=95.0)

    r = np.array([0, 0, p.a])
    s, F = system.end(system.velocities(0, [r, r], [e0, e0], given, [0]), m.T, rtol=rtol)
    return (named(NAMES + ["ga"], [*s.r[0], *s.e[0], s.aux[0]]) | named(["x'", "y'", "ga'"], [*s.v[0][:2], aux(0, s)[0]])
            | vector("R(shell)", F["roll"]))


@oracle("rubber-ball", note=NOTE + " The rubber contact adds a couple about the normal.")
def rubber(m, rtol):
    p = m.p
    e0 = np.array([np.cos(0.35), 0.6 * np.sin(0.35), 0, 0.8 * np.sin(0.35)])
    s, F = roll(m, rtol, [p.A, p.C, p.D], lambda r: EZ, [0, 0, p.a], [(EX, 0.5), (EY, 0.9)], g=0, e0=e0,
                force=np.array([0.3, -0.1, 0]), more=lambda s, rows: rows.spin("rubber", 0, EZ))
    return answer(s, F) | {"multiplier(rubber)": float(F["rubber"][2])}


@oracle("ball-on-free-turntable", note=NOTE + " The turntable is a second body; the ball pushes it with -F.")
def free_turntable(m, rtol):
    p = m.p
    J = 0.4 * p.m * p.a**2

    def rows(t, s, rows):
        rho = -p.a * EZ
        for d in (EX, EY, EZ):
            rows.point("roll", 0, rho, d, 1, s.r[0] + rho - s.r[1])
            rows.point("pivot", 1, np.zeros(3), d)
        rows.spin("pivot2", 1, EX)
        rows.spin("pivot2", 1, EY)

    system = System([p.m, 1.0], [[J, J, J], [p.Jt / 2, p.Jt / 2, p.Jt]], rows,
                    lambda t, s, L: (L.torque(1, -p.br * s.w[1][2] * EZ), L.force(1, 9.81 * EZ)), -9.81 * EZ,
                    lambda t, s: [s.w[1][2]])

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(3), EX, rhs=0.1)
        rows.point("given", 0, np.zeros(3), EY, rhs=0.2)
        rows.spin("given", 0, EZ, rhs=1.0)
        rows.spin("given", 1, EZ, rhs=2.1)

    y0 = system.velocities(0, [np.array([0.4, 0, p.a]), np.zeros(3)], [UNIT, UNIT], given, [0])
    s, F = system.end(y0, m.T, rtol=rtol)
    return (named(NAMES + ["ta"], [*s.r[0], *s.e[0], s.aux[0]]) | named(["x'", "y'", "ta'"], [*s.v[0][:2], s.w[1][2]])
            | vector("R(ball)", F["roll"]))


@oracle("ball-on-swaying-table", note=NOTE + " Euler angles are quadratures of the angular velocity.")
def swaying(m, rtol):
    p = m.p
    J = 0.4 * p.m * p.a**2

    def axes(s):
        f, h, _ = s.aux
        x1 = np.array([np.cos(f), np.sin(f), 0])
        y1 = np.array([-np.sin(f), np.cos(f), 0])
        return np.array([EZ, x1, np.cos(h) * EZ - np.sin(h) * y1]).T

    def aux(t, s):
        return np.linalg.solve(axes(s), s.w[0])

    def rows(t, s, rows):
        Om = 1.2 + 0.8 * np.sin(0.9 * t)
        rows.contact("roll", 0, -p.a * EZ, Om * cross(EZ, s.r[0]))

    system = System([p.m], [[J, J, J]], rows, aux=aux)

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(3), EX, rhs=0.03)
        rows.point("given", 0, np.zeros(3), EY, rhs=0.04)
        rows.spin("given", 0, EZ, rhs=0.5)

    y0 = system.velocities(0, [np.array([0.12, -0.05, p.a])], [UNIT], given, [0.3, 1.4, 0])
    s, F = system.end(y0, m.T, rtol=rtol)
    return (named(["x", "y", "f", "h", "k"], [*s.r[0][:2], *s.aux]) | named(["x'", "y'", "f'", "h'", "k'"], [*s.v[0][:2], *aux(0, s)])
            | {"dot(R(ball), N.x)": float(F["roll"][0]), "dot(R(ball), N.y)": float(F["roll"][1])})


@oracle("ball-in-turning-bowl", note=NOTE)
def turning_bowl(m, rtol):
    p = m.p
    r0 = np.array([0.498, 0, -0.664])
    s, F = roll(m, rtol, 0.4 * p.m * p.a**2, lambda r: -r / length(r), r0,
                [(EY, 0.9), (np.array([4.0, 0, 3]), 1.0), (None, unit(r0), 2)], table=lambda t, r: p.Om * cross(EY, r))
    return answer(s, F)
