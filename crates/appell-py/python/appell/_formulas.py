"""Fields of a model as formulas of the model language."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ._toml import document

__all__ = ["model_text"]

# The keys of the format in the order in which files have them. Energies stand in a table of their own.
_HEAD = ("title", "source", "about", "coordinates", "gravity")
_TABLES = (
    "parameters",
    "define",
    "frames",
    "points",
    "particles",
    "bodies",
    "loads",
    "energy",
    "forces",
    "constraints",
    "motion",
    "initial",
    "simulate",
    "claims",
    "plots",
    "animation",
)
_ENERGIES = ("kinetic", "potential", "lagrangian")


def model_text(fields: Mapping[str, Any]) -> str:
    """The text of a model from arguments; formulas may be SymPy objects."""
    own = {name: value for name, value in fields.items() if value is not None}
    frame, origin = own.pop("frame", None), own.pop("origin", None)
    if "sympy" in sys.modules:
        from ._sympy import Printer

        printer = Printer.of(own, frame, origin)
        own, formula = printer.fields(own), printer.formula
    else:
        formula = _unknown
    known = ("appell", *_HEAD, *_TABLES, *_ENERGIES)
    ordered: dict[str, Any] = {"appell": own.pop("appell", 1)}
    coordinates = own.get("coordinates")
    if isinstance(coordinates, str):
        own["coordinates"] = coordinates.replace(",", " ").split()
    for name in ("constraints", "claims"):
        if isinstance(own.get(name), (str, list, tuple)):
            own[name] = _named(own[name], name[0])
    if isinstance(own.get("initial"), (list, tuple, str)):
        initial = own["initial"]
        own["initial"] = {"state": [initial] if isinstance(initial, str) else list(initial)}
    energies = {name: own.pop(name) for name in _ENERGIES if name in own}
    if energies:
        own["energy"] = {**own.get("energy", {}), **energies}
    for name in (*_HEAD, *_TABLES):
        if name in own:
            ordered[name] = own[name]
    # Unknown keys stay, for the reader to refuse with a suggestion.
    ordered |= {name: value for name, value in own.items() if name not in known}
    return document(ordered, formula)


def _named(rows: str | Sequence[Any], letter: str) -> dict[str, Any]:
    listed = [rows] if isinstance(rows, str) else list(rows)
    if len(listed) == 1:
        return {letter: listed[0]}
    return {f"{letter}{index}": row for index, row in enumerate(listed, start=1)}


def _unknown(value: Any) -> str:
    raise TypeError(f"{value!r} is neither a number nor a formula")
