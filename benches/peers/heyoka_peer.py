"""heyoka: Taylor series by LLVM."""

import heyoka
import numpy

import common
import systems
from common import result, seconds

END = 10.0
MATHEMATICS = systems.Mathematics(heyoka.sin, heyoka.cos)


def equations(system):
    """Variables and rates."""
    y = heyoka.make_vars(*[f"y{i}" for i in range(system.size)])
    return y, system.field(MATHEMATICS, y)


def right_side():
    """Compiled functions, called for many states at once: a call from Python would cost more than they do."""

    def measurement(system):
        y, rates = equations(system)
        function = heyoka.cfunc(rates, y, fast_math=True)
        states = numpy.array(common.sample_states(system.size, 512)).T.copy()
        out = numpy.empty_like(states)

        def measure():
            time = seconds(lambda: function(states, outputs=out)) / states.shape[1]
            yield result(
                "heyoka", system.name, "right-hand side", time * 1e9, "ns", "512 states in a call, side by side"
            )
            yield common.rates("heyoka", system, out[:, 0])

        return measure

    return [measurement(system) for system in systems.RIGHT_SIDES]


def trajectory():
    """The cost of the calls from Python, found from a run of no length, is taken off."""

    def integrator(system, tolerance, fast):
        y, rates = equations(system)
        start = numpy.array(common.start(system))
        return heyoka.taylor_adaptive(
            list(zip(y, rates)), start.copy(), tol=tolerance, fast_math=fast
        ), start

    def measurement(system, tolerance, fast):
        ta, start = integrator(system, tolerance, fast)

        def run(end):
            ta.time = 0.0
            ta.state[:] = start
            ta.propagate_until(end)

        def measure():
            time = seconds(lambda: run(END)) - seconds(lambda: run(0.0))
            run(END)
            peer = "heyoka, fast_math" if fast else "heyoka"
            note = f"tolerance {tolerance:.1e}"
            yield result(peer, system.name, "trajectory", time * 1e6, "us", note, state=ta.state)

        return measure

    return [
        measurement(system, tolerance, fast)
        for system in systems.SYSTEMS
        for fast in (True, False)
        for tolerance in common.sweep()
    ]


def ensemble():
    """Batches side by side; the cost of the calls from Python is taken off here too."""
    starts = numpy.array(common.members())

    def measurement(size, tolerance):
        y, rates = equations(systems.PERPENDICULAR)
        batches = starts.reshape(-1, size, systems.PERPENDICULAR.size).transpose(0, 2, 1).copy()
        ta = heyoka.taylor_adaptive_batch(
            list(zip(y, rates)), batches[0].copy(), tol=tolerance, fast_math=True
        )
        ends = numpy.empty_like(batches)
        zeros = numpy.zeros(size)

        def run(until):
            for batch, end in zip(batches, ends):
                ta.set_time(zeros)
                ta.state[:] = batch
                ta.propagate_until(until)
                end[:] = ta.state

        def measure():
            time = seconds(lambda: run(END), pieces=3) - seconds(lambda: run(0.0), pieces=3)
            run(END)
            states = ends.transpose(0, 2, 1).reshape(starts.shape)[: systems.CHECKED]
            yield result(
                f"heyoka, batches of {size}",
                "perpendicular ensemble",
                "ensemble",
                time / len(starts) * 1e6,
                "us",
                f"tolerance {tolerance:.1e}",
                state=states.ravel(),
            )

        return measure

    tolerances = common.COARSE_SWEEP[4:12:3] if common.QUICK else common.COARSE_SWEEP
    return [measurement(size, tolerance) for size in (8, 16) for tolerance in tolerances]


if __name__ == "__main__":
    common.serve({"right-side": right_side, "trajectory": trajectory, "ensemble": ensemble})
