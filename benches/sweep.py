"""What a study costs, and that nothing disturbs it.

    python benches/sweep.py [--appell target/release/appell] [--members 1000000] [--kills 20] [--python]

Sleighs over two parameters and two velocities: the processor time and the memory of `appell sweep` beside those of the
plain ensemble of the same members as a table; then the same study killed at random instants, in shares, in parts of
half the size, and by two programs at once: each merged table has the same bits. With `--python` what Dask and Ray, where
they are installed, need beside the study itself.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "zoo" / "chaplygin-sleigh.toml"
NAMES = ["m", "a", "theta'", "x'"]
LIMITS = {"m": (0.5, 2.0), "a": (0.1, 1.0), "theta'": (-1.0, 1.0), "x'": (0.1, 1.0)}


def design(members: int, shard: int) -> str:
    between = "\n".join(f'"{name}" = [{a}, {b}]' for name, (a, b) in LIMITS.items())
    return f"shard = {shard}\nuntil = 5\n[sample]\ncount = {members}\nseed = 7\n[sample.between]\n{between}\n"


def measured(command: list[str]) -> tuple[float, float]:
    """Processor seconds, and the most memory in MB, of a command."""
    process = started(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def merged(folder: Path) -> str:
    """A digest of the rows of all parts in their order, bit for bit."""
    import pyarrow.parquet

    digest = hashlib.sha256()
    parts = sorted(folder.glob("part-*.parquet"), key=lambda part: int(part.stem[5:]))
    tables = {}
    for part in parts:
        table = pyarrow.parquet.read_table(part)
        for name in table.column_names:
            column = table.column(name).to_numpy(zero_copy_only=False)
            # Words as text: the codes of parts may differ.
            text = column.tobytes() if column.dtype != object else "\n".join(column).encode() + b"\n"
            tables.setdefault(name, hashlib.sha256()).update(text)
    for name, own in sorted(tables.items()):
        digest.update(name.encode() + own.digest())
    return digest.hexdigest()


def sweep(appell: str, text: Path, folder: Path, *more: str) -> list[str]:
    return [appell, "sweep", str(MODEL), "--design", str(text), "-o", str(folder), "-q", *more]


def started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def quietly(command: list[str]) -> None:
    measured(command)


def cost(appell: str, work: Path, members: int) -> str:
    text = work / "design.toml"
    text.write_text(design(members, 50_000), encoding="utf-8")
    # Compiled code is kept: neither of both pays for it.
    measured(sweep(appell, text, work / "before", "--shard", "0/1000000"))
    study, memory = measured(sweep(appell, text, work / "study", "--threads", "1"))
    import pyarrow.csv
    import pyarrow.parquet

    columns = ["m", "a", "theta'(0)", "x'(0)"]
    parts = sorted((work / "study").glob("part-*.parquet"), key=lambda part: int(part.stem[5:]))
    with open(work / "members.csv", "wb") as out:
        out.write((",".join(NAMES) + "\n").encode())
        for part in parts:
            table = pyarrow.parquet.read_table(part, columns=columns).select(columns)
            options = pyarrow.csv.WriteOptions(include_header=False)
            pyarrow.csv.write_csv(table, out, options)
    plain, held = measured(
        [appell, "run", str(MODEL), "--ensemble", str(work / "members.csv"), "--until", "5", "--threads", "1"]
        + ["-o", str(work / "ends.npz"), "-q"]
    )
    print(f"{members} sleighs: study {study:.1f} s, {memory:.0f} MB; plain ensemble {plain:.1f} s, {held:.0f} MB")
    print(f"  ratio {study / plain:.3f}, {1e6 * study / members:.1f} us a member")
    return merged(work / "study")


def disturbed(appell: str, work: Path, members: int, kills: int, whole: str) -> None:
    # Parts of 2 % of the study, so that kills come in the midst of many.
    text = work / "small.toml"
    text.write_text(design(members, max(1, members // 50)), encoding="utf-8")
    folder, noise, landed = work / "killed", random.Random(3), 0
    began = time.monotonic()
    quietly(sweep(appell, text, work / "timed"))
    length = time.monotonic() - began
    while landed < kills:
        process = started(sweep(appell, text, folder))
        try:
            process.wait(timeout=noise.uniform(0.0, 2.0 * length / kills))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            landed += 1
    quietly(sweep(appell, text, folder))
    verdict("killed at %d random instants" % landed, merged(folder), whole)
    for shares in (4, 8):
        folder = work / f"shares-{shares}"
        for share in random.Random(shares).sample(range(shares), shares):
            quietly(sweep(appell, text, folder, "--shard", f"{share}/{shares}"))
        verdict(f"in {shares} shares", merged(folder), whole)
    folder = work / "twice"
    both = [started(sweep(appell, text, folder)) for _ in range(2)]
    if any(process.wait() != 0 for process in both):
        sys.exit("two programs at once: one of them failed")
    verdict("by two programs at once", merged(folder), whole)


def verdict(what: str, found: str, wanted: str) -> None:
    print(f"  {what}: {'the same bits' if found == wanted else 'OTHER BITS'}")
    if found != wanted:
        sys.exit(1)


def engines(work: Path, members: int) -> None:
    """Seconds of the same study here, on Dask and on Ray, with two workers of a thread each."""
    import appell

    model, given = appell.Model(MODEL), work / "engines.toml"
    given.write_text(design(members, max(1, members // 40)), encoding="utf-8")

    def timed(what: str, executor: object | None) -> None:
        began = time.monotonic()
        appell.sweep(model, given, work / what, executor, threads=2 if executor is None else 1)
        print(f"  {what}: {time.monotonic() - began:.2f} s")

    timed("two threads", None)
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        print("  Dask is not installed")
    else:
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                timed("Dask, the first time", client.get_executor())
                timed("Dask", client.get_executor())
    try:
        import ray
    except ImportError:
        print("  Ray is not installed")
        return
    from concurrent.futures import Executor

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    call = ray.remote(max_retries=3)(lambda function, *arguments: function(*arguments))

    class RayExecutor(Executor):
        def submit(self, function, /, *arguments, **more):
            return call.remote(function, *arguments).future()

    timed("Ray, the first time", RayExecutor())
    timed("Ray", RayExecutor())
    ray.shutdown()


def beside(appell: str, work: Path, members: int) -> None:
    """The processor time of the same motions by a loop in Python, from equations in independent speeds by hand."""
    import numba
    import numpy
    import pyarrow.parquet
    from scipy.integrate import solve_ivp

    @numba.njit
    def slope(t, y, m, a, inertia):
        theta, u, w = y[2], y[3], y[4]
        turn = -m * a * u * w / (inertia + m * a * a)
        return numpy.array([u * numpy.cos(theta), u * numpy.sin(theta), w, a * w * w, turn])

    text, folder = work / "beside.toml", work / "beside"
    text.write_text(design(members, members), encoding="utf-8")
    measured(sweep(appell, text, work / "compiled", "--shard", "0/1000000"))
    study, _ = measured(sweep(appell, text, folder, "--threads", "1"))
    names = ["m", "a", "theta'(0)", "x'(0)", "x", "y", "theta"]
    table = pyarrow.parquet.read_table(folder / "part-00000.parquet", columns=names)
    rows = numpy.array([table.column(name).to_numpy() for name in names]).T
    tolerances = {"method": "DOP853", "rtol": 1e-8, "atol": 1e-10}
    solve_ivp(slope, (0, 5), [0, 0, 0, 1, 1], args=(1.2, 0.5, 0.4), **tolerances)
    began, off = time.process_time(), 0.0
    few = rows[: max(1, members // 50)]
    for m, a, w, u, *ends in few:
        found = solve_ivp(slope, (0, 5), [0, 0, 0, u, w], args=(m, a, 0.4), **tolerances)
        off = max(off, numpy.abs(found.y[:3, -1] - ends).max())
    loop = (time.process_time() - began) / len(few)
    print(f"  a loop over SciPy and Numba: {1e6 * loop:.0f} us a member, {loop * members / study:.0f} times the study's;")
    print(f"  ends differ by {off:.1e} at most")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--appell", default=str(ROOT / "target" / "release" / "appell"))
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--beside", action="store_true")
    given = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="appell-sweep-"))
    try:
        whole = cost(given.appell, work, given.members)
        disturbed(given.appell, work, given.members, given.kills, whole)
        if given.python:
            engines(work, given.members)
        if given.beside:
            beside(given.appell, work, min(given.members, 100_000))
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
