"""States and starts as they are given: arrays, mappings, equations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._toml import exact

__all__ = [
    "States", "arranged", "as_json", "by_name", "equations_of", "named", "names_of", "ordered", "reals", "text_of", "written",
]  # fmt: skip

States = Mapping[str, Any] | Sequence[Mapping[str, Any]] | ArrayLike


def as_json(states: States, coordinates: list[str], t: float, t0: float | None = None) -> str:
    """States as JSON; those without a time of their own are at t0, or t."""
    states = arranged(states, coordinates)
    if isinstance(states, Mapping):
        return json.dumps(_plain(_at(states, t, t0)))
    if isinstance(states, Sequence) and states and isinstance(states[0], Mapping):
        return json.dumps([_plain(_at(state, t, t0)) for state in states])  # type: ignore[arg-type]
    n = len(coordinates)
    rows = reals("the state", states)
    if rows.ndim not in (1, 2) or rows.shape[-1] != 2 * n:
        names = ", ".join(_names(coordinates))
        raise ValueError(f"a state has {2 * n} numbers ({names}); the array has the shape {rows.shape}")
    if not np.isfinite(rows).all():
        place = int(np.argwhere(~np.isfinite(np.atleast_2d(rows)))[0][1])
        raise ValueError(f"the state has a {_names(coordinates)[place]} that is not a finite number")
    time = t if t0 is None else t0
    return json.dumps([{"t": time, "q": row[:n], "v": row[n:]} for row in np.atleast_2d(rows).tolist()])


def reals(what: str, value: Any) -> NDArray[np.float64]:
    """An array of real numbers: NumPy itself would drop imaginary parts, and take what a mask hides."""
    if np.ma.is_masked(value):
        raise ValueError(f"{what} has masked entries, which are no numbers: give the others, or fill them")
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind not in "biufO" or (kind == "O" and any(isinstance(x, (complex, np.complexfloating)) for x in array.flat)):
        raise TypeError(f"{what} has entries of the type {array.dtype}, not real numbers")
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} has entries that are not real numbers: {error}") from None


def named(x: Any) -> Any:
    """A Series or a DataFrame with names as a mapping, for its order is its own; anything else as it is."""
    if isinstance(x, Mapping) or not hasattr(x, "to_numpy"):
        return x
    names = list(getattr(x, "columns", getattr(x, "index", ())))
    is_named = bool(names) and all(isinstance(name, str) for name in names)
    return {name: np.asarray(x[name]) for name in names} if is_named else x


def by_name(what: str, x: Any) -> dict[str, Any]:
    """A mapping or a Series by names, which may be symbols; nothing where it is not given."""
    table = {} if x is None else named(x)
    if not isinstance(table, Mapping):
        raise TypeError(f"{what}={x!r}: a mapping of names to numbers is needed, as {{'m': 2}}")
    return {text_of(name): value for name, value in table.items()}


def ordered(x: Any, names: list[str], axis: int = 0) -> Any:
    """A Series or a DataFrame with names in the order of others, along an axis; anything else as it is."""
    table = named(x)
    if table is x:
        return x
    missing = [name for name in names if name not in table]
    if missing:
        raise ValueError(f"{missing[0]} is missing among {', '.join(table)}")
    return np.stack([reals(name, table[name]) for name in names], axis=axis)


def arranged(x: Any, coordinates: list[str]) -> Any:
    """A Series or a DataFrame that has all names of a state as a state or several; anything else by its names, or as it is.

    Other columns, as those of ``Motion.to_pandas()``, are left out; ``t`` is the time.
    """
    table = named(x)
    names = _names(coordinates)
    if table is x or any(name not in table for name in names):
        return table
    n = len(coordinates)
    rows = ordered(x, names, axis=-1)
    if not np.isfinite(rows).all():
        return rows
    times = np.broadcast_to(np.asarray(table.get("t", np.nan), dtype=float), rows.shape[:-1])
    states = [
        {"q": row[:n], "v": row[n:]} | ({} if np.isnan(time) else {"t": float(time)})
        for time, row in zip(np.atleast_1d(times), np.atleast_2d(rows).tolist(), strict=True)
    ]
    return states[0] if rows.ndim == 1 else states


def _names(coordinates: list[str]) -> list[str]:
    return [*coordinates, *(f"{name}'" for name in coordinates)]


def _at(state: Mapping[str, Any], t: float, t0: float | None) -> Mapping[str, Any]:
    """A state at its own time, at t0, or at t."""
    if t0 is not None and state.get("t", t0) != t0:
        raise ValueError(f"the state has its own time, t = {state['t']}, and t0 = {t0} is another: give one of them")
    return {"t": t if t0 is None else t0, **state}


def equations_of(x0: Any, coordinates: list[str]) -> tuple[str, ...] | None:
    """A start in words as equations; None for a state in numbers.

    A state of coordinates and velocities with expressions is in words: derivatives by parameters follow these.
    """
    if isinstance(x0, str):
        return (x0,)
    if isinstance(x0, Mapping):
        is_state = isinstance(x0.get("q"), (Sequence, np.ndarray))
        if is_state and set(x0) != {"q", "v"}:
            return None
        if is_state:
            values = [*x0["q"], *x0["v"]]
            in_words = len(values) == 2 * len(coordinates) and any(isinstance(value, str) or _is_formula(value) for value in values)
            if not in_words:
                return None
            x0 = dict(zip(_names(coordinates), values, strict=True))
        pairs = ((text_of(name), value) for name, value in x0.items())
        return tuple(f"{name} = {_finite(name, value)}" for name, value in pairs)
    if isinstance(x0, Sequence) and x0 and all(isinstance(item, str) for item in x0):
        return tuple(x0)
    return None


def _finite(name: str, value: Any) -> str:
    """A value of a start as text."""
    if isinstance(value, (float, np.floating)) and not np.isfinite(value):
        raise ValueError(f"x0[{name!r}] = {value} is not a finite number")
    return written(value) if _is_formula(value) else exact(value)


def _is_formula(value: Any) -> bool:
    """Whether it is an expression of SymPy that is no number."""
    return getattr(value, "is_number", None) is False


def written(value: Any) -> str:
    """A formula as text: one of SymPy in the words of models."""
    if isinstance(value, str):
        return value
    if not hasattr(value, "free_symbols"):
        raise TypeError(f"{value!r} is no formula: give a string, or an expression of SymPy")
    from ._sympy import Printer

    return Printer.of({"": value}, None, None).formula(value)


def names_of(names: Any) -> list[str]:
    """A name or several, which may be symbols."""
    several = [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    return [text_of(name) for name in several]


def text_of(name: Any) -> str:
    """A name; that of a symbol or a coordinate of SymPy, or of its rate."""
    if isinstance(name, str):
        return name
    if getattr(name, "is_Symbol", False):
        return str(name.name)
    rate = getattr(name, "expr", None)
    function = getattr(name if rate is None else rate, "func", None)
    return str(name) if function is None else f"{function.__name__}{'' if rate is None else chr(39)}"


def _plain(state: Mapping[str, Any]) -> dict[str, Any]:
    def plain(name: str, value: Any) -> Any:
        if np.ma.is_masked(value):
            raise ValueError(f"{name} of the state has masked entries, which are no numbers")
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return [plain(f"{name}[{i}]", item) for i, item in enumerate(value)]
        if _is_formula(value):
            return written(value)
        if isinstance(value, (Fraction, Decimal)) or getattr(value, "is_Rational", False):
            return exact(value)
        if getattr(value, "is_number", False):
            value = _number(name, value)
        if isinstance(value, complex):
            raise TypeError(f"{name} of the state is {value}, which is not a real number")
        if isinstance(value, float) and not np.isfinite(value):
            raise ValueError(f"{name} of the state is not a finite number")
        return value

    return {name: plain(name, value) for name, value in state.items()}


def _number(name: str, value: Any) -> complex:
    """A number of SymPy in floating point."""
    number = complex(value)
    return number if number.imag else number.real
