"""Studies in folders: designs, executors, tables."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import appell
import numpy as np
import pytest

MODEL = appell.Model.gallery("chaplygin-sleigh")
DESIGN: dict[str, Any] = {
    "shard": 7,
    "until": 1,
    "grid": {"m": "0.5:2:5", "theta'": [0, 0.5, 1]},
    "reduce": {"far": {"max": "x^2 + y^2"}},
}


def test_a_study_is_computed_here_and_gone_on_with(tmp_path: Path) -> None:
    study = appell.sweep(MODEL, DESIGN, tmp_path / "s", shard=(1, 2))
    assert study.status() == {"members": 15, "done": 7, "parts": 3, "parts_done": 1}
    study = appell.sweep(MODEL, DESIGN, study.path)
    assert study.status()["done"] == 15
    frame = study.to_pandas()
    assert frame["member"].tolist() == list(range(15))
    np.testing.assert_array_equal(frame["m"], np.repeat(np.linspace(0.5, 2, 5), 3))
    columns = study.to_arrow(["member", "far"])
    assert columns.column_names == ["member", "far"]


def test_an_executor_computes_the_same(tmp_path: Path) -> None:
    alone = appell.sweep(MODEL, DESIGN, tmp_path / "alone").to_arrow()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        study = appell.sweep(MODEL, DESIGN, tmp_path / "many", executor)
    assert study.to_arrow().equals(alone)


class Fragile(Executor):
    """An executor of which one worker is lost."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        if self.calls == 2:
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            future.set_result(function(*arguments, **more))
        return future


def test_what_a_lost_worker_leaves_is_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError):
        appell.sweep(MODEL, DESIGN, tmp_path / "s", Fragile())
    assert appell.Study(tmp_path / "s").status()["parts_done"] == 2
    study = appell.sweep(MODEL, DESIGN, tmp_path / "s")
    assert study.to_arrow().equals(appell.sweep(MODEL, DESIGN, tmp_path / "t").to_arrow())


class Patient(Executor):
    """An executor that begins with nothing by itself."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.futures.append(future)
        if len(self.futures) == 1:
            future.set_exception(MemoryError("no room"))
        return future


def test_what_has_not_begun_is_cancelled_after_a_failure(tmp_path: Path) -> None:
    executor = Patient()
    with pytest.raises(MemoryError):
        appell.sweep(MODEL, DESIGN, tmp_path / "s", executor)
    assert [future.cancelled() for future in executor.futures] == [False, True, True]


def test_sections_and_datasets_are_read(tmp_path: Path) -> None:
    reduce = {"cut": {"section": "x = 0.1", "of": ["y"]}}
    study = appell.sweep(MODEL, {**DESIGN, "reduce": reduce}, tmp_path / "s")
    section = study.section("cut").to_pandas()
    assert list(section.columns) == ["member", "t", "y"]
    assert section["member"].is_monotonic_increasing and len(section) > 7
    with pytest.raises(ValueError, match="no part with a section 'cot'"):
        study.section("cot")
    import pyarrow.compute as pc

    few = study.dataset().to_table(columns=["m"], filter=pc.field("m") > 1.9)
    assert few.column("m").to_pylist() == [2.0] * 3


def test_conditions_of_the_design_end_motions(tmp_path: Path) -> None:
    study = appell.sweep(MODEL, {**DESIGN, "stop": ["theta > 0.25"]}, tmp_path / "s")
    frame = study.to_pandas()
    assert (frame["status"] == np.where(frame["theta'(0)"] > 0.4, "stopped", "finished")).all()


def test_an_event_may_happen_at_the_start(tmp_path: Path) -> None:
    free = appell.Model(coordinates="x", parameters={"v": 1}, kinetic="x'^2/2", initial=["x = 0", "x' = v"])
    reduce = {"below": {"event": "x < 0"}, "above": {"event": "x > 0"}, "not_above": {"event": "x <= 0"}}
    design = {"until": 1, "grid": {"v": [-1, 1]}, "reduce": reduce}
    frame = appell.sweep(free, design, tmp_path / "s").to_pandas()
    assert frame["below"].fillna(9).tolist() == [0, 9] and frame["above"].fillna(9).tolist() == [9, 0]
    assert frame["not_above"].tolist() == [0, 0]


@pytest.mark.parametrize("ending", ["npz", "packed.npz", "parquet", "csv"])
def test_tables_of_members_are_read(tmp_path: Path, ending: str) -> None:
    values = {"m": np.array([0.5, 1.0, 2.0]), "theta'": np.array([1, 2, 3])}
    table = tmp_path / f"members.{ending}"
    if ending == "npz":
        np.savez(table, **values)
    elif ending == "packed.npz":
        np.savez_compressed(table, **values)
    else:
        frame = pytest.importorskip("pandas").DataFrame(values)
        frame.to_csv(table, index=False) if ending == "csv" else frame.to_parquet(table)
    design = tmp_path / "design.toml"
    design.write_text(f'until = 1\ntable = "{table.name}"\n', encoding="utf-8")
    frame = appell.sweep(MODEL, design, tmp_path / "s").to_pandas()
    assert frame["m"].tolist() == [0.5, 1.0, 2.0]
    assert frame["theta'(0)"].tolist() == [1.0, 2.0, 3.0]


def test_samples_are_those_of_scipy(tmp_path: Path) -> None:
    qmc = pytest.importorskip("scipy.stats").qmc
    special = pytest.importorskip("scipy.special")
    sample = {
        "count": 256,
        "between": {"m": [0.5, 2.0], "a": [0.1, 1.0]},
        "normal": {"theta'": [1.0, 0.25]},
    }
    design = {"until": 0.01, "sample": {**sample, "seed": 0}}
    frame = appell.sweep(MODEL, design, tmp_path / "s").to_pandas()
    points = qmc.Sobol(3, scramble=False, bits=32).random(256)
    np.testing.assert_allclose(frame["m"], 0.5 + 1.5 * points[:, 0], rtol=1e-15)
    np.testing.assert_allclose(frame["a"], 0.1 + 0.9 * points[:, 1], rtol=1e-15)
    # The digits of normal columns are shifted, by the same for all members.
    found = np.floor(special.ndtr((frame["theta'(0)"] - 1) / 0.25) * 2.0**32).astype(np.int64)
    digits = (points[:, 2] * 2.0**32).astype(np.int64)
    shift = found[0] ^ digits[0]
    normal = 1 + 0.25 * special.ndtri(((digits ^ shift) + 0.5) * 2.0**-32)
    np.testing.assert_allclose(frame["theta'(0)"], normal, rtol=1e-13)


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(appell.ModelError, match="did you mean `m`"):
        appell.sweep(MODEL, {"grid": {"mm": [1]}}, tmp_path / "s")
    with pytest.raises(ValueError, match="yes=True"):
        appell.sweep(MODEL, {"grid": {"m": "1:2:100000000"}}, tmp_path / "s")
    with pytest.raises(ValueError, match="no study"):
        appell.Study(tmp_path).status()
    appell.sweep(MODEL, DESIGN, tmp_path / "s")
    with pytest.raises(ValueError, match="another design"):
        appell.sweep(MODEL, {**DESIGN, "until": 2}, tmp_path / "s")


def test_shares_are_counted_from_0(tmp_path: Path) -> None:
    for shard in ((0, 0), (2, 2), (-1, 2)):
        with pytest.raises(ValueError, match="counted from 0"):
            appell.sweep(MODEL, DESIGN, tmp_path / "none", shard=shard)
    with pytest.raises(ValueError, match=r"the last one of 2 is \(1, 2\)"):
        appell.sweep(MODEL, DESIGN, tmp_path / "none", shard=(3, 2))


def test_grids_are_columns_of_tables_too(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    for place, grid in enumerate((pandas.Series([1.0, 2.0], index=[7, 3]), np.array([1.0, 2.0]), range(1, 3))):
        frame = appell.sweep(MODEL, {"until": 1, "grid": {"m": grid}}, tmp_path / str(place)).to_pandas()
        assert frame["m"].tolist() == [1.0, 2.0]
