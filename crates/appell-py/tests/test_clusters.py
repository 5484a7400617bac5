"""Studies on real clusters of two workers, of which one is killed in the midst.

Each runs in a process of its own: the clusters change how their process starts others and what it pickles.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import appell
import pytest

MODEL = appell.Model.gallery("rattleback")
DESIGN: dict[str, Any] = {
    "shard": 1,
    "until": 1,
    "grid": {"m": "0.8:1.2:60"},
    "reduce": {"spun": {"max": "spin"}},
}


@contextmanager
def killed_in_the_midst(out: Path, pids: list[int]) -> Iterator[list[int]]:
    """Kills one of these processes when some parts are done; notes how many there were."""
    done: list[int] = []

    def watch() -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            count = len(list(out.glob("part-*.parquet")))
            if count >= 5:
                os.kill(pids[0], signal.SIGKILL)
                done.append(count)
                return
            time.sleep(0.005)

    thread = threading.Thread(target=watch)
    thread.start()
    yield done
    thread.join()


def as_if_undisturbed(study: appell.Study, tmp_path: Path, done: list[int]) -> None:
    assert done and done[0] < 60, "the worker was killed in the midst"
    assert study.status() == {"members": 60, "done": 60, "parts": 60, "parts_done": 60}
    alone = appell.sweep(MODEL, DESIGN, tmp_path / "alone")
    assert study.to_arrow().equals(alone.to_arrow())
    assert not list(study.path.glob(".*.draft")), "no draft is left"


def on_dask(tmp_path: Path) -> None:
    import distributed

    arguments = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**arguments) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        with killed_in_the_midst(tmp_path / "s", pids) as done:
            study = appell.sweep(MODEL, DESIGN, tmp_path / "s", client.get_executor())
    as_if_undisturbed(study, tmp_path, done)


def on_ray(tmp_path: Path) -> None:
    import ray

    # Workers find the package where we found it.
    paths = os.pathsep.join(path for path in sys.path if path)
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    try:
        call = ray.remote(max_retries=3)(lambda function, *arguments: function(*arguments))

        class RayExecutor(Executor):
            def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
                future: Future[Any] = call.remote(function, *arguments).future()
                return future

        pids = ray.get([call.remote(os.getpid) for _ in range(8)])
        with killed_in_the_midst(tmp_path / "s", pids) as done:
            study = appell.sweep(MODEL, DESIGN, tmp_path / "s", RayExecutor())
    finally:
        ray.shutdown()
    as_if_undisturbed(study, tmp_path, done)


CLUSTERS = {"distributed": on_dask, "ray": on_ray}


@pytest.mark.parametrize("package", CLUSTERS)
def test_a_cluster_goes_on_without_a_worker(package: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    ended = subprocess.run(
        [sys.executable, __file__, package, str(tmp_path)], capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr


if __name__ == "__main__":
    CLUSTERS[sys.argv[1]](Path(sys.argv[2]))
