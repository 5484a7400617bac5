"""A computed motion: arrays, names, forces, plots."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _appell
from ._copies import Listed
from ._derivatives import Derivatives
from ._page import Page
from ._records import Record, record
from ._shown import Shown
from ._starts import reals

__all__ = ["Motion"]

Array = NDArray[np.float64]
Solve = Callable[[list[float] | None, float | None], _appell.Motion]


@dataclass(frozen=True)
class Kept:
    """What a motion was computed to be, without the model: what is pickled."""

    json: str
    columns: list[str]
    table: Array
    state_names: list[str]
    outcome: str
    stopped_by: str | None
    exit: str
    rhs_evaluations: int
    events: list[tuple[str, float, list[float], list[float] | None]]
    seconds: float
    plots: list[tuple[str, str, list[tuple[str, list[float], list[float]]]]]


@dataclass(frozen=True)
class Happened:
    """Where an event happened, k times.

    Attributes
    ----------
    t : ndarray, shape (k,)
        The times.
    y : ndarray, shape (k, 2n)
        Coordinates and velocities then, before a reset.
    after : ndarray, shape (k, 2n), or None
        The same after the reset, where the event has one.
    """

    t: Array
    y: Array
    after: Array | None


class Motion(Shown):
    """The motion of a model, with the fields of SciPy's ``OdeResult`` and names.

    ``motion["theta'"]`` is a column by its name; `columns` lists them: ``t``, the coordinates, their
    velocities, the multipliers ``lambda[constraint]``, ``E``, ``residual[constraint]``, and the components of
    constraint forces. N is the number of samples.

    Attributes
    ----------
    t : ndarray, shape (N,)
        The times.
    y : ndarray, shape (len(state_names), N)
        The states: q, then v in the forms that use them.
    state_names : list of str
        The names of the rows of `y`.
    sol : callable
        ``sol(t)`` is the state at other times of the motion: integrated anew to these times, with the
        accuracy of the samples. Shape (len(state_names),) or (len(state_names), len(t)).
    events : dict of str to Happened
        The events of ``run(..., events=, stop=)`` by their names, with ``t``, ``y`` and, after resets, ``after``.
    t_events : list of ndarray
        The times of each of these, in their order; last the time at which a condition ``stop`` of the model ended the
        motion, if one did.
    y_events : list of ndarray
        The states there, one row each.
    nfev : int
        Evaluations of the right-hand side.
    status : int
        0: the end was reached; 1: a condition ended the motion; -1: it could not be continued, or its
        energy does not balance.
    success : bool
        Whether `status` is not negative.
    message : str
        How it ended, a sentence.
    seconds : float
        How long it took to compute, without the way to Python and back.
    energy : ndarray, shape (N,)
        E.
    residual : ndarray, shape (rows, N)
        What is left of each constraint row.
    derivatives : Derivatives or None
        The exact derivatives of all columns, where ``run(..., sensitivity=[...])`` asked for them.
    final, steps, rejected, max_residual, ledger, claims, start, form, method, exit
        As in the JSON of ``appell run``.
    indeterminate : Record or None
        The rows that depend on each other and the forces that are not unique, where there are such.
    """

    njev = 0
    nlu = 0
    columns = Listed()
    state_names = Listed()

    def __init__(
        self,
        motion: _appell.Motion | Kept,
        solve: Solve,
        describe: Callable[[], str],
        again: Callable[[], Solve],
        written: Callable[[], str],
        called: list[str] | None = None,
    ) -> None:
        self.derivatives: Derivatives | None = None
        self._motion = motion
        self._written = written
        self._again = again
        self._solve = solve
        self._describe = describe
        self.columns = motion.columns
        self._table: Array = motion.table
        self._rows = {name: row for row, name in enumerate(self.columns)}
        self.state_names = motion.state_names
        self.t: Array = self._table[0]
        self.y: Array = self._state_of(self._table)
        self.message: str = motion.outcome
        stopped = motion.stopped_by is not None
        done = motion.exit == "done"
        self.status: int = -1 if not done else int(stopped)
        self.success: bool = self.status >= 0
        self.nfev: int = motion.rhs_evaluations
        self.seconds: float = motion.seconds
        self._called = called or []
        self.events: dict[str, Happened] = {name: self._happened(name) for name in self._called}
        self.t_events: list[Array] = [own.t for own in self.events.values()]
        self.y_events: list[Array] = [own.y for own in self.events.values()]
        last = motion.events[-1] if motion.events else None
        if stopped and not (last and last[1] == self.t[-1] and last[0] in motion.stopped_by):  # type: ignore[operator]
            self.t_events.append(self.t[-1:])
            self.y_events.append(self.y[:, -1:].T)

    def _happened(self, name: str) -> Happened:
        """The occurrences of an event."""
        own = [event for event in self._motion.events if event[0] == name]
        width = 2 * (len(self.state_names) // 2)
        after = [event[3] for event in own if event[3] is not None]
        return Happened(
            np.array([event[1] for event in own]),
            np.array([event[2] for event in own]).reshape(len(own), width),
            np.array(after) if after else None,
        )

    def _state_of(self, table: Array) -> Array:
        """The rows of the state: a view where they stand together."""
        rows = [self._rows.get(name, 0) for name in self.state_names]
        together = list(range(1, 1 + len(rows)))
        state: Array = table[1 : 1 + len(rows)] if rows == together else table[rows]
        return state

    @cached_property
    def _summary(self) -> Record:
        return record(json.loads(self._motion.json))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            try:
                return getattr(self._summary, name)
            except AttributeError:
                pass
        if name == "sensitivity":
            raise AttributeError("the motion was not differentiated: name what by, as run(..., sensitivity=['m'])")
        raise AttributeError(f"a motion has no attribute `{name}`")

    def __getitem__(self, name: str) -> Array:
        """The column of this name, shape (N,)."""
        if name not in self._rows:
            raise KeyError(f"there is no column `{name}`; there are {', '.join(self.columns)}")
        column: Array = self._table[self._rows[name]]
        return column

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self.columns)

    def __len__(self) -> int:
        """The number of samples."""
        return len(self.t)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The samples, shape (N, columns)."""
        return np.array(self._table.T, dtype=dtype, copy=copy)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._summary)]

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def __repr__(self) -> str:
        return self._describe().rstrip()

    @property
    def energy(self) -> Array:
        """E at the samples, shape (N,)."""
        return self["E (energy)" if "E (energy)" in self else "E"]

    @property
    def residual(self) -> Array:
        """What is left of each constraint row at the samples, shape (rows, N)."""
        return self._table[[i for name, i in self._rows.items() if name.startswith("residual[")]]

    @property
    def sensitivity(self) -> Array:
        """The derivatives of coordinates and velocities by what ``run(..., sensitivity=[...])`` named, at the samples;
        shape (N, 2n, names)."""
        if self.derivatives is None:
            raise AttributeError
        found: Array = self.derivatives.values[:, : self.derivatives.state]
        return found

    @property
    def multipliers(self) -> Array:
        """The multipliers, shape (rows, N)."""
        return self._table[[i for name, i in self._rows.items() if name.startswith("lambda[")]]

    @property
    def plots(self) -> list[tuple[str, str, list[tuple[str, list[float], list[float]]]]]:
        """The plots of the model: title, name of the abscissa, and for each curve its name and points."""
        return self._motion.plots

    def sol(self, t: ArrayLike) -> Array:
        """The state at times of the motion; shape (len(state_names),) or (len(state_names), len(t))."""
        times = reals("t", t)
        first, last = self.t_bounds
        low, high = min(first, last), max(first, last)
        if times.size and (times.min() < low or times.max() > high):
            raise ValueError(f"the motion is known from {low} to {high}")
        ordered, inverse = np.unique(times.ravel(), return_inverse=True)
        if last < first:
            ordered, inverse = ordered[::-1], len(ordered) - 1 - inverse
        if not ordered.size:
            return np.empty((len(self.state_names), 0))
        motion = self._solve(ordered.tolist(), last)
        states = motion.table[[self._rows[name] for name in self.state_names]]
        found: Array = states[:, inverse].reshape(len(self.state_names), *times.shape)
        return found

    @property
    def t_bounds(self) -> tuple[float, float]:
        """The first and the last time."""
        return float(self._summary["start"]["t"]), float(self._summary["t"])

    def reaction(self, on: str, constraint: str | None = None) -> Array:
        """The constraint force on a particle or body, shape (N, 3), inertial components.

        Parameters
        ----------
        on : str
            The particle or body.
        constraint : str, optional
            One constraint; by default the sum of all.
        """
        return self._vectors("R", on, constraint)

    def torque(self, on: str, constraint: str | None = None) -> Array:
        """The couples of constraints on a body, besides the moments of the forces; shape (N, 3)."""
        return self._vectors("torque", on, constraint)

    def _vectors(self, what: str, on: str, constraint: str | None) -> Array:
        heads = [
            name[:-2]
            for name in self.columns
            if name.startswith(f"{what}[") and name.endswith(f" on {on}].x")
        ]
        if constraint is not None:
            heads = [head for head in heads if head == f"{what}[{constraint} on {on}]"]
        if not heads:
            known = sorted({name.rsplit(" on ", 1)[1][:-3] for name in self.columns if " on " in name})
            of = "" if constraint is None else f" of `{constraint}`"
            kind = "force" if what == "R" else "couple"
            raise KeyError(f"there is no {kind}{of} on `{on}`; there are such on {', '.join(known) or 'nothing'}")
        parts = [np.stack([self[f"{head}.{axis}"] for axis in "xyz"], axis=1) for head in heads]
        total: Array = np.add.reduce(parts)
        return total

    def to_dict(self) -> dict[str, Any]:
        """What ``appell run --json`` prints, and what else is known, as Python has it."""
        return self._summary.to_dict()

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``: the columns by name, the time as index."""
        import pandas

        columns = {name: self._table[row] for name, row in self._rows.items() if name != "t"}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> Any:
        """An ``xarray.Dataset``: each column over the dimension ``t``."""
        import xarray

        columns = {name: ("t", self._table[row]) for name, row in self._rows.items() if name != "t"}
        return xarray.Dataset(columns, coords={"t": self.t}, attrs={"outcome": self.message})

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` of the columns; the arrays are shared."""
        import pyarrow

        return pyarrow.table({name: self._table[row] for name, row in self._rows.items()})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws columns over time; without names the plots of the model, or else the coordinates.

        Parameters
        ----------
        *names : str
            Columns, each a curve over t.
        ax : matplotlib Axes, or an array of them, optional
            Where to draw, as many as there are plots; by default a new figure.

        Returns
        -------
        Axes, or an array of Axes where the model has several plots
        """
        from ._draw import draw

        return draw(self, names, ax)

    @cached_property
    def _page(self) -> str:
        return self._written()

    def show(self, part: str | None = "motion", height: int = 560) -> Page:
        """The player of this motion in a notebook cell.

        Parameters
        ----------
        part : str or None
            What is shown of the page: ``motion``, ``plots``, ``equations``; None for all of it.
        height : int
            Pixels.

        Returns
        -------
        Page
            What a notebook shows; elsewhere its ``save`` writes the file.
        """
        return Page(self._page, part, height)

    def report(self, path: str | os.PathLike[str]) -> Page:
        """Writes the page of this motion, one file that opens anywhere, as ``appell report`` does."""
        page = Page(self._page)
        page.save(path)
        return page

    def __reduce__(self) -> tuple[Any, ...]:
        kept = Kept(**{field.name: getattr(self._motion, field.name) for field in fields(Kept)})
        again = self._again
        try:
            pickle.dumps(again)
        except (AttributeError, TypeError, pickle.PicklingError):
            # A function of the user that other processes do not have.
            again = _gone
        return _restored, (kept, repr(self), again, self._written, self._called), {"derivatives": self.derivatives}


def _gone() -> Solve:
    raise RuntimeError(
        "the motion was driven by a function that cannot be pickled, such as a lambda: its samples are here, but it "
        "cannot be computed at other times"
    )


def _restored(
    kept: Kept, shown: str, again: Callable[[], Solve], written: Callable[[], str], called: list[str]
) -> Motion:
    """A motion from a pickle; its model is read anew when `sol` is asked."""
    return Motion(kept, lambda times, until: again()(times, until), lambda: shown, again, written, called)
