"""Inputs of a run: numbers, expressions, samples and functions, as the extension takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._starts import reals

__all__ = ["Inputs", "Scalar", "inputs_of", "sampled", "with_constants"]

#: Names of inputs with what drives them; see `Model.run`.
Inputs = Mapping[str, Any] | None

_HOLDS = ("zero", "linear")


def inputs_of(inputs: Inputs, sample_time: float | None) -> list[dict[str, Any]] | None:
    """Each input as the extension takes it; None where nothing is driven."""
    if inputs is None:
        if sample_time is not None:
            raise TypeError("sample_time is for functions of `inputs`, and there are none")
        return None
    if not isinstance(inputs, Mapping):
        raise TypeError(f"inputs={inputs!r}: a mapping of names is needed, as {{'tau': 1.5}}")
    if sample_time is not None and not any(callable(source) for source in inputs.values()):
        raise TypeError("sample_time is for functions of `inputs`, and there are none")
    return [_input(name, source, sample_time) for name, source in inputs.items()]


def sampled(inputs: Inputs, times: ArrayLike | None) -> Inputs:
    """The inputs, with the times of those that are arrays of values alone."""
    if times is None:
        return inputs
    alone = [name for name, source in (inputs or {}).items() if _is_row(source)]
    if not alone:
        raise TypeError("input_times is for arrays of `inputs`, and there are none")
    return {**(inputs or {}), **{name: (times, (inputs or {})[name]) for name in alone}}


def _is_row(source: Any) -> bool:
    """Whether these are values without their times."""
    if isinstance(source, (str, bytes)) or not hasattr(source, "__len__"):
        return False
    return all(np.ndim(value) == 0 and not isinstance(value, str) for value in source)


def with_constants(inputs: Inputs, constants: Mapping[str, float]) -> Inputs:
    """The inputs with constants added to what drives them: derivatives by an input are those by such a constant.

    What nothing drives is left to the values of the model.
    """
    if not isinstance(inputs, Mapping):
        return inputs
    driven = {name: value for name, value in constants.items() if name in inputs}
    return {**inputs, **{name: _raised(name, inputs[name], value) for name, value in driven.items()}}


def _raised(name: str, source: Any, constant: float) -> Any:
    """A constant added to what drives an input."""
    if callable(source):
        return _Raised(source, constant)
    if isinstance(source, str):
        return f"({source}) + ({constant!r})"
    own = _input(name, source, None)
    if own["number"] is not None:
        return own["number"] + constant
    return (own["times"], [value + constant for value in own["values"]], "linear" if own["linear"] else "zero")


@dataclass(frozen=True)
class _Raised:
    """A function with a constant added to its answers."""

    function: Callable[..., Any]
    constant: float

    def __call__(self, t: float, y: NDArray[np.float64]) -> Any:
        return np.asarray(self.function(t, y), dtype=float) + self.constant


def _input(name: str, source: Any, sample_time: float | None) -> dict[str, Any]:
    entry: dict[str, Any] = dict.fromkeys(
        ("number", "expression", "times", "values", "function", "sample_time")
    )
    entry |= {"name": name, "linear": False}
    if callable(source):
        return entry | {"function": Scalar(f"input {name!r}", source), "sample_time": sample_time}
    if isinstance(source, str):
        return entry | {"expression": source}
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        return entry | _samples(name, source)
    if isinstance(source, bool) or np.ndim(source) > 0:
        raise TypeError(f"inputs[{name!r}]: {_WAYS}")
    try:
        number = float(source)
    except (TypeError, ValueError):
        raise TypeError(f"inputs[{name!r}] = {source!r}: {_WAYS}") from None
    if not np.isfinite(number):
        raise ValueError(f"inputs[{name!r}] = {source!r} is not a finite number")
    return entry | {"number": number}


_WAYS = "give a number, an expression in a string, (times, values), (times, values, 'linear') or a function f(t, y)"


def _samples(name: str, source: Sequence[Any]) -> dict[str, Any]:
    """``(times, values)`` and how they are held, ``"zero"`` where nothing is said."""
    if len(source) not in (2, 3):
        raise TypeError(f"inputs[{name!r}]: {_WAYS}")
    hold = source[2] if len(source) == 3 else "zero"
    if hold not in _HOLDS:
        raise ValueError(f"inputs[{name!r}]: samples are held 'zero' or 'linear', not {hold!r}")
    times, values = (reals(f"inputs[{name!r}]", part) for part in source[:2])
    if times.ndim != 1 or times.shape != values.shape:
        raise ValueError(f"inputs[{name!r}]: times and values have the shapes {times.shape} and {values.shape}")
    return {"times": times.tolist(), "values": values.tolist(), "linear": hold == "linear"}


@dataclass(frozen=True)
class Scalar:
    """A function with an answer that is a finite number, or an exception that names what it is for."""

    what: str
    function: Callable[..., Any]

    def __call__(self, t: float, y: NDArray[np.float64]) -> float:
        return self.number(self.function(t, y), t)

    def number(self, given: Any, t: float) -> float:
        """An answer as a number."""
        is_complex = np.iscomplexobj(given)
        answer = np.asarray(given, dtype=None if is_complex else float)
        if is_complex or answer.size != 1 or not np.isfinite(answer).all():
            raise ValueError(f"the function of the {self.what} gave {answer!r} at t = {t}: one finite number is needed")
        return float(answer.reshape(()))
