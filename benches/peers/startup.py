"""`appell run` as a whole process: its time and its peak memory. The program is in APPELL."""

import os
import pathlib
import subprocess
import time

import common
from common import result

ZOO = pathlib.Path(__file__).resolve().parent.parent.parent / "zoo"
RUNS = 10


def process(arguments):
    """Seconds of the wall's clock and megabytes."""
    start = time.perf_counter()
    child = subprocess.Popen([os.environ["APPELL"], *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"appell {' '.join(arguments)}: exit code {child.returncode}")
    return elapsed, usage.ru_maxrss / 1024


def start_up():
    def measurement(system, backend):
        model = str(ZOO / f"{system}.toml")
        arguments = ["run", model, "--until", "0.01", "--samples", "2", "--backend", backend]

        def measure():
            runs = [process(arguments) for _ in range(RUNS)]
            peer = f"Appell, {backend}"
            yield result(peer, system, "start-up", min(run[0] for run in runs) * 1e3, "ms")
            yield result(peer, system, "peak memory", max(run[1] for run in runs), "MB")

        return measure

    return [measurement(s, b) for s in ("perpendicular", "bicycle") for b in ("jit", "auto")]


if __name__ == "__main__":
    common.serve({"start-up": start_up})
