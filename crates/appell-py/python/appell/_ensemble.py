"""Motions of many members: arrays, names, how each ended."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _appell
from ._copies import Listed
from ._shown import Shown
from ._starts import by_name, named, reals

__all__ = ["Ensemble", "members", "meter"]

Array = NDArray[np.float64]
Progress = bool | Callable[[float], object]


class Ensemble(Shown):
    """Motions of one model with initial states and parameters of their own.

    ``ensemble["theta'"]`` are the last values of a component of the state, shape (members,). Members count
    from 0.

    Attributes
    ----------
    names : list of str
        The names of the components of the state.
    y : ndarray, shape (members, len(names))
        The last states; nan where a start was refused.
    t : ndarray, shape (members,)
        The last times.
    status : ndarray of int8, shape (members,)
        How each ended: 0 finished, 1 stopped by a condition of the model, negative where it could not be
        continued; `words` tells them apart.
    times : ndarray, shape (samples,), or None
        The times of the samples that were asked for.
    samples : ndarray, shape (members, samples, len(names)), or None
        The states there; nan where a motion did not come so far.
    success : bool
        Whether no status is negative.
    steps, rejected : ndarray of uint32, shape (members,)
        Accepted and rejected steps.
    remarks : list of (int, str)
        Members that were refused or failed, and why; the first hundred of them.
    moved : int
        How many were moved on to the constraints at their start.
    seconds : float
        How long it took to compute, without the way to Python and back.
    form, backend : str
        The form of the equations, and what ran them.
    """

    names = Listed()

    def __init__(self, done: _appell.Ensemble) -> None:
        self.names = done.names
        self.y: Array = done.y
        self.t: Array = done.t
        self.status: NDArray[np.int8] = done.status
        self.times: Array | None = done.times
        self.samples: Array | None = done.samples
        self.steps: NDArray[np.uint32] = done.steps
        self.rejected: NDArray[np.uint32] = done.rejected
        self.remarks: list[tuple[int, str]] = done.remarks
        self.moved: int = done.moved
        self.form: str = done.form
        self.backend: str
        self.backend, self._remark = done.backend
        self.seconds: float = done.seconds
        self.success: bool = bool((self.status >= 0).all())

    @cached_property
    def words(self) -> NDArray[np.str_]:
        """How each member ended, a word, shape (members,)."""
        table = dict(_appell.endings())
        codes, place = np.unique(self.status, return_inverse=True)
        words: NDArray[np.str_] = np.array([table[int(code)] for code in codes], dtype=np.str_)[place]
        return words

    @property
    def counts(self) -> dict[str, int]:
        """How many members there are of each ending."""
        words, counts = np.unique(self.words, return_counts=True)
        return dict(zip(words.tolist(), counts.tolist(), strict=True))

    def __getitem__(self, name: str) -> Array:
        """The last values of a component of the state, shape (members,): a view."""
        if name not in self.names:
            raise KeyError(f"there is no component `{name}`; there are {', '.join(self.names)}")
        column: Array = self.y[:, self.names.index(name)]
        return column

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[str]:
        raise TypeError("an ensemble is no sequence; its arrays y, t, status have an entry for each member")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The last states, shape (members, len(names))."""
        return np.array(self.y, dtype=dtype, copy=copy)

    def _ipython_key_completions_(self) -> list[str]:
        return self.names

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        lines = [f"{len(self)} members, {self.backend}: {counts or 'nothing to do'}"]
        lines += [self._remark] if self._remark else []
        lines += [f"{self.moved} of them were moved on to the constraints at their start"] if self.moved else []
        lines += [f"member {member}: {why}" for member, why in self.remarks[:5]]
        lines += ["(and more in `remarks`)"] if len(self.remarks) > 5 else []
        return "\n".join(lines)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` of the ends: ``t``, ``status`` as a word, and the state, one row for each member."""
        import pandas

        state = {name: self[name] for name in self.names}
        index = pandas.RangeIndex(len(self), name="member")
        return pandas.DataFrame({"t": self.t, "status": self.words, **state}, index=index)


def members(coordinates: list[str], x0: Any, params: Mapping[str, Any]) -> tuple[list[str], Array]:
    """The columns of members, and members x columns; single values stand for all members."""
    state = [*coordinates, *(f"{name}'" for name in coordinates)]
    x0 = named(x0)
    given: list[tuple[str, str, Array]] = []
    rows: Array = np.empty((0, len(state)))
    if isinstance(x0, Mapping):
        given += [(name, f"x0[{name!r}]", reals(f"x0[{name!r}]", value)) for name, value in by_name("x0", x0).items()]
    elif x0 is not None:
        rows = reals("x0", x0)
        if rows.ndim not in (1, 2) or rows.shape[-1] != len(state):
            raise ValueError(
                f"a state has {len(state)} numbers ({', '.join(state)}); x0 has the shape {rows.shape}, "
                f"not (members, {len(state)})"
            )
        given += [(name, f"x0[:, {i}]", rows[..., i]) for i, name in enumerate(state)]
    given += [(name, f"params[{name!r}]", reals(f"params[{name!r}]", value)) for name, value in params.items()]
    for _, what, column in given:
        if column.ndim > 1:
            raise ValueError(f"{what} has the shape {column.shape}, not (members,)")
    lengths = {what: len(column) for _, what, column in given if column.ndim == 1}
    if not lengths:
        raise TypeError("nothing says how many members there are: give x0, or one of params, as an array")
    first, count = next(iter(lengths.items()))
    for what, length in lengths.items():
        if length != count:
            raise ValueError(f"{what} has {length} values, {first} has {count}: one for each member")
    if not isinstance(x0, Mapping) and not params:
        values = rows
    else:
        values = np.empty((count, len(given)))
        for place, (_, _, column) in enumerate(given):
            values[:, place] = column
    if not np.isfinite(values).all():
        row, place = np.argwhere(~np.isfinite(values))[0]
        name, what, _ = given[place]
        at = f"x0[{row}]" if what.startswith("x0[:") else f"{what}[{row}]"
        raise ValueError(f"{at}: `{name}` = {values[row, place]} is not a finite number")
    return [name for name, _, _ in given], values


@contextmanager
def meter(progress: Progress) -> Iterator[Callable[[float], object] | None]:
    """What is told of progress: a function, or a line on standard error."""
    if not isinstance(progress, bool):
        yield progress
        progress(1.0)
    elif not progress:
        yield None
    else:
        _bar(0.0)
        try:
            yield _bar
            _bar(1.0)
        finally:
            print(file=sys.stderr)


def _bar(part: float) -> None:
    full = int(40 * part)
    print(f"\r[{'#' * full}{'.' * (40 - full)}] {100 * part:3.0f} %", end="", file=sys.stderr, flush=True)
