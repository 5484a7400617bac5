"""SciPy's DOP853 on a right-hand side compiled by numba."""

import math

import numba
import numpy
from scipy.integrate import solve_ivp

import common
import systems
from common import result, seconds

END = 10.0
MATHEMATICS = systems.Mathematics(math.sin, math.cos)


def compiled(system):
    """The field of a system as numba compiles it: its text is written from the common one by SymPy."""
    import sympy

    y = sympy.symbols(f"y:{system.size}")
    rates = system.field(systems.Mathematics(sympy.sin, sympy.cos, sympy.Rational), y)
    shared, rates = sympy.cse([rate.evalf(17) for rate in rates])
    lines = [f"y{i} = y[{i}]" for i in range(system.size)]
    lines += [f"{name} = {sympy.pycode(value)}" for name, value in shared]
    lines += [f"out[{i}] = {sympy.pycode(rate)}" for i, rate in enumerate(rates)]
    scope = {"math": math}
    exec("def into(y, out):\n    " + "\n    ".join(lines), scope)
    return numba.njit(fastmath=True, error_model="numpy")(scope["into"])


def right_side():
    def measurement(system):
        into = compiled(system)

        @numba.njit
        def evaluate(count, states, out):
            total = 0.0
            for k in range(count):
                into(states[k % 64], out)
                total += out[-1]
            return total

        states, out = numpy.array(common.sample_states(system.size)), numpy.empty(system.size)
        evaluate(1, states, out)

        def measure():
            time = seconds(lambda: evaluate(10_000, states, out)) / 10_000
            yield result("numba", system.name, "right-hand side", time * 1e9, "ns", "in a compiled loop")
            into(states[0], out)
            yield common.rates("numba", system, out)

        return measure

    return [measurement(system) for system in systems.SYSTEMS]


def solver(system):
    into = compiled(system)
    size = system.size

    @numba.njit
    def field(t, y):
        out = numpy.empty(size)
        into(y, out)
        return out

    field(0.0, numpy.array(common.start(system)))

    def solve(start, tolerance):
        motion = solve_ivp(field, (0, END), start, method="DOP853", rtol=tolerance, atol=tolerance)
        return motion.y[:, -1]

    return solve


def trajectory():
    def measurement(system, solve, tolerance):
        start = common.start(system)

        def measure():
            time = seconds(lambda: solve(start, tolerance), pieces=3)
            state, note = solve(start, tolerance), f"tolerance {tolerance:.1e}"
            peer = "SciPy DOP853 + numba"
            yield result(peer, system.name, "trajectory", time * 1e6, "us", note, state=state)

        return measure

    tolerances = [tolerance for tolerance in common.sweep() if tolerance > 3e-14]
    return [
        measurement(system, solve, tolerance)
        for system in systems.SYSTEMS
        for solve in [solver(system)]
        for tolerance in tolerances[::2]
    ]


def ensemble():
    """One after the other: a part of the members is enough for the time of one."""
    starts = common.members()[: systems.CHECKED]
    solve = solver(systems.PERPENDICULAR)

    def measurement(tolerance):
        def measure():
            ends = []
            time = seconds(lambda: ends.append([solve(start, tolerance) for start in starts]), pieces=1)
            state, note = [x for end in ends[-1] for x in end], f"tolerance {tolerance:.1e}"
            peer, system = "SciPy DOP853 + numba", "perpendicular ensemble"
            yield result(peer, system, "ensemble", time / len(starts) * 1e6, "us", note, state=state)

        return measure

    return [measurement(tolerance) for tolerance in common.COARSE_SWEEP[4:12:2]]


if __name__ == "__main__":
    common.serve({"right-side": right_side, "trajectory": trajectory, "ensemble": ensemble})
