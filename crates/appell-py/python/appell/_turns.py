"""Orientations as chains of turns, found in direction cosine matrices and checked in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

__all__ = ["path_between", "quaternion_of", "quaternion_with_turns", "turns_of", "unit_quaternions"]

Turn = tuple[str, Any]
# The numbers of an expression or a matrix at some states, as an array whose first axis counts the states.
Values = Callable[[Any], "np.ndarray[Any, Any]"]

_CLOSE = 1e-11


def path_between(start: Any, end: Any, links: str) -> list[Any] | None:
    """The frames or points from one to the other along a table of neighbours."""
    paths, seen = [[start]], {start}
    while paths:
        path = paths.pop(0)
        if path[-1] == end:
            return path
        for other in getattr(path[-1], links):
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    return None


def turns_of(dcm: Any, values: Values) -> list[Turn] | None:
    """Turns about body-fixed axes that give a matrix (the child's components of the parent's), at most three."""
    simple = _simple(dcm)
    if simple is not None:
        return [simple]
    wanted = values(dcm)
    angles = {part.args[0] for part in dcm.atoms(sympy.sin, sympy.cos)}
    distinct = {x if not x.could_extract_minus_sign() else -x for x in angles}
    if not 0 < len(distinct) <= 4:
        return None
    candidates = [(sign * x) for x in distinct for sign in (1, -1)]
    numbers = {x: values(x) for x in candidates}
    for axes, chosen in _sequences(candidates):
        matrix = np.eye(3)
        for axis, angle in zip(axes, chosen, strict=True):
            matrix = _matrix(axis, numbers[angle]) @ matrix
        if np.abs(matrix - wanted).max() < _CLOSE:
            return list(zip(axes, chosen, strict=True))
    return None


def _sequences(candidates: Sequence[Any]) -> Any:
    for length in (2, 3):
        for axes in product("xyz", repeat=length):
            if any(a == b for a, b in zip(axes, axes[1:], strict=False)):
                continue
            for chosen in permutations(candidates, length):
                if len({abs_key(x) for x in chosen}) == length:
                    yield axes, chosen


def abs_key(x: Any) -> Any:
    """The same for an angle and its negative."""
    return -x if x.could_extract_minus_sign() else x


def _matrix(axis: str, angle: Any) -> Any:
    cosine, sine = np.cos(angle), np.sin(angle)
    own = "xyz".index(axis)
    a, b = (own + 1) % 3, (own + 2) % 3
    matrix = np.zeros((len(angle), 3, 3))
    matrix[:, own, own] = 1
    matrix[:, a, a] = matrix[:, b, b] = cosine
    matrix[:, a, b], matrix[:, b, a] = sine, -sine
    return matrix


def _simple(dcm: Any) -> Turn | None:
    """Axis and angle of a turn about x, y or z."""
    for axis, name in enumerate("xyz"):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        if dcm[axis, axis] != 1 or dcm[b, b] - dcm[a, a] != 0 or dcm[b, a] + dcm[a, b] != 0:
            continue
        cosine, sine = dcm[a, a], dcm[a, b]
        for angle in (x.args[0] for x in cosine.atoms(sympy.cos, sympy.sin)):
            for candidate in (angle, -angle):
                if cosine == sympy.cos(candidate) and sine == sympy.sin(candidate):
                    return name, candidate
        if not (cosine.atoms(AppliedUndef) | sine.atoms(AppliedUndef)):
            return name, sympy.atan2(sine, cosine)
    return None


def quaternion_of(dcm: Any) -> list[Any] | None:
    """The four parameters, scalar first, of a matrix that is a rotation where the sum of their squares is 1: a parent's, with
    minus signs. None for other matrices.
    """
    parts = sorted(dcm.atoms(AppliedUndef), key=str)
    own = [sympy.Dummy() for _ in parts]
    written = dcm.xreplace(dict(zip(parts, own, strict=True)))
    if len(parts) != 4 or dcm.atoms(sympy.Derivative) or written.free_symbols != set(own):
        return None
    numbers = np.random.default_rng(1).normal(size=(3, 4))
    numbers /= np.linalg.norm(numbers, axis=1, keepdims=True)
    compiled = sympy.lambdify(own, written, "numpy")
    wanted = np.array([compiled(*unit) for unit in numbers], dtype=float)
    for order in permutations(range(4)):
        for signs in product((1, -1), repeat=3):
            e = numbers[:, order] * (1, *signs)
            if np.abs(_rotation(e) - wanted).max() < _CLOSE:
                return [sign * parts[i] for sign, i in zip((1, *signs), order, strict=True)]
    return None


def quaternion_with_turns(dcm: Any) -> tuple[list[Turn], list[Any], list[Turn]] | None:
    """A quaternion, and the constant turns before or after it that its matrix was multiplied with; None for other matrices."""
    own = quaternion_of(dcm)
    if own is not None:
        return [], own, []
    parts = sorted(dcm.atoms(AppliedUndef), key=str)
    stand_in = {x: sympy.Dummy() for x in parts}
    written = dcm.xreplace(stand_in)
    if len(parts) != 4 or dcm.atoms(sympy.Derivative) or written.free_symbols != set(stand_in.values()):
        return None
    for scalar in parts:
        # A quaternion without a vector part turns nothing.
        still = written.xreplace({own: sympy.Integer(x == scalar) for x, own in stand_in.items()})
        if still.has(sympy.nan, sympy.zoo, sympy.oo):
            continue
        numbers = np.array(still.evalf(), dtype=complex)
        if not np.abs(numbers @ numbers.T - np.eye(3)).max() < _CLOSE:
            continue
        for is_before, rest in ((False, still.T * dcm), (True, dcm * still.T)):
            own = quaternion_of(rest)
            if own is not None:
                turns = _constant(still)
                return (turns, own, []) if is_before else ([], own, turns)
    return None


def _constant(matrix: Any) -> list[Turn]:
    """Turns about x, y, z that give a matrix of numbers."""
    across = sympy.sqrt(matrix[0, 0] ** 2 + matrix[1, 0] ** 2)
    if abs(across.evalf()) > _CLOSE:
        angles = [sympy.atan2(-matrix[2, 1], matrix[2, 2]), sympy.atan2(matrix[2, 0], across), sympy.atan2(-matrix[1, 0], matrix[0, 0])]
    else:
        angles = [sympy.atan2(matrix[1, 2], matrix[1, 1]), sympy.sign(matrix[2, 0]) * sympy.pi / 2, sympy.S.Zero]
    return [(axis, angle) for axis, angle in zip("xyz", angles, strict=True) if angle != 0]


def _rotation(e: Any) -> Any:
    """The child's components of the parent's, of unit quaternions as rows."""
    e0, e1, e2, e3 = e.T
    rows = [
        [e0**2 + e1**2 - e2**2 - e3**2, 2 * (e1 * e2 + e0 * e3), 2 * (e1 * e3 - e0 * e2)],
        [2 * (e1 * e2 - e0 * e3), e0**2 - e1**2 + e2**2 - e3**2, 2 * (e2 * e3 + e0 * e1)],
        [2 * (e1 * e3 + e0 * e2), 2 * (e2 * e3 - e0 * e1), e0**2 - e1**2 - e2**2 + e3**2],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def unit_quaternions(frame: Any, q: Sequence[Any]) -> list[list[Any]]:
    """The coordinates in fours that turn frames connected with one, each a rotation where it is a unit quaternion only."""
    seen, found = [frame], []
    for before in seen:
        for own in before._dcm_dict:
            if own in seen:
                continue
            seen.append(own)
            turned = quaternion_with_turns(own._dcm_dict[before])
            parts = sorted({x for part in (turned[1] if turned else ()) for x in part.atoms(AppliedUndef)}, key=str)
            if parts and set(parts) <= set(q) and parts not in found:
                found.append(parts)
    return found
