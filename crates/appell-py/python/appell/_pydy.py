"""What PyDy's `System` keeps beside the equations: numbers, a start, times, and functions from outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy

__all__ = ["opened"]


def opened(q: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The method in a `pydy.system.System`, and the arguments with what it keeps, where they do not say it themselves; anything else as it
    is.

    What PyDy calls specified becomes inputs, with their number, or with 0, as in PyDy; functions among them are told to `run`.
    """
    # The type of a coordinate of SymPy is of no module.
    if (type(q).__module__ or "").partition(".")[0] != "pydy" or not hasattr(q, "eom_method"):
        return q, given
    found = dict(given)
    found["parameters"] = {**q.constants, **(given.get("parameters") or {})}
    known = {str(name) for kind in ("parameters", "specified", "inputs") for name in given.get(kind) or {}}
    driven = {x: _constant(q.specifieds, x) for x in sorted(q.specifieds_symbols, key=str)}
    inputs = {x: value for x, value in driven.items() if not {str(x), x.func.__name__} & known}
    found["inputs"] = {**inputs, **(given.get("inputs") or {})}
    if q.initial_conditions and "initial" not in given:
        found["initial"] = [sympy.Eq(x, value) for x, value in q.initial_conditions.items()]
    if len(q.times) and "simulate" not in given:
        found["simulate"] = {"until": float(q.times[-1])}
    return q.eom_method, found


def _constant(specifieds: dict[Any, Any], x: Any) -> float:
    """The number that PyDy holds a function at, else 0."""
    if "symbols" in specifieds:
        names, values = specifieds["symbols"], specifieds["values"]
        specifieds = {} if callable(values) else dict(zip(names, values, strict=True))
    for key, value in specifieds.items():
        if callable(value):
            continue
        if key == x:
            return float(value)
        if isinstance(key, Iterable) and x in key:
            return float(value[list(key).index(x)])
    return 0.0
