"""Positions from velocities that can be integrated."""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.integrals.manualintegrate import manualintegrate

__all__ = ["integrated"]

_LONG = 80


def integrated(velocity: Any, scene: Any) -> str | None:
    """The position whose rate is a velocity, found coordinate by coordinate and checked; None where none is found."""
    frame, q = scene.given.frame, scene.given.q
    components = velocity.to_matrix(frame) if velocity != 0 else sympy.zeros(3, 1)
    components = components.xreplace(dict.fromkeys(scene.given.auxiliary, sympy.S.Zero))
    if scene.free and any(components.has(x) for x in scene.free):
        return None
    components = components.xreplace(scene.by_rates)
    position = [_primitive(x, q, scene) for x in components]
    if any(x is None for x in position):
        return None
    text = " + ".join(f"({scene.writer.formula(x)})*N.{n}" for x, n in zip(position, "xyz", strict=True) if x != 0)
    return text or "[0, 0, 0]"


def _primitive(rate: Any, q: list[Any], scene: Any) -> Any:
    """A function of the coordinates and the time with this rate."""
    time, found = scene.time, sympy.S.Zero
    if rate.count_ops() > 4 * _LONG or rate.atoms(AppliedUndef) - {*q}:
        return None
    for x in q:
        slope = sympy.expand(sympy.diff(rate, x.diff(time))) - sympy.diff(found, x)
        slope = sympy.simplify(slope) if slope.count_ops() < _LONG else slope
        if slope == 0:
            continue
        whole = _integral(slope, x)
        if whole is None:
            return None
        found += whole
    rest = rate - sympy.diff(found, time)
    if not scene._is_zero(rest):
        own = sympy.simplify(rest.xreplace({x.diff(time): sympy.S.Zero for x in q}))
        whole = None if own.atoms(AppliedUndef) else _integral(own, time)
        if whole is None or not scene._is_zero(rest - sympy.diff(whole, time)):
            return None
        found += whole
    return found


def _integral(slope: Any, x: Any) -> Any:
    if slope.count_ops() > _LONG:
        return None
    own = sympy.Dummy()
    plain = slope.xreplace({x: own})
    whole = manualintegrate(plain, own)
    return None if whole.has(sympy.Integral) else whole.xreplace({own: x})
