"""What every peer does: it is called with the name of a part, and for each line it reads it measures once,
prints one JSON object a line, and an empty line at the end of the round."""

import json
import math
import sys
import time

import systems

# A round is so many pieces of at least this length; the fastest counts, for the others were disturbed.
PIECES = 7
PIECE = 5e-3

# The tolerances of a sweep for an error of 1e-10, and for the ensemble's 1e-8.
SWEEP = [10 ** (-k / 2) for k in range(14, 30)]
COARSE_SWEEP = [10 ** (-k / 2) for k in range(10, 24)]

QUICK = "--quick" in sys.argv[2:]


def seconds(work, pieces=PIECES):
    """Seconds of processor time for one work; a long one is done once."""
    start = time.process_time()
    work()
    once = time.process_time() - start
    if once > 0.5:
        return once
    count = max(1, math.ceil(PIECE / max(once, 1e-7)))
    best = math.inf
    for _ in range(pieces):
        start = time.process_time()
        for _ in range(count):
            work()
        best = min(best, (time.process_time() - start) / count)
    return best


def result(peer, system, quantity, value, unit, note="", error=None, state=None):
    """One measurement; from the state its error is found."""
    line = {
        "peer": peer,
        "system": system,
        "quantity": quantity,
        "value": value,
        "unit": unit,
        "error": error,
        "note": note,
    }
    if state is not None:
        line["state"] = [float(x) for x in state]
    return line


def rates(peer, system, values):
    """The rates at the first of the states at which right-hand sides are timed: all must agree."""
    return result(peer, system.name, "rates", 0, "", state=values)


def serve(parts):
    """Runs the part asked for: its function makes everything ready and returns the measurements, each a
    function that returns results."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    if part not in parts:
        sys.exit(f"parts: {', '.join(parts)}")
    measurements = list(parts[part]())
    for _ in sys.stdin:
        for measurement in measurements:
            for line in measurement():
                print(json.dumps(line))
        print(flush=True)


def start(system):
    """The start of a system in doubles."""
    return system.start(math)


def sample_states(size, count=64):
    """The states at which right-hand sides are timed."""
    return [[0.3 + 0.1 * i + 1e-3 * k for i in range(size)] for k in range(count)]


def members():
    """The initial states of the ensemble."""
    return [systems.ensemble_start(k) for k in range(systems.MEMBERS)]


def sweep():
    """The tolerances for one trajectory."""
    return SWEEP[2:12:3] if QUICK else SWEEP
