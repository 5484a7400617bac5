"""Errors and warnings: what a terminal would show, as objects."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ._appell import NumericalError, Refused

__all__ = [
    "Diagnostic",
    "ModelError",
    "ModelWarning",
    "NumericalError",
    "Place",
    "SympyRemark",
    "Unavailable",
]


@dataclass(frozen=True)
class Place:
    """A place in the text of a model.

    Attributes
    ----------
    line, column : int or None
        From 1; None for what has no place, such as an argument.
    span : tuple of int or None
        The characters ``text[span[0]:span[1]]`` that are meant.
    hint : str
        What is said there; may be empty.
    """

    line: int | None
    column: int | None
    span: tuple[int, int] | None
    hint: str

    @classmethod
    def _of(cls, entry: dict[str, Any]) -> Place:
        span = entry["span"]
        return cls(
            line=entry["line"],
            column=entry["column"],
            span=None if span is None else (span[0], span[1]),
            hint=entry["hint"],
        )


@dataclass(frozen=True)
class Diagnostic:
    """One error or warning.

    Attributes
    ----------
    code : str
        Such as ``E0102``; `appell.explain` tells more.
    severity : str
        ``error`` or ``warning``.
    message : str
        One sentence: what is wrong.
    file : str
        The name of the text.
    line, column, span, hint
        The place, as in `Place`.
    more : tuple of Place
        Other places that matter.
    notes : tuple of str
        What is known, what to write instead.
    text : str
        All of it, with the lines it speaks of.
    """

    code: str
    severity: str
    message: str
    file: str
    line: int | None
    column: int | None
    span: tuple[int, int] | None
    hint: str
    more: tuple[Place, ...]
    notes: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _of(cls, entry: dict[str, Any]) -> Diagnostic:
        place = Place._of(entry)
        return cls(
            code=entry["code"],
            severity=entry["severity"],
            message=entry["message"],
            file=entry["file"],
            line=place.line,
            column=place.column,
            span=place.span,
            hint=place.hint,
            more=tuple(Place._of(other) for other in entry["more"]),
            notes=tuple(entry["notes"]),
            text=entry["text"],
        )


class ModelError(ValueError):
    """A wrong model, or a question that does not fit it.

    Attributes
    ----------
    diagnostics : list of Diagnostic
        Everything that is wrong, in the order of the text.
    """

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        texts = "\n".join(diagnostic.text for diagnostic in diagnostics)
        super().__init__("\n" + texts.rstrip())

    def __reduce__(self) -> tuple[type[ModelError], tuple[list[Diagnostic]]]:
        return type(self), (self.diagnostics,)


class ModelWarning(UserWarning):
    """A model that can be used, though something may not be what was meant.

    Attributes
    ----------
    diagnostic : Diagnostic
        What it is, with its place.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__("\n" + diagnostic.text.rstrip())


class SympyRemark(UserWarning):
    """How something was understood that SymPy leaves open: a rolling contact, a coordinate that was added."""


class Unavailable(ValueError):
    """A form of the equations that does not apply to a model, and why."""


def diagnostics_of(text: str) -> list[Diagnostic]:
    """The diagnostics of a JSON list."""
    return [Diagnostic._of(entry) for entry in json.loads(text)]


def warn_of(text: str, stacklevel: int) -> list[Diagnostic]:
    """Warns of each diagnostic of a JSON list."""
    found = diagnostics_of(text)
    for diagnostic in found:
        warnings.warn(ModelWarning(diagnostic), stacklevel=stacklevel + 1)
    return found


@contextmanager
def translated() -> Iterator[None]:
    """Raises what the extension refuses as `ModelError`."""
    try:
        yield
    except Refused as refused:
        raise ModelError(diagnostics_of(refused.args[0])) from None
