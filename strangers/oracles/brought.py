"""Models that others brought, and relatives of them that meet the same difficulty."""
import numpy as np
from scipy.integrate import solve_ivp

from mechanics import EX, EY, EZ, System, cross, integrate, named, oracle, turns
from particles import NOTE as POINTS, Points

NOTE = """Newton-Euler equations of all bodies with contact and joint forces as unknowns
(strangers/oracles/mechanics.py), angles as quadratures; DOP853."""


def rated(names, q, v):
    return named(names, q) | named([n + "'" for n in names], v)


def vec(what, f):
    return {f"dot({what}, N.{a})": float(x) for a, x in zip("xyz", [*f, 0][:3])}


def e2(a):
    return np.array([np.cos(a), np.sin(a)])


def n2(a):
    return np.array([-np.sin(a), np.cos(a)])


@oracle("differential-drive", note="""Closed form: speed u along the heading and rate of turn r are constant; the lateral force u r
is shared equally by the two contacts (least multipliers).""")
def drive(m, rtol):
    u, r = m.p.R * 1.5, m.p.R / (2 * m.p.d)
    T = m.T
    psi = 0.3 + r * T
    at = u / r * np.array([np.sin(psi) - np.sin(0.3), np.cos(0.3) - np.cos(psi)])
    F = u * r / 2 * n2(psi)
    return rated(["x", "y", "psi", "pl", "pr", "w"], [*at, psi, T, 2 * T, T], [*(u * e2(psi)), r, 1, 2, 1]) | named(
        [f"multiplier({c})" for c in ("lx", "ly", "rx", "ry", "ww")], [*F, *F, 0])


@oracle("robot-with-castor", note=NOTE + " The two wheels share the lateral force equally.")
def castor(m, rtol):
    p = m.p
    wheel = [p.mw * p.R**2 / 4, p.mw * p.R**2 / 2, p.mw * p.R**2 / 4]

    def fork(s):
        y = s.R[3] @ EY
        return cross(y, EZ)                                  # F.x

    def rows(t, s, rows):
        Hm = s.R[0]
        for d in (EX, EY):
            rows.spin("level", 0, d)
        rows.point("level", 0, 0 * EX, EZ)
        for i, name, sign in ((1, "left", 1), (2, "right", -1)):
            rows.joint("axle", 0, Hm @ np.array([-p.c, sign * p.d, 0]), i, np.zeros(3), Hm[:, 1])
            for d in (EX, EY):
                rows.point(name, i, -p.R * EZ, d)
        Fx = fork(s)
        for d in (EX, EY):
            rows.point("pivot", 0, Hm @ ((p.L - p.c) * EX), d, 3, p.b * Fx)
        rows.point("level", 3, 0 * EX, EZ)
        rows.spin("level", 3, Fx)
        for d in (EX, EY):
            rows.point("castor", 3, -p.rc * EZ, d)

    def aux(t, s):
        y = s.R[0][:, 1]
        return [s.w[0][2], s.w[3][2] - s.w[0][2], s.w[1] @ y, s.w[2] @ y, s.w[3] @ s.R[3][:, 1]]

    def loads(t, s, L):
        y = s.R[0][:, 1]
        _, _, pl, pr, _ = aux(t, s)
        L.torque(1, p.k * (p.u - pl) * y, 0)
        L.torque(2, p.k * (1.5 * p.u - pr) * y, 0)

    system = System([p.M, p.mw, p.mw, p.mc], [[p.Jz / 2, p.Jz / 2, p.Jz], wheel, wheel,
                    [p.mc * p.rc**2 / 4, p.mc * p.rc**2 / 2, p.mc * p.rc**2 / 4]], rows, loads, aux=aux)
    F0 = np.array([*e2(2.5), 0])
    r = [np.array([p.c, 0, p.R]), np.array([0, p.d, p.R]), np.array([0, -p.d, p.R]), np.array([p.L, 0, p.rc]) - p.b * F0]
    e = [turns(), turns(), turns(), turns((EZ, 2.5))]

    def given(t, s, rows):
        rows.spin("given", 1, EY)
        rows.spin("given", 2, EY)

    s, F = system.end(system.velocities(0, r, e, given, [0, 2.5, 0, 0, 0]), m.T, rtol=rtol)
    psi = s.aux[0]
    at = s.r[0][:2] - p.c * e2(psi)
    rate = aux(0, s)
    v = s.v[0][:2] - p.c * rate[0] * n2(psi)
    out = rated(["x", "y", "psi", "gamma", "pl", "pr", "pc"], [*at, *s.aux], [*v, *rate])
    y = np.array([*n2(psi), 0])
    half = (F["left"] - F["right"]) @ y / 2 * y
    for name, f in (("left", F["left"] - half), ("right", F["right"] + half), ("castor", F["castor"])):
        out |= {f"dot(R({name}), N.{a})": float(f[k]) for k, a in ((0, "x"), (1, "y"))}
    return out


@oracle("ball-in-cylinder-vector", note="""Closed form: the ball goes round at its constant rate, z oscillates with sqrt(2/7) of it about a
height that the constant a w_r - beta' z fixes.""")
def golfer(m, rtol):
    p = m.p
    T, w = m.T, 6.0
    k = p.a * 2.5                                            # a w_r - beta' z = k at the start (z = 0)
    W = np.sqrt(2 / 7) * w
    # z'' = -2/7 beta' (k + beta' z) - 5/7 g
    zc = -(2 / 7 * w * k + 5 / 7 * p.g) / W**2
    z = zc - zc * np.cos(W * T) + 0.4 / W * np.sin(W * T)
    dz = zc * W * np.sin(W * T) + 0.4 * np.cos(W * T)
    return named(["s", "beta", "z", "beta'", "z'"], [p.rho, w * T, z, w, dz])


@oracle("ball-in-rotating-cone", note="""Newton's and Euler's equations of the ball with the contact force as the unknown, in Cartesian
coordinates and a quaternion (strangers/oracles/mechanics.py); DOP853.""")
def turning_cone(m, rtol):
    from balls import roll
    p = m.p

    def n(r):
        rho = np.sqrt(r[0]**2 + r[1]**2)
        return np.array([-p.k * r[0] / rho, -p.k * r[1] / rho, 1 + 0 * rho]) / np.sqrt(1 + p.k**2)

    r0 = np.array([0.5, 0, p.k * 0.5])
    s, F = roll(m, rtol, 0.4 * p.m * p.a**2, n, r0, [(EX, 0.1), (EY, 1.2), (None, n(r0), 2)],
                table=lambda t, r: p.Omega * cross(EZ, r))
    (x, y, z), (vx, vy, vz) = s.r[0], s.v[0]
    rho = np.hypot(x, y)
    return named(["s", "z", "s'", "beta'", "z'"], [rho, z, (x * vx + y * vy) / rho, (x * vy - y * vx) / rho**2, vz])


@oracle("rocking-can", note=NOTE + " The stop is an event of the integration.")
def can(m, rtol):
    p = m.p

    def offset(R):
        z = R[:, 2]
        x = cross(EZ, z)
        x = x / np.sqrt(x @ x)
        return -p.r * cross(z, x) - p.h * z

    def angles(q):
        x1 = np.array([np.cos(q[0]), np.sin(q[0]), 0])
        y1 = np.array([-np.sin(q[0]), np.cos(q[0]), 0])
        return EZ, x1, np.cos(q[1]) * EZ - np.sin(q[1]) * y1

    aux = lambda t, s: np.linalg.solve(np.array(angles(s.aux)).T, s.w[0])  # noqa: E731
    system = System([p.m], [[p.It, p.It, p.Is]], lambda t, s, R: R.contact("roll", 0, offset(s.R[0])), None, -p.g * EZ, aux)
    q0 = [0, 0.3, 0]
    e0 = turns((EX, 0.3))
    w0 = np.array(angles(q0)).T @ np.array([0.5, 0, -0.4])
    r0 = np.array([0, 0, p.r * np.sin(0.3) + p.h * np.cos(0.3)])

    def given(t, s, rows):
        for d in (EX, EY, EZ):
            rows.spin("given", 0, d, rhs=w0 @ d)

    y0 = system.velocities(0, [r0], [e0], given, q0)
    down = lambda t, y: system.unpack(y).aux[1] - 0.01  # noqa: E731
    down.terminal = True
    answer = solve_ivp(lambda t, y: system.solve(t, y)[0], (0, m.T), y0, method="DOP853", rtol=rtol, atol=rtol / 100, events=down)
    y, t = answer.y[:, -1], answer.t[-1]
    s = system.unpack(y)
    return {"t": float(t)} | named(["x", "y", "z", "psi", "theta", "phi"], [*s.r[0], *s.aux])


@oracle("start-on-root", note="""By hand: the cone of half angle 45 degrees, r^2 phi' = 2, 2 r'' = r phi'^2 - g; DOP853. The multiplier is
m (g + z'').""")
def root(m, rtol):
    y = integrate(lambda t, y: np.array([y[1], (4 / y[0]**3 - 9.81) / 2, 2 / y[0]**2]), [1, 0, 0], m.T, rtol=rtol)
    r, dr, ph = y
    c, s, dph = np.cos(ph), np.sin(ph), 2 / r**2
    lam = 9.81 + (4 / r**3 - 9.81) / 2
    return rated(["x", "y", "z"], [r * c, r * s, r], [dr * c - r * s * dph, dr * s + r * c * dph, dr]) | vec(
        "R(P)", lam * np.array([-c, -s, 1]))


@oracle("three-quaternion-bodies", note="Closed form: the whole falls freely from rest, nothing turns, no joint bears a force.")
def falling(m, rtol):
    T = m.T
    out = {}
    for i in range(3):
        out |= named([f"x{i}", f"y{i}", f"z{i}", f"ea{i}", f"eb{i}", f"ec{i}", f"ed{i}", f"z{i}'"], [2 * i, 0, -4.5 * T**2, 1, 0, 0, 0, -9 * T])
    return out | {"multiplier(j0.z)": 0.0, "multiplier(j1.x)": 0.0}


@oracle("jumps-heading", note="Closed form: constant speed 1/cos(0.1) on a circle; the blade's force is speed times rate.")
def heading(m, rtol):
    u, T = 1 / np.cos(0.1), m.T
    th = 0.1 + T
    at = u * np.array([np.sin(th) - np.sin(0.1), np.cos(0.1) - np.cos(th)])
    return rated(["x", "y", "theta"], [*at, th], [*(u * e2(th)), 1]) | {"multiplier(blade)": u}


@oracle("jumps-oscillator", note="Closed form.")
def oscillator(m, rtol):
    c, s = np.cos(m.T), np.sin(m.T)
    return {"x": float(c + 0.1 * s), "x'": float(-s + 0.1 * c)}


def parabola(F, T, rtol):
    """x'' = F + l, y'' = -l y, x' = y y', from y = 1, y' = 1, x = 0."""
    def accel(y, dy):
        return -y * (dy**2 - F) / (1 + y**2)

    y = integrate(lambda t, s: np.array([s[0] * s[1], s[1], accel(s[0], s[1])])[[1, 2, 0]], [1, 1, 0], T, rtol=rtol)
    yy, dy, x = y
    l = yy * accel(yy, dy) + dy**2 - F
    return x, yy, dy, l


@oracle("row-of-small-terms", note="""By hand: in the turned coordinates z stays, x'' = g sin(0.3) + l, y'' = -l y with x' = y y'. DOP853.""")
def small_terms(m, rtol):
    x, y, dy, l = parabola(9.81 * np.sin(0.3), m.T, rtol)
    return rated(["x", "y", "z"], [x, y, 0], [y * dy, dy, 0]) | {"multiplier(k)": float(l), "multiplier(flat)": 9.81}


@oracle("tiny-residual", note="By hand: x'' = l, y'' = -l y with x' = y y'; DOP853. A z' of 1e-17 is no matter.")
def tiny(m, rtol):
    x, y, dy, l = parabola(0.0, m.T, rtol)
    return rated(["x", "y", "z"], [x, y, 0], [y * dy, dy, 0]) | {"multiplier(k)": float(l), "multiplier(flat)": 0.0}


@oracle("toe-angle-zero", note="""Chaplygin's sleigh by hand: u' = b w^2, I w' = -m b u w; the rows coincide and share the blade's
force equally. DOP853.""")
def toe(m, rtol):
    p = m.p

    def f(t, y):
        _, _, th, u, w = y
        return np.array([*(u * e2(th)), w, p.b * w**2, -p.m * p.b * u * w / p.I])

    y = integrate(f, [0, 0, 0.2, 0.6, 1.0], m.T, rtol=rtol)
    r = f(m.T, y)
    side = p.m * (p.b * r[4] + y[3] * y[4]) / 2
    return rated(["x", "y", "theta"], y[:3], r[:3]) | {"multiplier(left)": float(side), "multiplier(right)": float(side)}


@oracle("car-load-offset", note=NOTE + " Drive and drag both act at the rear axle, as the load says.")
def load_offset(m, rtol):
    p = m.p

    def rows(t, s, R):
        th, st = s.th
        # the steering wheel pair: a body without mass in the model; here it rides on the mass centre with a small
        # mass that the chassis lacks
        for d in np.eye(2):
            R.point("ride", 0, np.zeros(2), d, 1, np.zeros(2))
        R.point("rear", 0, -p.lr * e2(th), n2(th))
        R.point("front", 0, p.lf * e2(th), n2(st))

    def loads(t, s, L):
        th = s.th[0]
        v = s.v[0]
        L.force(0, p.F * e2(th), -p.lr * e2(th))
        L.force(0, -p.cd * np.sqrt(v @ v) * v, -p.lr * e2(th))
        de, dde = s.th[1] - th, s.w[1] - s.w[0]
        L.torque(1, -p.ks * (de - 0.3 * np.sin(0.5 * t)) - p.cs * dde, 0)

    part = 0.1 * p.m
    system = System([p.m - part, part], [p.J, p.Js], rows, loads, dim=2)

    def given(t, s, R):
        R.point("given", 0, np.zeros(2), EX[:2], rhs=10.0)
        R.spin("given", 1, None, 0)

    s, F = system.end(system.velocities(0, [np.zeros(2)] * 2, [0, 0], given), m.T, rtol=rtol)
    th, st = s.th
    return rated(["x", "y", "th", "delta"], [*s.r[0], th, st - th], [*s.v[0], s.w[0], s.w[1] - s.w[0]]) | {
        "multiplier(rear_axle)": float(F["rear"] @ n2(th)), "multiplier(front_axle)": float(F["front"] @ n2(st))}


@oracle("hyperboloid-through-chart", note=POINTS)
def hyperboloid(m, rtol):
    system = Points([1, 1, 1], lambda t, q, v: [-10 * q[0], -4 * q[1], -20.0], lambda t, q, v: v[2]**2 - 1 - v[0]**2 - v[1]**2)
    q, v, lam, _, _ = system.end([0, 0, 0], [0.3, 0.2, np.sqrt(1.13)], m.T, rtol)
    return rated(["x", "y", "z"], q, v) | {"multiplier(sheet)": float(lam[0])}


@oracle("cone-through-chart", note=POINTS)
def chart(m, rtol):
    c = m.p.c
    system = Points([0.8] * 3, lambda t, q, v: [-1, -1.4 * q[1], 0.3], lambda t, q, v: v[2]**2 - c**2 * (v[0]**2 + v[1]**2))
    q, v, lam, _, _ = system.end([0, 0.4, 0], [1, 1e-12, c], m.T, rtol)
    return rated(["x", "y", "z"], q, v) | {"multiplier(cone)": float(lam[0])}


@oracle("ball-in-wheel-quaternion", note="""By hand: the ball goes round the axle like a pendulum, 7/5 (W - a) be'' = -g sin(be), its spin about the
axle from rolling on the turning wheel; no entry of 1e-32 matters. DOP853, quaternion by quadrature.""")
def in_wheel(m, rtol):
    p = m.p
    c = p.W - p.a
    be0 = np.arctan2(0.222, 0.296)                           # from the downward vertical towards y
    # x cross n at n = (sin, -cos): (0, cos, sin): speed c be'
    speed = 0.7

    def spin(dbe):
        # v + w x (a n) = Om x (W n): along t = x cross n: c be' + a w = Om W
        return (p.Om * p.W - c * dbe) / p.a

    # m c be'' = -m g sin + F, J w' = a F, w' = -c be''/a
    f = lambda t, y: np.array([y[1], -5 / 7 * 9.81 / c * np.sin(y[0]), spin(y[1])])  # noqa: E731
    y = integrate(f, [be0, speed / c, 0], m.T, rtol=rtol)
    be, dbe, angle = y
    return rated(["y", "z", "e0", "e1", "e2", "e3"], [c * np.sin(be), -c * np.cos(be), np.cos(angle / 2), np.sin(angle / 2), 0, 0],
                 [c * np.cos(be) * dbe, c * np.sin(be) * dbe, -np.sin(angle / 2) * spin(dbe) / 2, np.cos(angle / 2) * spin(dbe) / 2, 0, 0])


@oracle("funnel-tiny-entry", note="""By hand in polar coordinates: z = -1/(2 r^2), r^2 phi' constant, one equation for r; DOP853. The
multiplier from the balance along z.""")
def funnel(m, rtol):
    h = 0.9 * 2.6

    def accel(r, dr):
        f1, f2 = r**-3, -3 * r**-4
        return (h**2 / r**3 - f1 * (9.81 + f2 * dr**2)) / (1 + f1**2)

    y = integrate(lambda t, y: np.array([y[1], accel(y[0], y[1]), h / y[0]**2]), [0.9, 0, 0], m.T, rtol=rtol)
    r, dr, ph = y
    c, s, dph = np.cos(ph), np.sin(ph), h / r**2
    ddz = r**-3 * accel(r, dr) - 3 * r**-4 * dr**2
    return rated(["x", "y", "z"], [r * c, r * s, -1 / (2 * r**2)], [dr * c - r * s * dph, dr * s + r * c * dph, dr / r**3]) | {
        "multiplier(funnel)": float(0.7 * (9.81 + ddz) / r**4)}


@oracle("arm-one-motor", note="""By hand: with the speed given along the motion the one motor at the shoulder fixes the accelerations until
the product A M^-1 W vanishes, where they grow beyond bounds; the time at which the integration ends. DOP853.""")
def one_motor(m, rtol):
    p = m.p
    g = p.g
    J1, J2 = p.J1, p.J2

    def parts(q, v):
        a, b = q[0], q[0] + q[1]
        c, s = np.cos(q[1]), np.sin(q[1])
        k = p.m2 * p.l1 * p.l2 / 2
        m22 = J2 + p.m2 * p.l2**2 / 4
        m12 = m22 + k * c
        m11 = J1 + p.m1 * p.l1**2 / 4 + p.m2 * p.l1**2 + m22 + 2 * k * c
        M = np.array([[m11, m12], [m12, m22]])
        h = np.array([-k * s * (2 * v[0] * v[1] + v[1]**2), k * s * v[0]**2])
        grav = g * np.array([(p.m1 / 2 + p.m2) * p.l1 * np.cos(a) + p.m2 * p.l2 / 2 * np.cos(b), p.m2 * p.l2 / 2 * np.cos(b)])
        return M, h + grav

    def tip(q, v):
        return p.l1 * n2(q[0]) * v[0] + p.l2 * n2(q[0] + q[1]) * (v[0] + v[1])

    def solve(y):
        q, v = np.array(y[:2]), np.array(y[2:])
        M, bias = parts(q, v)
        u = tip(q, v)
        d = u / np.sqrt(u @ u)
        A = np.array([d @ tip(q, np.array([1.0, 0])), d @ tip(q, np.array([0, 1.0]))])
        rate = np.imag(tip(q + 1j * 1e-40 * v, v)) / 1e-40
        K = A @ np.linalg.solve(M, [1.0, 0])
        lam = (-(d @ rate) + A @ np.linalg.solve(M, bias)) / K
        return np.linalg.solve(M, np.array([lam, 0]) - bias), K

    # start: q2' from norm(v) = U with q1' = 0.5, the root of the least kinetic energy
    q0, w1 = np.array([0.3, 0.8]), 0.5
    x, y = tip(q0, np.array([w1, 0])), tip(q0, np.array([0, 1.0]))
    roots = np.roots([y @ y, 2 * x @ y, x @ x - p.U**2])
    w2 = min(np.real(roots), key=lambda w: np.array([w1, w]) @ parts(q0, np.zeros(2))[0] @ np.array([w1, w]))
    # the acceleration grows as the inverse of the product: the step size goes to 0 there
    answer = solve_ivp(lambda t, y: np.concatenate([y[2:], solve(y)[0]]), (0, m.T), [*q0, w1, w2], method="DOP853",
                       rtol=1e-11, atol=1e-13)
    return {"stops": float(answer.t[-1])}


@oracle("collision", note="Closed form: free fall from 1 to 0 under -1/r takes pi/(2 sqrt 2).")
def collision(m, rtol):
    return {"stops": float(np.pi / (2 * np.sqrt(2)))}


@oracle("crossing-in-time", note="Closed form: at t = 1 the row becomes x'^2 = 0, whose derivative vanishes on it.")
def crossing(m, rtol):
    return {"stops": 1.0}


@oracle("chain-of-six-rods", note="""The angles of the rods as coordinates, M_ij = (6 - max(i, j)) cos(a_i - a_j), without any
constraint; the multiplier from the momentum of all masses; DOP853.""")
def chain(m, rtol):
    n, g = 6, 9.81
    below = np.array([[n - max(i, j) for j in range(n)] for i in range(n)], float)

    def accelerations(a, w):
        apart = a[:, None] - a[None, :]
        right = -(below * np.sin(apart)) @ w**2 - g * np.diag(below) * np.cos(a)
        return np.linalg.solve(below * np.cos(apart), right)

    end = solve_ivp(lambda t, y: np.concatenate([y[n:], accelerations(y[:n], y[n:])]), (0, m.T), np.zeros(2 * n),
                    method="DOP853", rtol=max(rtol, 3e-14), atol=1e-2 * rtol).y[:, -1]
    a, w = end[:n], end[n:]
    x, y = np.cumsum(np.cos(a)), np.cumsum(np.sin(a))
    vx, vy = np.cumsum(-np.sin(a) * w), np.cumsum(np.cos(a) * w)
    e = accelerations(a, w)
    ax, ay = np.cumsum(-np.sin(a) * e - np.cos(a) * w**2), np.cumsum(np.cos(a) * e - np.sin(a) * w**2)
    force = np.array([ax.sum(), (ay + g).sum()]) @ [x[0], y[0]] / 2
    return {"x2": x[2], "x5": x[5], "y5": y[5], "x0'": vx[0], "y5'": vy[5], "multiplier(c0)": force}


@oracle("knife-on-turntable", note="""The speed u along the edge: u' = W^2 (x cos ph + y sin ph); the force across it from
a + 2 W x v - W^2 r; DOP853.""")
def knife(m, rtol):
    p = m.p

    def rates(t, s):
        along = e2(0.2 + 0.3 * t)
        return [*(s[2] * along), p.W**2 * along @ s[:2]]

    end = solve_ivp(rates, (0, m.T), [1, 0, 1 / np.cos(0.2)], method="DOP853", rtol=max(rtol, 3e-14), atol=1e-2 * rtol).y[:, -1]
    angle = 0.2 + 0.3 * m.T
    v = end[2] * e2(angle)
    across = p.m * (end[2] * (0.3 + 2 * p.W) - p.W**2 * end[:2] @ n2(angle))
    return {"x": end[0], "y": end[1], "x'": v[0], "y'": v[1], "multiplier(k)": across}


def swing(angle, grows, T, rtol):
    """The angle and its rate of a pendulum, angle'' = grows sin(angle), from rest."""
    end = solve_ivp(lambda t, y: [y[1], grows * np.sin(y[0])], (0, T), [angle, 0], method="DOP853", rtol=max(rtol, 3e-14),
                    atol=1e-2 * rtol).y[:, -1]
    return end


HINGE = "A pendulum about the axis of x: angle'' = m g d sin(angle)/J from the angle 0.6; DOP853."


def hinged(m, rtol, x):
    a, w = swing(0.6, 20 * 9.81 * 0.5 / (4 + 20 * 0.25), m.T, rtol)
    at, v = 0.5 * e2(a), 0.5 * w * n2(a)
    return rated(["X", "Y", "Z", "e0", "e1"], [x, *at, np.cos(a / 2), np.sin(a / 2)],
                 [0, *v, -np.sin(a / 2) * w / 2, np.cos(a / 2) * w / 2])


@oracle("hinge-of-unit-vectors", note=HINGE)
def hinge(m, rtol):
    return hinged(m, rtol, 0)


@oracle("door-on-two-balls", note=HINGE)
def door(m, rtol):
    return hinged(m, rtol, 1)


@oracle("triangle-on-two-pins", note="The third corner swings about the line of the pins like a pendulum; DOP853.")
def triangle(m, rtol):
    r = np.sqrt(1.25)
    a, w = swing(np.arctan2(-1, 0.5), 9.81 / r, m.T, rtol)
    return rated(["x3", "y3", "z3"], [1, *(r * e2(a))], [0, *(r * w * n2(a))])


@oracle("bennett-linkage", note="""The angles run along the null vector of the closure's Jacobian (complex steps), as fast as the kinetic
energy stays constant; DOP853.""")
def bennett(m, rtol):
    links = [(1, m.p.al), (2, m.p.be), (1, m.p.al), (2, m.p.be)]
    bodies = [(1, [0.01, 0.1, 0.1]), (2, [0.01, 0.3, 0.3]), (1, [0.01, 0.1, 0.1])]

    def turned(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        R = np.eye(3, dtype=complex)
        R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
        return R

    def chain(angles):
        R, at, out = np.eye(3, dtype=complex), np.zeros(3, dtype=complex), []
        for angle, (length, twist) in zip(angles, links):
            R = R @ turned(2, angle)
            middle, at = at + R @ [length / 2, 0, 0], at + R @ [length, 0, 0]
            R = R @ turned(0, twist)
            out.append((middle, R))
        return out, np.concatenate([at, [R[1, 0], R[2, 1], R[0, 2]]])

    step = 1e-30

    def speeds(angles, before):
        J = np.column_stack([chain(angles + 1j * step * e)[1].imag / step for e in np.eye(4)])
        n = np.linalg.svd(J)[2][-1]
        n *= np.sign(n @ before)
        moved, kinetic = chain(angles + 1j * step * n)[0], 0
        for (mass, inertia), (at, R) in zip(bodies, moved):
            v, W = at.imag / step, R.real.T @ R.imag / step
            w = np.array([W[2, 1], W[0, 2], W[1, 0]])
            kinetic += mass * v @ v / 2 + np.dot(inertia, w**2) / 2
        return n, kinetic

    start = np.array([1, 2.5305289508565485, -0.9999999999999998, -2.5305289508565485])
    n, kinetic = speeds(start, np.array([1.0, 0, 0, 0]))
    n, kinetic = n / n[0], kinetic / n[0] ** 2
    last = [n]

    def rates(t, angles):
        n, own = speeds(angles, last[0])
        last[0] = n
        return n * np.sqrt(kinetic / own)

    end = solve_ivp(rates, (0, m.T), start, method="DOP853", rtol=max(rtol, 1e-13), atol=1e-2 * rtol).y[:, -1]
    return rated(["t1", "t2", "t3", "t4"], end, rates(m.T, end))


@oracle("platform-on-three-bars", note="The platform does not turn: a pendulum of the length of the bars, angle'' = -g/l sin(angle); DOP853.")
def platform(m, rtol):
    # the angle from the upward vertical, so that it grows as the sine does
    a, w = swing(np.pi - 1, 9.81 / m.p.l, m.T, rtol)
    return rated(["x", "y", "th"], [m.p.l * np.sin(a), m.p.l * np.cos(a), 0],
                 [m.p.l * np.cos(a) * w, -m.p.l * np.sin(a) * w, 0])


@oracle("tyre-slip", note="Newton's and Euler's equations of the car and the wheel, as they stand; DOP853.")
def slip(m, rtol):
    p = m.p

    def f(t, y):
        s = y[2] - p.r * y[3]
        F = -p.mu * p.m * p.g * s / (p.eps + abs(s))
        return [y[2], y[3], F / p.m, (-p.r * F + 50 * np.cos(2 * t)) / p.J]

    end = solve_ivp(f, (0, m.T), [0, 0, 5, 5 / p.r], method="DOP853", rtol=rtol, atol=rtol, max_step=1e-3).y[:, -1]
    return rated(["x", "phi"], end[:2], end[2:])


@oracle("block-on-belt", note="Newton's equation, as it stands; DOP853.")
def belt(m, rtol):
    p = m.p

    def f(t, y):
        s = p.v0 - y[1]
        return [y[1], -4 * y[0] + 3 * np.tanh(s / p.eps) / (1 + 0.5 * abs(s))]

    end = solve_ivp(f, (0, m.T), [0, 0], method="DOP853", rtol=rtol, atol=1e-3 * rtol).y[:, -1]
    return rated(["x"], end[:1], end[1:])


@oracle("steered-by-given-velocities", note="""Lagrange's equations in the velocity s of the rear wheel and in psi', with
L psi' cos(de) = s sin(de) differentiated: no velocity is divided by the cosine of the steering; DOP853.""")
def steered(m, rtol):
    p = m.p

    def f(t, y):
        X, Y, psi, de, s, r, w = y
        c, n = np.cos(de), np.sin(de)
        # m s' = k n, J r' + Jd (r' + w') = -L k c, Jd (r' + w') = 0.15, and the row, differentiated.
        M = np.array([[p.m, 0, 0, -n], [0, p.J + p.Jd, p.Jd, p.L * c], [0, p.Jd, p.Jd, 0], [n, -p.L * c, 0, 0]])
        a = np.linalg.solve(M, [0, 0, 0.15, -(s * c + p.L * r * n) * w])
        return [s * np.cos(psi), s * np.sin(psi), r, w, *a[:3]]

    start = [0, 0, 0, 0.2, 1, np.tan(0.2) / p.L, 0.2]
    X, Y, psi, de, s, r, w = solve_ivp(f, (0, m.T), start, method="DOP853", rtol=rtol, atol=rtol).y[:, -1]
    return rated(["x", "y", "psi", "de"], [X, Y, psi, de], [s * np.cos(psi), s * np.sin(psi), r, w])
