"""Speeds by the rates of the coordinates, from kinematical equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from ._states import States

__all__ = ["Speeds", "speeds_of", "without_divisions"]

_SMALL = 1e-13


@dataclass
class Speeds:
    """What the kinematical equations say.

    Attributes
    ----------
    by_rates : dict
        Speeds in terms of rates, coordinates and the speeds in `free`.
    free : list
        Speeds that are the rates of no coordinates.
    rows : list
        Equations between rates alone.
    """

    by_rates: dict[Any, Any]
    free: list[Any]
    rows: list[Any]


def speeds_of(kd: list[Any], u: list[Any], states: States) -> Speeds:
    """Solves the kinematical equations, which are linear, for the speeds.

    Pivots are chosen by their values at random states and by their length, so that nothing needs to be simplified.
    """
    if not u:
        return Speeds({}, [], [])
    table = [[sympy.diff(row, x) for x in u] for row in kd]
    rest = [row.xreplace(dict.fromkeys(u, sympy.S.Zero)) for row in kd]
    if not kd:
        return Speeds({}, list(u), [])
    numbers = states.values(sympy.Matrix(table))
    table = [[entry if np.abs(numbers[:, i, j]).max() > _SMALL else sympy.S.Zero for j, entry in enumerate(row)]
             for i, row in enumerate(table)]  # fmt: skip
    left = set(range(len(kd)))
    taken: dict[int, int] = {}
    while (pivot := _pivot(table, numbers, left, taken)) is not None:
        i, j = pivot
        left.discard(i)
        taken[j] = i
        _eliminate(table, rest, numbers, i, j)
    free = [x for j, x in enumerate(u) if j not in taken]
    by_rates = {}
    for j, i in taken.items():
        others = sum(table[i][k] * x for k, x in enumerate(u) if k not in taken)
        by_rates[u[j]] = -(rest[i] + others) / table[i][j]
    return Speeds({x: by_rates[x] for x in u if x in by_rates}, free, [rest[i] for i in sorted(left)])


def without_divisions(kd: list[Any], u: list[Any], quaternions: list[list[Any]]) -> list[Any]:
    """Kinematical equations `Q' = B u` of unit quaternions as `B^T Q' = B^T B u`, where `B^T B` is a matrix of numbers.

    Four equations for three speeds leave a choice, and one by pivots would divide by a component, which may vanish. The fourth, `Q^T Q' = 0`,
    is the rate of the norm.
    """
    for parts in quaternions:
        rates = [x.diff(*x.args) for x in parts]
        own = [row for row in kd if any(row.has(rate) for rate in rates)]
        by_rates = sympy.Matrix([[row.diff(rate) for rate in rates] for row in own])
        if by_rates.shape != (4, 4) or by_rates.free_symbols or by_rates.rank() < 4:
            continue
        rows = by_rates.inv() * sympy.Matrix(own)
        table = sympy.Matrix([[row.diff(x) for x in u] for row in rows])
        rest = rows.xreplace(dict.fromkeys(u, sympy.S.Zero))
        radial = sum(x * (row - rate) for x, row, rate in zip(parts, rows, rates, strict=True))
        square = (table.T * table).applyfunc(lambda entry, parts=parts: _on_unit(entry, parts))
        if not _on_unit(radial, parts).is_zero or square.free_symbols:
            continue
        speeds = [j for j in range(len(u)) if not square[j, j].is_zero]
        square, table = square.extract(speeds, speeds), table.extract(list(range(4)), speeds)
        if not speeds or square.rank() < len(speeds):
            continue
        solved = square.inv() * (table.T * rest)
        kd = [row for row in kd if row not in own]
        kd += [u[j] + sympy.expand(value) for j, value in zip(speeds, solved, strict=True)]
    return kd


def _on_unit(value: Any, parts: list[Any]) -> Any:
    """A polynomial with the square of the first of four put to one less those of the others."""
    first, *others = parts
    try:
        return sympy.rem(sympy.expand(value), sum(x**2 for x in others) + first**2 - 1, first)
    except sympy.PolynomialError:
        return value


def _pivot(table: Any, numbers: Any, left: set[int], taken: dict[int, int]) -> tuple[int, int] | None:
    """The shortest entry that is not zero, of the equations that are left."""
    found = [
        (sympy.count_ops(table[i][j]), i, j)
        for i in left
        for j in range(len(table[i]))
        if j not in taken and np.abs(numbers[:, i, j]).min() > _SMALL
    ]
    return min(found)[1:] if found else None


def _eliminate(table: Any, rest: list[Any], numbers: Any, i: int, j: int) -> None:
    """Takes the unknown out of all other equations."""
    for row in range(len(table)):
        if row == i or table[row][j] == 0:
            continue
        factor = table[row][j] / table[i][j]
        numeric = numbers[:, row, j] / numbers[:, i, j]
        numbers[:, row, :] -= numeric[:, None] * numbers[:, i, :]
        rest[row] = rest[row] - factor * rest[i]
        for k in range(len(table[row])):
            is_zero = k == j or np.abs(numbers[:, row, k]).max() < _SMALL
            table[row][k] = sympy.S.Zero if is_zero else table[row][k] - factor * table[i][k]
        numbers[:, row, j] = 0
