"""Sleighs, skates, snakes and roller racers in the plane."""
import numpy as np

from mechanics import System, integrate, named, oracle

NOTE = """Newton-Euler equations of all bodies in the plane with blade and joint forces as unknowns
(strangers/oracles/mechanics.py), integrated by DOP853."""


def along(th):
    return np.array([np.cos(th), np.sin(th)])


def across(th):
    return np.array([-np.sin(th), np.cos(th)])


ZERO = np.zeros(2)


def vec2(what, f):
    return {f"dot({what}, N.x)": float(f[0]), f"dot({what}, N.y)": float(f[1])}


def rated(names, q, v):
    return named(names, q) | named([n + "'" for n in names], v)


def sleigh(m, rtol, mass, J, b, start, loads, T):
    """One body with a blade at b along its axis. start: position of the mass centre, heading, rows given."""
    system = System([mass], [J], lambda t, s, R: R.point("blade", 0, b * along(s.th[0]), across(s.th[0])), loads, dim=2)
    y0 = system.velocities(0, [np.array(start[0], float)], [start[1]], start[2])
    return system.end(y0, T, rtol=rtol)


@oracle("sleigh-propeller", note=NOTE)
def propeller(m, rtol):
    p = m.p

    def loads(t, s, L):
        th = s.th[0]
        L.force(0, -p.k * s.v[0])
        L.torque(0, -p.kt * s.w[0])
        L.force(0, p.F * along(th + p.ep), p.q * along(th))

    def given(t, s, R):
        R.point("given", 0, ZERO, along(0.5), rhs=0.2)
        R.spin("given", 0, rhs=-0.6)

    s, F = sleigh(m, rtol, p.m, p.J, p.b, ([0, 0], 0.5, given), loads, m.T)
    return rated(["x", "y", "th"], [*s.r[0], s.th[0]], [*s.v[0], s.w[0]]) | vec2("R(sleigh)", F["blade"])


@oracle("sleigh-two-blades-in-line", note="""Closed form: two blades at different places of one line keep the heading, the
sledge moves along it with the constant acceleration (F1 cos + F2 sin)/m.""")
def in_line(m, rtol):
    p = m.p
    c, s = np.cos(0.7), np.sin(0.7)
    a = (p.F1 * c + p.F2 * s) / p.m
    u0 = 0.3 / c
    d, u = u0 * m.T + a * m.T**2 / 2, u0 + a * m.T
    side = p.F1 * s - p.F2 * c                               # of all blades, along (-s, c)
    # moments about the mass centre vanish: sum l = side, sum p l = 0 with least squares
    P = np.array([[1, 1, 1], [p.p1, p.p2, 0.1]])
    l = np.linalg.pinv(P) @ np.array([side, 0])
    return rated(["x", "y", "th"], [d * c, d * s, 0.7], [u * c, u * s, 0]) | named(
        ["multiplier(front)", "multiplier(rear)", "multiplier(middle)"], l)


@oracle("sleigh-moving-mass", note=NOTE + """ The rider is a second body that two forces hold on its given way in the
sleigh.""")
def moving_mass(m, rtol):
    p = m.p

    def rows(t, s, R):
        th = s.th[0]
        R.point("blade", 0, -p.c * along(th), across(th))
        # the rider: its place in the sleigh from the mass centre
        rho = (0.1 - p.c) * along(th) + p.e * np.sin(p.om * t) * across(th)
        slide = p.e * p.om * np.cos(p.om * t) * across(th)
        for d in np.eye(2):
            R.point("rider", 1, ZERO, d, 0, rho, rhs=slide @ d)
        R.spin("still", 1)

    system = System([p.M, p.mp], [p.J, 1.0], rows, dim=2)
    th0 = 0.0

    def given(t, s, R):
        R.spin("given", 0, rhs=0.1)
        R.point("given", 0, -p.c * along(th0), along(th0), rhs=0.2)

    y0 = system.velocities(0, [p.c * along(th0), 0.1 * along(th0)], [th0, 0], given)
    s, F = system.end(y0, m.T, rtol=rtol)
    th, w = s.th[0], s.w[0]
    at, v = s.r[0] - p.c * along(th), s.v[0] - p.c * w * across(th)
    return rated(["x", "y", "th"], [*at, th], [*v, w]) | {"multiplier(blade)": float(F["blade"] @ across(th))}


@oracle("sleigh-rotor-program", note="""By hand: the speed u of the blade and the rate w obey u' = b w^2 and
(J + m b^2 + Jr) w' + m b u w = -Jr ro''; the blade's force from Newton's law across it, the motor's moment from the
rotor. DOP853.""")
def rotor(m, rtol):
    p = m.p
    ro, dro, ddro = (lambda t: 1.4 * np.sin(2.1 * t)), (lambda t: 2.94 * np.cos(2.1 * t)), (lambda t: -6.174 * np.sin(2.1 * t))

    def f(t, y):
        x, yy, th, u, w = y
        dw = -(p.m * p.b * u * w + p.Jr * ddro(t)) / (p.J + p.m * p.b**2 + p.Jr)
        return np.array([*(u * along(th)), w, p.b * w**2, dw])

    y = integrate(f, [0, 0, 0.1, 0.05, 0], m.T, rtol=rtol)
    r = f(m.T, y)
    T = m.T
    # blade: x' sin - y' cos, so its multiplier is the force along (sin, -cos)
    side = p.m * (p.b * r[4] + y[3] * y[4])
    return rated(["x", "y", "th", "ro"], [*y[:3], ro(T)], [*r[:3], dro(T)]) | {
        "multiplier(blade)": float(-side), "multiplier(motor)": float(p.Jr * (r[4] + ddro(T)))}


@oracle("skate-on-turning-table", note="""In space at rest: Newton-Euler equations of the skate with the blade's force, the
blade slipping along its edge over a table that turns (strangers/oracles/mechanics.py); then turned back. DOP853.""")
def on_table(m, rtol):
    p = m.p

    def rows(t, s, R):
        th = s.th[0]
        at = s.r[0] - p.b * along(th)
        R.point("edge", 0, -p.b * along(th), across(th), rhs=p.Om * np.array([-at[1], at[0]]) @ across(th))

    system = System([p.m], [p.J], rows, dim=2)
    r0, th0 = np.array([0.3, 0.1]), 0.4

    def given(t, s, R):
        at = r0 - p.b * along(th0)
        R.spin("given", 0, rhs=p.Om + 0.7)
        R.point("given", 0, -p.b * along(th0), along(th0), rhs=0.25 + p.Om * np.array([-at[1], at[0]]) @ along(th0))

    s, F = system.end(system.velocities(0, [r0], [th0], given), m.T, rtol=rtol)
    a = p.Om * m.T
    u, w = s.r[0] @ along(a), s.r[0] @ across(a)
    du = s.v[0] @ along(a) + p.Om * w
    dw = s.v[0] @ across(a) - p.Om * u
    return rated(["u", "w", "th"], [u, w, s.th[0] - a], [du, dw, s.w[0] - p.Om]) | {
        "multiplier(edge)": float(F["edge"] @ across(s.th[0]))}


@oracle("iceboat", note=NOTE + " Of the two runners on the plank only the sum of forces is determined; they share it equally.")
def iceboat(m, rtol):
    p = m.p

    def rows(t, s, R):
        th = s.th[0]
        for side in (1, -1):
            R.point("plank", 0, -p.lr * along(th) + side * p.hb * across(th), across(th))
        R.point("steered", 0, p.lf * along(th), across(th + 0.12 * np.sin(0.4 * t)))

    def loads(t, s, L):
        n = across(s.th[0] + 0.45)
        v = s.v[0]
        L.force(0, p.ks * ((np.array([0, p.W]) - v) @ n) * n - p.kd * np.sqrt(v @ v) * v)

    system = System([p.m], [p.J], rows, loads, dim=2)
    y0 = system.velocities(0, [ZERO], [0.15], lambda t, s, R: R.point("given", 0, ZERO, along(0.15), rhs=5.0))
    s, F = system.end(y0, m.T, rtol=rtol)
    steer = across(s.th[0] + 0.12 * np.sin(0.4 * m.T))
    half = float(F["plank"] @ across(s.th[0])) / 2
    return (rated(["x", "y", "th"], [*s.r[0], s.th[0]], [*s.v[0], s.w[0]]) | vec2("R(boat)", F["plank"] + F["steered"])
            | {"multiplier(left)": half, "multiplier(right)": half, "multiplier(steered)": float(F["steered"] @ steer)})


@oracle("articulated-sleigh", note=NOTE)
def articulated(m, rtol):
    p = m.p

    def rows(t, s, R):
        a, b = s.th
        R.joint("hinge", 0, -p.c1 * along(a), 1, p.c2 * along(b))
        R.point("one", 0, (p.d1 - p.c1) * along(a), across(a))
        R.point("two", 1, -(p.d2 - p.c2) * along(b), across(b))

    system = System([p.m1, p.m2], [p.J1, p.J2], rows, lambda t, s, L: L.torque(0, -p.kt * (s.th[0] - s.th[1]), 1), dim=2)

    def given(t, s, R):
        R.point("given", 0, ZERO, along(0.5), rhs=0.6)
        R.spin("given", 0, rhs=-0.3)

    s, F = system.end(system.velocities(0, [p.c1 * along(0.5), -p.c2 * along(0)], [0.5, 0], given), m.T, rtol=rtol)
    a = s.th[0]
    at, v = s.r[0] - p.c1 * along(a), s.v[0] - p.c1 * s.w[0] * across(a)
    return (rated(["x", "y", "a", "b"], [*at, *s.th], [*v, *s.w]) | vec2("R(first)", F["one"]) | vec2("R(second)", F["two"]))


@oracle("skate-on-hill", note="""By hand: u' = -g dh/ds along the heading, J th'' = -0.4 th', the blade's force from the rate
of turn: m u th' + m g dh/dn. DOP853; the slopes by a complex step.""")
def hill(m, rtol):
    p = m.p

    def h(x, y):
        return 0.08 * x - 0.02 * y + 0.03 * (x**2 + y**2) / (1 + 0.1 * x**2)

    def grad(x, y):
        e = 1e-40
        return np.array([np.imag(h(x + 1j * e, y)), np.imag(h(x, y + 1j * e))]) / e

    def f(t, y):
        x, yy, th, u, w = y
        return np.array([*(u * along(th)), w, -p.g * grad(x, yy) @ along(th), -0.4 * w / p.J])

    y = integrate(f, [1.2, -0.5, 0.6, 1.5, 0.9], m.T, rtol=rtol)
    r = f(m.T, y)
    side = p.m * y[3] * y[4] + p.m * p.g * grad(*y[:2]) @ across(y[2])
    return rated(["x", "y", "th"], y[:3], r[:3]) | {"multiplier(blade)": float(-side)}


def snake(m, rtol, q0, relative, given=None, servo=None, torques=None, tow=None):
    """Links with a blade e behind their middle; `servo`: {joint: function of t}; `torques(t, s)`: on each link."""
    p = m.p
    n = len(q0)
    th = list(np.cumsum(q0)) if relative else list(q0)

    def rows(t, s, R):
        for i in range(n):
            R.point(f"blade{i + 1}", i, -p.e * along(s.th[i]), across(s.th[i]))
            if i:
                R.joint("joint", i - 1, -p.l * along(s.th[i - 1]), i, p.l * along(s.th[i]))
        for k, g in (servo or {}).items():
            R.spin(f"s{k + 1}", k, None, k - 1, rhs=g(t))
        if tow:
            for d in np.eye(2):
                R.point("tow", 0, p.l * along(s.th[0]), d, rhs=tow(t) @ d)

    def loads(t, s, L):
        for i, value in enumerate(torques(t, s)):
            L.torque(i, value)

    system = System([p.m] * n, [p.J] * n, rows, loads if torques else None, dim=2)
    r, head = [], np.zeros(2)
    for a in th:
        r.append(head - p.l * along(a))
        head = head - 2 * p.l * along(a)
    y0 = system.velocities(0, r, th, given or (lambda t, s, R: None))
    s, F = system.end(y0, m.T, rtol=rtol)
    x = s.r[0] + p.l * along(s.th[0])
    v = s.v[0] + p.l * s.w[0] * across(s.th[0])
    q = np.diff([0, *s.th]) if relative else s.th
    w = np.diff([0, *s.w]) if relative else s.w
    names = ["x", "y"] + [f"q{i + 1}" for i in range(n)]
    out = rated(names, [*x, *q], [*v, *w])
    out |= {f"multiplier(blade{i + 1})": float(F[f"blade{i + 1}"] @ across(s.th[i])) for i in range(n)}
    return out, F


def pushed(th, u, w):
    def given(t, s, R):
        R.point("given", 0, ZERO, along(th), rhs=u)
        R.spin("given", 0, rhs=w)

    return given


@oracle("snake-three-free", note=NOTE)
def three(m, rtol):
    return snake(m, rtol, [0.2, 0.5, -0.8], True, pushed(0.2, 0.9, -0.7))[0]


@oracle("snake-four-servo", note=NOTE + " Servo moments are the unknown couples of the joints.")
def four(m, rtol):
    # rows of a joint: rates of the prescribed angles
    servo = {1: lambda t: 0.455 * np.cos(1.3 * t), 2: lambda t: 0.39 * np.cos(1.3 * t + 1.0)}
    q3 = -0.4 + 0.3 * np.sin(1.0)
    out, F = snake(m, rtol, [0, 0.5, q3, 0.6], True, None, servo)
    return out | {"multiplier(s2)": float(F["s2"][0]), "multiplier(s3)": float(F["s3"][0])}


@oracle("snake-five-springs", note=NOTE)
def five(m, rtol):
    p = m.p

    def torques(t, s):
        out = np.zeros(5)
        for i in range(1, 5):
            tau = -p.k * (s.th[i] - s.th[i - 1]) - p.c * (s.w[i] - s.w[i - 1])
            out[i] += tau
            out[i - 1] -= tau
        return out

    return snake(m, rtol, [0.1, 0.7, -0.5, 0.6, 0.4], True, pushed(0.1, -0.5, 0.3), None, torques)[0]


@oracle("snake-six-absolute", note=NOTE)
def six(m, rtol):
    def torques(t, s):
        joint = [m.p.A * np.sin(2 * t + 0.8 * i) for i in range(1, 6)]
        return np.array([0, *joint]) - np.array([*joint, 0])

    return snake(m, rtol, [0, -0.4, 0.3, 0.9, 0.5, -0.2], False, pushed(0, 0.7, 0.2), None, torques)[0]


@oracle("snake-eight-towed", note=NOTE)
def eight(m, rtol):
    q0 = (0, 0.5, 0.2, -0.4, -0.1, 0.6, 1.0, 0.3)
    out, F = snake(m, rtol, q0, False, None, None, None, lambda t: np.array([0.3 + 0 * t, 0.12 * np.cos(1.1 * t)]))
    return out | {"multiplier(tow.x)": float(F["tow"][0]), "multiplier(tow.y)": float(F["tow"][1])}


@oracle("snake-ten", note=NOTE)
def ten(m, rtol):
    return snake(m, rtol, (0.1, 0.4, 0.8, 0.5, 0.0, -0.5, -0.3, 0.2, 0.7, 0.4), False, pushed(0.1, 0.5, 0.15))[0]


@oracle("roller-racer-servo", note=NOTE + " The servo's moment is the couple of the joint.")
def racer(m, rtol):
    p = m.p

    def rows(t, s, R):
        a, b = s.th
        R.joint("joint", 0, p.s1 * along(a), 1, -p.d2 * along(b))
        R.point("back", 0, (p.s1 - p.d1) * along(a), across(a))
        R.point("front", 1, ZERO, across(b))
        R.spin("servo", 1, None, 0, rhs=0.42 * 3.3 * np.cos(3.3 * t))

    system = System([p.m1, p.m2], [p.J1, p.J2], rows, dim=2)
    th = [0.2, 0.35]
    y0 = system.velocities(0, [-p.s1 * along(th[0]), p.d2 * along(th[1])], th,
                           lambda t, s, R: R.point("given", 0, p.s1 * along(0.2), along(0.2), rhs=0.6))
    s, F = system.end(y0, m.T, rtol=rtol)
    a = s.th[0]
    at, v = s.r[0] + p.s1 * along(a), s.v[0] + p.s1 * s.w[0] * across(a)
    return rated(["x", "y", "th", "be"], [*at, a, s.th[1] - a], [*v, s.w[0], s.w[1] - s.w[0]]) | {
        "multiplier(back)": float(F["back"] @ across(a)), "multiplier(front)": float(F["front"] @ across(s.th[1])),
        "multiplier(servo)": float(F["servo"][0])}


@oracle("snakeboard-servo", note="""By hand: the board turns about the point where its axles meet; one explicit equation for
the turn follows from the balance of moments of the whole about that moving point, taken as the projection of
Newton-Euler's equations on the one motion left. DOP853.""")
def board(m, rtol):
    p = m.p

    def angles(t):
        return 0.35 + 0.3 * np.sin(2.5 * t), -0.25 - 0.2 * np.sin(2.5 * t)

    def rates(t):
        return 0.75 * np.cos(2.5 * t), -0.5 * np.cos(2.5 * t)

    def free(pf, pb):
        # speed (u along, w across, turn) of the one motion left, in the board's axes: rows
        # -sin(p) u + cos(p) (w +- r turn) = 0, solved by a cross product
        a = np.array([-np.sin(pf), np.cos(pf), p.r * np.cos(pf)])
        b = np.array([-np.sin(pb), np.cos(pb), -p.r * np.cos(pb)])
        d = np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
        return d, a, b

    I = p.J + p.Jr + 2 * p.Jw

    def accel(t, y):
        z = y[3]
        pf, pb = angles(t)
        d, a, b = free(pf, pb)
        e = 1e-40
        dd = np.imag(free(*(angles(t + 1j * e)))[0]) / e
        V = d * z
        ddpsi = -4.375 * np.sin(2.5 * t)
        ddf, ddb = -1.875 * np.sin(2.5 * t), 1.25 * np.sin(2.5 * t)
        torque = -p.Jr * ddpsi - p.Jw * (ddf + ddb)
        M = np.diag([p.m, p.m, I])
        bias = np.array([-p.m * V[2] * V[1], p.m * V[2] * V[0], -torque])
        dz = -d @ (M @ (dd * z) + bias) / (d @ M @ d)
        force = M @ (d * dz + dd * z) + bias
        lam = np.linalg.lstsq(np.array([a, b]).T, force, rcond=None)[0]
        return V, dz, lam

    def f(t, y):
        V, dz, _ = accel(t, y)
        return np.array([*(V[0] * along(y[2]) + V[1] * across(y[2])), V[2], dz])

    d0 = free(*angles(0.0))[0]
    y = integrate(f, [0, 0, 0, 0.4 / d0[0]], m.T, rtol=rtol)
    lam = accel(m.T, y)[2]
    return rated(["x", "y", "th"], y[:3], f(m.T, y)[:3]) | {"multiplier(front)": float(lam[0]), "multiplier(back)": float(lam[1])}


@oracle("twistcar", note=NOTE)
def twistcar(m, rtol):
    p = m.p

    def rows(t, s, R):
        a, b = s.th
        R.joint("pivot", 0, (p.l - p.a) * along(a), 1, -p.b * along(b))
        R.point("back", 0, -p.a * along(a), across(a))
        R.point("front", 1, (p.e - p.b) * along(b), across(b))

    def loads(t, s, L):
        a, b = s.th
        L.torque(1, 1.5 * np.cos(2.8 * t) - 3 * (b - a) - 0.3 * (s.w[1] - s.w[0]), 0)
        L.force(0, -p.c * (s.v[0] @ along(a)) * along(a))

    system = System([p.m, p.mf], [p.J, p.Jf], rows, loads, dim=2)

    def given(t, s, R):
        R.point("given", 0, -p.a * along(0), along(0), rhs=0.5)
        R.spin("given", 1, None, 0)

    y0 = system.velocities(0, [p.a * along(0), p.l * along(0) + p.b * along(0.4)], [0, 0.4], given)
    s, F = system.end(y0, m.T, rtol=rtol)
    a, b = s.th
    at, v = s.r[0] - p.a * along(a), s.v[0] - p.a * s.w[0] * across(a)
    return (rated(["x", "y", "th", "ph"], [*at, a, b - a], [*v, s.w[0], s.w[1] - s.w[0]])
            | vec2("R(body)", F["back"]) | vec2("R(fork)", F["front"]))
