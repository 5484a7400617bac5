"""Equations of motion of one form: as text, LaTeX, HTML, SymPy."""

from __future__ import annotations

import json
from typing import Any, Protocol

from . import _appell
from ._errors import Unavailable, translated
from ._records import Record

__all__ = ["Derivation", "Writer", "derivations"]


class Write(Protocol):
    """Writes a form in another notation."""

    def __call__(self, form: str, to: str) -> str: ...


class Writer:
    """Writes the equations of a form again in another notation."""

    def __init__(self, session: _appell.Session, given: tuple[list[str], list[str]], steps: bool) -> None:
        self._session, self._given, self._steps = session, given, steps

    def __call__(self, form: str, to: str) -> str:
        with translated():
            return self._session.written(self._given, form, self._steps, to)


class Derivation(Record):
    """The equations of motion in one form.

    The attributes are those of ``appell derive --to json``: ``form``, ``title``, ``statement``, ``sources``,
    ``coordinates``, ``parameters``, ``energies``, ``tables``, ``rows``, ``state``, ``steps``, ``rate``,
    ``recipe``, ``results``, ``notes``. Formulas are texts of the model language.
    """

    def __init__(self, data: dict[str, Any], write: Write) -> None:
        super().__init__(data)
        self._write = write

    def __repr__(self) -> str:
        return self.text().rstrip()

    def text(self) -> str:
        """The equations in letters that a terminal has."""
        return self._write(self._data["form"], "text")

    def latex(self) -> str:
        """A fragment of LaTeX that needs the package ``amsmath`` only."""
        return self._write(self._data["form"], "latex")

    def html(self) -> str:
        """A fragment of HTML whose formulas are MathML; browsers typeset it without a library."""
        return self._write(self._data["form"], "html")

    def code(self, language: str) -> str:
        """The equations as source code.

        Parameters
        ----------
        language : str
            ``c``, ``numpy``, ``jax``, ``casadi``, ``julia`` or ``matlab``.

        Returns
        -------
        str
            A function ``equations`` of t, the state y and the parameters p, in the order that its comments tell. Its
            results are ``rate``, the rates of y, and ``lambda``, the multipliers.
        """
        return self._write(self._data["form"], language)

    def _repr_html_(self) -> str:
        # Wide formulas are scrolled, not cut off.
        return f'<div style="overflow-x: auto">{self.html()}</div>'

    def _repr_latex_(self) -> str:
        # Notebooks typeset mathematics, and have no sections and paragraphs.
        return notebook_latex(self.latex())

    def sympy(self) -> Any:
        """The equations as SymPy objects.

        Returns
        -------
        appell._to_sympy.SympyEquations
            ``t``, ``q`` (functions of t), ``energies``, ``tables`` (matrices by their letters: ``M``, ``r``, ``A``,
            ``B``), ``rows`` (the constraints, expressions that vanish), ``steps``, and ``equations``, all of
            the steps as a list of ``Eq``.
        """
        from ._to_sympy import SympyEquations

        return SympyEquations(self._data)

    def __reduce__(self) -> tuple[Any, ...]:
        texts = {to: self._write(self._data["form"], to) for to in ("text", "latex", "html")}
        return Derivation, (self._data, _Written(texts))


class _Written:
    """What was written before the object was pickled."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def __call__(self, form: str, to: str) -> str:
        if to not in self.texts:
            raise ValueError("code cannot be written by a derivation that was pickled; derive it anew")
        return self.texts[to]


def derivations(answer: str, write: Write, single: bool) -> Any:
    """The forms of ``appell derive --to json``."""
    entries = json.loads(answer)["forms"]
    if not single:
        return {
            entry["form"]: Record(entry) if "unavailable" in entry else Derivation(entry, write)
            for entry in entries
        }
    if not entries:
        raise Unavailable("no form applies to this model")
    entry = entries[0]
    if "unavailable" in entry:
        raise Unavailable(f"{entry['form']} does not apply: {entry['unavailable']}")
    return Derivation(entry, write)


def notebook_latex(latex: str) -> str:
    """A fragment of LaTeX as a notebook can show it: text as Markdown, mathematics as it is."""
    lines = []
    for line in latex.splitlines():
        if line.startswith("%"):
            continue
        for command, mark in (("\\section*{", "### "), ("\\paragraph{", "**")):
            if line.startswith(command):
                head, _, rest = line[len(command) :].partition("}")
                line = f"{mark}{head}{'**' if mark == '**' else ''}{rest}"
                line = f"\n{line}\n" if mark != "**" else f"\n{line}  "
        lines.append(line.replace("\\[", "$$").replace("\\]", "$$").replace("\\&", "&"))
    return "\n".join(lines)
