"""CasADi: its generated C, compiled as the C by hand is, and CVODES."""

import pathlib
import shutil
import subprocess
import tempfile

import casadi

import common
import systems
from common import result, seconds

END = 10.0
MATHEMATICS = systems.Mathematics(casadi.sin, casadi.cos)
NATIVE = pathlib.Path(__file__).resolve().parent.parent / "native"

DRIVER = """
#define SYSTEM "{name}"
#define PEER "CasADi, generated C"
#define N {size}
typedef double real;
static inline void field(const real *restrict y, real *restrict out) {{
  const double *arguments[1] = {{y}};
  double *results[1] = {{out}}, room[{room} + 1];
  long long int places[{places} + 1];
  rates(arguments, results, places, room, 0);
}}
#include "{native}/right-side.h"
int main(void) {{
  serve(right_side_round);
  return 0;
}}
"""


def function(system):
    y = casadi.SX.sym("y", system.size)
    rates = system.field(MATHEMATICS, [y[i] for i in range(system.size)])
    return casadi.Function("rates", [y], [casadi.vertcat(*rates)]), y


def right_side():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="appell-casadi-"))
    try:
        return [generated(system, folder) for system in systems.RIGHT_SIDES]
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.stderr) from error
    finally:
        shutil.rmtree(folder)


def generated(system, folder):
    """A running program whose right-hand side is CasADi's C, in one file with its caller."""
    rates, _ = function(system)
    generator = casadi.CodeGenerator("rates.c", {"casadi_int": "long long int"})
    generator.add(rates)
    driver = DRIVER.format(
        name=system.name, size=system.size, room=rates.sz_w(), places=rates.sz_iw(), native=NATIVE
    )
    source, program = folder / f"{system.name}.c", folder / system.name
    source.write_text(generator.dump() + driver)
    command = ["cc", "-O3", "-march=native", "-o", program, source, "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    running = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def measure():
        running.stdin.write("round\n")
        running.stdin.flush()
        return [common.json.loads(line) for line in iter(running.stdout.readline, "\n")]

    return measure


def cvodes(system, tolerance):
    _, y = function(system)
    rates = system.field(MATHEMATICS, [y[i] for i in range(system.size)])
    options = {
        "reltol": tolerance,
        "abstol": tolerance,
        "linear_multistep_method": "adams",
        "nonlinear_solver_iteration": "functional",
        "max_num_steps": 1_000_000,
    }
    return casadi.integrator("motion", "cvodes", {"x": y, "ode": casadi.vertcat(*rates)}, 0, END, options)


def trajectory():
    def measurement(system, tolerance):
        integrator, start = cvodes(system, tolerance), common.start(system)

        def measure():
            time = seconds(lambda: integrator(x0=start))
            state = integrator(x0=start)["xf"].full().ravel()
            note = f"Adams, tolerance {tolerance:.1e}"
            yield result("CVODES by CasADi", system.name, "trajectory", time * 1e6, "us", note, state=state)

        return measure

    return [measurement(s, tolerance) for s in systems.SYSTEMS for tolerance in common.sweep()]


def ensemble():
    """One after the other: a part of the members is enough for the time of one."""
    starts = common.members()[: systems.CHECKED]

    def measurement(tolerance):
        integrator = cvodes(systems.PERPENDICULAR, tolerance)

        def run():
            return [integrator(x0=start)["xf"].full().ravel() for start in starts]

        def measure():
            time = seconds(run, pieces=3)
            state = [x for end in run() for x in end]
            note = f"Adams, tolerance {tolerance:.1e}"
            peer, system = "CVODES by CasADi", "perpendicular ensemble"
            yield result(peer, system, "ensemble", time / len(starts) * 1e6, "us", note, state=state)

        return measure

    return [measurement(tolerance) for tolerance in common.COARSE_SWEEP[6::3]]


if __name__ == "__main__":
    common.serve({"right-side": right_side, "trajectory": trajectory, "ensemble": ensemble})
