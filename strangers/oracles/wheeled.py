"""Wheeled robots and cars on the plane."""
import numpy as np

from mechanics import EX, EY, EZ, System, integrate, matrix, named, oracle, turn, vector


def two_wheels(p, Jw, Jd, y0, T, rtol):
    """Forward speed v and rate of turn w of a platform on two driven wheels, from Newton's and Euler's
    equations by hand; returns the state, its rates and the two driving forces of the ground."""
    mass = p.M + 2 * p.mw
    turn_inertia = p.Jz + p.M * p.c**2 + 2 * p.mw * p.d**2 + 2 * Jd

    def torques(v, w):
        return p.tl - p.b * (v - p.d * w) / p.R, p.tr - p.b * (v + p.d * w) / p.R

    def f(t, y):
        x, yy, psi, pl, pr, v, w = y
        left, right = torques(v, w)
        dv = (p.M * p.c * w**2 + (left + right) / p.R) / (mass + 2 * Jw / p.R**2)
        dw = (-p.M * p.c * v * w + p.d * (right - left) / p.R) / (turn_inertia + 2 * Jw * p.d**2 / p.R**2)
        return np.array([v * np.cos(psi), v * np.sin(psi), w, (v - p.d * w) / p.R, (v + p.d * w) / p.R, dv, dw])

    y = integrate(f, y0, T, rtol=rtol)
    rate = f(T, y)
    v, w, dv, dw = *y[5:], *rate[5:]
    left, right = torques(v, w)
    push = ((left - Jw * (dv - p.d * dw) / p.R) / p.R, (right - Jw * (dv + p.d * dw) / p.R) / p.R)
    side = p.M * (p.c * dw + v * w) + 2 * p.mw * v * w
    return y, rate, push, side


def drive_start(p, pl, pr):
    left, right = 1.3, -0.7
    return [0.1, -0.2, 0, pl, pr, p.R * (left + right) / 2, p.R * (right - left) / (2 * p.d)]


NAMES = ["x", "y", "psi", "pl", "pr", "x'", "y'", "psi'", "pl'", "pr'"]
NOTE = """Newton-Euler equations by hand in the forward speed and the rate of turn of the axle's middle (two
explicit first-order equations), integrated by DOP853; driving forces from the wheels' spins, the lateral
force from the acceleration of the mass centre."""


@oracle("drive-three-rows", note=NOTE)
def three_rows(m, rtol):
    p = m.p
    y0 = drive_start(p, 0, 0)
    y0[2] = 0.35
    y, rate, push, side = two_wheels(p, p.Jw, p.Jd, y0, m.T, rtol)
    out = named(NAMES, [*y[:5], *rate[:5]])
    return out | {"multiplier(lateral)": side, "multiplier(left)": push[0], "multiplier(right)": push[1]}


@oracle("drive-four-rows", note=NOTE + """ Of the two lateral forces only the sum is determined; the least
multipliers share it equally.""")
def four_rows(m, rtol):
    p = m.p
    y0 = drive_start(p, 0, 0)
    y0[2] = 0.35
    y, rate, push, side = two_wheels(p, p.Jw, p.Jd, y0, m.T, rtol)
    out = named(NAMES, [*y[:5], *rate[:5]])
    a, b = np.array([np.cos(y[2]), np.sin(y[2])]), np.array([-np.sin(y[2]), np.cos(y[2])])
    for name, force in (("l", push[0]), ("r", push[1])):
        F = force * a + side / 2 * b
        out |= {f"multiplier({name}x)": F[0], f"multiplier({name}y)": F[1]}
    return out


@oracle("drive-holonomic", note=NOTE)
def holonomic(m, rtol):
    p = m.p
    y0 = drive_start(p, -0.5, 0.8)
    y0[2] = p.R * 1.3 / (2 * p.d)
    y, rate, push, side = two_wheels(p, p.Jw, p.Jd, y0, m.T, rtol)
    out = named(NAMES, [*y[:5], *rate[:5]])
    return out | {"multiplier(lateral)": side, "multiplier(rolling)": sum(push),
                  "multiplier(odometer)": p.d * (push[1] - push[0])}


@oracle("drive-bodies", note=NOTE + " The two wheels share the lateral force equally (least multipliers).")
def bodies(m, rtol):
    p = m.p
    y0 = drive_start(p, 0, 0)
    y0[2] = 0.35
    J = 0.66 * p.mw * p.R**2
    y, rate, push, side = two_wheels(p, J, J / 2, y0, m.T, rtol)
    out = named(NAMES, [*y[:5], *rate[:5]])
    a, b = np.array([np.cos(y[2]), np.sin(y[2]), 0]), np.array([-np.sin(y[2]), np.cos(y[2]), 0])
    return out | vector("R(left)", push[0] * a + side / 2 * b) | vector("R(right)", push[1] * a + side / 2 * b)


SPATIAL = """Newton-Euler equations of all bodies in space with contact and hinge forces as unknowns
(strangers/oracles/mechanics.py), wheel angles as quadratures, integrated by DOP853."""


@oracle("drive-quaternion", note=SPATIAL + " The two wheels share the lateral force equally.")
def quaternion(m, rtol):
    p = m.p
    J = 0.66 * p.mw * p.R**2
    base = np.array([[0.21, 0, -0.013], [0, 0.3, 0], [-0.013, 0, 0.42]])
    axle = -p.c * EX - p.h * EZ

    def rows(t, s, rows):
        H = s.R[0]
        for i, name, side in ((1, "left", 1), (2, "right", -1)):
            rows.joint("axle", 0, H @ (axle + side * p.d * EY), i, np.zeros(3), H @ EY)
            rows.contact(name, i, -p.R * EZ)
        rows.point("skid", 0, H @ (p.s * EX - (p.h + p.R) * EZ), EZ)

    def loads(t, s, loads):
        y = s.R[0] @ EY
        for i, torque in ((1, p.tl), (2, p.tr)):
            loads.torque(i, (torque - p.b * (s.w[i] - s.w[0]) @ y) * y, 0)

    def aux(t, s):
        return [(s.w[i] - s.w[0]) @ s.R[0][:, 1] for i in (1, 2)]

    system = System([p.M, p.mw, p.mw], [base, [J / 2, J, J / 2], [J / 2, J, J / 2]], rows, loads, -9.81 * EZ, aux)
    e = turn(EZ, 1.2)
    H = matrix(e)
    r = [np.array([0, 0, p.h + p.R]) + H @ at for at in (0 * EX, axle + p.d * EY, axle - p.d * EY)]

    def given(t, s, rows):
        for i, rate in ((1, 1.3), (2, -0.7)):
            rows.spin("given", i, s.R[0][:, 1], 0, rhs=rate)

    y0 = system.velocities(0, r, [e, e, e], given, [0, 0])
    s, F = system.end(y0, m.T, rtol=rtol)
    y = s.R[0] @ EY
    half = (F["left"] - F["right"]) @ y / 2 * y
    F["left"], F["right"] = F["left"] - half, F["right"] + half
    out = named(["x", "y", "z", "e0", "e1", "e2", "e3", "pl", "pr"], [*s.r[0], *s.e[0], *s.aux])
    out |= named(["x'", "y'", "pl'", "pr'"], [*s.v[0][:2], (s.w[1] - s.w[0]) @ y, (s.w[2] - s.w[0]) @ y])
    return out | vector("R(left)", F["left"]) | vector("R(right)", F["right"]) | vector("R(base)", F["skid"])


def car(m, rtol):
    """One freedom, the speed u of the rear axle: the theorem of energy, mu u' + mu'/2 u = F - k u."""
    p = m.p
    L = p.lf + p.lr

    def steer(t):
        return 0.22 * np.sin(0.7 * t) + 0.05, 0.22 * 0.7 * np.cos(0.7 * t)

    def f(t, y):
        d, dd = steer(t)
        tan, dtan = np.tan(d), dd / np.cos(d) ** 2
        mu = p.m * (1 + (p.lr * tan / L) ** 2) + p.J * tan**2 / L**2
        dmu = 2 * tan * dtan * (p.m * p.lr**2 + p.J) / L**2
        u = y[3]
        return np.array([u * np.cos(y[2]), u * np.sin(y[2]), u * tan / L, (p.F - p.k * u - dmu / 2 * u) / mu])

    y = integrate(f, [0, 0, 0.1, 3.7], m.T, rtol=rtol)
    rate = f(m.T, y)
    d, dd = steer(m.T)
    u, du = y[3], rate[3]
    w = rate[2]
    dw = du * np.tan(d) / L + u * dd / np.cos(d) ** 2 / L
    out = named(["x", "y", "th", "x'", "y'", "th'"], [*y[:3], *rate[:3]])
    side = p.m * (p.lr * dw + u * w)             # of both axles, across the car
    front = (p.J * dw + p.lr * side) / L         # across the car: moments about the rear axle
    return out, side, front, front / np.cos(d), d, y[2]


@oracle("car-steering-program", note="""One explicit equation for the speed of the rear axle from the theorem of
energy, (mu u)' - mu' u/2 = F - k u with mu(delta) the effective mass; lateral forces from the balance of moments
about the rear axle and of forces across the car. DOP853.""")
def car_program(m, rtol):
    out, side, front, along, d, th = car(m, rtol)
    return out | {"multiplier(front)": along, "multiplier(rear)": side - front}


@oracle("car-four-wheels-ackermann", note="""The single-track car with the same middle steering angle (Ackermann: all
axles meet in one point), its speed from the theorem of energy. What force all wheels give together is not determined
along the car: only the motion is held.""")
def car_four(m, rtol):
    return car(m, rtol)[0]
