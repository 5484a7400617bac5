"""Newton-Euler equations in the positions and attitudes of all bodies, and their integration.

The unknowns of every instant are the accelerations of the mass centres, the angular accelerations
and the forces of the constraints:

    m a_i = F_i + sum of forces,    I_i alpha_i + omega_i x I_i omega_i = T_i + sum of moments,
    J u' = b' - J' u                (the rows J u = b, differentiated along the motion)

A row is given by hand as "this point of a body (less that of another body) moves so fast along this
direction"; the derivative along the motion is taken by a complex step, which has no rounding error
of differences. No Lagrangian, no generalised coordinates: angles are quadratures beside the motion.
"""
import os
import tomllib

import numpy as np
from scipy.integrate import solve_ivp

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEP = 1e-40

EX, EY, EZ = np.eye(3)


class Bag:
    """Names as attributes."""

    def __init__(self, **entries):
        self.__dict__.update(entries)


def model(name):
    """The model file as a dictionary, its parameters as numbers in `p`, and its end time in `T`."""
    with open(os.path.join(FOLDER, name + ".toml"), "rb") as file:
        table = tomllib.load(file)
    given = {k: v["value"] if isinstance(v, dict) else v for k, v in table.get("parameters", {}).items()}
    return Bag(table=table, p=Bag(**numbers(given)), T=float(table["simulate"]["until"]))


def numbers(given):
    """The values of parameters; a string is a formula of other parameters."""
    names = {k: getattr(np, k) for k in ("sin", "cos", "tan", "sqrt", "exp", "log", "pi")}
    left = dict(given)
    while left:
        before = len(left)
        for key, value in list(left.items()):
            try:
                names[key] = float(eval(value.replace("^", "**"), {}, names)) if isinstance(value, str) else float(value)
                del left[key]
            except NameError:
                pass
        if len(left) == before:
            raise ValueError(f"parameters {list(left)}")
    return {k: names[k] for k in given}


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def unit(a):
    return a / np.sqrt(a @ a)


def matrix(e):
    """The rotation matrix of a quaternion, scalar first; its columns are the body's axes."""
    a, b, c, d = e
    return np.array([
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]) / (a * a + b * b + c * c + d * d)


def turn(axis, angle):
    """The quaternion of a rotation."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis, float)])


def product(p, q):
    """The product of quaternions: first `q`, then `p` (or: frame after frame, from left to right)."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])])


def turns(*pairs):
    """Frame after frame: `turns((EZ, psi), (EX, theta))` is B in N, where A turns by psi about z and B in A by theta about x."""
    e = np.array([1.0, 0, 0, 0])
    for axis, angle in pairs:
        e = product(e, turn(axis, angle))
    return e


class Rows:
    """The rows J u = b at one instant; `dim` is 3 (six velocities a body) or 2 (three a body)."""

    def __init__(self, state):
        self.s, self.J, self.b, self.labels, self.along = state, [], [], [], []

    def _add(self, label, parts, rhs, along):
        s = self.s
        row = np.zeros(s.width * s.n, dtype=complex)
        for i, linear, angular in parts:
            at = s.width * i
            row[at:at + s.dim] += linear
            row[at + s.dim:at + s.width] += angular
        self.J.append(row)
        self.b.append(rhs)
        self.labels.append(label)
        self.along.append(along)

    def point(self, label, i, rho, d, j=None, rho_j=None, rhs=0.0):
        """The point at centre + rho of body i (less that of body j) moves at `rhs` along d."""
        moment = cross if self.s.dim == 3 else lambda a, c: np.array([a[0] * c[1] - a[1] * c[0]])
        parts = [(i, d, moment(rho, d))]
        if j is not None:
            parts.append((j, -d, -moment(rho_j, d)))
        self._add(label, parts, rhs, d)

    def spin(self, label, i, d=None, j=None, rhs=0.0):
        """Body i (less body j) turns at `rhs` along d."""
        d = np.array([1.0]) if self.s.dim == 2 else d
        parts = [(i, 0 * EX if self.s.dim == 3 else np.zeros(2), d)]
        if j is not None:
            parts.append((j, parts[0][1], -d))
        self._add(label, parts, rhs, d)

    def contact(self, label, i, rho, v=(0, 0, 0), dirs=(EX, EY, EZ), **other):
        """The point at centre + rho moves with velocity v, along each of `dirs`."""
        for d in dirs:
            self.point(label, i, rho, d, rhs=np.asarray(v) @ d, **other)

    def joint(self, label, i, rho, j, rho_j, axis=None):
        """A common point of two bodies; with `axis` (a vector in space) a hinge about it."""
        axes = (EX, EY, EZ) if self.s.dim == 3 else np.eye(2)
        for d in axes:
            self.point(label, i, rho, d, j, rho_j)
        if axis is not None:
            self.fix(label + ":couple", i, j, axis)

    def fix(self, label, i, j, axis):
        """No relative turning but about `axis`."""
        real = np.real(axis)
        e = EX if abs(real[0]) < 0.7 * np.sqrt(real @ real) else EY
        p = cross(axis, e)
        for d in (p, cross(axis, p)):
            self.spin(label, i, d, j)

    def arrays(self):
        n = self.s.width * self.s.n
        return np.array(self.J).reshape(-1, n), np.array(self.b, dtype=complex)


class Loads:
    """Forces and torques at one instant."""

    def __init__(self, state):
        self.s = state
        self.Q = np.zeros(state.width * state.n)

    def force(self, i, F, rho=None):
        s, at = self.s, self.s.width * i
        F = np.asarray(F, float)
        self.Q[at:at + s.dim] += F
        if rho is not None:
            self.Q[at + s.dim:at + s.width] += cross(rho, F) if s.dim == 3 else rho[0] * F[1] - rho[1] * F[0]

    def torque(self, i, T, j=None):
        s = self.s
        self.Q[s.width * i + s.dim:s.width * (i + 1)] += T
        if j is not None:
            self.Q[s.width * j + s.dim:s.width * (j + 1)] -= T


class System:
    """Bodies with rows and loads.

    masses, inertias (dim 3: matrices or diagonals in the body; dim 2: numbers), `rows(t, s, rows)`,
    `loads(t, s, loads)`, `aux(t, s)` the rates of quadratures. `s` has lists r, v, w, the quaternions e
    and matrices R (dim 3) or angles th (dim 2), and aux.
    """

    def __init__(self, masses, inertias, rows, loads=None, gravity=None, aux=None, dim=3):
        self.m, self.dim, self.n = masses, dim, len(masses)
        self.I = [np.diag(I) if dim == 3 and np.ndim(I) == 1 else I for I in inertias]
        self.rows, self.loads, self.aux = rows, loads, aux
        self.g = np.zeros(dim) if gravity is None else np.asarray(gravity, float)
        self.width, self.att = (6, 4) if dim == 3 else (3, 1)
        self.size = self.n * (dim + self.att + self.width)

    def unpack(self, y):
        d, k, n = self.dim, self.att, self.n
        pos = y[:n * (d + k)].reshape(n, d + k)
        vel = y[n * (d + k):self.size].reshape(n, self.width)
        s = Bag(dim=d, width=self.width, n=n, r=list(pos[:, :d]), v=list(vel[:, :d]), aux=y[self.size:])
        if d == 3:
            s.e, s.R, s.w = list(pos[:, d:]), [matrix(e) for e in pos[:, d:]], list(vel[:, d:])
        else:
            s.th, s.w = list(pos[:, d]), list(vel[:, d])
        return s

    def pack(self, r, att, v, w, aux=()):
        pos = [np.concatenate([np.atleast_1d(a), np.atleast_1d(b)]) for a, b in zip(r, att)]
        vel = [np.concatenate([np.atleast_1d(a), np.atleast_1d(b)]) for a, b in zip(v, w)]
        return np.concatenate([*pos, *vel, np.asarray(aux, float)]).astype(float)

    def velocities(self, t, r, att, given, aux=()):
        """The state whose velocities obey the rows and `given(t, s, rows)`, which together fix them."""
        zero = [np.zeros(self.dim)] * self.n
        y = self.pack(r, att, zero, [np.zeros(self.width - self.dim)] * self.n, aux)
        s = self.unpack(y)
        rows = Rows(s)
        self.rows(t, s, rows)
        given(t, s, rows)
        J, b = np.real(rows.arrays()[0]), np.real(rows.arrays()[1])
        u, _, rank, _ = np.linalg.lstsq(J, b, rcond=1e-10)
        if rank < J.shape[1] or np.abs(J @ u - b).max() > 1e-9 * (1 + np.abs(b).max()):
            raise ValueError(f"start: rank {rank} of {J.shape[1]}, misses by {np.abs(J @ u - b).max()}")
        y[self.n * (self.dim + self.att):self.size] = u
        return y

    def rates(self, y, s):
        """The rates of positions, attitudes (and, by `derivative`, of the rest)."""
        out = []
        for i in range(self.n):
            if self.dim == 3:
                e, w = s.e[i], s.w[i]
                out.append(np.concatenate([s.v[i], [-0.5 * (w @ e[1:])], 0.5 * (e[0] * w + cross(w, e[1:]))]))
            else:
                out.append(np.concatenate([s.v[i], np.atleast_1d(s.w[i])]))
        return np.concatenate(out)

    def solve(self, t, y):
        """Rates of the state, the multipliers and their rows."""
        n, d, w = self.n, self.dim, self.width
        s = self.unpack(y)
        q_rate = self.rates(y, s)
        aux_rate = np.asarray(self.aux(t, s), float) if self.aux else np.zeros(0)
        L = Loads(s)
        if self.loads:
            self.loads(t, s, L)
        free = np.zeros(w * n)
        inverse = np.zeros((w * n, w * n))
        for i in range(n):
            at = w * i
            free[at:at + d] = L.Q[at:at + d] / self.m[i] + self.g
            inverse[at:at + d, at:at + d] = np.eye(d) / self.m[i]
            if d == 3:
                I = s.R[i] @ self.I[i] @ s.R[i].T
                inv = np.linalg.inv(I)
                free[at + 3:at + 6] = inv @ (L.Q[at + 3:at + 6] - cross(s.w[i], I @ s.w[i]))
                inverse[at + 3:at + 6, at + 3:at + 6] = inv
            else:
                free[at + 2] = L.Q[at + 2] / self.I[i]
                inverse[at + 2, at + 2] = 1 / self.I[i]
        moved = y.astype(complex)
        moved[:len(q_rate)] += 1j * STEP * q_rate
        moved[self.size:] += 1j * STEP * aux_rate
        rows = Rows(self.unpack(moved))
        self.rows(t + 1j * STEP, rows.s, rows)
        J, b = rows.arrays()
        u = y[n * (d + self.att):self.size]
        right = (np.imag(b) - np.imag(J) @ u) / STEP
        J = np.real(J)
        if len(J):
            lam = np.linalg.lstsq(J @ inverse @ J.T, right - J @ free, rcond=1e-12)[0]
            free = free + inverse @ (J.T @ lam)
        else:
            lam = np.zeros(0)
        return np.concatenate([q_rate, free, aux_rate]), lam, rows

    def forces(self, t, y):
        """label -> sum of multiplier * direction, the force (or couple) on the first body of the rows."""
        _, lam, rows = self.solve(t, y)
        out = {}
        for label, d, value in zip(rows.labels, rows.along, lam):
            out[label] = out.get(label, 0) + value * np.real(d)
        return out

    def end(self, y0, T, t0=0.0, rtol=1e-12):
        """(state, forces) at T."""
        y = integrate(lambda t, y: self.solve(t, y)[0], y0, T, t0, rtol)
        s = self.unpack(y)
        rate = self.solve(T, y)[0]
        s.acc = rate[self.n * (self.dim + self.att):self.size].reshape(self.n, self.width)
        return s, self.forces(T, y)


def integrate(f, y0, T, t0=0.0, rtol=1e-12):
    """The end state by DOP853; the absolute tolerance is a hundredth of the relative one."""
    answer = solve_ivp(f, (t0, T), np.asarray(y0, float), method="DOP853", rtol=rtol, atol=rtol / 100)
    if not answer.success:
        raise ArithmeticError(answer.message)
    return answer.y[:, -1]


def named(names, values):
    return {n: float(v) for n, v in zip(names, values)}


def vector(what, value):
    """`dot(what, N.x)`, ... -> components."""
    return {f"dot({what}, N.{a})": float(x) for a, x in zip("xyz", value)}


ORACLES = {}


def oracle(*names, note):
    """Registers `f(model, rtol) -> {expression: value at the end}` for the models named."""

    def register(f):
        for name in names:
            ORACLES[name] = (f, " ".join(note.split()))
        return f

    return register
