"""Plots of motions with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._motion import Motion

Curve = tuple[str, Any, Any]


def draw(motion: Motion, names: tuple[str, ...], ax: Any) -> Any:
    """See `Motion.plot`."""
    import matplotlib.pyplot as plt

    figures = _figures(motion, names)
    if ax is None:
        _, ax = plt.subplots(len(figures), 1, squeeze=len(figures) == 1, layout="constrained")
        ax = ax if len(figures) == 1 else ax[:, 0]
    axes = list(np.ravel(ax))
    if len(axes) != len(figures):
        given = "one" if len(axes) == 1 else f"{len(axes)}"
        raise ValueError(
            f"there are {len(figures)} plots, and ax is {given}: give ax as many, as plt.subplots({len(figures)})[1], or "
            f"name the columns of one plot, as plot({motion.columns[1]!r}, ax=ax)"
        )
    for one, (title, x_label, curves) in zip(axes, figures, strict=True):
        for name, x, y in curves:
            one.plot(x, y, label=name)
        one.set(title=title, xlabel=x_label)
        if len(curves) == 1:
            one.set_ylabel(curves[0][0])
        else:
            one.legend()
    return ax


def _figures(motion: Motion, names: tuple[str, ...]) -> list[tuple[str, str, list[Curve]]]:
    if names or not motion.plots:
        n = len(motion["t"])
        chosen = names or tuple(motion.columns[1 : 1 + len(motion.start.q)])
        curves = [(name, motion.t, motion[name]) for name in chosen]
        return [("", "t", curves)] if n else []
    return [(title, x_label, list(curves)) for title, x_label, curves in motion.plots]
