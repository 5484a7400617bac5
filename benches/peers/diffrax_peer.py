"""diffrax: explicit methods compiled by XLA; an ensemble by vmap."""

import diffrax
import jax
import jax.numpy as jnp

import common
import systems
from common import result, seconds

jax.config.update("jax_enable_x64", True)
END = 10.0
MATHEMATICS = systems.Mathematics(jnp.sin, jnp.cos)
METHOD = diffrax.Dopri8


def field(system):
    return lambda t, y, args: jnp.stack(system.field(MATHEMATICS, y))


def right_side():
    """Called for many states at once: a call from Python would cost more than it does."""

    def measurement(system):
        states = jnp.array(common.sample_states(system.size, 512))
        function = jax.jit(jax.vmap(lambda y: field(system)(0.0, y, None)))
        function(states).block_until_ready()

        def measure():
            time = seconds(lambda: function(states).block_until_ready()) / len(states)
            yield result("JAX", system.name, "right-hand side", time * 1e9, "ns", "512 states in a call")
            yield common.rates("JAX", system, function(states)[0])

        return measure

    return [measurement(system) for system in systems.RIGHT_SIDES]


def solver(system):
    """The state at the end, of a start and a tolerance."""
    term, method = diffrax.ODETerm(field(system)), METHOD()

    def solve(start, tolerance):
        control = diffrax.PIDController(rtol=tolerance, atol=tolerance)
        motion = diffrax.diffeqsolve(
            term, method, 0.0, END, None, start, stepsize_controller=control, max_steps=None,
            saveat=diffrax.SaveAt(t1=True),
        )
        return motion.ys[0]

    return solve


def trajectory():
    def measurement(system, solve, tolerance):
        start = jnp.array(common.start(system))

        def measure():
            time = seconds(lambda: solve(start, tolerance).block_until_ready(), pieces=3)
            state, note = solve(start, tolerance), f"Dopri8, tolerance {tolerance:.1e}"
            yield result("diffrax", system.name, "trajectory", time * 1e6, "us", note, state=state)

        solve(start, tolerance).block_until_ready()
        return measure

    return [
        measurement(system, solve, tolerance)
        for system in systems.SYSTEMS
        for solve in [jax.jit(solver(system))]
        for tolerance in common.sweep()[::2]
    ]


def ensemble():
    starts = jnp.array(common.members())
    solve = jax.jit(jax.vmap(solver(systems.PERPENDICULAR), in_axes=(0, None)))

    def measurement(tolerance):
        def measure():
            time = seconds(lambda: solve(starts, tolerance).block_until_ready(), pieces=2)
            state = solve(starts, tolerance)[: systems.CHECKED].ravel()
            note, system = f"Dopri8, vmap, tolerance {tolerance:.1e}", "perpendicular ensemble"
            yield result("diffrax", system, "ensemble", time / len(starts) * 1e6, "us", note, state=state)

        solve(starts, tolerance).block_until_ready()
        return measure

    return [measurement(tolerance) for tolerance in common.COARSE_SWEEP[4:12:2]]


if __name__ == "__main__":
    common.serve({"right-side": right_side, "trajectory": trajectory, "ensemble": ensemble})
