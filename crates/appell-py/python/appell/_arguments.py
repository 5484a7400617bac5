"""Arguments of questions, checked in the words of those who give them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._starts import by_name, reals
from ._toml import exact

__all__ = ["Parameters", "given_of", "real", "request_of", "times_of", "whole", "word"]

Parameters = Mapping[str, Any] | None


def request_of(
    form: str | None,
    method: str | None,
    backend: str | None,
    until: float | None,
    rtol: float | None,
    atol: float | None,
    samples: int | None,
    times: list[float] | None,
    start: str | None,
    events: list[dict[str, Any]] | None = None,
    max_step: float | None = None,
) -> dict[str, Any]:
    """What a run is asked for."""
    return {
        "form": word("form", form),
        "method": word("method", method),
        "backend": word("backend", backend),
        "until": real("until", until),
        "rtol": real("rtol", rtol),
        "atol": real("atol", atol),
        "max_step": real("max_step", max_step),
        "samples": _count("samples", samples),
        "times": times,
        "start": start,
        "events": events or [],
    }


def times_of(name: str, times: ArrayLike | None, samples: int | None) -> list[float] | None:
    """The times of samples; beside them no number of samples can be asked for."""
    if times is None:
        return None
    if samples is not None:
        raise ValueError(f"{name} and samples={samples!r} both say which states are reported: give one of them")
    found: NDArray[np.float64] = reals(name, times)
    if found.ndim > 1:
        raise ValueError(f"{name} has the shape {found.shape}: give the times in one row, as {name}.ravel() of an array")
    row: list[float] = np.atleast_1d(found).tolist()
    return row


def word(name: str, value: Any) -> str | None:
    """A string, or nothing."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}={value!r}: a string is needed")
    return value


def real(name: str, value: Any) -> float | None:
    """A finite number, or nothing."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, bool)) or np.ndim(value) > 0 or isinstance(value, np.complexfloating):
        raise TypeError(f"{name}={value!r}: a number is needed")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}={value!r}: a number is needed") from None
    if not np.isfinite(number):
        raise ValueError(f"{name}={value!r} is not a finite number")
    return number


def _count(name: str, value: Any) -> int | None:
    """A whole number from 1 on, or nothing."""
    if value is None:
        return None
    number = whole(name, value)
    if number < 1:
        raise ValueError(f"{name}={value!r}: give 1 or more")
    # What is too many is said by the reader of the request, where it can hold the number at all.
    return min(number, 2**32 - 1)


def whole(name: str, value: Any) -> int:
    """A whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: a whole number is needed") from None
    if isinstance(value, bool):
        raise TypeError(f"{name}={value!r}: a whole number is needed")
    return number


def given_of(params: Parameters, drop: Iterable[str]) -> tuple[list[str], list[str]]:
    """Other values of parameters, and constraints to be left out, as the extension takes them."""
    if isinstance(drop, str):
        drop = [drop]
    return [f"{name}={exact(value)}" for name, value in by_name("params", params).items()], list(drop)
