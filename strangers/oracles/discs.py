"""Hoops, discs, coins, cones and logs that roll."""
import numpy as np

from mechanics import EX, EY, EZ, System, cross, integrate, matrix, named, oracle, turns, vector

NOTE = """Newton's and Euler's equations with the force of the contact as the unknown
(strangers/oracles/mechanics.py), attitude by a quaternion, angles as quadratures; DOP853."""


def spin(rows, i, w):
    for d in (EX, EY, EZ):
        rows.spin("given", i, d, rhs=w @ d)


def zxy(q):
    x1 = np.array([np.cos(q[0]), np.sin(q[0]), 0])
    y1 = np.array([-np.sin(q[0]), np.cos(q[0]), 0])
    return EZ, x1, np.cos(q[1]) * y1 + np.sin(q[1]) * EZ


def lowest(axis):
    """From the middle of a thin disc to its lowest point, as a unit vector."""
    down = axis[2] * axis - EZ
    return down / np.sqrt(down @ down)


@oracle("hoop-quaternion", note=NOTE)
def hoop(m, rtol):
    p = m.p
    I = p.m * p.R**2

    def rows(t, s, rows):
        rows.contact("roll", 0, p.R * lowest(s.R[0] @ EZ))

    e0 = np.array([np.cos(0.7), np.sin(0.7), 0, 0])
    R0 = matrix(e0)
    system = System([p.m], [[I / 2, I / 2, I]], rows, None, -9.81 * EZ)
    r0 = np.array([0, 0, -p.R * lowest(R0[:, 2])[2]])
    y0 = system.velocities(0, [r0], [e0], lambda t, s, r: spin(r, 0, R0 @ np.array([0.2, 0.5, -6.1])))
    s, F = system.end(y0, m.T, rtol=rtol)
    return (named(["x", "y", "z", "e0", "e1", "e2", "e3", "x'", "y'", "z'"], [*s.r[0], *s.e[0], *s.v[0]])
            | vector("R(hoop)", F["roll"]))


def disc(m, rtol, q0, rates0, xy, gravity, table=0.0):
    """A thin disc, heading, inclination and spin as angles; `xy`: its point of contact."""
    p = m.p
    I = p.m * p.R**2

    def rows(t, s, rows):
        rho = p.R * lowest(s.R[0] @ EY)
        rows.contact("roll", 0, rho, table * cross(EZ, s.r[0] + rho))

    def aux(t, s):
        return np.linalg.solve(np.array(zxy(s.aux)).T, s.w[0])

    e0 = turns((EZ, q0[0]), (EX, q0[1]))
    Qz = matrix(e0)[:, 2]
    system = System([p.m], [[I / 4, I / 2, I / 4]], rows, None, gravity, aux)
    w0 = np.array(zxy(q0)).T @ rates0
    y0 = system.velocities(0, [np.array([*xy, 0]) + p.R * Qz], [e0], lambda t, s, r: spin(r, 0, w0), q0)
    s, F = system.end(y0, m.T, rtol=rtol)
    s.rates = aux(0, s)
    Hy = np.array([-np.sin(s.aux[0]), np.cos(s.aux[0]), 0])
    s.Qz = np.cos(s.aux[1]) * EZ - np.sin(s.aux[1]) * Hy
    s.dQz = cross(s.rates[0] * EZ + s.rates[1] * zxy(s.aux)[1], s.Qz)
    return s, F


@oracle("disc-on-slope", note=NOTE)
def slope(m, rtol):
    p = m.p
    g = 9.81 * np.array([np.sin(0.12), 0, -np.cos(0.12)])
    s, F = disc(m, rtol, [0.3, 0.2, 0], [0.8, 0, 9], [0, 0], g)
    at, v = s.r[0] - p.R * s.Qz, s.v[0] - p.R * s.dQz
    out = named(["x", "y", "ps", "th", "ph"], [*at[:2], *s.aux]) | named(["x'", "y'", "ps'", "th'", "ph'"], [*v[:2], *s.rates])
    return out | {f"dot(R(disc), N.{a})": float(F["roll"][k]) for k, a in ((0, "x"), (1, "y"))}


@oracle("coin-on-turntable", note=NOTE)
def coin(m, rtol):
    p = m.p
    Hy = np.array([-np.sin(1.4), np.cos(1.4), 0])
    Qz = np.cos(0.15) * EZ - np.sin(0.15) * Hy
    s, F = disc(m, rtol, [1.4, 0.15, 0], [3, 0, 40], (np.array([0.08, 0, 0]) - p.R * Qz)[:2], -9.81 * EZ, p.Om)
    names = ["x", "y", "z", "ps", "th", "ph"]
    return (named(names, [*s.r[0], *s.aux]) | named([n + "'" for n in names], [*s.v[0], *s.rates])
            | vector("R(coin)", F["roll"]))


@oracle("eccentric-hoop", note="""One freedom: with s' = R ph' the kinetic energy is G(ph) ph'^2/2, and
G ph'' + G' ph'^2/2 = -dV/dph by hand; the ground's force from the balance of moments about the middle. DOP853.""")
def eccentric(m, rtol):
    p = m.p
    M, mm, R = p.M, p.m, p.R

    def accel(ph, dph):
        G = 2 * M * R**2 + 2 * mm * R**2 * (1 + np.cos(ph))
        dG = -2 * mm * R**2 * np.sin(ph)
        dV = -(M + mm) * p.g * np.sin(p.be) * R - mm * p.g * R * np.sin(ph + p.be)
        return (-dV - dG * dph**2 / 2) / G

    y = integrate(lambda t, y: np.array([y[1], accel(*y)]), [0.2, 5.5], m.T, rtol=rtol)
    ph, w = y
    a = accel(ph, w)
    # along the slope: (M + m) s'' + m R (ph'' cos - ph'^2 sin) = (M + m) g sin(be) + F
    F = (M + mm) * (R * a - p.g * np.sin(p.be)) + mm * R * (a * np.cos(ph) - w**2 * np.sin(ph))
    return {"s": float(R * (ph - 0.2)), "ph": float(ph), "s'": float(R * w), "ph'": float(w), "multiplier(roll)": float(F)}


@oracle("disc-in-cylinder-with-pendulum", note="""Two freedoms by hand: the roller's angle is (P - r)/r times the angle round
the hollow; balance of the work of all forces for each angle with the accelerations written out. DOP853.""")
def hollow(m, rtol):
    p = m.p
    c = p.P - p.r
    g = 9.81

    def accel(al, u, da, du):
        # along the hollow: (3/2 m + mp) c al'' + mp l (u'' cos(al - u) + u'^2 sin(al - u)) = -(m + mp) g sin(al)
        C, S = np.cos(al - u), np.sin(al - u)
        A = np.array([[(1.5 * p.m + p.mp) * c, p.mp * p.l * C], [c * C, p.l]])
        b = np.array([-(p.m + p.mp) * g * np.sin(al) - p.mp * p.l * du**2 * S, -g * np.sin(u) + c * da**2 * S])
        return np.linalg.solve(A, b)

    f = lambda t, y: np.array([y[2], y[3], *accel(*y)])  # noqa: E731
    y = integrate(f, [0.9, -0.4, 0.3, 1.0], m.T, rtol=rtol)
    k = -c / p.r
    ddal = accel(*y)[0]
    names = ["al", "u", "al'", "u'"]
    # moments about the roller's middle: I ph'' = -r F along K.x at -r K.y, F = K.x force; (-r y) x (F x) = r F z
    F = p.m * p.r**2 / 2 * k * ddal / p.r
    return named(names, y) | {"ph": float(k * (y[0] - 0.9)), "ph'": float(k * y[2]), "multiplier(roll)": float(F)}


@oracle("gyro-disc", note="""By hand: (m R^2 + I) ph'' = torque, J ps'' = -rotor torque, Jr (ps'' + ro'') = rotor torque;
the ground's force is m a. DOP853.""")
def gyro(m, rtol):
    p = m.p

    def f(t, y):
        x, yy, ps, ph, ro, dps, dph, dro = y
        tr = 0.35 * np.sin(1.7 * t) - 0.02 * dro
        ddph = (0.4 - 0.01 * dph * abs(dph)) / (p.m * p.R**2 + p.I)
        ddps = -tr / p.J
        return np.array([p.R * dph * np.cos(ps), p.R * dph * np.sin(ps), dps, dph, dro, ddps, ddph, tr / p.Jr - ddps])

    y = integrate(f, [0, 0, 0.25, 0, 0, 0.4, 2.2, -0.3], m.T, rtol=rtol)
    r = f(m.T, y)
    ps = y[2]
    a = p.R * r[6] * np.array([np.cos(ps), np.sin(ps)]) + p.R * y[6] * y[5] * np.array([-np.sin(ps), np.cos(ps)])
    names = ["x", "y", "ps", "ph", "ro"]
    return (named(names, y[:5]) | named([n + "'" for n in names], r[:5])
            | {"multiplier(rx)": float(p.m * a[0]), "multiplier(ry)": float(p.m * a[1])})


@oracle("cone-on-slope", note="""One freedom: the cone turns about the generator that touches with w = ps' cot(al), so
T = I_g w^2/2 with the moment of inertia about that generator, and I_g cot(al)^2 ps'' = -dV/dps; by hand. DOP853.""")
def cone(m, rtol):
    p = m.p
    r = p.h * np.tan(p.al)
    Ia, It = 0.3 * p.m * r**2, 0.15 * p.m * r**2 + 3 / 80 * p.m * p.h**2 + p.m * (0.75 * p.h)**2
    Ig = Ia * np.cos(p.al)**2 + It * np.sin(p.al)**2
    k = Ig / np.tan(p.al)**2
    D = p.m * 9.81 * np.sin(0.35) * 0.75 * p.h * np.cos(p.al)
    y = integrate(lambda t, y: np.array([y[1], -D * np.sin(y[0]) / k]), [2.0, 0.7], m.T, rtol=rtol)
    # w = ps' z + ph' axis must lie along the generator: ph' sin(al) = -ps'
    c = -1 / np.sin(p.al)
    return {"ps": float(y[0]), "ps'": float(y[1]), "ph": float(c * (y[0] - 2.0)), "ph'": float(c * y[1])}


@oracle("log-on-slope", note="""Closed form: the log keeps its heading; its speed across grows by 2/3 g sin(slope) cos(heading).
Along its axis friction holds it. R is the sum at both ends and of the floor: m a - m g.""")
def log(m, rtol):
    p = m.p
    c, s = np.cos(0.4), np.sin(0.4)
    a = 2 / 3 * 9.81 * np.sin(0.2) * c
    u = -p.R + a * m.T                                       # speed along P.x
    d = -p.R * m.T + a * m.T**2 / 2
    R = p.m * (a * np.array([c, s, 0]) - 9.81 * np.array([np.sin(0.2), 0, -np.cos(0.2)]))
    return (named(["x", "y", "z", "ps", "th", "ph"], [d * c, d * s, p.R, 0.4, 0, d / p.R])
            | named(["x'", "y'", "ph'"], [u * c, u * s, u / p.R]) | vector("R(log)", R))


@oracle("coaster-disc-moving-floor", note="""By hand: the spring force F and the contact force give m r'' = F + R and
A th'' = -R (contact force along the heading) with r' = R th' e + floor; one equation for th''. DOP853.""")
def coaster(m, rtol):
    p = m.p

    def f(t, y):
        x, yy, th, ps, dth = y
        c, s = np.cos(ps), np.sin(ps)
        dfloor = -1.2 * np.sin(3 * t)
        along = -6.5 * x * c - 2.5 * yy * s                  # spring along the heading
        ddth = p.R * (along - p.m * dfloor * c) / (p.A + p.m * p.R**2)
        return np.array([p.R * dth * c + 0.4 * np.cos(3 * t), p.R * dth * s, dth, 1.3, ddth])

    y = integrate(f, [0.3, 0, 0, 0.5, 2], m.T, rtol=rtol)
    r = f(m.T, y)
    names = ["x", "y", "th", "ps"]
    ps = y[3]
    a = np.array([p.R * r[4] * np.cos(ps) - p.R * y[4] * 1.3 * np.sin(ps) - 1.2 * np.sin(3 * m.T),
                  p.R * r[4] * np.sin(ps) + p.R * y[4] * 1.3 * np.cos(ps)])
    return (named(names, y[:4]) | named([n + "'" for n in names], r[:4])
            | {"multiplier(roll.1)": float(p.m * a[0] + 6.5 * y[0]), "multiplier(roll.2)": float(p.m * a[1] + 2.5 * y[1])})


@oracle("wheelset-on-pendulum", note=NOTE + " The wheels share the lateral force equally.")
def wheelset(m, rtol):
    p = m.p

    def rows(t, s, rows):
        y = s.R[2] @ EY
        for i, sign in ((0, 1), (1, -1)):
            rows.joint("axle", 2, s.R[2] @ np.array([0, sign * p.d, p.l]), i, np.zeros(3), y)
            rows.contact(f"c{i + 1}", i, -p.R * EZ)

    def aux(t, s):
        y = s.R[2] @ EY
        return [s.w[0][2], s.w[0] @ y, s.w[1] @ y, s.w[2] @ y]

    def loads(t, s, loads):
        y = s.R[2] @ EY
        for i in (0, 1):
            loads.torque(i, -p.k * ((s.w[i] - s.w[2]) @ y) * y, 2)

    wheel = [p.J, p.I, p.J]
    system = System([p.mw, p.mw, p.mp], [wheel, wheel, [0.03, 0.02, 0.025]], rows, loads, -9.81 * EZ, aux)
    Uz = np.array([np.sin(0.8), 0, np.cos(0.8)])
    r = [p.R * EZ + p.d * EY, p.R * EZ - p.d * EY, p.R * EZ - p.l * Uz]

    def given(t, s, rows):
        rows.spin("given", 0, EY, rhs=3.0)
        rows.spin("given", 1, EY, rhs=1.5)
        rows.spin("given", 2, EY)

    y0 = system.velocities(0, r, [turns(), turns(), turns((EY, 0.8))], given, [0, 0, 0, 0.8])
    s, F = system.end(y0, m.T, rtol=rtol)
    names = ["x", "y", "ps", "p1", "p2", "pe"]
    out = named(names, [*((s.r[0] + s.r[1]) / 2)[:2], *s.aux])
    out |= named([n + "'" for n in names], [*((s.v[0] + s.v[1]) / 2)[:2], *aux(0, s)])
    y = np.array([-np.sin(s.aux[0]), np.cos(s.aux[0]), 0])
    half = (F["c1"] - F["c2"]) @ y / 2 * y
    for name, force in (("one", F["c1"] - half), ("two", F["c2"] + half)):
        out |= {f"dot(R({name}), N.{a})": float(force[k]) for k, a in ((0, "x"), (1, "y"))}
    return out
