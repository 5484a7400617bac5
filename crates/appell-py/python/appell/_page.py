"""The page of a motion in a notebook cell, or in a file."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

import numpy as np

__all__ = ["Page"]

_START = '<html lang="en"'
_SECTION = re.compile(r'<section id="(\w+)"')


class Page:
    """A page with the moving system, the plots, the equations and the proofs: one file of HTML.

    A notebook shows it in a frame of its own. The page loads nothing and sends nothing.

    Attributes
    ----------
    html : str
        The page.
    """

    def __init__(self, text: str, part: str | None = None, height: int = 560) -> None:
        known = _SECTION.findall(text)
        # Of a model without a picture the page has no motion, and is shown whole.
        if part not in (None, "motion", *known):
            raise ValueError(f"the page has no part {part!r}; it has {', '.join(known)}, and None is all of it")
        if isinstance(height, bool) or not isinstance(height, (int, np.integer)) or height < 1:
            raise ValueError(f"height={height!r}: give a number of pixels, 1 or more")
        self.html = text
        self._part = part
        self._height = height

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file, and says where it is."""
        place = Path(path)
        place.write_text(self.html, encoding="utf-8")
        return place

    def _repr_html_(self) -> str:
        # The part that stands alone is told to the page where an address has no place for it.
        shown = self.html
        if self._part is not None:
            shown = shown.replace(_START, f'{_START} data-embed="{html.escape(self._part)}"', 1)
        return (
            f'<iframe srcdoc="{html.escape(shown)}" title="The motion" sandbox="allow-scripts allow-downloads" '
            f'allowfullscreen style="width: 100%; height: {self._height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page of {len(self.html) / 1e6:.2f} MB; save(path) writes it>"
