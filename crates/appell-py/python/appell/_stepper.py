"""A motion step by step, for control loops."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _appell
from ._arguments import real
from ._shown import Shown
from ._starts import by_name, ordered, reals

__all__ = ["Stepper"]


class Stepper(Shown):
    """A motion that goes on by a step of ``dt`` whenever it is asked to; see `Model.stepper`.

    Each step is integrated as accurately as `Model.run` does, by as many steps of the method as that takes, and
    ends on the constraints. Inputs keep their values until they are set anew.

    Attributes
    ----------
    state_names : list of str
        The names of the state.
    input_names : list of str
        The names of the inputs.
    t : float
        The time.
    state : array, shape (len(state_names),)
        The state at that time.
    inputs : dict of str to float
        The inputs as they are.
    stopped_by : str or None
        The stop condition of the model at which the last step ended before its time.
    """

    __slots__ = ("_inputs", "_own", "_places", "_states")

    def __init__(self, own: _appell.Stepper) -> None:
        self._own = own
        self._states, self._inputs = tuple(own.state_names), tuple(own.inputs)
        self._places = {name: place for place, name in enumerate(self._inputs)}

    @property
    def state_names(self) -> list[str]:
        """The names of the state."""
        return list(self._states)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return list(self._inputs)

    @property
    def t(self) -> float:
        """The time."""
        return self._own.t

    @property
    def state(self) -> NDArray[np.float64]:
        """The state."""
        return self._own.state

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs as they are."""
        return dict(zip(self.input_names, self._own.values, strict=True))

    @property
    def stopped_by(self) -> str | None:
        """The stop condition at which the last step ended before its time."""
        return self._own.stopped_by

    def step(self, inputs: Mapping[str, float] | None = None) -> NDArray[np.float64]:
        """Goes on by one step.

        Parameters
        ----------
        inputs : mapping of str to float, optional
            Inputs that change now.

        Returns
        -------
        array
            The state at the end of the step.

        Raises
        ------
        NumericalError
            The motion ends before, as at a singular state; `state` is then the last one that was reached.
        """
        self._set(inputs)
        return self._own.step()

    def reset(
        self, x0: ArrayLike | None = None, t0: float | None = None, inputs: Mapping[str, float] | None = None
    ) -> NDArray[np.float64]:
        """Goes back to the start, or on from another state, which must lie on the constraints but for rounding.

        Parameters
        ----------
        x0 : array, optional
            A state; by default the start.
        t0 : float, optional
            The time of `x0`; by default the time stays.
        inputs : mapping of str to float, optional
            Inputs that change now.

        Returns
        -------
        array
            The state.
        """
        state = None if x0 is None else reals("x0", ordered(x0, self.state_names))
        self._set(inputs)
        self._own.reset(real("t0", t0), state)
        return self._own.state

    def accelerations(self) -> NDArray[np.float64]:
        """The second derivatives of the coordinates at the state, with the inputs as they are."""
        return self._own.answers()[0]

    def multipliers(self) -> dict[str, float]:
        """The multipliers of the constraint rows at the state, with the inputs as they are."""
        return dict(zip(self._own.rows, self._own.answers()[1].tolist(), strict=True))

    def _set(self, inputs: Mapping[str, float] | None) -> None:
        """Sets all of the inputs that are given, or none where one is wrong."""
        found: list[tuple[int, float]] = []
        for name, given in by_name("inputs", inputs).items():
            value = real(f"inputs[{name!r}]", given)
            place = self._places.get(name)
            if place is None:
                known = ", ".join(self.input_names) or "none"
                raise ValueError(f"the model has no input {name!r}; its inputs: {known}")
            if value is None:
                raise TypeError(f"inputs[{name!r}]=None: a number is needed")
            found.append((place, value))
        for place, value in found:
            self._own.set(place, value)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a stepper cannot be pickled: keep its state, and make it anew with Model.stepper")

    def __repr__(self) -> str:
        return f"<Stepper at t = {self.t:.6g}: {', '.join(self.state_names)}>"
