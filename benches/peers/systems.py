"""The systems, once for all peers: right-hand sides, initial states and parameters of the model files."""

import math
from typing import Callable, NamedTuple

import bicycle


class Mathematics(NamedTuple):
    """What a peer computes with: its sine and cosine, and its numbers from a decimal text."""

    sin: Callable
    cos: Callable
    number: Callable = float


class System(NamedTuple):
    """A field y' = field(mathematics, y), and its start, if it has a trajectory, in a module with `mpf` or
    `float`, `sin`, `cos`."""

    name: str
    size: int
    field: Callable
    start: Callable | None = None


def _perpendicular(mathematics, y):
    """Two particles, m1 = 1, m2 = 2, pushed by s = 1 along x, with v1.v2 = 0."""
    m1, m2, s = (mathematics.number(x) for x in ("1", "2", "1"))
    a, b, c, d = (y[i] for i in range(4, 8))
    multiplier = -s * (c / m1 + a / m2) / ((c * c + d * d) / m1 + (a * a + b * b) / m2)
    return [
        a,
        b,
        c,
        d,
        (s + multiplier * c) / m1,
        multiplier * d / m1,
        (s + multiplier * a) / m2,
        multiplier * b / m2,
    ]


def _disc(mathematics, y):
    """A thin disc, r = 0.5, g = 9.81, rolling without slip: as ../native/rolling-disc.c."""
    r, g, five, two_thirds = (mathematics.number(x) for x in ("0.5", "9.81", "5", "2"))
    two_thirds = two_thirds / mathematics.number("3")
    sp, cp, st, ct = (f(y[i]) for i in (3, 4) for f in (mathematics.sin, mathematics.cos))
    dpsi, dth, dph = y[9], y[10], y[11]
    over = mathematics.number("1") / ct
    w1, w2, w3 = dth, dph + dpsi * st, dpsi * ct
    ddth = (w3 * (6 * w2 - w3 * st * over) + 4 * g / r * st) / five
    dw2 = -two_thirds * w1 * w3
    ddpsi = -2 * dth * dph * over
    ddph = dw2 - ddpsi * st - dpsi * dth * ct
    e2x, e2y = -sp * ct, cp * ct
    return [
        y[6],
        y[7],
        y[8],
        dpsi,
        dth,
        dph,
        r * (dw2 * cp - w2 * dpsi * sp - ddth * e2x - w1 * (-cp * ct * dpsi + sp * st * dth)),
        r * (dw2 * sp + w2 * dpsi * cp - ddth * e2y - w1 * (-sp * ct * dpsi - cp * st * dth)),
        r * (-ddth * st - w1 * ct * dth),
        ddpsi,
        ddth,
        ddph,
    ]


def _number(module):
    return getattr(module, "mpf", float)


def _perpendicular_start(module):
    return [_number(module)(x) for x in ("1", "-2", "1", "2", "0.3", "0.4", "0.4", "-0.3")]


def _disc_start(module):
    """Height and velocity follow from contact and rolling."""
    number = _number(module)
    r, th, dpsi, dph = (number(x) for x in ("0.5", "0.1", "0.5", "6"))
    zero = number(0)
    speed = r * (dph + dpsi * module.sin(th))
    return [zero, zero, r * module.cos(th), zero, th, zero, speed, zero, zero, dpsi, zero, dph]


PERPENDICULAR = System("perpendicular", 8, _perpendicular, _perpendicular_start)
DISC = System("rolling-disc", 12, _disc, _disc_start)
BICYCLE = System("bicycle", 18, bicycle.field)
SYSTEMS = [PERPENDICULAR, DISC]
# Those whose right-hand sides are compared.
RIGHT_SIDES = [*SYSTEMS, BICYCLE]

# The ensemble of (A): velocities turned by angles around that of the model file, and of other size.
MEMBERS = 4096
CHECKED = 64


def ensemble_start(k):
    """Member k: v1 of size 0.4 to 0.6 at angles within 0.5 of the model file's, v2 across it."""
    share = math.fmod(k * 0.6180339887498949, 1.0)
    other = math.fmod(k * 0.7548776662466927, 1.0)
    angle = 0.9272952180016122 + (share - 0.5)
    size = 0.4 + 0.2 * other
    a, b = size * math.cos(angle), size * math.sin(angle)
    return [1.0, -2.0, 1.0, 2.0, a, b, b, -a]
