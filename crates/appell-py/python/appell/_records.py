"""Results: JSON objects with attributes, and arrays where JSON has lists of numbers."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._tables import tables

__all__ = ["Record", "record"]

# Lists of numbers, by their names in the JSON of the command line.
_ARRAYS = frozenset(
    """t q v z accel lambda reaction residual final state rate alphabar_minus_alpha at force torque
    matrix values growth_vector exponents times history A B C D""".split()
)
_COMPLEX = frozenset(["eigenvalues"])


class Record:
    """A result with the names of the JSON of the command line as attributes.

    ``lambda``, a word of Python, is the attribute ``lambda_``; a ``-`` in a name is a ``_``. Brackets take
    the names as they are: ``record["gibbs-appell"]``. Lists of numbers are arrays, eigenvalues complex.
    What is undefined is None, with a reason in ``why``.
    """

    _data: dict[str, Any]
    _text: str | None

    def __init__(self, data: dict[str, Any], text: str | None = None) -> None:
        self._data = data
        self._text = text
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = _value(name, self._data[name])
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            for key in (name, name.rstrip("_"), name.replace("_", "-")):
                if key in self._data:
                    return self[key]
        raise AttributeError(
            f"there is no `{name}` here; there are {', '.join(self._data)}"
        )

    def __dir__(self) -> list[str]:
        names = (name.replace("-", "_") for name in self._data)
        return [*super().__dir__(), *(n + "_" if n == "lambda" else n for n in names)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._data == other._data

    def __repr__(self) -> str:
        if self._text is not None:
            return self._text.rstrip()
        entries = ", ".join(f"{name}={self._data[name]!r}" for name in self._data)
        return f"Record({entries})"

    def _repr_html_(self) -> str:
        return tables(self._data)

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    def keys(self) -> list[str]:
        """The names as in JSON."""
        return list(self._data)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as Python has it: dictionaries, lists, numbers, None."""
        return copy.deepcopy(self._data)

    def __getstate__(self) -> dict[str, Any]:
        return {"_data": self._data, "_text": self._text, "_values": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def record(data: dict[str, Any], text: str | None = None) -> Record:
    """A JSON object as a `Record`."""
    return Record(data, text)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if not isinstance(value, list):
        return value
    if name in _COMPLEX:
        return _complex(value)
    if name in _ARRAYS and _is_numeric(value):
        return np.array(value, dtype=int if name == "growth_vector" else float)
    return [_value("", item) for item in value]


def _is_numeric(value: Any) -> bool:
    """Whether a list, or a list of lists, holds numbers; undefined ones are None."""
    if isinstance(value, list):
        return all(_is_numeric(item) for item in value)
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _complex(value: list[Any]) -> np.ndarray[Any, np.dtype[np.complex128]]:
    """Pairs as complex numbers; a value of a sweep without eigenvalues is a row of nan."""
    if not value or isinstance(value[0], list) and value[0] and not isinstance(value[0][0], list):
        return np.array([complex(re, im) for re, im in value], dtype=complex)
    width = max((len(row) for row in value if row is not None), default=0)
    rows = [[complex("nan")] * width if row is None else [complex(*z) for z in row] for row in value]
    return np.array(rows, dtype=complex)
