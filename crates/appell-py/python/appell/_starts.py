"""States and starts as they are given: arrays, mappings, equations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import finite

__all__ = ["States", "as_json", "equations_of"]

States = Mapping[str, Any] | Sequence[Mapping[str, Any]] | ArrayLike


def as_json(states: States, coordinates: list[str], t: float) -> str:
    """States as JSON; those of an array are at the time t."""
    if isinstance(states, Mapping):
        return json.dumps(_plain(states))
    if isinstance(states, Sequence) and states and isinstance(states[0], Mapping):
        return json.dumps([_plain(state) for state in states])  # type: ignore[arg-type]
    n = len(coordinates)
    rows = np.asarray(states, dtype=float)
    if rows.ndim not in (1, 2) or rows.shape[-1] != 2 * n:
        names = ", ".join([*coordinates, *(f"{name}'" for name in coordinates)])
        raise ValueError(f"a state has {2 * n} numbers ({names}); the array has the shape {rows.shape}")
    if not np.isfinite(rows).all():
        place = int(np.argwhere(~np.isfinite(np.atleast_2d(rows)))[0][1])
        name = [*coordinates, *(f"{name}'" for name in coordinates)][place]
        raise ValueError(f"the state has a {name} that is not a finite number")
    return json.dumps([{"t": t, "q": row[:n], "v": row[n:]} for row in np.atleast_2d(rows).tolist()])


def equations_of(x0: Any) -> tuple[str, ...] | None:
    """A start in words as equations; None for a state in numbers."""
    if isinstance(x0, str):
        return (x0,)
    if isinstance(x0, Mapping):
        is_state = isinstance(x0.get("q"), (Sequence, np.ndarray))
        return None if is_state else tuple(f"{name} = {finite(name, value)}" for name, value in x0.items())
    if isinstance(x0, Sequence) and x0 and all(isinstance(item, str) for item in x0):
        return tuple(x0)
    return None


def _plain(state: Mapping[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, np.generic):
            return value.item()
        return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value

    return {name: plain(value) for name, value in state.items()}
