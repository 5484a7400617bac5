"""How answers show themselves in notebooks."""

from __future__ import annotations

import html

__all__ = ["Shown"]


class Shown:
    """An answer that a notebook shows as it is printed."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The printed text, with its columns."""
        return f"<pre>{html.escape(repr(self))}</pre>"
