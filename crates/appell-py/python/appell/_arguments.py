"""Arguments of questions, checked in the words of those who give them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._toml import exact

__all__ = ["Parameters", "finite", "given_of", "real", "request_of", "word"]

Parameters = Mapping[str, Any] | None


def request_of(
    form: str | None,
    method: str | None,
    backend: str | None,
    until: float | None,
    rtol: float | None,
    atol: float | None,
    samples: int | None,
    times: ArrayLike | None,
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
        "times": None if times is None else np.ravel(np.asarray(times, dtype=float)).tolist(),
        "start": start,
        "events": events or [],
    }


def word(name: str, value: Any) -> str | None:
    """A string, or nothing."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}={value!r}: a string is needed")
    return value


def real(name: str, value: Any) -> float | None:
    """A finite number, or nothing."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, bool)) or np.ndim(value) > 0:
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
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: a whole number is needed") from None
    if isinstance(value, bool) or number < 1:
        raise ValueError(f"{name}={value!r}: give 1 or more")
    return number


def given_of(params: Parameters, drop: Iterable[str]) -> tuple[list[str], list[str]]:
    """Other values of parameters, and constraints to be left out, as the extension takes them."""
    if isinstance(drop, str):
        drop = [drop]
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"params={params!r}: a mapping of names to values is needed, as {{'m': 2}}")
    pairs = (params or {}).items()
    return [f"{name}={exact(value)}" for name, value in pairs], list(drop)


def finite(name: str, value: Any) -> str:
    """A value of a start as text."""
    if isinstance(value, (float, np.floating)) and not np.isfinite(value):
        raise ValueError(f"x0[{name!r}] = {value} is not a finite number")
    return exact(value)
