"""Ensembles: as single runs, whatever the number of threads, with failing members beside good ones."""

from __future__ import annotations

import os
import signal
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell as ap

from conftest import ZOO

TIGHT = {"rtol": 1e-12, "atol": 1e-12}

# What comes from above along x = y is at rest, a singular state, at t = 1.
CROSS = """
coordinates = ["x", "y"]
parameters = { m = { value = 1.0, min = 0.5 } }
energy = { kinetic = "m/2*(x'^2 + y'^2)", potential = "-m*(x + y)" }
constraints = { cross = "x'^2 = y'^2" }
initial = { state = ["x = 0", "y = 0", "x' = 1", "y' = 1"] }
"""


@pytest.fixture(scope="module")
def model() -> ap.Model:
    return ap.Model.gallery("perpendicular")


def pucks(count: int) -> Any:
    """States of two pucks with perpendicular velocities, turned and scaled."""
    angle = np.linspace(-1, 1, count)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    x0 = np.zeros((count, 8))
    x0[:, :4] = [1, -2, 1, 2]
    x0[:, 4:6] = ((1 + angle**2) * (turn.transpose(1, 0, 2) * [[[0.3]], [[0.4]]]).sum(0)).T
    x0[:, 6:] = (turn.transpose(1, 0, 2) * [[[0.4]], [[-0.3]]]).sum(0).T
    return x0


def test_members_are_single_runs(model: ap.Model) -> None:
    x0 = pucks(11)
    m2 = np.linspace(1, 3, 11)
    done = model.ensemble(x0, {"m2": m2, "s": 0.5}, until=3, **TIGHT)
    assert done.success and len(done) == 11 and done.counts == {"finished": 11}
    assert done.y.shape == (11, 8) and done.t.tolist() == [3.0] * 11 and done.status.dtype == np.int8
    assert done.names == model.run(until=1).state_names and done.times is None and done.samples is None
    for member in range(11):
        alone = model.run(until=3, x0=x0[member], params={"m2": m2[member], "s": 0.5}, **TIGHT)
        assert np.allclose(done.y[member], alone.y[:, -1], rtol=0, atol=1e-9)
    assert np.shares_memory(done["x1'"], done.y) and np.array_equal(done["x1'"], done.y[:, 4])
    assert not done.y.flags.owndata or done.y.base is None
    with pytest.raises(KeyError, match="there are x1"):
        done["x3"]


def test_results_do_not_depend_on_threads_and_neighbours(model: ap.Model) -> None:
    x0 = pucks(301)
    one = model.ensemble(x0, until=2, threads=1)
    for threads in (2, 3, None):
        assert np.array_equal(model.ensemble(x0, until=2, threads=threads).y, one.y)
    assert np.array_equal(model.ensemble(x0[::-7], until=2).y, one.y[::-7])


def test_arrays_of_any_layout(model: ap.Model) -> None:
    x0 = np.round(8 * pucks(5)) / 8
    x0[:, 4:] = [1, 2, 2, -1]
    wanted = model.ensemble(x0, until=1).y
    wide = np.zeros((10, 16), dtype=">f4")
    wide[::2, ::2] = x0
    fractions = np.array([[Fraction(x) for x in row] for row in x0])
    for given in (np.asfortranarray(x0), wide[::2, ::2], x0[::-1].copy()[::-1], x0.tolist(), fractions, x0.astype("f2")):
        assert np.array_equal(model.ensemble(given, until=1).y, wanted)
    # A parameter that differs is an input of the programs: rounding is another.
    same = model.ensemble(x0[0], {"m1": [1, 1]}, until=1).y
    assert np.allclose(same, wanted[[0, 0]], rtol=0, atol=1e-12)


def test_samples(model: ap.Model) -> None:
    x0 = pucks(3)
    done = model.ensemble(x0, until=2, samples=5, **TIGHT)
    assert done.samples is not None and done.samples.shape == (3, 5, 8)
    assert done.times is not None and done.times.tolist() == [0, 0.5, 1, 1.5, 2]
    assert np.array_equal(done.samples[:, 0], x0) and np.array_equal(done.samples[:, -1], done.y)
    for member in range(3):
        alone = model.run(until=2, x0=x0[member], samples=5, **TIGHT)
        assert np.allclose(done.samples[member], alone.y.T, rtol=0, atol=1e-9)
    chosen = model.ensemble(x0, until=2, times=[0.5, 1.5], **TIGHT)
    assert chosen.times is not None and chosen.times.tolist() == [0.5, 1.5]
    assert np.allclose(chosen.samples, done.samples[:, [1, 3]], rtol=0, atol=1e-9)


def test_starts_by_name_are_completed(model: ap.Model) -> None:
    """A disc rolls: its centre's height and velocities follow from lean, heading and spin."""
    disc = ap.Model.gallery("rolling-disc")
    theta = np.array([0.05, 0.1, 0.2])
    done = disc.ensemble({"theta": theta, "phi'": 5}, until=1, samples=2, **TIGHT)
    assert done.success and done.samples is not None
    start = dict(zip(done.names, done.samples[:, 0].T, strict=True))
    assert np.allclose(start["z"], 0.5 * np.cos(theta), rtol=0, atol=1e-12)
    for member in range(3):
        alone = disc.run(until=1, x0={"theta": theta[member], "phi'": 5}, **TIGHT)
        assert np.allclose(done.y[member], alone.y[:, -1], rtol=0, atol=1e-9)


def test_failing_members_stand_beside_good_ones() -> None:
    model = ap.Model(text=CROSS)
    speeds = np.array([-1.0, 1, 2, -2, 0.5])
    x0 = np.stack([0 * speeds, 0 * speeds, speeds, speeds], axis=1)
    x0[2, 3] = 1.5  # off the constraint
    done = model.ensemble(x0, {"m": [1, 1, 1, 1, 0.1]}, until=1.5)
    assert not done.success and done.words.tolist() == ["singular", "finished", "refused", "finished", "refused"]
    assert (done.status < 0).tolist() == [True, False, True, False, True]
    assert done.counts == {"finished": 2, "refused": 2, "singular": 1}
    assert done.t[0] == pytest.approx(1, abs=1e-6) and np.isnan(done.y[2]).all() and np.isnan(done.t[2])
    assert not model.ensemble(x0[:1], until=1.5).success
    # The acceleration is (1, 1).
    assert np.allclose(done.y[1], [1.5 + 1.125] * 2 + [2.5] * 2, rtol=0, atol=1e-8)
    assert [member for member, _ in done.remarks] == [0, 2, 4]
    assert "below 0.5" in dict(done.remarks)[4] and "member 4: its start is refused" in repr(done)
    frame = pytest.importorskip("pandas") and done.to_pandas()
    assert frame["status"][0] == "singular" and frame["x'"][1] == done.y[1, 2]


@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
def test_a_place_that_no_motion_leads_through_is_no_stop() -> None:
    step = ap.Model(coordinates="x", parameters={"a": 2}, kinetic="x'^2/2", potential="a*sign(x)", initial=["x = -1", "x' = 1"])
    found = step.ensemble(until=3, params={"a": np.linspace(1, 2, 20)})
    assert set(found.words) == {"impassable"} and not found.success
    with pytest.raises(ap.NumericalError, match="potential energy jumps where `x` is 0"):
        stepper = step.stepper(0.25)
        for _ in range(12):
            stepper.step()


def test_no_start_in_the_model_is_needed() -> None:
    model = ap.Model(coordinates="x", kinetic="x'^2/2", potential="x^2/2")
    done = model.ensemble([[1, 0], [0, 1]], until=np.pi / 2, **TIGHT)
    assert np.allclose(done.y, [[0, -1], [1, 0]], rtol=0, atol=1e-10)
    empty = model.ensemble(np.empty((0, 2)), until=1)
    assert len(empty) == 0 and empty.y.shape == (0, 2) and empty.success and "0 members" in repr(empty)


def test_wrong_arguments_say_where(model: ap.Model) -> None:
    x0 = pucks(4)
    x0[2, 5] = np.nan
    with pytest.raises(ValueError, match=r"x0\[2\]: `y1'` = nan is not a finite number"):
        model.ensemble(x0, until=1)
    with pytest.raises(ValueError, match=r"params\['m1'\]\[1\]: `m1` = inf"):
        model.ensemble(pucks(2), {"m1": [1, np.inf]}, until=1)
    with pytest.raises(ValueError, match=r"params\['m1'\] has 3 values, .* has 4"):
        model.ensemble(pucks(4), {"m1": [1, 2, 3]}, until=1)
    with pytest.raises(ValueError, match=r"has the shape \(4, 7\), not \(members, 8\)"):
        model.ensemble(pucks(4)[:, :7], until=1)
    with pytest.raises(TypeError, match="how many members"):
        model.ensemble(params={"m1": 2}, until=1)
    with pytest.raises(TypeError, match="not real numbers"):
        model.ensemble(pucks(4) + 0j, until=1)
    with pytest.raises(ap.ModelError, match="did you mean `m1`"):
        model.ensemble(params={"m11": [1, 2]}, until=1)
    with pytest.raises(ap.ModelError, match="unknown parameter"):
        model.ensemble(pucks(2), {"q9": 1}, until=1)
    with pytest.raises(ValueError, match="0 threads"):
        model.ensemble(pucks(2), until=1, threads=0)
    with pytest.raises(ap.ModelError, match="no end time"):
        ap.Model(text=CROSS).ensemble([[0, 0, 1, 1]])
    with pytest.raises(ap.ModelError, match="backend"):
        model.ensemble(pucks(2), until=1, backend="gpu")


def pendulum() -> ap.Model:
    """Its motions need steps without end."""
    return ap.Model(coordinates="x", kinetic="x'^2/2", potential="-cos(x)")


@pytest.mark.parametrize("count", [1, 500])
def test_ctrl_c_ends_all_members(count: int) -> None:
    """Also a few that report nothing for a long time."""
    model = pendulum()
    x0 = np.ones((count, 2))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.ensemble(x0, until=1e9)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    # Nothing goes on in the background.
    time.sleep(0.3)
    used = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - used < 0.25
    assert model.ensemble(x0[:1], until=1).success


def test_other_threads_go_on_meanwhile() -> None:
    model = pendulum()
    done: list[ap.Ensemble] = []
    thread = threading.Thread(target=lambda: done.append(model.ensemble(np.ones((400, 2)), until=200)))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 3 and len(done[0]) == 400


def test_progress_only_when_asked(model: ap.Model, capfd: pytest.CaptureFixture[str]) -> None:
    model.ensemble(pucks(3), until=1)
    assert capfd.readouterr().err == ""
    model.ensemble(pucks(3), until=1, progress=True)
    assert "100 %" in capfd.readouterr().err
    parts: list[float] = []
    model.ensemble(pucks(2000), until=20, progress=parts.append)
    assert parts == sorted(parts) and parts[-1] == 1.0 and 0 <= parts[0] <= 1

    def fails(_: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        pendulum().ensemble(np.ones((20, 2)), until=1e9, progress=fails)


def test_ensembles_are_those_of_the_command_line(cli: Any, tmp_path: Path) -> None:
    path = next(path for path in ZOO if path.stem == "perpendicular")
    members, ends, samples = (tmp_path / name for name in ("members.csv", "ends.npz", "samples.npz"))
    m1 = [1.0, 1.5, -3.0]
    members.write_text("m1\n" + "".join(f"{m}\n" for m in m1))
    cli("run", str(path), "--ensemble", str(members), "-o", str(ends))
    cli("run", str(path), "--ensemble", str(members), "--samples", "4", "-o", str(samples))
    done = ap.Model(path).ensemble(params={"m1": m1}, samples=4)
    archive = np.load(ends)
    assert archive.files == ["t", "status", *done.names]
    assert archive["status"].tolist() == done.words.tolist()
    assert np.array_equal(archive["t"], done.t, equal_nan=True)
    for name in done.names:
        assert np.array_equal(archive[name], done[name], equal_nan=True)
    archive = np.load(samples)
    assert np.array_equal(archive["t"], done.times)
    assert done.samples is not None
    for place, name in enumerate(done.names):
        assert np.array_equal(archive[name], done.samples[:, :, place], equal_nan=True)


def test_a_stop_that_a_short_excursion_brings_is_met() -> None:
    """What is below a level, above it for a moment within a step, and below it again stops there, alone and in lanes."""
    swing = ap.Model(
        coordinates="x", parameters={"level": 0.9}, kinetic="x'^2/2", potential="x^2/2", initial=["x = 0", "x' = 1"],
        simulate={"until": 20, "stop": ["x < level"]},
    )  # fmt: skip
    levels = 1 - np.geomspace(1e-1, 1e-7, 40)
    expected = np.pi - np.arcsin(levels)
    assert swing.ensemble([0.0, 1.0], {"level": levels}, until=20).t == pytest.approx(expected, abs=1e-7)
    assert [swing.run(20, params={"level": level}).t[-1] for level in levels] == pytest.approx(expected, abs=1e-7)


def test_members_begin_where_the_model_does_not() -> None:
    """Its own start misses the rod, whose length may be another."""
    rod = ap.Model(
        coordinates="x y", parameters={"l": 1.0, "m": 1.0}, kinetic="m*(x'^2 + y'^2)/2", potential="9.81*m*y",
        constraints={"rod": "x^2 + y^2 = l^2"}, initial=["x = 0.6", "y = -0.7"], simulate={"until": 1},
    )  # fmt: skip
    single = rod.run(x0=[0.6, -0.8, 0, 0]).final
    many = rod.ensemble([[0.6, -0.8, 0, 0], [0.6, -0.7, 0, 0], [0.8, -0.6, 0, 0]])
    assert many.words.tolist() == ["finished", "refused", "finished"]
    assert many.y[0] == pytest.approx(single, abs=1e-8)
    many = rod.ensemble({"y": [-0.8, -0.75]})
    assert many.words.tolist() == ["finished", "refused"]
    assert many.y[0] == pytest.approx(single, abs=1e-8)
    many = rod.ensemble(None, {"l": [0.85**0.5, 2.0]})
    assert many.words.tolist() == ["finished", "refused"]
    assert many.y[0] == pytest.approx(rod.run(params={"l": 0.85**0.5}).final, abs=1e-8)
    # A length with a place of its own, which the model's place misses.
    many = rod.ensemble({"y": [-0.8, -(3.64**0.5), -0.7]}, {"l": [1.0, 2.0, 1.0]})
    assert many.words.tolist() == ["finished", "finished", "refused"]
    # What no member changes is wrong in the model.
    with pytest.raises(ap.ModelError, match="E0501"):
        rod.ensemble(None, {"m": [1.0, 2.0]})
