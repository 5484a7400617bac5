"""Linear equations for speeds by cofactors: nothing is divided by what vanishes where the equations have a solution."""

from __future__ import annotations

from itertools import combinations, islice
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

__all__ = ["is_constant", "solved"]

# Beyond these, cofactors are longer than what pivots leave.
_LARGEST, _CHOICES = 4, 40
# Operations of an expression that is not looked at further.
_LONG = 120


def solved(table: Any, rest: Any, time: Any) -> tuple[list[Any], list[Any]] | None:
    """The `u` of `B u + r = 0` for m rows of rank n in n unknowns, and what the rows say without `u`.

    - Rows whose determinant is a constant, as a rotation's is 1, give `u = -adj(B) r / det B`; the others are written with this `u`.
    - Else, for m = n, the same is divided by the determinant, for m = n + 1 `u = -adj(B^T B) B^T r / det(B^T B)`, where the determinant
      is the sum of the squares of all minors (Cauchy and Binet); the row left is the sum of `r` times the signed minors.
    - One unknown in more rows, as a speed along an axis in space: the same, and a row for each pair, `B_i r_j = B_j r_i`. These depend on each
      other, for no choice among them is regular everywhere; `r` with `u` put in would be rounding alone where a row vanishes.

    None for larger ones where no determinant is a constant.
    """
    m, n = table.shape
    if n > _LARGEST or m < n:
        return None
    rows = [_cleared(table.row(i), rest[i], time) for i in range(m)]
    table, rest = sympy.Matrix.vstack(*(row for row, _ in rows)), sympy.Matrix([value for _, value in rows])
    for own in islice(combinations(range(m), n), _CHOICES):
        part = table.extract(list(own), list(range(n)))
        value = _reduced(part.det(method="berkowitz"))
        if value == 0 or not (is_constant(value, time) or m == n):
            continue
        u = _times(part.adjugate(), rest.extract(list(own), [0]), value)
        others = [i for i in range(m) if i not in own]
        return u, [_left(table, rest)] if m == n + 1 else _put_in(table.extract(others, list(range(n))), [rest[i] for i in others], u)
    if m != n + 1 and n != 1:
        return None
    u = _by_all(table, rest)
    return u, [_left(table.extract(list(own), list(range(n))), [rest[i] for i in own]) for own in combinations(range(m), n + 1)]


def is_constant(value: Any, time: Any) -> bool:
    """Whether an expression is made of numbers and parameters alone."""
    value = sympy.sympify(value)
    return not (value.atoms(AppliedUndef) or value.has(time))


def _by_all(table: Any, rest: Any) -> list[Any]:
    """`-adj(B^T B) B^T r / det(B^T B)` as sums over all choices of n rows (Cauchy and Binet), which are short."""
    m, n = table.shape
    below, above = sympy.S.Zero, sympy.zeros(n, m)
    for own in combinations(range(m), n):
        part = table.extract(list(own), list(range(n)))
        minor, inverse = _reduced(part.det(method="berkowitz")), part.adjugate()
        below += minor**2
        for k, i in enumerate(own):
            for j in range(n):
                above[j, i] += minor * inverse[j, k]
    return _times(above, rest, _reduced(below))


def _times(table: Any, rest: Any, below: Any) -> list[Any]:
    """`-table rest / below`, each entry of the table as short as it is found to be."""
    return [-sum(_reduced(table[j, i]) / below * rest[i] for i in range(len(rest))) for j in range(table.rows)]


def _put_in(table: Any, rest: Any, u: list[Any]) -> list[Any]:
    """Rows with the values of their unknowns."""
    return [rest[i] + sum(table[i, j] * x for j, x in enumerate(u)) for i in range(table.rows)]


def _left(table: Any, rest: Any) -> Any:
    """What n + 1 rows in n unknowns say without these: a sum with their signed minors, which vanish nowhere where the rank is n."""
    m, n = table.shape
    minors = [table.extract([k for k in range(m) if k != i], list(range(n))).det(method="berkowitz") for i in range(m)]
    return sum((-1) ** i * _reduced(minor) * rest[i] for i, minor in enumerate(minors))


def _cleared(row: Any, rest: Any, time: Any) -> tuple[Any, Any]:
    """A row times what its coefficients are divided by, where this moves."""
    row = row.applyfunc(lambda x: x.replace(sympy.tan, lambda a: sympy.sin(a) / sympy.cos(a)))
    below = [sympy.fraction(sympy.together(x))[1] for x in row]
    if all(is_constant(x, time) for x in below):
        return row, rest
    common = sympy.lcm_list(below)
    return row.applyfunc(lambda x: sympy.cancel(x * common)), rest * common


def _reduced(value: Any) -> Any:
    """The shortest that is found of an expression by `cos^2 + sin^2 = 1`, angle by angle."""
    if sympy.count_ops(value) > _LONG:
        return value
    found = sympy.expand(value)
    while (shorter := _shorter(found)) != found:
        found = shorter
    return found


def _shorter(best: Any) -> Any:
    """One pass over all angles."""
    for angle in sorted({x.args[0] for x in best.atoms(sympy.sin, sympy.cos)}, key=sympy.default_sort_key):
        sine, cosine = sympy.symbols("s c", cls=sympy.Dummy)
        written = best.xreplace({sympy.sin(angle): sine, sympy.cos(angle): cosine})
        found = [best]
        for own in (cosine, sine):
            try:
                rest = sympy.rem(written, sine**2 + cosine**2 - 1, own)
            except sympy.PolynomialError:
                continue
            found.append(sympy.expand(rest.xreplace({sine: sympy.sin(angle), cosine: sympy.cos(angle)})))
        best = min(found, key=sympy.count_ops)
    return best
