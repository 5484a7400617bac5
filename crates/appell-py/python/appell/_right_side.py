"""The equations of motion as a function for other integrators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _appell

__all__ = ["RightSide"]


class _Addresses(tuple[int, int]):
    """Two addresses, and what lies there: it stays as long as the pair does."""

    _owner: _appell.RightSide

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("addresses mean nothing to another process: pickle the right-hand side itself")


class RightSide:
    """The right-hand side ``f(t, y)`` of a model; see `Model.rhs`.

    Attributes
    ----------
    state_names : list of str
        The names of the components of y.
    c_function : (int, int) or None
        The addresses of the function in machine code and of its data, valid as long as this object or the pair
        itself lives. Who takes the two numbers out of the pair keeps one of both.
    """

    __slots__ = ("_again", "_function")

    def __init__(self, function: _appell.RightSide, again: Callable[[], RightSide]) -> None:
        self._function, self._again = function, again

    @property
    def state_names(self) -> list[str]:
        """The names of the components of y."""
        return self._function.state_names

    @property
    def c_function(self) -> tuple[int, int] | None:
        """The addresses of the function in machine code and of its data."""
        found = self._function.c_function
        if found is None:
            return None
        pair = _Addresses(found)
        pair._owner = self._function
        return pair

    def __call__(self, t: float, y: ArrayLike) -> NDArray[np.float64]:
        """The rates of y; of each column where y has columns, as ``solve_ivp(vectorized=True)`` asks."""
        if getattr(y, "ndim", 1) == 2:
            columns = np.asarray(y, dtype=float).T
            return np.stack([self._function(t, column) for column in columns], axis=1)
        return self._function(t, y)

    def jac(self, t: float, y: ArrayLike) -> NDArray[np.float64]:
        """The exact derivative of the rates by y."""
        return self._function.jac(t, y)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._again,)


def _restored(again: Callable[[], RightSide]) -> RightSide:
    return again()
