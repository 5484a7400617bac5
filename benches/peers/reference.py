"""Makes reference.json: the true states at t = 10, found twice, to 30 digits.

heyoka's Taylor series in multiple precision (150 and 200 bits), and the extrapolated midpoint rule of
Gragg, Bulirsch and Stoer in mpmath (50 digits) on right-hand sides written anew: the constraint of (A)
solved as a linear system, the disc of (B) from the balance of the moment of momentum, differentiated as
vectors. Both must agree to 30 digits.

And the rates of all right-hand sides at one state, by the latter.
"""

import json
import pathlib

import heyoka
import mpmath
import numpy

import bicycle_truth
import systems

END = 10
DIGITS = 30
BITS = 200


def by_heyoka(system, bits, start):
    """The state at END by Taylor's series."""
    real = lambda x: heyoka.real(str(x), bits)
    number = lambda x: heyoka.expression(heyoka.real(str(x), bits))
    names = [f"y{i}" for i in range(system.size)]
    y = heyoka.make_vars(*names)
    mathematics = systems.Mathematics(heyoka.sin, heyoka.cos, number)
    rates = system.field(mathematics, y)
    integrator = heyoka.taylor_adaptive(
        list(zip(y, rates)),
        numpy.array([real(x) for x in start]),
        fp_type=heyoka.real,
        prec=bits,
        tol=heyoka.real(f"1e-{int(bits * 0.29)}", bits),
        compact_mode=True,
    )
    integrator.propagate_until(real(END))
    return [mpmath.mpf(str(x)) for x in integrator.state]


def perpendicular(y):
    """m v' = F + lambda dphi/dv, with lambda from phi' = 0."""
    m, f = [1, 1, 2, 2], [1, 0, 1, 0]
    a, b, c, d = y[4:]
    row = [c, d, a, b]
    free = sum(r * g / k for r, g, k in zip(row, f, m))
    weight = sum(r * r / k for r, k in zip(row, m))
    multiplier = -free / weight
    return [a, b, c, d] + [(g + multiplier * r) / k for r, g, k in zip(row, f, m)]


def disc(y):
    """Balance of the moment of momentum about the contact C of a disc of unit mass, in inertial axes.

    H_C = (r_P - r_C) x v + J w; dH_C/dt = (r_P - r_C) x g - v_C x v, and v_C, the velocity of the
    geometrical point C along the plane, follows from heading and lean.
    """
    r, g = mpmath.mpf(1) / 2, mpmath.mpf("9.81")
    psi, th = y[3], y[4]
    dpsi, dth, dph = y[9:]
    cross = lambda a, b: mpmath.matrix(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )
    sp, cp, st, ct = mpmath.sin(psi), mpmath.cos(psi), mpmath.sin(th), mpmath.cos(th)
    e1 = mpmath.matrix([cp, sp, 0])
    e2 = mpmath.matrix([-sp * ct, cp * ct, st])
    e3 = mpmath.matrix([sp * st, -cp * st, ct])
    up = mpmath.matrix([0, 0, 1])
    w_frame = dpsi * up + dth * e1
    arm = r * e3  # from the contact to the centre
    inertia = [r**2 / 4, r**2 / 2, r**2 / 4]
    axes = [e1, e2, e3]
    dot = lambda a, b: sum(x * z for x, z in zip(a, b))

    def spin(rates):
        return rates[0] * up + rates[1] * e1 + rates[2] * e2

    w = spin([dpsi, dth, dph])
    v = cross(w, arm)
    d_axes = [cross(w_frame, e) for e in axes]
    d_arm = cross(w_frame, arm)
    contact = v - d_arm  # velocity of the geometrical contact
    # w' = spin(accelerations) + rest, v' = w' x arm + w x arm'
    rest = dth * d_axes[0] + dph * d_axes[1]

    def balance(dw):
        """dH_C/dt - moment - (- v_C x v), to vanish."""
        dv = cross(dw, arm) + cross(w, d_arm)
        spins = mpmath.matrix([0, 0, 0])
        for k in range(3):
            along = inertia[k] * dot(w, axes[k])
            d_along = inertia[k] * (dot(dw, axes[k]) + dot(w, d_axes[k]))
            spins += d_along * axes[k] + along * d_axes[k]
        change = cross(d_arm, v) + cross(arm, dv) + spins
        return change - cross(arm, -g * up) + cross(contact, v)

    zero = balance(rest)
    columns = [balance(rest + spin([int(i == k) for k in range(3)])) - zero for i in range(3)]
    matrix = mpmath.matrix(3, 3)
    for i in range(3):
        for j in range(3):
            matrix[i, j] = columns[j][i]
    second = mpmath.lu_solve(matrix, -zero)
    dv = cross(rest + spin(second), arm) + cross(w, d_arm)
    return list(y[6:]) + list(dv) + list(second)


def extrapolated(field, start, steps=80, rows=26):
    """Gragg's midpoint rule, extrapolated in h^2 over each of `steps` steps."""
    y = [mpmath.mpf(x) for x in start]
    big = mpmath.mpf(END) / steps
    for _ in range(steps):
        table = []
        first = field(y)
        for row in range(rows):
            n = 2 * (row + 1)
            h = big / n
            before, now = y, [a + h * b for a, b in zip(y, first)]
            for _ in range(n - 1):
                slope = field(now)
                before, now = now, [a + 2 * h * b for a, b in zip(before, slope)]
            slope = field(now)
            line = [[(a + b + h * c) / 2 for a, b, c in zip(now, before, slope)]]
            for k in range(row):
                ratio = mpmath.mpf(row + 1) ** 2 / mpmath.mpf(row - k) ** 2 - 1
                line.append([a + (a - b) / ratio for a, b in zip(line[k], table[k])])
            table = line
        y = table[-1]
    return y


def agree(a, b):
    """The largest difference relative to max(1, |b|)."""
    return max(abs(x - z) / max(1, abs(z)) for x, z in zip(a, b))


def rates():
    """The rates at the first state of `common.sample_states`, to 25 digits."""
    fields = [
        (systems.PERPENDICULAR, perpendicular),
        (systems.DISC, disc),
        (systems.BICYCLE, bicycle_truth.rates),
    ]
    found = {}
    for system, field in fields:
        y = [mpmath.mpf(3 + i) / 10 for i in range(system.size)]
        found[f"{system.name}, rates"] = {
            "start": [mpmath.nstr(x, 25) for x in y],
            "state": [mpmath.nstr(x, 25) for x in field(y)],
            "how": "mpmath, 70 digits, on right-hand sides of its own",
        }
    return found


def main():
    mpmath.mp.dps = 50
    found = {}
    for system, field in [(systems.PERPENDICULAR, perpendicular), (systems.DISC, disc)]:
        start = [mpmath.mpf(x) for x in system.start(mpmath)]
        true = by_heyoka(system, BITS, start)
        other = extrapolated(field, start)
        gap, own = agree(other, true), agree(by_heyoka(system, 150, start), true)
        print(system.name, mpmath.nstr(gap, 3), mpmath.nstr(own, 3))
        assert gap < mpmath.mpf(10) ** -DIGITS, "the two methods differ"
        found[system.name] = {
            "t": END,
            "start": [mpmath.nstr(x, DIGITS) for x in start],
            "state": [mpmath.nstr(x, DIGITS) for x in true],
            "how": f"heyoka {heyoka.__version__}, Taylor series, {BITS} bits; extrapolated midpoint rule on "
            f"another right-hand side, 50 digits; largest difference {mpmath.nstr(gap, 2)}",
        }
    members = [systems.ensemble_start(k) for k in range(systems.CHECKED)]
    states = [by_heyoka(systems.PERPENDICULAR, 150, [mpmath.mpf(x) for x in m]) for m in members]
    found["perpendicular ensemble"] = {
        "t": END,
        "start": [],
        "state": [mpmath.nstr(x, 20) for state in states for x in state],
        "how": f"heyoka, Taylor series, 150 bits, the first {systems.CHECKED} members",
    }
    mpmath.mp.dps = 70
    found |= rates()
    path = pathlib.Path(__file__).with_name("reference.json")
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
