"""The bicycle of zoo/bicycle.toml by brute force, as a reference for right-hand sides: only places and
orientations are written down. All derivatives are differences in numbers of many digits, and the accelerations
solve M q'' = r + A^T lambda, A q'' + B = 0."""

import mpmath
from mpmath import matrix, mpf

Z = matrix([0, 0, 1])
NAMES = "x y z psi phi th ar delta af".split()


def parameters():
    """Numbers need the precision that is set when they are made."""
    number = {
        "g": "9.81", "w": "1.02", "c": "0.08", "rr": "0.3", "rf": "0.35", "xb": "0.3", "zb": "-0.9", "xh": "0.9",
        "zh": "-0.7",
    }  # fmt: skip
    return {name: mpf(text) for name, text in number.items()}


# Mass, moments about x, y, z, product xz.
BODIES = {
    "rear": ("2", "0.0603", "0.12", "0.0603", "0"),
    "frame": ("85", "9.2", "11", "2.8", "2.4"),
    "fork": ("4", "0.05892", "0.06", "0.00708", "-0.00756"),
    "front": ("3", "0.1405", "0.28", "0.1405", "0"),
}


def cross(a, b):
    return matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rotation(axis, angle):
    """Rodrigues' matrix."""
    K = matrix([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return mpmath.eye(3) + mpmath.sin(angle) * K + (1 - mpmath.cos(angle)) * K * K


def configuration(q):
    """Centre and orientation of each body, and the arms from the wheels' centres to the ground."""
    p = parameters()
    tilt = mpmath.pi / 10
    x, y, z, psi, phi, th, ar, delta, af = q
    L = rotation([0, 0, 1], psi) * rotation([1, 0, 0], phi)
    B = L * rotation([0, 1, 0], th)
    H = B * rotation([mpmath.sin(tilt), 0, mpmath.cos(tilt)], delta)
    rear = matrix([x, y, z])
    axis = rear + B * matrix([p["w"] + p["c"], 0, p["rr"]])
    across = Z - dot(Z, H[:, 1]) * H[:, 1]
    bodies = {
        "rear": (rear, L * rotation([0, 1, 0], ar)),
        "frame": (rear + B * matrix([p["xb"], 0, p["zb"] + p["rr"]]), B),
        "fork": (axis + H * matrix([p["xh"] - p["w"] - p["c"], 0, p["zh"]]), H),
        "front": (axis + H * matrix([-p["c"], 0, -p["rf"]]), H * rotation([0, 1, 0], af)),
    }
    return bodies, {"rear": p["rr"] * L[:, 2], "front": p["rf"] * across / mpmath.norm(across)}


def along(f, q, v):
    """The derivative of f at q along v."""
    h = mpf(10) ** (-mpmath.mp.dps // 3)
    return (f([a + h * b for a, b in zip(q, v)]) - f([a - h * b for a, b in zip(q, v)])) / (2 * h)


def motion(q, v):
    """Velocity of the centre and spin of each body, in the axes of the ground."""
    found = {}
    for name, (_, turn) in configuration(q)[0].items():
        velocity = along(lambda q: configuration(q)[0][name][0], q, v)
        W = along(lambda q: configuration(q)[0][name][1], q, v) * turn.T
        found[name] = velocity, matrix([W[2, 1], W[0, 2], W[1, 0]])
    return found


def momentum(q, v):
    """T_v, from the partial velocities: those of unit vectors."""
    moving, bodies = motion(q, v), configuration(q)[0]
    units = [motion(q, [mpf(i == k) for i in range(9)]) for k in range(9)]
    result = []
    for unit in units:
        total = mpf(0)
        for name, (mass, xx, yy, zz, xz) in BODIES.items():
            turn = bodies[name][1]
            inertia = matrix([[mpf(xx), 0, mpf(xz)], [0, mpf(yy), 0], [mpf(xz), 0, mpf(zz)]])
            velocity, spin = moving[name]
            total += mpf(mass) * dot(velocity, unit[name][0]) + dot(turn * inertia * (turn.T * spin), unit[name][1])
        result.append(total)
    return matrix(result)


def lagrangian(q, v):
    """T - V; z points down."""
    g = parameters()["g"]
    height = sum(mpf(BODIES[name][0]) * centre[2] for name, (centre, _) in configuration(q)[0].items())
    return dot(momentum(q, v), v) / 2 + g * height


def slip(q, v):
    """Velocities of the material points at the contacts."""
    moving, (_, arms) = motion(q, v), configuration(q)
    points = [moving[name][0] + cross(moving[name][1], arm) for name, arm in arms.items()]
    return matrix([x for point in points for x in point])


def rates(y):
    """The rates of the state, on the constraints or not."""
    q, v = list(y[:9]), list(y[9:])
    unit = [[mpf(i == k) for i in range(9)] for k in range(9)]
    right = matrix([along(lambda q: lagrangian(q, v), q, e) for e in unit])
    right -= along(lambda q: momentum(q, v), q, v)
    known = along(lambda q: slip(q, v), q, v)
    columns, rows = [momentum(q, e) for e in unit], [slip(q, e) for e in unit]
    system, b = mpmath.zeros(15), matrix(list(right) + list(-known))
    for k in range(9):
        for i in range(9):
            system[i, k] = columns[k][i]
        for i in range(6):
            system[9 + i, k] = rows[k][i]
            system[k, 9 + i] = -rows[k][i]
    return v + list(mpmath.lu_solve(system, b)[:9])
