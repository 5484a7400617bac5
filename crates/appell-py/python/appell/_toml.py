"""Models from arguments: TOML text, so that errors have the same places and hints as in files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["document", "exact"]

Formula = Callable[[Any], str]

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def document(fields: Mapping[str, Any], formula: Formula) -> str:
    """The text of a model: plain values first, then a table for each mapping, in the order given.

    `formula` writes what is neither a plain value nor a container.
    """
    head = [
        f"{_key(name)} = {_value(value, formula)}\n"
        for name, value in fields.items()
        if not _is_table(value)
    ]
    tables = [_table(name, value, formula) for name, value in fields.items() if _is_table(value)]
    return "\n".join(["".join(head), *tables] if head else tables)


def _is_table(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    return isinstance(value, Mapping) or (
        is_list and all(isinstance(item, Mapping) for item in value)
    )


def _table(name: str, value: Any, formula: Formula) -> str:
    if isinstance(value, Mapping):
        return f"[{_key(name)}]\n" + _entries(value, formula)
    return "\n".join(f"[[{_key(name)}]]\n" + _entries(item, formula) for item in value)


def _entries(table: Mapping[str, Any], formula: Formula) -> str:
    return "".join(
        f"{_key(name)} = {_value(value, formula)}\n"
        for name, value in table.items()
        if value is not None
    )


def _key(name: object) -> str:
    text = str(name)
    return text if _BARE.match(text) else _string(text)


def _string(text: str) -> str:
    def escaped(character: str) -> str:
        if character in _ESCAPES:
            return _ESCAPES[character]
        code = ord(character)
        return f"\\u{code:04X}" if code < 0x20 or code == 0x7F else character

    return '"' + "".join(escaped(character) for character in text) + '"'


def _value(value: Any, formula: Formula) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if hasattr(value, "to_numpy"):
        # A column of pandas or polars, whose printed text says little.
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, range):
        value = list(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        # No number of TOML is so large, and formulas are exact.
        return _string(str(value))
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (Fraction, Decimal)):
        return _string(str(value))
    if isinstance(value, Mapping):
        pairs = [
            f"{_key(name)} = {_value(item, formula)}"
            for name, item in value.items()
            if item is not None
        ]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item, formula) for item in value) + "]"
    return _string(formula(value))


def exact(value: Any) -> str:
    """A number as the command line reads it: ``0.1`` is one tenth, a fraction is exact."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (str, int, Fraction, Decimal)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if getattr(value, "is_Rational", False):
        return f"{value.p}/{value.q}"  # pyright: ignore[reportAttributeAccessIssue]
    try:
        return repr(float(value))
    except TypeError:
        raise TypeError(f"{value!r} is not a number") from None
