"""The equations of motion as a function for other integrators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _appell
from ._shown import Shown
from ._starts import ordered, reals

__all__ = ["RightSide"]


class _Addresses(tuple[int, int]):
    """Two addresses, and what lies there: it stays as long as the pair does."""

    _owner: _appell.RightSide

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("addresses mean nothing to another process: pickle the right-hand side itself")


class RightSide(Shown):
    """The right-hand side ``f(t, y)`` of a model; see `Model.rhs`.

    Attributes
    ----------
    state_names : list of str
        The names of the components of y.
    parameters : list of str
        The names of the components of p: the parameters of the model, then its inputs. Each is a number by itself: one that
        the model makes of others, as ``k = "a^2"``, does not follow them.
    values : array, shape (len(parameters),)
        Their values where p is not given.
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
    def parameters(self) -> list[str]:
        """The names of the components of p."""
        return self._function.parameters

    @property
    def values(self) -> NDArray[np.float64]:
        """The values of the parameters where p is not given."""
        return self._function.values

    @property
    def c_function(self) -> tuple[int, int] | None:
        """The addresses of the function in machine code and of its data."""
        found = self._function.c_function
        if found is None:
            return None
        pair = _Addresses(found)
        pair._owner = self._function
        return pair

    def __call__(self, t: float, y: ArrayLike, p: ArrayLike | None = None) -> NDArray[np.float64]:
        """The rates of y; of each column where y has columns, as ``solve_ivp(vectorized=True)`` asks.

        Other parameters p cost nothing but the evaluation. A parameter that the model makes of others is not
        made anew: give all of them, beginning with ``values``. Where y has columns p may have as many.
        """
        y = self._state(y)
        if getattr(y, "ndim", 1) == 2:
            p = self._parameters(self._function.values if p is None else p)
            return self._function.columns(t, y, p if p.ndim == 2 else p[:, np.newaxis])
        if p is None:
            return self._function(t, y)
        return self._function.with_parameters(t, y, self._parameters(p))

    def jac(self, t: float, y: ArrayLike, p: ArrayLike | None = None) -> NDArray[np.float64]:
        """The exact derivative of the rates by y."""
        return self._function.jac(t, self._state(y), None if p is None else self._parameters(p))

    def _rest(self, t: float, y: ArrayLike, p: ArrayLike) -> NDArray[np.float64]:
        """The exact derivatives by p, and in a last column by the time."""
        return self._function.parameter_jac(t, self._state(y), self._parameters(p))

    def jac_p(self, t: float, y: ArrayLike, p: ArrayLike | None = None) -> NDArray[np.float64]:
        """The exact derivative of the rates by p."""
        found: NDArray[np.float64] = self._rest(t, y, self._function.values if p is None else p)[:, :-1]
        return found

    def _state(self, y: ArrayLike) -> ArrayLike:
        """A state, or states as columns; that of a Series by its names."""
        if type(y) is np.ndarray and y.dtype.kind != "c" and y.ndim <= 2:
            return y
        found = reals("y", ordered(y, self._function.state_names))
        if found.ndim > 2:
            raise ValueError(f"y has the shape {found.shape}: give a state, or states as columns")
        return found

    def _parameters(self, p: ArrayLike) -> NDArray[np.float64]:
        """Parameters as an array, as many as there are; those of a Series by its names."""
        names = self._function.parameters
        given = reals("p", ordered(p, names))
        if given.ndim not in (1, 2) or given.shape[0] != len(names):
            raise ValueError(f"p has the shape {given.shape}, and there are {len(names)} parameters: {', '.join(names)}")
        return given

    def __repr__(self) -> str:
        return f"<RightSide f(t, y, p): y = ({', '.join(self.state_names)}), p = ({', '.join(self.parameters)})>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._again,)


def _restored(again: Callable[[], RightSide]) -> RightSide:
    return again()
