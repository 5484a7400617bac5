"""Names of a model for the objects of SymPy, each its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["NAME", "RESERVED", "Names", "cleaned"]

NAME = re.compile(r"[^\W\d]\w*\Z")
RESERVED = frozenset(["t", "pi", "T", "V", "N", "O"])


def cleaned(name: str) -> str:
    """The name with what a model has no letters for left out: ``m_{1}`` is ``m_1``."""
    own = name.replace("'", "_prime").replace("\\", "").replace("{", "").replace("}", "")
    own = re.sub(r"\W+", "_", own).strip("_") if not NAME.match(own) else own
    if not own or own[0].isdigit():
        own = f"x_{own}" if own else "x"
    return f"{own}_" if own in RESERVED else own


class Names:
    """One name for each object; equal names are numbered, and what is changed is said.

    Parameters
    ----------
    rename : mapping
        Names that the user wants: of objects, or of what the objects are called.
    """

    def __init__(self, rename: Mapping[Any, str] | None = None) -> None:
        self._wanted = dict(rename or {})
        self._heeded: set[Any] = set()
        self._given: dict[Any, str] = {}
        self._taken: set[str] = set()
        self.remarks: list[str] = []
        for name in self._wanted.values():
            if isinstance(name, str) and name in RESERVED:
                reserved = ", ".join(sorted(RESERVED))
                raise ValueError(f"rename: `{name}` means something else in a model, where {reserved} are reserved: take another name")
            if not isinstance(name, str) or cleaned(name) != name:
                raise ValueError(f"rename: `{name}` cannot be a name in a model: letters, digits and _ only")

    def __contains__(self, thing: Any) -> bool:
        return thing in self._given

    def of(self, thing: Any, called: str, what: str) -> str:
        """The name of an object that SymPy calls so; `what` it is says a remark."""
        if thing not in self._given:
            own = self._asked(thing, called)
            name = self.fresh(cleaned(called) if own is None else own)
            if own is None and name != called:
                self.remarks.append(f"the {what} `{called}` is called `{name}`")
            elif own is not None and name != own:
                self.remarks.append(f"the {what} `{called}` is called `{name}`, for `{own}` is the name of something else")
            self._given[thing] = name
        return self._given[thing]

    def _asked(self, thing: Any, called: str) -> str | None:
        """The name that the user wants."""
        # A body is known by its place in memory, as two may be equal.
        bodies = [key for key in self._wanted if thing == ("body", id(key))]
        found = [*bodies, *(key for key in (thing, called) if key in self._wanted)]
        self._heeded.update(found)
        return self._wanted[found[0]] if found else None

    def check_heeded(self) -> None:
        """Refuses names for what the model has not."""
        idle = [key for key in self._wanted if key not in self._heeded]
        if idle:
            known = ", ".join(dict.fromkeys(self._given.values()))
            raise ValueError(f"rename: nothing of the model is called `{idle[0]}`; its names: {known}")

    def fresh(self, name: str) -> str:
        """The name, with a number where it is taken."""
        own, number = name, 1
        while own in self._taken:
            number += 1
            own = f"{name}_{number}"
        self._taken.add(own)
        return own
