"""Spherical robots, bicycles, arms and spacecraft."""
import numpy as np

from mechanics import EX, EY, EZ, System, cross, integrate, matrix, named, oracle, turns, vector

NOTE = """Newton-Euler equations of all bodies with contact and joint forces as unknowns
(strangers/oracles/mechanics.py), angles as quadratures; DOP853."""
H = 1e-40
G = np.array([0, 0, -9.81])
SEVEN = ["x", "y", "z", "e0", "e1", "e2", "e3"]


def rated(names, q, v):
    return named(names, q) | named([n + "'" for n in names], v)


def spin(rows, i, w):
    for d in (EX, EY, EZ):
        rows.spin("given", i, d, rhs=w @ d)


@oracle("pendulum-ball-robot", note=NOTE)
def pendulum_ball(m, rtol):
    p = m.p

    def rows(t, s, rows):
        rows.contact("roll", 0, -p.R * EZ)
        y, x = s.R[0] @ EY, s.R[1] @ EX
        rows.joint("yoke", 0, np.zeros(3), 1, p.l * (s.R[1] @ EZ))
        rows.spin("yoke2", 1, cross(x, y), 0)

    def aux(t, s):
        w = s.w[1] - s.w[0]
        return [w @ (s.R[0] @ EY), w @ (s.R[1] @ EX)]

    def loads(t, s, L):
        al, be = s.aux
        dal, dbe = aux(t, s)
        L.torque(1, (-0.55 - 0.03 * dal) * (s.R[0] @ EY) + (-3.0 * (be - 0.25) - 0.25 * dbe) * (s.R[1] @ EX), 0)

    system = System([p.m, p.mp], [[0.028, 0.031, 0.029], [0.004, 0.0035, 0.002]], rows, loads, G, aux)
    e1 = turns((EY, 0.1))
    r = p.R * EZ

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(3), EX, rhs=0.4)
        rows.point("given", 0, np.zeros(3), EY, rhs=0.05)
        rows.spin("given", 0, EZ, rhs=0.3)
        rows.spin("given", 1, EY, 0)
        rows.spin("given", 1, s.R[1] @ EX, 0, rhs=0.2)

    y0 = system.velocities(0, [r, r - p.l * matrix(e1)[:, 2]], [turns(), e1], given, [0.1, 0])
    s, F = system.end(y0, m.T, rtol=rtol)
    return (named(SEVEN + ["al", "be"], [*s.r[0], *s.e[0], *s.aux]) | named(["x'", "y'", "al'", "be'"], [*s.v[0][:2], *aux(0, s)])
            | vector("R(shell)", F["roll"]))


@oracle("hamster-wheel", note="""One equation by hand for the tube's speed, the cart's angle being given: forces along the slope
and moments of the tube. DOP853.""")
def hamster(m, rtol):
    p = m.p
    u = lambda t: 0.35 + 0.1 * np.sin(2 * t)  # noqa: E731
    du, ddu = (lambda t: 0.2 * np.cos(2 * t)), (lambda t: -0.4 * np.sin(2 * t))

    def solve(t):
        # unknown x'', F (ground on the tube, along x), S (servo): ph = -x/R
        # (M + m) x'' + m l (u'' cos u - u'^2 sin u) + (M + m) g sin(be) = F
        # M R^2 ph'' = R F - S  (roll x' + R ph' = 0 gives F on x, R F on ph; servo -S on ph)
        # m l^2 u'' + m l x'' cos u + m g l sin(u + be) = S
        c, s = np.cos(u(t)), np.sin(u(t))
        A = np.array([[p.M + p.m, -1, 0], [-p.M * p.R, -p.R, 1], [p.m * p.l * c, 0, -1]])
        b = np.array([-p.m * p.l * (ddu(t) * c - du(t)**2 * s) - (p.M + p.m) * p.g * np.sin(p.be), 0,
                      -p.m * p.l**2 * ddu(t) - p.m * p.g * p.l * np.sin(u(t) + p.be)])
        return np.linalg.solve(A, b)

    y = integrate(lambda t, y: np.array([y[1], solve(t)[0]]), [0, 0.2], m.T, rtol=rtol)
    T = m.T
    _, F, S = solve(T)
    return rated(["x", "ph", "u"], [y[0], -y[0] / p.R, u(T)], [y[1], -y[1] / p.R, du(T)]) | {
        "multiplier(roll)": float(F), "multiplier(cart)": float(S)}


@oracle("rotor-ball-robot", note="""By hand: the rotors' spins about their axes obey J (f' + w.b)' = torque; Euler's equation of
the whole about the contact point with the rotors' angular momentum, in the ball's axes. DOP853; the ground's force
is m a - m g.""")
def rotors(m, rtol):
    p = m.p
    mass = p.m + 3 * p.mf
    I = np.diag([0.021, 0.023, 0.02]) + np.eye(3) * (2 * p.Jt)          # with the rotors' transverse parts

    def torques(t, df):
        return np.array([0.03 * np.sin(2 * t), -0.04 - 0.0002 * df[1], 0.015 * np.cos(t)])

    def parts(t, y):
        e, w, h = y[2:6], y[6:9], y[9:12]                    # w in the ball; h = J (f' + w_i)
        R = matrix(e)
        n = R.T @ EZ
        df = h / p.J - w
        tau = torques(t, df)
        # I w' + w x (I w + h) + tau = rho x F, rho = -R n; F = m (a - g), a = (w' x R n in space)
        # a in the ball's axes: R_ball^T d/dt(w_space x R z) = w' x (R n)   (space derivative of w is w' there)
        skew = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
        K = I + mass * p.R**2 * (np.eye(3) - np.outer(n, n))
        dw = np.linalg.solve(K, -cross(w, I @ w + h) - tau)
        a = p.R * cross(dw, n)
        return R, w, df, tau, dw, a, skew

    def f(t, y):
        R, w, df, tau, dw, a, _ = parts(t, y)
        v = R @ cross(w, p.R * (R.T @ EZ))
        e = y[2:6]
        de = [-0.5 * (w @ e[1:]), *(0.5 * (e[0] * w - cross(w, e[1:])))]
        return np.array([v[0], v[1], *de, *dw, *tau, *df])

    e0 = np.array([0.8, 0, 0.6, 0])
    R0 = matrix(e0)
    w0 = R0.T @ np.array([0, 0.1 / p.R, -0.2])                # v = w x R z = (w_y R, -w_x R)
    df0 = np.array([10.0, 0, -5])
    y = integrate(f, [0, 0, *e0, *w0, *(p.J * (df0 + w0)), 0, 0, 0], m.T, rtol=rtol)
    R, w, df, _, _, a, _ = parts(m.T, y)
    rate = f(m.T, y)
    F = mass * (R @ a - G)
    return (named(SEVEN + ["f1", "f2", "f3"], [*y[:2], p.R, *y[2:6], *y[12:]]) | named(["x'", "y'", "f1'", "f2'", "f3'"], [*rate[:2], *df])
            | vector("R(shell)", F))


@oracle("ball-with-sliding-mass", note=NOTE)
def sliding(m, rtol):
    p = m.p

    def rows(t, s, rows):
        rows.contact("roll", 0, -p.R * EZ)
        d = s.r[1] - s.r[0]
        for k in (1, 2):
            rows.point("guide", 1, np.zeros(3), s.R[0][:, k], 0, d)
        for d in (EX, EY, EZ):
            rows.spin("still", 1, d)

    def aux(t, s):
        return [(s.v[1] - s.v[0]) @ s.R[0][:, 0]]

    def loads(t, s, L):
        x = s.R[0][:, 0]
        f = (-p.k * s.aux[0] - p.c * aux(t, s)[0]) * x
        L.force(1, f)
        L.force(0, -f)

    system = System([p.m, p.ms], [[p.J] * 3, [1.0] * 3], rows, loads, G, aux)
    e0 = np.array([0.96, 0, 0.28, 0])
    x0 = matrix(e0)[:, 0]

    def given(t, s, rows):
        rows.point("given", 0, np.zeros(3), EX, rhs=0.5)
        rows.point("given", 0, np.zeros(3), EY, rhs=-0.3)
        rows.spin("given", 0, EZ, rhs=1.2)
        rows.point("given", 1, np.zeros(3), x0, 0, 0.05 * x0)

    r = p.R * EZ
    s, F = system.end(system.velocities(0, [r, r + 0.05 * x0], [e0, turns()], given, [0.05]), m.T, rtol=rtol)
    return (named(SEVEN + ["s"], [*s.r[0], *s.e[0], s.aux[0]]) | named(["x'", "y'", "s'"], [*s.v[0][:2], *aux(0, s)])
            | vector("R(shell)", F["roll"]))


@oracle("bicycle-small-wheels", note=NOTE)
def bicycle(m, rtol):
    p = m.p
    axis = np.array([-np.sin(p.tilt), 0, np.cos(p.tilt)])
    # bodies: rear wheel, frame, fork, front wheel
    S = np.array([p.w + p.c, 0, -p.r1])                      # from the rear wheel's middle, in the frame
    com = np.array([0.33, 0, 0.88 - p.r1])
    fork, hub = np.array([-0.11, 0, 0.65]), np.array([-p.c, 0, p.r2])

    def frames(q):
        ps, ro, pi_ = q[:3]
        Lx = np.array([np.cos(ps), np.sin(ps), 0])
        Hy = np.array([-np.sin(ps), np.cos(ps), 0])
        return Lx, np.cos(ro) * Hy + np.sin(ro) * EZ

    def aux(t, s):
        Lx, Ly = frames(s.aux)
        w = np.linalg.solve(np.array([EZ, Lx, Ly]).T, s.w[1])
        wl = w[0] * EZ + w[1] * Lx
        st = (s.w[2] - s.w[1]) @ (s.R[1] @ axis)
        return np.array([*w, (s.w[0] - wl) @ Ly, st, (s.w[3] - s.w[2]) @ s.R[2][:, 1]])

    def down(y):
        d = y[2] * y - EZ
        return d / np.sqrt(d @ d)

    def rows(t, s, rows):
        B, K = s.R[1], s.R[2]
        rows.joint("hub1", 1, -(B @ com), 0, np.zeros(3), B[:, 1])
        rows.joint("head", 1, B @ (S - com), 2, -(K @ fork), B @ axis)
        rows.joint("hub2", 2, K @ (hub - fork), 3, np.zeros(3), K[:, 1])
        rows.contact("roll1", 0, p.r1 * down(B[:, 1]))
        rows.contact("roll2", 3, p.r2 * down(K[:, 1]))

    def loads(t, s, L):
        st = aux(t, s)[4]
        L.torque(2, (-6 * st - 25 * s.aux[4] - 20 * s.aux[1]) * (s.R[1] @ axis), 1)

    I_frame = np.array([[8.3, 0, -2.1], [0, 9.7, 0], [-2.1, 0, 2.6]])
    I_fork = np.array([[0.061, 0, 0.006], [0, 0.058, 0], [0.006, 0, 0.009]])
    system = System([p.m1, p.mb, p.mh, p.m2], [[0.028, 0.051, 0.028], I_frame, I_fork, [0.024, 0.045, 0.024]], rows, loads, G, aux)
    e = turns((EZ, 0.1))
    R = matrix(e)
    r0 = p.r1 * EZ
    r = [r0, r0 + R @ com, r0 + R @ (S + fork), r0 + R @ (S + hub)]

    def given(t, s, rows):
        x, y = R[:, 0], R[:, 1]
        rows.spin("given", 0, y, rhs=5.2 / p.r1)
        rows.spin("given", 1, x, rhs=-0.3)
        rows.spin("given", 2, R @ axis, 1, rhs=0.1)

    y0 = system.velocities(0, r, [e] * 4, given, [0.1, 0, 0, 0, 0, 0])
    s, F = system.end(y0, m.T, rtol=rtol)
    ps, ro, pi_, a1, st, a2 = s.aux
    rate = aux(0, s)
    names = ["x", "y", "z", "ps", "ro", "pi_", "a1", "st", "a2"]
    return rated(names, [*s.r[0], *s.aux], [*s.v[0], *rate]) | vector("R(rear)", F["roll1"]) | vector("R(front)", F["roll2"])


@oracle("bicycle-reduced", note="""Newton's law of the one mass, projected by hand on the two motions left (the speed u of the
rear wheel and the lean): v = (u - w h sin) e1 + (c w + h cos al') e2 - h sin al' z with w = u tan(de)/b; its rate by a
complex step. DOP853.""")
def reduced(m, rtol):
    p = m.p

    def sigma(t):
        return np.tan(0.04 * np.sin(1.5 * t) + 0.01) / p.b

    def velocity(t, th, al, u, dal):
        w = sigma(t) * u
        e1, e2 = np.array([np.cos(th), np.sin(th), 0]), np.array([-np.sin(th), np.cos(th), 0])
        return (u - w * p.h * np.sin(al)) * e1 + (p.c * w + p.h * np.cos(al) * dal) * e2 - p.h * np.sin(al) * dal * EZ

    def f(t, y):
        x, yy, th, al, u, dal = y
        w = sigma(t) * u
        i = 1j * H
        free = np.imag(velocity(t + i, th + i * w, al + i * dal, u, dal)) / H
        du_, da_ = velocity(t, th, al, 1.0, 0.0), velocity(t, th, al, 0.0, 1.0)
        ds = np.imag(sigma(t + i)) / H
        s = sigma(t)
        A = np.array([[p.m * du_ @ du_ + p.J * s**2, p.m * du_ @ da_], [p.m * du_ @ da_, p.m * da_ @ da_]])
        b = np.array([p.m * (G - free) @ du_ - p.J * s * ds * u, p.m * (G - free) @ da_])
        d = np.linalg.solve(A, b)
        return np.array([u * np.cos(th), u * np.sin(th), w, dal, *d])

    y = integrate(f, [0, 0, 0, -0.02, 4.5, 0.05], m.T, rtol=rtol)
    r = f(m.T, y)
    return rated(["x", "y", "th", "al"], y[:4], r[:4]) | reduced_forces(p, m.T, y, r, velocity, sigma)


def reduced_forces(p, T, y, r, velocity, sigma):
    """Forces of both rows: on the coordinates x, y, th with the whole acceleration of the mass."""
    x, yy, th, al, u, dal = y
    i = 1j * H
    a = np.imag(velocity(T + i, th + i * r[2], al + i * dal, u + i * r[4], dal + i * r[5])) / H
    ddth = np.imag(sigma(T + i) * (u + i * r[4])) / H
    F = p.m * (a - G)                                        # of the ground, at the mass
    e1, e2 = np.array([np.cos(th), np.sin(th), 0]), np.array([-np.sin(th), np.cos(th), 0])
    arm = p.c * e1 + p.h * np.sin(al) * e2
    Qth = cross(arm, F)[2] + p.J * ddth
    # back on (x, y): lb e2; front = u tan(de) - b th': on (x, y) lf tan(de) e1, on th -b lf
    return {"multiplier(back)": float(F @ e2), "multiplier(front)": float(-Qth / p.b)}


@oracle("cart-with-two-poles", note="""By hand: the first pole's free equation gives x'' = (g sin - l th'')/cos with th given, that of the
second gives ph''; the cart's force from the balance along x. DOP853.""")
def poles(m, rtol):
    p = m.p

    def th(t):
        return 0.2 * np.cos(1.7 * t), -0.34 * np.sin(1.7 * t), -0.578 * np.cos(1.7 * t)

    def accel(t, ph):
        a, _, dda = th(t)
        ddx = (p.g * np.sin(a) - p.l1 * dda) / np.cos(a)
        return ddx, (p.g * np.sin(ph) - ddx * np.cos(ph)) / p.l2

    def f(t, y):
        ddx, ddph = accel(t, y[1])
        return np.array([y[2], y[3], ddx, ddph])

    y = integrate(f, [0, 2.8, 0, 0.4], m.T, rtol=rtol)
    a, da, dda = th(m.T)
    ddx, ddph = accel(m.T, y[1])
    F = ((p.M + p.m1 + p.m2) * ddx + p.m1 * p.l1 * (dda * np.cos(a) - da**2 * np.sin(a))
         + p.m2 * p.l2 * (ddph * np.cos(y[1]) - y[3]**2 * np.sin(y[1])))
    return rated(["x", "th", "ph"], [y[0], a, y[1]], [y[2], da, y[3]]) | {"multiplier(servo)": float(F)}


def e2(a):
    return np.array([np.cos(a), np.sin(a)])


def n2(a):
    return np.array([-np.sin(a), np.cos(a)])


def chain(l, m, angles, w, dw, base=None):
    """Accelerations of the middles of the links (absolute angles) and of the last tip."""
    a = np.zeros(2) if base is None else base
    middles = []
    for li, x, wi, di in zip(l, angles, w, dw):
        step = li * (n2(x) * di - e2(x) * wi**2)
        middles.append(a + step / 2)
        a = a + step
    return middles, a


@oracle("arm-tip-on-ellipse", note="""The motion is kinematics alone: the joint rates by solving for the tip's velocity. The force
at the tool from moments of the forearm about the elbow and of the whole arm about the shoulder, accelerations by
hand. DOP853.""")
def ellipse(m, rtol):
    p = m.p
    l = [p.l1, p.l2]

    def tip(t):
        return np.array([-0.228 * np.sin(1.9 * t), 0.133 * np.cos(1.9 * t)])

    def rate(t, q):
        a, b = q[0], q[0] + q[1]
        w = np.linalg.solve(np.array([p.l1 * n2(a), p.l2 * n2(b)]).T, tip(t))
        return np.array([w[0], w[1] - w[0]])

    q = integrate(rate, [0.3, 1.2], m.T, rtol=rtol)
    dq = rate(m.T, q)
    ddq = np.imag(rate(m.T + 1j * H, q + 1j * H * dq)) / H
    a, b = q[0], q[0] + q[1]
    w, dw = [dq[0], dq.sum()], [ddq[0], ddq.sum()]
    c, _ = chain(l, None, [a, b], w, dw)
    up = np.array([0, 9.81])
    F1, F2 = p.m1 * (c[0] + up), p.m2 * (c[1] + up)          # forces that the links need
    cr = lambda x, y: x[0] * y[1] - x[1] * y[0]  # noqa: E731
    elbow = p.m2 * p.l2**2 / 12 * dw[1] + cr(p.l2 / 2 * e2(b), F2)
    shoulder = elbow + cr(p.l1 * e2(a), F2) + p.m1 * p.l1**2 / 12 * dw[0] + cr(p.l1 / 2 * e2(a), F1)
    # tool force f: about the elbow l2 e(b) x f = elbow + 0.5 q2'; about the shoulder (l1 e(a) + l2 e(b)) x f = shoulder + 0.8 q1'
    A = np.array([p.l2 * n2(b), p.l1 * n2(a) + p.l2 * n2(b)])
    f = np.linalg.solve(A, [elbow + 0.5 * dq[1], shoulder + 0.8 * dq[0]])
    return rated(["q1", "q2"], q, dq) | named(["dot(R(fore), N.x)", "dot(R(fore), N.y)"], f)


@oracle("arm-with-knife", note=NOTE)
def knife(m, rtol):
    p = m.p
    mass = [p.m1, p.m2]

    def rows(t, s, R):
        R.joint("elbow", 0, p.l1 / 2 * e2(s.th[0]), 1, -p.l2 / 2 * e2(s.th[1]))
        for d in np.eye(2):
            R.point("shoulder", 0, -p.l1 / 2 * e2(s.th[0]), d)
        R.point("wheel", 1, p.l2 / 2 * e2(s.th[1]), n2(s.th[1] + 0.6))

    def loads(t, s, L):
        L.torque(0, p.T1 * np.cos(2 * t) - 0.3 * s.w[0])
        L.torque(1, -0.2 * (s.w[1] - s.w[0]), 0)

    system = System(mass, [p.m1 * p.l1**2 / 12, p.m2 * p.l2**2 / 12], rows, loads, dim=2)
    th = [0.2, 1.2]
    r = [p.l1 / 2 * e2(0.2), p.l1 * e2(0.2) + p.l2 / 2 * e2(1.2)]
    s, F = system.end(system.velocities(0, r, th, lambda t, s, R: R.spin("given", 0, rhs=0.6)), m.T, rtol=rtol)
    return rated(["q1", "q2"], [s.th[0], s.th[1] - s.th[0]], [s.w[0], s.w[1] - s.w[0]]) | {
        "multiplier(wheel)": float(F["wheel"] @ n2(s.th[1] + 0.6))}


@oracle("mobile-manipulator", note=NOTE)
def mobile(m, rtol):
    p = m.p

    def rows(t, s, R):
        th = s.th
        R.point("wheels", 0, -0.05 * e2(th[0]), n2(th[0]))
        R.joint("shoulder", 0, (p.a - 0.05) * e2(th[0]), 1, -p.l1 / 2 * e2(th[1]))
        R.joint("elbow", 1, p.l1 / 2 * e2(th[1]), 2, -p.l2 / 2 * e2(th[2]))

    def loads(t, s, L):
        L.force(0, 12 * e2(s.th[0]) - 8 * s.v[0])
        L.torque(1, 2 * np.sin(1.5 * t) - (s.w[1] - s.w[0]), 0)
        L.torque(2, -1.2 * np.cos(2 * t) - 0.5 * (s.w[2] - s.w[1]), 1)

    system = System([p.M, p.m1, p.m2], [p.J, p.m1 * p.l1**2 / 12, p.m2 * p.l2**2 / 12], rows, loads, dim=2)
    th = [0.1, 0.6, -0.2]
    r0 = 0.05 * e2(0.1)
    elbow = p.a * e2(0.1) + p.l1 * e2(0.6)
    r = [r0, p.a * e2(0.1) + p.l1 / 2 * e2(0.6), elbow + p.l2 / 2 * e2(-0.2)]

    def given(t, s, R):
        R.point("given", 0, np.zeros(2), e2(0.1), rhs=0.3)
        R.spin("given", 0, rhs=0.05)
        R.spin("given", 1, None, 0)
        R.spin("given", 2, None, 1)

    s, F = system.end(system.velocities(0, r, th, given), m.T, rtol=rtol)
    at = s.r[0] - 0.05 * e2(s.th[0])
    v = s.v[0] - 0.05 * s.w[0] * n2(s.th[0])
    f = F["wheels"]
    return rated(["x", "y", "th", "q1", "q2"], [*at, s.th[0], s.th[1] - s.th[0], s.th[2] - s.th[1]],
                 [*v, s.w[0], s.w[1] - s.w[0], s.w[2] - s.w[1]]) | {"dot(R(platform), N.x)": float(f[0]), "dot(R(platform), N.y)": float(f[1])}


@oracle("arm-three-motors", note="""The motion is kinematics alone; the motors' torques by the recursion of moments from the hand
to the shoulder with accelerations by hand. DOP853; second rates by a complex step.""")
def three_motors(m, rtol):
    p = m.p
    l, mass = [p.l1, p.l2, p.l3], [p.m1, p.m2, p.m3]

    def rate(t, x):                                          # absolute angles
        w3 = 0.2
        v = np.array([0.11 * np.cos(0.8 * t), -0.08 * np.sin(1.1 * t)]) - p.l3 * n2(x[2]) * w3
        w = np.linalg.solve(np.array([p.l1 * n2(x[0]), p.l2 * n2(x[1])]).T, v)
        return np.array([w[0], w[1], w3 + 0 * t])

    x = integrate(rate, [0.4, 1.5, 0.9], m.T, rtol=rtol)
    w = rate(m.T, x)
    dw = np.imag(rate(m.T + 1j * H, x + 1j * H * w)) / H
    c, _ = chain(l, None, x, w, dw)
    force, torque, out = np.zeros(2), 0.0, []
    cr = lambda a, b: a[0] * b[1] - a[1] * b[0]  # noqa: E731
    for i in (2, 1, 0):
        need = mass[i] * (c[i] + np.array([0, 9.81]))
        torque = torque + mass[i] * l[i]**2 / 12 * dw[i] + cr(l[i] / 2 * e2(x[i]), need) + cr(l[i] * e2(x[i]), force)
        force = force + need
        out.append(torque)
    q, dq = np.diff([0, *x]), np.diff([0, *w])
    return rated(["q1", "q2", "q3"], q, dq) | named([f"multiplier(program.{i})" for i in (1, 2, 3)], out[::-1])


def body_rate(e, w):
    return [-0.5 * (w @ e[1:]), *(0.5 * (e[0] * w - cross(w, e[1:])))]


@oracle("spacecraft-three-wheels", note="""By hand in the hull's axes: J (w_i' + W_i)' = torque for the spins, and
I w' + w x (I w + h) = -sum of torques along their axes with h the wheels' momentum. DOP853.""")
def wheels(m, rtol):
    p = m.p
    A = np.array([[1, 0, 0], [0, 1, 0], [0.6, 0, 0.8]])      # axes
    I = np.array([[1.31, 0.06, 0], [0.06, 1.77, -0.11], [0, -0.11, 2.05]])
    # each wheel is a ball of inertia J: its part across the axis turns with the hull
    K = I + sum(p.J * (np.eye(3) - np.outer(a, a)) for a in A)

    def f(t, y):
        e, w, h = y[:4], y[4:7], y[7:10]
        ds = h / p.J - A @ w
        tau = np.array([0.02 * np.sin(0.5 * t), 0.015 - 0.0001 * ds[1], -0.03 * np.cos(0.3 * t)])
        dw = np.linalg.solve(K, -cross(w, K @ w + A.T @ h) - A.T @ tau)
        return np.array([*body_rate(e, w), *dw, *tau, *ds])

    w0 = np.array([0.05, -0.12, 0.2])
    h0 = p.J * (np.array([20, -35, 5]) + A @ w0)
    y = integrate(f, [1, 0, 0, 0, *w0, *h0, 0, 0, 0], m.T, rtol=rtol)
    r = f(m.T, y)
    names = ["e0", "e1", "e2", "e3", "w1", "w2", "w3"]
    return rated(names, [*y[:4], *y[10:]], [*r[:4], *r[10:]])


@oracle("spacecraft-slew-servo", note="""The attitude is kinematics alone; the wheels' speeds follow from the whole angular momentum,
which is constant in space, and the motors' torques from their rates (complex step). DOP853.""")
def slew(m, rtol):
    p = m.p
    I = np.array([[1.1, 0, 0.07], [0, 1.4, 0], [0.07, 0, 1.9]]) + 3 * p.J * np.eye(3)

    def omega(t):
        return np.array([0.08 * np.sin(0.6 * t), 0.05 * (1 - np.cos(0.6 * t)), -0.03 * np.sin(0.4 * t)])

    def rot(a):
        c, s = np.cos(a), np.sin(a)
        Z = np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
        Y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
        X = np.array([[1, 0, 0], [0, c[2], -s[2]], [0, s[2], c[2]]])
        return Z @ Y @ X

    a0 = np.array([0, 0.1, -0.2])
    total = rot(a0) @ (I @ omega(0) + p.J * np.array([12.0, -7, 30]))

    def spins(t, a):
        return (rot(a).T @ total - I @ omega(t)) / p.J

    def f(t, y):
        w = omega(t)
        s2, c2, s3, c3 = np.sin(y[1]), np.cos(y[1]), np.sin(y[2]), np.cos(y[2])
        d1 = (w[1] * s3 + w[2] * c3) / c2
        return np.array([d1, w[1] * c3 - w[2] * s3, w[0] + d1 * s2, *spins(t, y[:3])])

    y = integrate(f, [*a0, 0, 0, 0], m.T, rtol=rtol)
    r = f(m.T, y)
    i = 1j * H
    h = np.imag(spins(m.T + i, y[:3] + i * r[:3]) + omega(m.T + i)) / H * p.J
    return rated(["a1", "a2", "a3", "w1", "w2", "w3"], y, r) | named([f"multiplier({c})" for c in "xyz"], h)


@oracle("free-floating-arm", note="""The mass centre glides and the angular momentum about it is constant: one first-order equation
for the satellite's angle with the joints given. Joint moments from the rates of angular momentum of what lies
beyond the joint. DOP853; second rates by a complex step.""")
def floating(m, rtol):
    p = m.p
    mass = np.array([p.M, p.m1, p.m2])
    J = np.array([p.J, p.m1 * p.l1**2 / 12, p.m2 * p.l2**2 / 12])

    def joints(t):
        return 0.7 * (1 - np.cos(1.2 * t)), 0.5 * np.sin(1.2 * t)

    def rates(t):
        return 0.84 * np.sin(1.2 * t), 0.6 * np.cos(1.2 * t)

    def geometry(t, th, w):
        """Places and velocities from the bus, absolute angular velocities."""
        q, d = joints(t), rates(t)
        x = [th, th + q[0], th + q[0] + q[1]]
        ws = [w, w + d[0], w + d[0] + d[1]]
        at = [np.zeros(2), p.a * e2(x[0]) + p.l1 / 2 * e2(x[1]), p.a * e2(x[0]) + p.l1 * e2(x[1]) + p.l2 / 2 * e2(x[2])]
        v = [np.zeros(2), p.a * n2(x[0]) * ws[0] + p.l1 / 2 * n2(x[1]) * ws[1],
             p.a * n2(x[0]) * ws[0] + p.l1 * n2(x[1]) * ws[1] + p.l2 / 2 * n2(x[2]) * ws[2]]
        return np.array(at), np.array(v), np.array(ws)

    def momentum(t, th, w):
        at, v, ws = geometry(t, th, w)
        c, vc = mass @ at / mass.sum(), mass @ v / mass.sum()
        d, u = at - c, v - vc
        return J @ ws + mass @ (d[:, 0] * u[:, 1] - d[:, 1] * u[:, 0])

    at0, v0, _ = geometry(0.0, 0.2, 0.03)
    L = momentum(0.0, 0.2, 0.03)
    c0 = mass @ at0 / mass.sum()
    u0 = np.array([0.02, -0.01]) + mass @ v0 / mass.sum()

    def turn_rate(t, th):
        b = momentum(t, th, 0.0)
        return (L - b) / (momentum(t, th, 1.0) - b)

    th = integrate(lambda t, y: np.array([turn_rate(t, y[0])]), [0.2], m.T, rtol=rtol)[0]
    T, i = m.T, 1j * H
    w = turn_rate(T, th)
    at, v, ws = geometry(T, th, w)
    c, vc = mass @ at / mass.sum(), mass @ v / mass.sum()
    x, vx = c0 + u0 * T - c, u0 - vc

    # accelerations of all bodies in space, by a complex step along the motion
    def velocities(t, th):
        w = turn_rate(t, th)
        _, v, ws = geometry(t, th, w)
        return v - mass @ v / mass.sum(), ws

    moved = velocities(T + i, th + i * w)
    acc, dws = np.imag(moved[0]) / H, np.imag(moved[1]) / H
    cr = lambda a, b: a[0] * b[1] - a[1] * b[0]  # noqa: E731
    q = joints(T)
    elbow_at = p.a * e2(th) + p.l1 * e2(th + q[0])
    shoulder_at = p.a * e2(th)
    elbow = J[2] * dws[2] + cr(at[2] - elbow_at, mass[2] * acc[2])
    shoulder = J[2] * dws[2] + cr(at[2] - shoulder_at, mass[2] * acc[2]) + J[1] * dws[1] + cr(at[1] - shoulder_at, mass[1] * acc[1])
    return rated(["x", "y", "th", "q1", "q2"], [*x, th, *q], [*vx, w, *rates(T)]) | {
        "multiplier(shoulder)": float(shoulder), "multiplier(elbow)": float(elbow)}


@oracle("control-moment-gyro", note="""By hand: the whole angular momentum is constant in space, and with gimbal angle and rotor speed
given it fixes the platform's angular velocity: four first-order equations. The gimbal's and the rotor's moments from
the rate of their momenta along their axes. DOP853; rates by a complex step.""")
def cmg(m, rtol):
    Ip, Ig, Ir = np.diag([2.4, 2.9, 3.3]), np.array([0.03, 0.02, 0.04]), np.array([0.05, 0.03, 0.03])

    def gimbal(t):
        return 0.2 + 0.4 / 0.9 * (1 - np.cos(0.9 * t)), 0.4 * np.sin(0.9 * t)

    def inertia(t):
        ga, _ = gimbal(t)
        c, s = np.cos(ga), np.sin(ga)
        Q = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        return Ip + Q @ np.diag(Ig + Ir) @ Q.T, Q

    def inner(t):
        _, dga = gimbal(t)
        _, Q = inertia(t)
        return (Ig[2] + Ir[2]) * dga * EZ + Q @ (Ir[0] * 60 * EX)

    w0 = np.array([0.02, 0.05, -0.04])
    total = inertia(0.0)[0] @ w0 + inner(0.0)

    def omega(t, e):
        return np.linalg.solve(inertia(t)[0], matrix(e).T @ total - inner(t))

    e = integrate(lambda t, e: np.array(body_rate(e, omega(t, e))), [1, 0, 0, 0], m.T, rtol=rtol)
    T, i = m.T, 1j * H
    w = omega(T, e)
    de = np.array(body_rate(e, w))
    ga, dga = gimbal(T)

    def along(t, e):
        """Angular momentum of gimbal and rotor along the gimbal's axis, and of the rotor along its own, and all in the platform."""
        w = omega(t, e)
        ga, dga = gimbal(t)
        _, Q = inertia(t)
        wg = Q.T @ (w + dga * EZ)                            # in the gimbal's axes
        h = np.array([Ig[0] * wg[0] + Ir[0] * (wg[0] + 60), (Ig[1] + Ir[1]) * wg[1], (Ig[2] + Ir[2]) * wg[2]])
        return wg, h, Ir[0] * (wg[0] + 60)

    wg, h, _ = along(T, e)
    moved = along(T + i, e + i * de)
    dh, dr = np.imag(moved[1]) / H, np.imag(moved[2]) / H
    return rated(["e0", "e1", "e2", "e3", "ga", "sp"], [*e, ga, 60 * T], [*de, dga, 60]) | {
        "multiplier(gimbal)": float(dh[2] + cross(wg, h)[2]), "multiplier(speed)": float(dr)}
