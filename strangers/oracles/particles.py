"""Particles: pendula, thermostats, pursuit, formations, pulleys, linkages, surfaces."""
import numpy as np

from mechanics import cross, integrate, matrix, named, oracle, turns, EX, EZ

STEP = 1e-40
NOTE = """Newton's equations of the particles with one unknown multiplier a row, the force along the row's derivative by
the velocity; each row differentiated along the motion by a complex step. DOP853."""


def rated(names, q, v):
    return named(names, q) | named([n + "'" for n in names], v)


def vec(what, f):
    return {f"dot({what}, N.{a})": float(x) for a, x in zip("xyz", [*f, 0][:3])}


class Points:
    """q'' = (f(t, q, v) + sum lambda dphi/dv)/m for rows phi(t, q, v), holonomic ones already differentiated."""

    def __init__(self, mass, force, *rows):
        self.m, self.force, self.rows = np.asarray(mass, float), force, rows

    def solve(self, t, y):
        n = len(self.m)
        q, v = y[:n], y[n:]
        J = np.zeros((len(self.rows), n))
        b = np.zeros(len(self.rows))
        for k, phi in enumerate(self.rows):
            for i in range(n):
                e = np.zeros(n, complex)
                e[i] = 1j * STEP
                J[k, i] = np.imag(phi(t, q, v + e)) / STEP
            b[k] = np.imag(phi(t + 1j * STEP, q + 1j * STEP * v, v + 0j)) / STEP
        free = np.asarray(self.force(t, q, v)) / self.m
        lam = np.linalg.lstsq(J / self.m @ J.T, -b - J @ free, rcond=1e-12)[0]
        return free + (J.T @ lam) / self.m, lam, J

    def end(self, q0, v0, T, rtol):
        n = len(self.m)
        v0 = np.asarray(v0, float)
        y = integrate(lambda t, y: np.concatenate([y[n:], self.solve(t, y)[0]]), [*q0, *v0], T, rtol=rtol)
        a, lam, J = self.solve(T, y)
        return y[:n], y[n:], lam, J, a

    def speeds(self, q0, known, t=0.0, guess=None):
        """Velocities from the rows, where `known` gives some (None: to be found), by Newton's method."""
        q0 = np.asarray(q0, float)
        free = [i for i, x in enumerate(known) if x is None]
        v = np.array([0.0 if x is None else x for x in known])
        if guess is not None:
            v[free] = np.asarray(guess)[free]
        for _ in range(60):
            r = np.array([np.real(phi(t, q0 + 0j, v + 0j)) for phi in self.rows])
            J = np.zeros((len(self.rows), len(free)))
            for k, i in enumerate(free):
                e = np.zeros(len(v), complex)
                e[i] = 1j * STEP
                J[:, k] = [np.imag(phi(t, q0, v + e)) / STEP for phi in self.rows]
            step, _, rank, _ = np.linalg.lstsq(J, -r, rcond=1e-10)
            v[free] += step
            if np.abs(step).max() < 1e-15 * (1 + np.abs(v).max()):
                break
        if rank < len(free) or np.abs(r).max() > 1e-12:
            raise ValueError(f"start: rank {rank} of {len(free)}, misses by {np.abs(r).max()}")
        return v


@oracle("foucault-frames", note="""By hand in the turning frame of the place: a = g - 2 w x v - w x (w x r) + F/m with F along
the wire, F from the second derivative of |r|^2. DOP853.""")
def foucault(m, rtol):
    p = m.p
    w = p.Om * np.array([0, np.cos(p.lat), np.sin(p.lat)])

    def accel(r, v):
        f = np.array([0, 0, -9.81]) - 2 * cross(w, v) - cross(w, cross(w, r))
        k = -(v @ v + f @ r) / p.len**2                      # F/m = k r
        return f + k * r, k

    y = integrate(lambda t, y: np.concatenate([y[3:], accel(y[:3], y[3:])[0]]),
                  [0.6, 0, -np.sqrt(p.len**2 - 0.36), 0, 0.15, 0], m.T, rtol=rtol)
    k = accel(y[:3], y[3:])[1]
    # y.L in N: L = Rz(Om t) Rz(pi/2) Rx(pi/2 - lat)
    R = matrix(turns((EZ, p.Om * m.T + np.pi / 2), (EX, np.pi / 2 - p.lat)))
    return rated(["x", "y", "z"], y[:3], y[3:]) | {"multiplier(wire)": float(p.m * k * p.len)} | vec("R(bob)", R @ y[:3] * p.m * k)


@oracle("foucault-gyroscopic", note="""By hand: a = g - 2 w x v + F/m with F along the wire. DOP853; the multiplier of the row
z = -sqrt(..) is the vertical part of F.""")
def gyroscopic(m, rtol):
    p = m.p
    w = np.array([0, p.w2, p.w3])

    def accel(r, v):
        f = np.array([0, 0, -p.g]) - 2 * cross(w, v)
        k = -(v @ v + f @ r) / p.len**2
        return f + k * r, k

    z0 = -np.sqrt(p.len**2 - 0.26)
    dz = -(0.5 * 0.1 - 0.1 * 0.4) / z0
    y = integrate(lambda t, y: np.concatenate([y[3:], accel(y[:3], y[3:])[0]]), [0.5, -0.1, z0, 0.1, 0.4, dz], m.T, rtol=rtol)
    return rated(["x", "y", "z"], y[:3], y[3:]) | {"multiplier(wire)": float(p.m * accel(y[:3], y[3:])[1] * y[2])}


@oracle("isokinetic-three", note="""Gauss's thermostat by hand: m a = F - (F.v/2K) m v, with the multiplier F.v/2K of the row
K = const taken with the sign of the row. DOP853.""")
def three(m, rtol):
    p = m.p
    M = np.array([p.m] * 4 + [p.m3] * 2)

    def force(q):
        F = -p.k * q
        P = q.reshape(3, 2)
        for i in range(3):
            for j in range(3):
                if i != j:
                    d = P[i] - P[j]
                    F[2 * i:2 * i + 2] += 2 * p.A * np.exp(-d @ d) * d
        return F

    def f(t, y):
        q, v = y[:6], y[6:]
        F = force(q)
        return np.concatenate([v, (F - F @ v / (v @ (M * v)) * M * v) / M])

    v0 = [0.2, 0.7, -0.3, -0.6, 0.4, np.sqrt((3.2 - 1.05 * 0.98) / 2.2 - 0.16)]
    y = integrate(f, [1, 0.1, -0.8, 0.3, 0.1, -0.9, *v0], m.T, rtol=rtol)
    q, v = y[:6], y[6:]
    return rated(["x1", "y1", "x2", "y2", "x3", "y3"], q, v) | {"multiplier(bath)": float(-force(q) @ v / (v @ (M * v)))}


@oracle("thermostats-hot-and-cold", note="""Gauss's thermostats by hand: each pair's acceleration is its force less the part
along its velocity. DOP853.""")
def hot(m, rtol):
    p = m.p

    def force(q):
        a, b, c, d = q
        s = lambda e: p.k * e + p.be * e**3  # noqa: E731
        return np.array([-p.k * a + s(b - a), -s(b - a) + s(c - b), -s(c - b) + s(d - c), -s(d - c) - p.k * d])

    def parts(q, v):
        F = force(q)
        l = [-(F[i:i + 2] @ v[i:i + 2]) / (v[i:i + 2] @ v[i:i + 2]) for i in (0, 2)]
        return F + np.array([l[0], l[0], l[1], l[1]]) * v, l

    v0 = np.array([1.2, 0.6, 0.1, -0.7])
    y = integrate(lambda t, y: np.concatenate([y[4:], parts(y[:4], y[4:])[0]]), [0.2, -0.3, 0.4, 0.1, *v0], m.T, rtol=rtol)
    l = parts(y[:4], y[4:])[1]
    return rated(["a", "b", "c", "d"], y[:4], y[4:]) | {"multiplier(hot)": float(l[0]), "multiplier(cold)": float(l[1])}


@oracle("cooling-ramp", note="""By hand: m a = F + k v with k from m v.a = -E0/tau exp(-t/tau). DOP853.""")
def ramp(m, rtol):
    p = m.p

    def k(t, q, v):
        F = np.array([-0.9 * q[0], -1.3 * q[1] + 0.2, -0.4 * q[2]**3])
        return F, (-p.E0 / p.tau * np.exp(-t / p.tau) - F @ v) / (v @ v)

    def f(t, y):
        F, c = k(t, y[:3], y[3:])
        return np.concatenate([y[3:], (F + c * y[3:]) / p.m])

    y = integrate(f, [0.4, -0.2, 0.3, 1, 1.2, np.sqrt(2 * p.E0 / p.m - 2.44)], m.T, rtol=rtol)
    c = k(m.T, y[:3], y[3:])[1]
    return rated(["x", "y", "z"], y[:3], y[3:]) | vec("R(P)", c * y[3:]) | {"multiplier(ramp)": float(c / p.m)}


@oracle("pursuit-speed-given", note="""Kinematics alone: the velocity is U times the unit vector towards the hare; the force
is m times its derivative, by a complex step. DOP853.""")
def fox(m, rtol):
    p = m.p

    def v(t, q):
        d = np.array([2 * np.cos(0.5 * t), 2 * np.sin(0.5 * t)]) - q
        return p.U * d / np.sqrt(d @ d)

    q = integrate(lambda t, q: v(t, q), [-1.5, -2], m.T, rtol=rtol)
    e = 1e-40
    speed = v(m.T, q)
    a = np.imag(v(m.T + 1j * e, q + 1j * e * speed)) / e
    return rated(["x", "y"], q, speed) | vec("R(fox)", p.m * a)


@oracle("pursuit-in-space", note="""By hand: v = u n with n the unit vector to the target; u' from the forces along n, n' from
kinematics; R is what is left of m a across n. DOP853.""")
def missile(m, rtol):
    p = m.p

    def n(t, q):
        d = np.array([100 + 15 * t, 40 - 3 * t, 60 + 2 * t]) - q
        return d / np.sqrt(d @ d)

    g = np.array([0, 0, -9.81])
    f = lambda t, y: np.array([*(y[3] * n(t, y[:3])), (p.F - p.k * y[3]**2) / p.m + g @ n(t, y[:3])])  # noqa: E731
    y = integrate(f, [0, 0, 0, np.sqrt(900 + 144 + 324)], m.T, rtol=rtol)
    q, u = y[:3], y[3]
    e = 1e-40
    d = n(m.T, q)
    a = f(m.T, y)[3] * d + u * np.imag(n(m.T + 1j * e, q + 1j * e * u * d)) / e
    return rated(["x", "y", "z"], q, u * d) | vec("R(missile)", p.m * (a - g) - (p.F - p.k * u**2) * d)


@oracle("cyclic-pursuit", note="""By hand: bug i moves with the signed speed u_i along the unit vector to the next bug;
m u_i' is the force along it. Multipliers from m u_i times the rate of turn of that direction. DOP853.""")
def cyclic(m, rtol):
    p = m.p
    push = np.array([p.F, p.F, 1.2 * p.F])

    def n(q):
        P = q.reshape(3, 2)
        d = P[[1, 2, 0]] - P
        return d / np.sqrt((d**2).sum(axis=1))[:, None], np.sqrt((d**2).sum(axis=1))

    f = lambda t, y: np.concatenate([(y[6:, None] * n(y[:6])[0]).ravel(), (push - p.k * y[6:]) / p.m])  # noqa: E731
    q0 = np.array([0, 0, 2, 0.3, 0.7, 1.6])
    d0 = n(q0)[0]
    u0 = np.array([0.2, -0.13, -0.07]) / d0[:, 0]
    y = integrate(f, [*q0, *u0], m.T, rtol=rtol)
    q, u = y[:6], y[6:]
    d, r = n(q)
    v = (u[:, None] * d).ravel()
    e = 1e-40
    dd = np.imag(n(q + 1j * e * v)[0]) / e
    # row x' dy - y' dx: the multiplier's force is lambda r (n_y, -n_x)
    force = p.m * u[:, None] * dd
    lam = [force[i] @ np.array([d[i, 1], -d[i, 0]]) / r[i] for i in range(3)]
    return rated(["x1", "y1", "x2", "y2", "x3", "y3"], q, v) | named([f"multiplier({a})" for a in "abc"], lam)


def norm(a):
    return np.sqrt(a @ a)


@oracle("formation-triangle", note=NOTE)
def triangle(m, rtol):
    def gap(i, j):
        def phi(t, q, v):
            d, w = q[2 * i:2 * i + 2] - q[2 * j:2 * j + 2], v[2 * i:2 * i + 2] - v[2 * j:2 * j + 2]
            return d @ w / norm(d)
        return phi

    system = Points([1.3, 1.3, 0.9, 0.9, 1.1, 1.1],
                    lambda t, q, v: [0.2, -0.1, -0.3 * v[2], -0.3 * v[3], -0.2 * v[4], -0.2 * v[5]],
                    gap(0, 1), gap(2, 1), gap(0, 2), lambda t, q, v: norm(v[:2]) - 0.8 - 0.3 * np.sin(0.7 * t))
    q0 = [0, 0, 1.5, 0, 4 / 15, np.sqrt(1.44 - 16 / 225)]
    q0[4] = (1.5**2 + 1.2**2 - 1.7**2) / 3
    q0[5] = np.sqrt(1.44 - q0[4]**2)
    v0 = system.speeds(q0, [0.64, 0.48, 0.64, 0.9, None, None])
    q, v, lam, J, _ = system.end(q0, v0, m.T, rtol)
    out = rated(["x1", "y1", "x2", "y2", "x3", "y3"], q, v)
    out |= named([f"multiplier({c})" for c in ("AB", "BC", "CA", "lead")], lam)
    F = J.T @ lam
    return out | vec("R(A)", F[:2]) | vec("R(C)", F[4:])


@oracle("formation-five-equal-speeds", note=NOTE)
def drones(m, rtol):
    p = m.p
    M = np.repeat([p.m, p.m, 1.4 * p.m, p.m, p.m], 2)

    def force(t, q, v):
        P, V = q.reshape(5, 2), v.reshape(5, 2)
        return np.concatenate([-p.k * (P[0] - P[1]), -p.k * (P[1] - P[2]), np.array([0, 0.5]) - 0.1 * V[2],
                               -p.k * (P[3] - P[2]), -p.k * (P[4] - P[0])])

    def equal(i):
        return lambda t, q, v: v[2 * i:2 * i + 2] @ v[2 * i:2 * i + 2] - v[:2] @ v[:2]

    system = Points(M, force, *[equal(i) for i in range(1, 5)])
    q0 = [0, 0, 1, 0.5, 2, -0.3, 2.4, 0.9, -0.8, 0.6]
    v0 = [0.6, 0.8, 0.8, 0.6, 1, 0, 0, 1, -0.28, 0.96]
    q, v, lam, J, _ = system.end(q0, v0, m.T, rtol)
    names = [f"{a}{i}" for i in range(1, 6) for a in "xy"]
    out = rated(names, q, v) | named([f"multiplier(e{i})" for i in range(2, 6)], lam)
    return out | vec("R(D1)", (J.T @ lam)[:2])


@oracle("formation-square-overbraced", note="""The square is one rigid body: Newton's and Euler's equations of its mass centre
and its rotation by hand, the forces of the six rows together from m a - F of each satellite. DOP853.""")
def square(m, rtol):
    M = np.array([1.0, 1.2, 0.8, 1.1])
    P = np.array([[0, 0], [0.4, 0], [0.4, 0.4], [0, 0.4]])
    c = M @ P / M.sum()
    B = P - c
    J = M @ (B**2).sum(axis=1)
    r0 = np.array([2.0, 0]) + c
    w0 = (1.5 - 1.3) / 0.4
    v0 = np.array([-0.1, 1.3]) + w0 * np.array([-c[1], c[0]])

    def spots(y):
        R = np.array([[np.cos(y[2]), -np.sin(y[2])], [np.sin(y[2]), np.cos(y[2])]])
        d = B @ R.T
        return y[:2] + d, d

    def f(t, y):
        at, d = spots(y)
        F = -3.9 * M[:, None] * at / np.sqrt((at**2).sum(axis=1))[:, None]**3
        return np.array([*y[3:], *(F.sum(axis=0) / M.sum()), (d[:, 0] @ F[:, 1] - d[:, 1] @ F[:, 0]) / J])

    y = integrate(f, [*r0, 0, *v0, w0], m.T, rtol=rtol)
    rate = f(m.T, y)
    at, d = spots(y)
    perp = np.stack([-d[:, 1], d[:, 0]], axis=1)
    v = y[3:5] + y[5] * perp
    a = rate[3:5] + rate[5] * perp - y[5]**2 * d
    F = -3.9 * M[:, None] * at / np.sqrt((at**2).sum(axis=1))[:, None]**3
    R = M[:, None] * a - F
    # multipliers by least squares: rows |d_ij|^2, force on i is 2 lambda (r_i - r_j)
    pairs = [(0, 1), (2, 1), (2, 3), (0, 3), (0, 2), (1, 3)]
    A = np.zeros((6, 8))
    for k, (i, j) in enumerate(pairs):
        A[k, 2 * i:2 * i + 2] = 2 * (at[i] - at[j])
        A[k, 2 * j:2 * j + 2] = -2 * (at[i] - at[j])
    lam = np.linalg.pinv(A.T, rcond=1e-10) @ R.ravel()
    names = [f"{a}{i}" for i in range(1, 5) for a in "xy"]
    return rated(names, at.ravel(), v.ravel()) | named([f"multiplier({k})" for k in ("d12", "d23", "d34", "d41", "d13", "d24")], lam)


@oracle("atwood-pulley", note="""One equation by hand for the height z1, tensions on both sides of the pulley from each mass.
DOP853.""")
def atwood(m, rtol):
    p = m.p
    # al' = z2'/R = -z1'/R; the rope pulls m1 with S1 = m1 (g + z1'')

    def accel(u):
        drag = -p.tf * np.tanh(-u / p.R / 2)                 # torque along al
        return (-(p.m1 - p.m2) * p.g - drag / p.R) / (p.m1 + p.m2 + p.J / p.R**2)

    y = integrate(lambda t, y: np.array([y[1], accel(y[1])]), [-0.6, 0.25], m.T, rtol=rtol)
    a = accel(y[1])
    al = -(y[0] + 0.6) / p.R
    S1, S2 = p.m1 * (p.g + a), p.m2 * (p.g - a)
    # rope acts on z1 and z2, grip on z2 and al: z1: S1 = rope; z2: S2 = rope + grip
    return rated(["z1", "z2", "al"], [y[0], -1.7 - y[0], al], [y[1], -y[1], -y[1] / p.R]) | {
        "multiplier(rope)": float(S1), "multiplier(grip)": float(S2 - S1)}


@oracle("double-atwood", note="""Two equations by hand for x1 and x2 with the tensions eliminated. DOP853.""")
def double(m, rtol):
    p = m.p

    def accel(x3):
        # unknown x1'', x2'', S (upper), s (lower): m1 x1'' = S - m1 g; m2 x2'' = s - m2 g;
        # m3 x3'' = s - m3 g - k (x3 + 2), x3'' = -2 x1'' - x2''; mp xp'' = S - 2 s - mp g, xp'' = -x1''
        A = np.array([[p.m1, 0, -1, 0], [0, p.m2, 0, -1], [-2 * p.m3, -p.m3, 0, -1], [-p.mp, 0, -1, 2]])
        b = np.array([-p.m1 * p.g, -p.m2 * p.g, -p.m3 * p.g - p.k * (x3 + 2), -p.mp * p.g])
        return np.linalg.solve(A, b)

    def f(t, y):
        x1, x2, u1, u2 = y
        x3 = -1.9 - 2 * (x1 + 1) - (x2 + 2.1)
        return np.array([u1, u2, *accel(x3)[:2]])

    y = integrate(f, [-1, -2.1, 0.2, 0.4], m.T, rtol=rtol)
    x1, x2, u1, u2 = y
    x3 = -1.9 - 2 * (x1 + 1) - (x2 + 2.1)
    _, _, S, s = accel(x3)
    return rated(["x1", "x2", "x3", "xp"], [x1, x2, x3, -2 - x1], [u1, u2, -2 * u1 - u2, -u1]) | {
        "multiplier(upper)": float(S), "multiplier(lower)": float(s)}


@oracle("block-and-tackle", note="""Polar coordinates of the load by hand: r = 5 - rope/4, the angle by the balance of moments
about the block. DOP853.""")
def tackle(m, rtol):
    p = m.p

    def accel(r, ph, dr, dph):
        # rope = 20 - 4 r; S the tension: I rope'' = -900 - 40 rope' - S, m (r'' - r ph'^2) = m g cos(ph) - 4 S
        I = p.Jw / p.Rw**2
        ddr = (p.m * r * dph**2 + p.m * p.g * np.cos(ph) + 4 * (900 - 160 * dr)) / (p.m + 16 * I)
        return ddr, (-p.g * np.sin(ph) - 2 * dr * dph) / r

    r0, ph0 = np.sqrt(0.49 + 15.21), np.arctan2(0.7, 3.9)
    dr0 = -0.05
    # x = r sin, y = -r cos; x' = 0.3 = r' sin + r ph' cos
    dph0 = (0.3 - dr0 * np.sin(ph0)) / (r0 * np.cos(ph0))

    y = integrate(lambda t, y: np.array([y[2], y[3], *accel(*y)]), [r0, ph0, dr0, dph0], m.T, rtol=rtol)
    r, ph, dr, dph = y
    ddr = accel(*y)[0]
    tension = (p.m * (p.g * np.cos(ph) + r * dph**2 - ddr)) / 4
    return rated(["x", "y", "rope"], [r * np.sin(ph), -r * np.cos(ph), 20 - 4 * r],
                 [dr * np.sin(ph) + r * dph * np.cos(ph), -dr * np.cos(ph) + r * dph * np.sin(ph), -4 * dr]) | {
        "multiplier(tackle)": float(-tension)}


@oracle("four-bar", note="""One freedom: the rates and second derivatives of coupler and rocker by solving the closed loop,
then the balance of power of the three bars gives a''. The force at the last joint from the rocker's moments and the
coupler's. DOP853.""")
def four_bar(m, rtol):
    p = m.p
    g = 9.81

    def e(x):
        return np.array([np.cos(x), np.sin(x)])

    def n(x):
        return np.array([-np.sin(x), np.cos(x)])

    def rates(a, b, c):
        # l1 n(a) + l2 n(b) kb - l3 n(c) kc = 0
        return np.linalg.solve(np.array([p.l2 * n(b), -p.l3 * n(c)]).T, -p.l1 * n(a))

    def parts(a, b, c, w):
        kb, kc = rates(a, b, c)
        # second derivatives at a'' = 0
        rhs = p.l1 * e(a) * w**2 + p.l2 * e(b) * (kb * w)**2 - p.l3 * e(c) * (kc * w)**2
        hb, hc = np.linalg.solve(np.array([p.l2 * n(b), -p.l3 * n(c)]).T, rhs)
        return kb, kc, hb, hc

    def accel(y):
        a, b, c, w = y
        kb, kc, hb, hc = parts(a, b, c, w)
        Ja, Jc = p.ma * p.l1**2 / 3, p.mc * p.l3**2 / 3
        Jb = p.mb * p.l2**2 / 12
        vb = p.l1 * n(a) + p.l2 / 2 * n(b) * kb                       # for a' = 1
        ab = -p.l1 * e(a) * w**2 - p.l2 / 2 * e(b) * (kb * w)**2 + p.l2 / 2 * n(b) * hb   # at a'' = 0
        M = Ja + Jc * kc**2 + Jb * kb**2 + p.mb * vb @ vb
        bias = Jc * kc * hc + Jb * kb * hb + p.mb * vb @ ab
        power = (p.tau - 0.03 * w) - g * (p.ma * p.l1 / 2 * np.cos(a) + p.mb * vb[1] + p.mc * p.l3 / 2 * np.cos(c) * kc)
        return (power - bias) / M

    def f(t, y):
        kb, kc = rates(*y[:3])
        return np.array([y[3], kb * y[3], kc * y[3], accel(y)])

    # close the loop from the rough start: a is kept least? the start follows Newton's method on b, c at a = 0.9
    a0, b, c = 0.9, 0.4, 1.3
    for _ in range(50):
        r = p.l1 * e(a0) + p.l2 * e(b) - p.l3 * e(c) - np.array([p.l0, 0])
        d = np.linalg.solve(np.array([p.l2 * n(b), -p.l3 * n(c)]).T, -r)
        b, c = b + d[0], c + d[1]
    y = integrate(f, [a0, b, c, 6.0], m.T, rtol=rtol)
    a, b, c, w = y
    kb, kc, hb, hc = parts(a, b, c, w)
    da = accel(y)
    ddb, ddc = kb * da + hb, kc * da + hc
    # loop = l1 A + l2 B - l0 - l3 C: its force on the angle c is -l3 lambda.n(c), on b it is l2 lambda.n(b)
    Jc, Jb = p.mc * p.l3**2 / 3, p.mb * p.l2**2 / 12
    ab = p.l1 * (n(a) * da - e(a) * w**2) + p.l2 / 2 * (n(b) * ddb - e(b) * (kb * w)**2)
    moment_c = Jc * ddc + p.mc * g * p.l3 / 2 * np.cos(c)
    moment_b = Jb * ddb + p.l2 / 2 * n(b) @ (p.mb * ab) + p.mb * g * p.l2 / 2 * np.cos(b)
    lam = np.linalg.solve(np.array([-p.l3 * n(c), p.l2 * n(b)]), [moment_c, moment_b])
    return rated(["a", "b", "c"], [a, b, c], [w, kb * w, kc * w]) | {"multiplier(loop.x)": float(lam[0]), "multiplier(loop.y)": float(lam[1])}


@oracle("slider-crank", note="""One freedom: G(th) th'' + G'(th) th'^2/2 = moment of the gas force, G the inertia on the crank,
by hand with its derivative by a complex step. DOP853.""")
def slider(m, rtol):
    p = m.p

    def places(th):
        ph = np.arcsin(p.r * np.sin(th) / p.l)
        s = p.r * np.cos(th) + p.l * np.cos(ph)
        rod = np.array([p.r * np.cos(th) + 0.4 * p.l * np.cos(ph), p.r * np.sin(th) - 0.4 * p.l * np.sin(ph)])
        return ph, s, rod

    h = 1e-40

    def G(th):
        # rates for th' = 1 by hand
        ph = np.arcsin(p.r * np.sin(th) / p.l)
        k = p.r * np.cos(th) / (p.l * np.cos(ph))
        ds = -p.r * np.sin(th) - p.l * np.sin(ph) * k
        dx = -p.r * np.sin(th) - 0.4 * p.l * np.sin(ph) * k
        dy = p.r * np.cos(th) - 0.4 * p.l * np.cos(ph) * k
        return p.J + p.Jr * k**2 + p.mr * (dx**2 + dy**2) + p.ms * ds**2, k, ds

    def accel(th, w):
        g, _, ds = G(th)
        dG = np.imag(G(th + 1j * h)[0]) / h
        gas = -p.pf * (1 + np.tanh(20 * (places(th)[1] - p.l))) / 2
        return (gas * ds - dG * w**2 / 2) / g

    y = integrate(lambda t, y: np.array([y[1], accel(*y)]), [0.3, 95.0], m.T, rtol=rtol)
    th, w = y
    ph, s, _ = places(th)
    _, k, ds = G(th)
    a = accel(th, w)
    ddk = np.imag(G(th + 1j * h)[2]) / h
    dds = ds * a + ddk * w**2
    gas = -p.pf * (1 + np.tanh(20 * (s - p.l))) / 2
    # close = r cos(th) + l cos(ph) - s: its force on s is -lambda = ms s'' - gas
    return rated(["th", "ph", "s"], [th, ph, s], [w, k * w, ds * w]) | {"multiplier(close)": float(gas - p.ms * dds)}


@oracle("parallelogram-overbraced", note="""One freedom: the plate only glides on a circle, (M l^2 + 3 m l^2/3) a'' =
-(M + 3 m/2) g l cos(a); by hand. The least multipliers from the generalised forces of plate and cranks by the
pseudo-inverse. DOP853.""")
def parallelogram(m, rtol):
    p = m.p
    k = (p.M + 1.5 * p.m) * 9.81 / ((p.M + p.m) * p.l)
    y = integrate(lambda t, y: np.array([y[1], -k * np.cos(y[0])]), [-0.5, 1.5], m.T, rtol=rtol)
    a, w = y
    dw = -k * np.cos(a)
    c, s, l = np.cos(a), np.sin(a), p.l
    ax, ay = l * (-s * dw - c * w**2), l * (c * dw - s * w**2)
    crank = p.m * l**2 / 3 * dw + p.m * 9.81 * l / 2 * c
    Q = np.array([p.M * ax, p.M * (ay + 9.81), 0, crank, crank, crank])
    rows = []
    for i, off in enumerate((-0.5, 0.1, 0.6)):
        for d in (0, 1):
            row = np.zeros(6)
            row[d] = 1
            row[2] = off if d else 0
            row[3 + i] = -l * (c if d else -s)
            rows.append(row)
    lam = np.linalg.pinv(np.array(rows).T, rcond=1e-10) @ Q
    names = ["x", "y", "th", "a", "b", "c"]
    out = rated(names, [l * c, l * s, 0, a, a, a], [-l * s * w, l * c * w, 0, w, w, w])
    return out | named([f"multiplier(h{i + 1}.{d})" for i in range(3) for d in "xy"], lam)


@oracle("five-bar", note=NOTE)
def five_bar(m, rtol):
    p = m.p
    M = p.m * np.array([1, 1, 2.3, 2.3, 1, 1])

    def arm(i, j):
        def phi(t, q, v):
            d, w = q[2 * i:2 * i + 2] - q[2 * j:2 * j + 2], v[2 * i:2 * i + 2] - v[2 * j:2 * j + 2]
            return d @ w / norm(d)
        return phi

    system = Points(M, lambda t, q, v: M * np.array([0, -p.g] * 3),
                    lambda t, q, v: 2 * ((q[0] + 0.2) * v[0] + q[1] * v[1]),
                    lambda t, q, v: 2 * ((q[4] - 0.2) * v[4] + q[5] * v[5]), arm(1, 0), arm(1, 2))
    q0 = np.array([-0.2 - p.l1 * np.cos(0.6), -p.l1 * np.sin(0.6), 0, 0, 0.2 + p.l1 * np.cos(0.8), -p.l1 * np.sin(0.8)])
    A, B = q0[:2], q0[4:]
    d = B - A
    L = norm(d)
    h = np.sqrt(p.l2**2 - L**2 / 4)
    up = np.array([-d[1], d[0]]) / L
    q0[2:4] = (A + B) / 2 + up * h
    v0 = system.speeds(q0, [0.3, None, None, None, 0.2, None])
    q, v, lam, _, _ = system.end(q0, v0, m.T, rtol)
    return rated(["x1", "y1", "x2", "y2", "x3", "y3"], q, v) | named([f"multiplier({c})" for c in ("left", "right", "arm1", "arm2")], lam)


@oracle("peaucellier", note=NOTE + """ The tip's straight line, |OC| |OD| = L^2 - r^2, is checked.""")
def peaucellier(m, rtol):
    p = m.p
    M = p.m * np.array([1, 1, 1, 1, 1, 1, 2, 2])

    def dist(i, j=None):
        def phi(t, q, v):
            d, w = q[2 * i:2 * i + 2], v[2 * i:2 * i + 2]
            if j is not None:
                d, w = d - q[2 * j:2 * j + 2], w - v[2 * j:2 * j + 2]
            return 2 * d @ w
        return phi

    system = Points(M, lambda t, q, v: [0, 0, 0, 0, 0, 0, 0, -6.0 * (q[7] - 0.1)],
                    dist(0), dist(1), dist(0, 2), dist(1, 2), dist(0, 3), dist(1, 3),
                    lambda t, q, v: 2 * ((q[4] - p.c) * v[4] + q[5] * v[5]))
    C = p.c * np.array([1 + np.cos(0.35), np.sin(0.35)])
    oc = norm(C)
    u = C / oc
    x = (p.L**2 - p.r**2 + oc**2) / (2 * oc)                  # foot of a and b on the line OC
    y = np.sqrt(p.L**2 - x**2)
    up = np.array([-u[1], u[0]])
    A, B, D = x * u + y * up, x * u - y * up, (2 * x - oc) * u
    q0 = np.concatenate([A, B, C, D])
    v0 = system.speeds(q0, [None] * 7 + [0.3])
    q, v, lam, _, _ = system.end(q0, v0, m.T, rtol)
    if abs(q[6] - (p.L**2 - p.r**2) / (2 * p.c)) > 1e-9:
        raise ArithmeticError("the tip is off its line")
    names = ["ax", "ay", "bx", "by", "cx", "cy", "dx", "dy"]
    return rated(names, q, v) | named([f"multiplier({c})" for c in ("oa", "ob", "ac", "bc", "ad", "bd", "crank")], lam)


@oracle("funnel-logarithm", note="""By hand in polar coordinates: r^2 phi' is constant and the energy gives r''; DOP853.
The multiplier is m (g + z'').""")
def funnel(m, rtol):
    p = m.p
    r0, ph0 = np.hypot(0.8, 0.1), np.arctan2(0.1, 0.8)
    dr0, h = 1.9 * 0.1 / r0, 0.8 * 1.9

    def accel(r, dr):
        f1, f2 = 2 * r / (1 + r**2), 2 * (1 - r**2) / (1 + r**2)**2
        return (h**2 / r**3 - f1 * (9.81 + f2 * dr**2)) / (1 + f1**2)

    y = integrate(lambda t, y: np.array([y[1], accel(y[0], y[1]), h / y[0]**2]), [r0, dr0, ph0], m.T, rtol=rtol)
    r, dr, ph = y
    f1, f2 = 2 * r / (1 + r**2), 2 * (1 - r**2) / (1 + r**2)**2
    c, s, dph = np.cos(ph), np.sin(ph), h / r**2
    ddz = f1 * accel(r, dr) + f2 * dr**2
    lam = p.m * (9.81 + ddz)
    # the force is normal: (-f1 cos, -f1 sin, 1) lambda
    return rated(["x", "y", "z"], [r * c, r * s, np.log(1 + r**2)], [dr * c - r * s * dph, dr * s + r * c * dph, f1 * dr]) | {
        "multiplier(surface)": float(lam)} | vec("R(P)", lam * np.array([-f1 * c, -f1 * s, 1]))


@oracle("torus-by-roots", note="""Angles u (round the tube) and w (round the axis) by hand from the kinetic energy
(a^2 u'^2 + (A + a cos u)^2 w'^2) m/2; DOP853. The multiplier from the acceleration along the normal.""")
def torus(m, rtol):
    p = m.p
    A, a, mass = p.A, p.a, 1.5
    F = np.array([0.3, 0, -2.5])

    def accel(u, w, du, dw):
        rho = A + a * np.cos(u)
        Qu = F @ np.array([-a * np.sin(u) * np.cos(w), -a * np.sin(u) * np.sin(w), a * np.cos(u)])
        Qw = F @ np.array([-rho * np.sin(w), rho * np.cos(w), 0])
        return (Qu / mass - rho * a * np.sin(u) * dw**2) / a**2, (Qw / mass + 2 * rho * a * np.sin(u) * du * dw) / rho**2

    # start: u = -pi/2, w = 0, x' = 0.7 along the tube: r_u = (a, 0, 0)
    y = integrate(lambda t, y: np.array([y[2], y[3], *accel(*y)]), [-np.pi / 2, 0, 0.7 / a, 1.1 / A], m.T, rtol=rtol)
    u, w, du, dw = y
    rho = A + a * np.cos(u)
    n = np.array([np.cos(u) * np.cos(w), np.cos(u) * np.sin(w), np.sin(u)])
    normal = -a * du**2 - rho * np.cos(u) * dw**2            # acceleration along n
    lam = mass * normal - F @ n
    v = a * du * np.array([-np.sin(u) * np.cos(w), -np.sin(u) * np.sin(w), np.cos(u)]) + rho * dw * np.array([-np.sin(w), np.cos(w), 0])
    return rated(["x", "y", "z"], [rho * np.cos(w), rho * np.sin(w), a * np.sin(u)], v) | {"multiplier(torus)": float(lam)} | vec("R(P)", lam * n)


@oracle("climb-along-speed", note=NOTE)
def climb(m, rtol):
    p = m.p
    system = Points([p.m] * 3, lambda t, q, v: [-q[0], -0.6 * q[1], -1.2],
                    lambda t, q, v: v[2] - p.be * np.sqrt(v[0]**2 + v[1]**2) - 0.1 * t)
    q, v, lam, J, _ = system.end([0.5, 0, 0], [0.9, 1.3, p.be * np.sqrt(0.81 + 1.69)], m.T, rtol)
    return rated(["x", "y", "z"], q, v) | vec("R(P)", J.T @ lam)


@oracle("logarithm-of-speed", note=NOTE)
def logarithm(m, rtol):
    system = Points([1.1, 0.7], lambda t, q, v: [-2 * q[0] - 0.3 * q[1], -q[1] - 0.3 * q[0]],
                    lambda t, q, v: v[1] - np.log(1 + v[0]**2) + 0.2 * q[0])
    q, v, lam, _, _ = system.end([0.3, -0.4], [1.1, np.log(1 + 1.21) - 0.06], m.T, rtol)
    return rated(["x", "y"], q, v) | {"multiplier(row)": float(lam[0])}


@oracle("heading-program", note="""By hand: the speed u obeys m u' = force along the course - 0.5 u, the course is given; the
reaction is m u times its rate less the force across it. DOP853.""")
def heading(m, rtol):
    p = m.p
    th, w = (lambda t: 0.4 + 0.2 * np.sin(t)), (lambda t: 0.2 * np.cos(t))
    e = lambda t: np.array([np.cos(th(t)), np.sin(th(t))])  # noqa: E731
    F = np.array([1.2, 0.4])
    y = integrate(lambda t, y: np.array([*(y[2] * e(t)), (F @ e(t) - 0.5 * y[2]) / p.m]), [0, 0, 1.5 / np.cos(0.4)], m.T, rtol=rtol)
    T = m.T
    n = np.array([-np.sin(th(T)), np.cos(th(T))])
    R = (p.m * y[2] * w(T) - F @ n) * n
    # d(atan2)/dv = n/u
    return rated(["x", "y"], y[:2], y[2] * e(T)) | {"multiplier(course)": float(R @ n * y[2])}


@oracle("bead-on-whirling-helix", note="""One freedom by hand: (1 + a^2/h^2) z'' = -g, closed form; the forces are m a.""")
def helix(m, rtol):
    p = m.p
    k = -9.81 / (1 + (p.a / p.h)**2)
    T = m.T
    z, dz = 0.4 + 1.8 * T + k * T**2 / 2, 1.8 + k * T
    ph, dph, ddph = z / p.h + p.Om * T, dz / p.h + p.Om, k / p.h
    c, s = np.cos(ph), np.sin(ph)
    acc = p.a * np.array([-s * ddph - c * dph**2, c * ddph - s * dph**2])
    return rated(["x", "y", "z"], [p.a * c, p.a * s, z], [-p.a * s * dph, p.a * c * dph, dz]) | {
        "multiplier(cx)": float(0.09 * acc[0]), "multiplier(cy)": float(0.09 * acc[1])}


@oracle("crane-programs", note="""By hand: m a = m g - 15 v + F d/|d| along the rope d, F from the second derivative of
|d|^2 = rope^2 with the programs written out. DOP853.""")
def crane(m, rtol):
    p = m.p

    def program(t):
        at = np.array([p.v0 * t + 0.4 * np.sin(0.8 * t), 0.2 * np.sin(0.5 * t), 0])
        v = np.array([p.v0 + 0.32 * np.cos(0.8 * t), 0.1 * np.cos(0.5 * t), 0])
        a = np.array([-0.256 * np.sin(0.8 * t), -0.05 * np.sin(0.5 * t), 0])
        return at, v, a, 9.5 - 0.35 * t, -0.35

    def accel(t, r, v):
        at, va, aa, l, dl = program(t)
        d, w = r - at, v - va
        f = np.array([0, 0, -9.81]) - 15 * v / p.m
        k = (dl**2 - w @ w - d @ (f - aa)) / l**2            # d.d'' = dl^2 - w.w
        return f + k * d, p.m * k * l

    at, va, _, l, dl = program(0)
    r0 = np.array([0.3, 0.5, -np.sqrt(9.5**2 - 0.34)])
    v0 = np.array([0.2, 0, 0])
    v0[2] = (l * dl - (r0 - at)[:2] @ (v0 - va)[:2]) / r0[2]
    y = integrate(lambda t, y: np.concatenate([y[3:], accel(t, y[:3], y[3:])[0]]), [*r0, *v0], m.T, rtol=rtol)
    F = accel(m.T, y[:3], y[3:])[1]
    at, _, _, l, _ = program(m.T)
    return rated(["x", "y", "z"], y[:3], y[3:]) | {"multiplier(hoist)": float(F)} | vec("R(load)", F * (y[:3] - at) / l)
