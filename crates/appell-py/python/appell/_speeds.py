"""Speeds by the rates of the coordinates, from kinematical equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from ._cofactors import is_constant, solved
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

    First by pivots that are constants, and what is left by cofactors, block by block, so that nothing is divided by what vanishes at
    some states where the equations have a solution. Where speeds are the rates of no coordinates, and where rows exceed a block's
    speeds by two and more, pivots are chosen by their values at random states and by their length.
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
    values: dict[int, Any] = {}
    rows: list[Any] = []
    for is_plain in (True, False):
        while (pivot := _pivot(table, numbers, left, {*taken, *values}, states.time if is_plain else None)) is not None:
            i, j = pivot
            left.discard(i)
            taken[j] = i
            _eliminate(table, rest, numbers, i, j)
        if is_plain:
            rows += _by_blocks(table, rest, numbers, left, values, states.time)
    free = [x for j, x in enumerate(u) if j not in taken and j not in values]
    by_rates = {u[j]: value for j, value in values.items()}
    for j, i in taken.items():
        others = sum(table[i][k] * values.get(k, x) for k, x in enumerate(u) if k not in taken)
        by_rates[u[j]] = -(rest[i] + others) / table[i][j]
    return Speeds({x: by_rates[x] for x in u if x in by_rates}, free, [*(rest[i] for i in sorted(left)), *rows])


def _by_blocks(table: Any, rest: list[Any], numbers: Any, left: set[int], values: dict[int, Any], time: Any) -> list[Any]:
    """Solves blocks of rows that are left, by cofactors, into the values; gives what their rows say without speeds."""
    found: list[Any] = []
    for rows, speeds in _blocks(table, left):
        part = numbers[np.ix_(range(len(numbers)), rows, speeds)]
        if min(np.linalg.matrix_rank(part, tol=1e-10)) < len(speeds):
            continue
        own = solved(sympy.Matrix([[table[i][j] for j in speeds] for i in rows]), [rest[i] for i in rows], time)
        if own is not None:
            values.update(zip(speeds, own[0], strict=True))
            found += own[1]
            left.difference_update(rows)
    return found


def _blocks(table: Any, left: set[int]) -> list[tuple[list[int], list[int]]]:
    """Rows and speeds that have to do with each other."""
    found: list[tuple[set[int], set[int]]] = []
    for i in sorted(left):
        rows, speeds = {i}, {j for j, entry in enumerate(table[i]) if entry != 0}
        if speeds:
            near = [block for block in found if block[1] & speeds]
            found = [block for block in found if block not in near]
            found.append((rows.union(*(b[0] for b in near)), speeds.union(*(b[1] for b in near))))
    return [(sorted(rows), sorted(speeds)) for rows, speeds in found]


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


def _pivot(table: Any, numbers: Any, left: set[int], taken: set[int], time: Any) -> tuple[int, int] | None:
    """The shortest entry that is not zero, of the equations that are left; a constant where the time is given."""
    found = [
        (sympy.count_ops(table[i][j]), i, j)
        for i in left
        for j in range(len(table[i]))
        if j not in taken and np.abs(numbers[:, i, j]).min() > _SMALL and (time is None or is_constant(table[i][j], time))
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
