"""Exact derivatives of motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _appell
from ._shown import Shown

__all__ = ["Derivatives", "derivatives_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Derivatives(Shown):
    """The exact derivatives of a motion by starts, parameters and inputs, at fixed times.

    ``derivatives["lambda[blade]"]`` is that of a column of the motion, shape (N, k), for N samples and k names. By ``x``
    or ``x'`` it is the derivative by the value at the start, with the start completed on the constraints anew; by a
    parameter the start moves too; by an input it is the derivative by a constant that is added to it.

    Attributes
    ----------
    names : list of str
        What the motion is differentiated by.
    columns : list of str
        What is differentiated: coordinates, velocities, then multipliers, ``E``, residuals, forces.
    t : ndarray, shape (N,)
        The times.
    values : ndarray, shape (N, len(columns), k)
        All of them; nan where a column has no value, as the multipliers of rows that depend on each other.
    condition : str or None
        The condition ``stop`` that ended the motion, if one did.
    event_time : ndarray, shape (k,), or None
        The derivatives of the time at which it did.
    message : str
        How the motion ended, a sentence.
    success : bool
        Whether the derivatives are known up to the end.
    """

    names: list[str]
    columns: list[str]
    t: Array
    values: Array
    state: int
    condition: str | None
    event_time: Array | None
    event_values: Array | None
    message: str
    success: bool

    def __post_init__(self) -> None:
        # Whoever sorts the list of names finds the columns all the same.
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(self.columns)})

    def __getitem__(self, column: str) -> Array:
        """The derivatives of a column, shape (N, k)."""
        found: Array = self.values[:, self._place(column)]
        return found

    def at_event(self, column: str) -> Array:
        """The derivatives of the value of a column where the motion was ended, shape (k,): the place moves too."""
        if self.event_values is None:
            raise ValueError("no condition ended the motion")
        found: Array = self.event_values[self._place(column)]
        return found

    def _place(self, column: str) -> int:
        places: dict[str, int] = self.__dict__["_places"]
        if column not in places:
            raise KeyError(f"there is no column `{column}`; there are {', '.join(places)}")
        return places[column]

    def __repr__(self) -> str:
        return f"<Derivatives of {len(self.columns)} columns by {', '.join(self.names)}: {len(self.t)} samples>"


def derivatives_of(found: _appell.Derivatives, times: Any) -> Derivatives:
    """As the motion with these times has them; nan where they end before it."""
    count, known = len(times), min(len(times), len(found.times))
    values = np.full((count, *found.values.shape[1:]), np.nan)
    values[:known] = found.values[:known]
    ended = found.condition is not None
    shape = (len(found.columns), len(found.names))
    return Derivatives(
        names=found.names,
        columns=found.columns,
        t=times,
        values=values,
        state=found.state,
        condition=found.condition,
        event_time=np.array(found.event_time) if ended else None,
        event_values=np.reshape(found.event_values, shape) if ended else None,
        message=found.outcome,
        success=found.done,
    )
