"""Tops, rattlebacks, gyrostats and bodies with a fixed point."""
import numpy as np

from mechanics import EX, EY, EZ, System, cross, integrate, matrix, named, oracle, turns, vector

NOTE = """Newton's and Euler's equations of the body with the force of the contact as the unknown
(strangers/oracles/mechanics.py), the contact point by hand from the shape, attitude by a quaternion; DOP853."""
SEVEN = ["x", "y", "z", "e0", "e1", "e2", "e3"]
G = np.array([0, 0, -9.81])


def spin(rows, i, w):
    for d in (EX, EY, EZ):
        rows.spin("given", i, d, rhs=w @ d)


def touching(m, rtol, inertia, offset, e0, w0, aux=None, aux0=(), xy=(0.0, 0.0)):
    """A body that rolls on z = 0; `offset(R)` from the mass centre to the contact."""

    def rows(t, s, rows):
        rows.contact("roll", 0, offset(s.R[0]))

    system = System([m.p.m], [inertia], rows, None, G, aux)
    R = matrix(e0)
    r0 = np.array([*xy, -np.real(offset(R))[2]])
    y0 = system.velocities(0, [r0], [e0], lambda t, s, rows: spin(rows, 0, w0), aux0)
    return system.end(y0, m.T, rtol=rtol)


def seven(s, F, name):
    return named(SEVEN, [*s.r[0], *s.e[0]]) | named(["x'", "y'", "z'"], s.v[0]) | vector(f"R({name})", F["roll"])


@oracle("eccentric-sphere-rolling", note=NOTE)
def eccentric(m, rtol):
    p = m.p
    e0 = np.array([np.cos(0.15), np.sin(0.15), 0, 0])
    s, F = touching(m, rtol, [p.A, p.A, p.C], lambda R: p.h * R[:, 2] - p.a * EZ, e0, matrix(e0) @ np.array([1.3, -0.4, 62]))
    return seven(s, F, "top")


def angle_rates(axes):
    """Quadratures of angles about successive axes, which `axes(angles)` gives in space."""
    return lambda t, s: np.linalg.solve(np.array(axes(s.aux)).T, s.w[0])


def xyz(q):
    y1 = np.array([0, np.cos(q[0]), np.sin(q[0])])
    z1 = np.array([0, -np.sin(q[0]), np.cos(q[0])])
    return EX, y1, np.cos(q[1]) * z1 + np.sin(q[1]) * EX


def zxy(q):
    x1 = np.array([np.cos(q[0]), np.sin(q[0]), 0])
    y1 = np.array([-np.sin(q[0]), np.cos(q[0]), 0])
    return EZ, x1, np.cos(q[1]) * y1 + np.sin(q[1]) * EZ


def zxz(q):
    x1 = np.array([np.cos(q[0]), np.sin(q[0]), 0])
    y1 = np.array([-np.sin(q[0]), np.cos(q[0]), 0])
    return EZ, x1, np.cos(q[1]) * EZ - np.sin(q[1]) * y1


@oracle("tippe-top-sliding", note=NOTE + """ The material point at the contact slides; the friction there is given. Angles are
quadratures of the angular velocity.""")
def sliding(m, rtol):
    p = m.p

    def offset(R):
        return p.h * R[:, 2] - p.a * EZ

    def rows(t, s, rows):
        rows.point("table", 0, offset(s.R[0]), EZ)

    def loads(t, s, loads):
        rho = offset(s.R[0])
        loads.force(0, -p.c * (s.v[0] + cross(s.w[0], rho)), rho)

    f = angle_rates(zxz)
    q0 = [0.4, 0.9, 0.0]
    e0 = turns((EZ, q0[0]), (EX, q0[1]))
    axes = zxz(q0)
    w0 = -3.1 * axes[0] + 0.4 * axes[1] + 155 * axes[2]
    system = System([p.m], [[p.A, p.A, p.C]], rows, loads, G, f)

    def given(t, s, rows):
        spin(rows, 0, w0)
        rows.point("given", 0, 0 * EX, EX, rhs=0.02)
        rows.point("given", 0, 0 * EX, EY)

    y0 = system.velocities(0, [np.array([0, 0, -offset(matrix(e0))[2]])], [e0], given, q0)
    s, F = system.end(y0, m.T, rtol=rtol)
    names = ["x", "y", "z", "ps", "th", "ph"]
    return (named(names, [*s.r[0], *s.aux]) | named([n + "'" for n in names], [*s.v[0], *f(0, s)]) | vector("R(top)", F["table"]))


@oracle("chaplygin-top", note=NOTE + " Angles are quadratures of the angular velocity.")
def chaplygin(m, rtol):
    p = m.p
    c = np.array([p.cx, p.cy, p.cz])
    I = np.array([[0.0193, 0.0007, 0], [0.0007, 0.0221, -0.0011], [0, -0.0011, 0.0174]])
    q0 = [0.2, -0.3, 0.0]
    e0 = turns((EX, q0[0]), (EY, q0[1]))
    middle = np.array([0.3, 0.0])
    f = angle_rates(xyz)
    R0 = matrix(e0)
    s, F = touching(m, rtol, I, lambda R: R @ c - p.a * EZ, e0, np.array([1.2, 2.3, -1.9]), f, q0, middle - (R0 @ c)[:2])
    at = s.r[0] + s.R[0] @ c
    v = s.v[0] + cross(s.w[0], s.R[0] @ c)
    return (named(["x", "y", "q1", "q2", "q3"], [*at[:2], *s.aux]) | named(["x'", "y'", "q1'", "q2'", "q3'"], [*v[:2], *f(0, s)])
            | {f"dot(R(top), N.{a})": float(F["roll"][k]) for k, a in ((0, "x"), (1, "y"))})


@oracle("rattleback-quaternion", note=NOTE)
def rattleback(m, rtol):
    p = m.p
    half = np.array([p.a, p.b, p.c])
    co, si = np.cos(p.de), np.sin(p.de)
    D = np.array([[co, -si, 0], [si, co, 0], [0, 0, 1]])
    I = D @ np.diag([p.I1, p.I2, p.I3]) @ D.T                # columns of D: the principal axes

    def offset(R):
        u = -R[2, :]
        return R @ (half**2 * u / np.sqrt(np.sum((half * u)**2)) + np.array([0, 0, p.h]))

    e0 = np.array([np.cos(0.01), 0.6 * np.sin(0.01), 0.8 * np.sin(0.01), 0])
    s, F = touching(m, rtol, I, offset, e0, matrix(e0) @ np.array([0.1, 0, 4]))
    return seven(s, F, "stone")


@oracle("rattleback-paraboloid", note=NOTE + " Angles are quadratures of the angular velocity.")
def paraboloid(m, rtol):
    p = m.p
    I = np.array([[0.00021, 0.000043, 0], [0.000043, 0.00162, 0], [0, 0, 0.00174]])

    def offset(R):
        n = R[2, :]
        X, Y = -p.p1 * n[0] / n[2], -p.p2 * n[1] / n[2]
        return R @ np.array([X, Y, X**2 / (2 * p.p1) + Y**2 / (2 * p.p2) - p.h])

    q0 = [0.0, 0.01, 0.02]
    e0 = turns((EZ, q0[0]), (EX, q0[1]), (EY, q0[2]))
    axes = zxy(q0)
    w0 = -2.5 * axes[0] + 0 * axes[1] + 0.05 * axes[2]
    f = angle_rates(zxy)
    s, F = touching(m, rtol, I, offset, e0, w0, f, q0)
    names = ["x", "y", "z", "ps", "al", "be"]
    return (named(names, [*s.r[0], *s.aux]) | named([n + "'" for n in names], [*s.v[0], *f(0, s)]) | vector("R(stone)", F["roll"]))


@oracle("heavy-top-quaternion", note="""Euler's equations about the fixed point in the body's axes,
I w' = (I w) x w + c x m g R^T z, by hand; the foot's force from the acceleration of the mass centre. DOP853.""")
def heavy(m, rtol):
    p = m.p
    c = np.array([p.s, 0, p.l])                              # mass centre from the foot, in the body
    I = np.diag([0.0011, 0.0013, 0.0007]) + p.m * ((c @ c) * np.eye(3) - np.outer(c, c))
    inv = np.linalg.inv(I)

    def f(t, y):
        e, w = y[:4], y[4:]
        down = matrix(e).T @ (-9.81 * EZ)
        dw = inv @ (cross(I @ w, w) + p.m * cross(c, down))
        de = [-0.5 * (w @ e[1:]), *(0.5 * (e[0] * w - cross(w, e[1:])))]   # w in the body
        return np.array([*de, *dw])

    y = integrate(f, [np.cos(0.25), 0, np.sin(0.25), 0, 0.3, 0.5, 75], m.T, rtol=rtol)
    R, w, dw = matrix(y[:4]), y[4:], f(m.T, y)[4:]
    acc = R @ (cross(dw, c) + cross(w, cross(w, c)))
    return named(SEVEN, [*(R @ c), *y[:4]]) | named(["x'", "y'", "z'"], R @ cross(w, c)) | vector("R(top)", p.m * (acc - G))


@oracle("gimbals", note="""Euler's equations by hand: moments about the inner gimbal's axis and about the rotor's axis, with the
angular velocities written in the inner gimbal's axes; the servo's moment from the rate of the angular momentum
about the vertical. DOP853; the rate by a complex step.""")
def gimbals(m, rtol):
    p = m.p
    Ii = np.array([0.001, 0.0012, 0.0015])
    A, C = 0.0006, 0.0011                                    # rotor across and along its axis
    d = p.d

    def rate(t):
        return p.Om * (1 + 0.5 * np.sin(2 * t)), p.Om * np.cos(2 * t)

    # inner gimbal: w = (i', o' sin i, o' cos i); rotor: w_y + r'; mass at d along y
    def f(t, y):
        o, i, r, di, dr = y
        n, dn = rate(t)
        s, c = np.sin(i), np.cos(i)
        C_spin = dr + n * s                                  # rotor about its axis: constant
        X = Ii[0] + A + p.mr * d**2
        Y = Ii[1]
        Z = Ii[2] + A + p.mr * d**2
        # X w_x' - (Y w_y + C C_spin) w_z + Z w_z w_y = moment about x
        moment = -0.0008 * di - p.mr * 9.81 * d * c
        ddi = (moment + (Y * n * s + C * C_spin) * n * c - Z * n**2 * s * c) / X
        ddr = -(dn * s + n * c * di)
        return np.array([n, di, dr, ddi, ddr])

    y = integrate(f, [0, 0.3, 0, 0, 180.0], m.T, rtol=rtol)
    out = f(m.T, y)

    def momentum(t, y):
        o, i, r, di, dr = y
        n = rate(t)[0]
        s, c = np.sin(i), np.cos(i)
        hy = Ii[1] * n * s + C * (dr + n * s)
        hz = (Ii[2] + A + p.mr * d**2) * n * c
        return 0.005 * n + hy * s + hz * c

    h = 1e-40
    torque = np.imag(momentum(m.T + 1j * h, y + 1j * h * out)) / h
    return named(["o", "i", "r", "o'", "i'", "r'"], [*y[:3], *out[:3]]) | {"multiplier(servo)": float(torque)}


@oracle("gyrostat-free", note="""Euler's equations of a body whose wheel adds the angular momentum Jw n a,
I w' + w x (I w + Jw n a) = 0, by hand in the body's axes; attitude angles by their kinematic equations. The servo's
moment is that of the wheel's spin, Jw a.w'. DOP853.""")
def free(m, rtol):
    p = m.p
    a = np.array([2, 3, 6]) / 7
    J = 0.021
    I = np.array([[0.84, 0.05, -0.03], [0.05, 1.21, 0.08], [-0.03, 0.08, 1.57]]) + J * np.eye(3)
    inv = np.linalg.inv(I)

    def f(t, y):
        _, a2, a3, _ = y[:4]
        w = y[4:]
        dw = -inv @ cross(w, I @ w + J * p.n * a)
        s2, c2, s3, c3 = np.sin(a2), np.cos(a2), np.sin(a3), np.cos(a3)
        d1 = (w[1] * s3 + w[2] * c3) / c2                    # yaw, pitch, roll
        d2 = w[1] * c3 - w[2] * s3
        d3 = w[0] + d1 * s2
        return np.array([d1, d2, d3, p.n, *dw])

    y = integrate(f, [0.1, 0.2, -0.1, 0, 0.3, -0.2, 0.9], m.T, rtol=rtol)
    rate = f(m.T, y)
    names = ["a1", "a2", "a3", "w"]
    return (named(names + [n + "'" for n in names], [*y[:4], *rate[:4]])
            | {"multiplier(speed)": float(J * a @ rate[4:])})


@oracle("top-on-ice", note="""The mass centre glides; the inclination obeys Lagrange's equation of a symmetric top with
the two momenta of the ignorable angles as constants, by hand: A th'' + m l d/dt(...) = moments. DOP853; the normal
force is m (g + z'').""")
def ice(m, rtol):
    p = m.p
    th0, ps0, ph0 = 0.35, 4.0, 180.0
    b = ph0 + ps0 * np.cos(th0)                              # spin, constant
    L = p.A * ps0 * np.sin(th0)**2 + p.C * b * np.cos(th0)   # vertical angular momentum, constant

    def f(t, y):
        ps, th, ph, dth = y
        s, c = np.sin(th), np.cos(th)
        dps = (L - p.C * b * c) / (p.A * s**2)
        dph = b - dps * c
        # (A + m l^2 s^2) th'' + m l^2 s c th'^2 = A ps'^2 s c - C b ps' s + m g l s
        ddth = (p.A * dps**2 * s * c - p.C * b * dps * s + p.m * 9.81 * p.l * s - p.m * p.l**2 * s * c * dth**2) / (p.A + p.m * p.l**2 * s**2)
        return np.array([dps, dth, dph, ddth])

    y = integrate(f, [0, th0, 0, 0.5], m.T, rtol=rtol)
    rate = f(m.T, y)
    s, c = np.sin(y[1]), np.cos(y[1])
    z2 = -p.l * (s * rate[3] + c * y[3]**2)
    names = ["x", "y", "z", "ps", "th", "ph"]
    return (named(names, [0.2 * m.T, 0.1 * m.T, p.l * c, *y[:3]])
            | named([n + "'" for n in names], [0.2, 0.1, -p.l * s * y[3], *rate[:3]])
            | vector("R(top)", [0, 0, p.m * (9.81 + z2)]))


@oracle("suslov-heavy", note="""Euler's equations about the fixed point in the body's axes with the third
component of w zero and the couple as the unknown, by hand. DOP853.""")
def suslov(m, rtol):
    p = m.p
    c = np.array([p.k, 0.5 * p.k, 0])
    I = np.array([[0.011, 0, 0.002], [0, 0.014, -0.001], [0.002, -0.001, 0.018]]) + p.m * ((c @ c) * np.eye(3) - np.outer(c, c))

    def accel(e, w):
        down = matrix(e).T @ (-9.81 * EZ)
        moment = cross(I @ w, w) + p.m * cross(c, down)
        d = np.linalg.solve(I[:2, :2], moment[:2])
        return np.array([*d, 0]), I[2, :2] @ d - moment[2]

    def f(t, y):
        e, w = y[:4], y[4:]
        de = [-0.5 * (w @ e[1:]), *(0.5 * (e[0] * w - cross(w, e[1:])))]
        return np.array([*de, *accel(e, w)[0]])

    y = integrate(f, [np.cos(0.4), 0, np.sin(0.4), 0, 0.8, -1.1, 0], m.T, rtol=rtol)
    rate = f(m.T, y)
    names = ["e0", "e1", "e2", "e3"]
    return named(names + [n + "'" for n in names], [*y[:4], *rate[:4]]) | {"multiplier(no_spin)": float(accel(y[:4], y[4:])[1])}
