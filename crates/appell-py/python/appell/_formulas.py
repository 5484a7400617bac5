"""Fields of a model as formulas of the model language."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _appell
from ._starts import named
from ._toml import document

__all__ = ["file_text", "model_text"]

_KEYS, _ENERGIES = _appell.keys()
#: Tables in which each name has a value of its own.
_VALUES = ("parameters", "inputs", "define", "forces", "constraints", "claims")


def model_text(fields: Mapping[str, Any]) -> str:
    """The text of a model from arguments; formulas may be SymPy objects."""
    own = {name: named(value) for name, value in fields.items() if value is not None}
    for table in _VALUES:
        for name, value in own[table].items() if isinstance(own.get(table), Mapping) else ():
            if value is None:
                raise ValueError(f"{table}: `{name}` is None: give it a value, or leave it out")
    frame, origin = own.pop("frame", None), own.pop("origin", None)
    if "sympy" in sys.modules:
        from ._sympy import Printer

        printer = Printer.of(own, frame, origin)
        own, formula = printer.fields(own), printer.formula
    else:
        formula = _unknown
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
    ordered |= {name: own[name] for name in _KEYS if name in own}
    # Unknown keys stay, for the reader to refuse with a suggestion.
    ordered |= {name: value for name, value in own.items() if name not in ordered}
    return document(ordered, formula)


def _named(rows: str | Sequence[Any], letter: str) -> dict[str, Any]:
    listed = [rows] if isinstance(rows, str) else list(rows)
    if len(listed) == 1:
        return {letter: listed[0]}
    return {f"{letter}{index}": row for index, row in enumerate(listed, start=1)}


def _unknown(value: Any) -> str:
    raise TypeError(f"{value!r} is neither a number nor a formula")


def file_text(path: str | os.PathLike[str]) -> str:
    """The text of a model file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        stem = Path(path).stem
        if any(name == stem for name, _, _ in _appell.gallery_entries()):
            hint = f"the gallery has it: appell.Model.gallery({stem!r})"
            raise FileNotFoundError(error.errno, f"{error.strerror}; {hint}", os.fspath(path)) from None
        raise
