"""Events of a run: conditions and functions, ends and resets, as the extension takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._inputs import Scalar

__all__ = ["Events", "Stops", "events_of", "solved"]

#: Events by their names, or a sequence of them; see `Model.run`.
Events = Mapping[str, Any] | Sequence[Any] | Callable[..., Any] | str | None

#: Conditions that end a run.
Stops = Iterable[Any] | Callable[..., Any] | str

_WAYS = "give a condition as 'z < 0', an expression that crosses zero, a function f(t, y), or a mapping with `when`"
_KEYS = ("when", "direction", "terminal", "reset")

_Found = TypeVar("_Found")


def events_of(events: Events, stop: Stops) -> list[dict[str, Any]]:
    """Each event as the extension takes it."""
    found = [_event(name, given, False) for name, given in _named(events, "event")]
    found += [_event(name, given, True) for name, given in _named(stop, "stop")]
    names = [event["name"] for event in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"there are two events {name!r}")
    return found


def _named(given: Any, usual: str) -> list[tuple[str, Any]]:
    """Events with their names: conditions are called by what they say, functions by their own names."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.items())
    if isinstance(given, str) or callable(given):
        given = [given]
    if not isinstance(given, Iterable):
        raise TypeError(f"{usual}={given!r}: {_WAYS}")
    named: list[tuple[str, Any]] = []
    for own in given:
        name = own if isinstance(own, str) else getattr(own, "__name__", usual)
        taken = {other for other, _ in named}
        if name in taken or name == "<lambda>":
            name = next(f"{usual} {k}" for k in range(1, len(named) + 2) if f"{usual} {k}" not in taken)
        named.append((name, own))
    return named


def _event(name: str, given: Any, ends: bool) -> dict[str, Any]:
    if not isinstance(name, str):
        raise TypeError(f"the event {name!r}: a name is a string")
    parts = dict(given) if isinstance(given, Mapping) else {"when": given}
    if unknown := set(parts) - set(_KEYS):
        raise ValueError(f"the event {name!r} has no {sorted(unknown)[0]!r}; there are {', '.join(_KEYS)}")
    when = parts.get("when")
    if not callable(when) and not isinstance(when, str):
        raise TypeError(f"the event {name!r}: {_WAYS}")
    # As SciPy has it, a function may say these itself.
    direction = parts.get("direction", getattr(when, "direction", 0.0))
    terminal = parts.get("terminal", getattr(when, "terminal", False)) or ends
    if not isinstance(terminal, (bool, np.bool_)):
        raise ValueError(f"the event {name!r}: terminal={terminal!r}: True or False is needed")
    reset = parts.get("reset")
    if not (reset is None or callable(reset) or isinstance(reset, Mapping)):
        raise TypeError(f"the event {name!r}: reset={reset!r}: give {{\"z'\": \"-e*z'\"}} or a function g(t, y)")
    if reset is not None and terminal:
        raise ValueError(f"the event {name!r} has a reset, after which the motion goes on: it cannot be terminal")
    return {
        "name": name,
        "formula": when if isinstance(when, str) else None,
        "function": _Quantity(f"event {name!r}", when) if callable(when) else None,
        "direction": _direction(name, direction, when),
        "terminal": bool(terminal),
        "set": _set(name, reset) if isinstance(reset, Mapping) else None,
        "map": _Reset(name, reset) if callable(reset) else None,
    }


def _direction(name: str, direction: Any, when: Any) -> float:
    try:
        number = float(direction)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise ValueError(f"the event {name!r}: direction={direction!r}: a number is needed, negative, 0 or positive")
    if number and isinstance(when, str) and ("<" in when or ">" in when):
        raise ValueError(f"the event {name!r}: {when!r} says how it crosses zero, a direction is too much")
    return number


def _set(name: str, reset: Mapping[str, Any]) -> list[tuple[str, str]]:
    if not reset:
        raise ValueError(f"the event {name!r}: the reset is empty")
    return [(key, value if isinstance(value, str) else repr(float(value))) for key, value in reset.items()]


def solved(solve: Callable[[], _Found], happens: list[dict[str, Any]]) -> _Found:
    """What is computed with events; a function that answers True and False becomes a condition as soon as it does.

    Only its answers tell, so what was begun with it as a quantity is begun anew; that is at the first look, at the start.
    """
    while True:
        try:
            return solve()
        except _IsCondition as found:
            own = next(event for event in happens if event["function"] is found.quantity)
            own["function"] = _Condition(found.quantity.what, found.quantity.function)
            # As a condition in words it is met where it becomes true, unless a direction says otherwise.
            own["direction"] = own["direction"] or 1.0


@dataclass(frozen=True)
class _Quantity(Scalar):
    """A function that crosses zero."""

    def __call__(self, t: float, y: NDArray[np.float64]) -> float:
        answer = self.function(t, y)
        if _is_bool(answer):
            raise _IsCondition(self)
        return self.number(answer, t)


@dataclass(frozen=True)
class _Condition(Scalar):
    """A function that answers True or False, as a quantity that crosses zero where it changes."""

    def __call__(self, t: float, y: NDArray[np.float64]) -> float:
        answer = self.function(t, y)
        if not _is_bool(answer):
            raise TypeError(
                f"the function of the {self.what} gave {answer!r} at t = {t}, and True or False elsewhere: give a number "
                "that crosses zero everywhere, or True and False everywhere"
            )
        return 1.0 if np.all(answer) else -1.0


class _IsCondition(Exception):
    """An event is no quantity that crosses zero: its function answers True or False."""

    def __init__(self, quantity: _Quantity) -> None:
        super().__init__(f"the {quantity.what} answers True or False")
        self.quantity = quantity


def _is_bool(answer: Any) -> bool:
    return np.size(answer) == 1 and np.asarray(answer).dtype == np.bool_


@dataclass(frozen=True)
class _Reset:
    """A reset with an answer that is a state, or an exception that names the event."""

    name: str
    function: Callable[..., Any]

    def __call__(self, t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        shape = y.shape
        answer = np.array(self.function(t, y), dtype=float)
        if answer.shape != shape or not np.isfinite(answer).all():
            raise ValueError(
                f"the reset of the event {self.name!r} gave {answer!r} at t = {t}: {shape[0]} finite numbers are needed"
            )
        return answer
