"""Formulas of the model language as SymPy objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import sympy
from sympy.physics.vector import dynamicsymbols as _dynamicsymbols

__all__ = ["SympyEquations", "parse"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\[[^\]]*\])?'*)"
    r"|(?P<sign>[-+*/^(),]))"
)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(sympy, name) for name in "sin cos tan asin acos atan atan2 sinh cosh tanh".split()},
    **{name: getattr(sympy, name) for name in "exp log sqrt sign".split()},
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
}

Names = Callable[[str], Any]


def parse(text: str, name: Names) -> Any:
    """The expression that a formula says; `name` gives the object of each name."""
    return _Parser(text, name).whole()


class _Parser:
    def __init__(self, text: str, name: Names) -> None:
        self.text, self.name, self.at = text, name, 0
        self.kind, self.token = "", ""
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            if self.text[self.at :].strip():
                raise ValueError(f"cannot read `{self.text}` from `{self.text[self.at :]}` on")
            self.kind, self.token = "end", ""
            return
        self.at = match.end()
        self.kind = str(match.lastgroup)
        self.token = match.group(self.kind)

    def take(self, *signs: str) -> str | None:
        if self.kind == "sign" and self.token in signs:
            sign = self.token
            self.advance()
            return sign
        return None

    def whole(self) -> Any:
        value = self.sum()
        if self.kind != "end":
            raise ValueError(f"cannot read `{self.text}` from `{self.token}` on")
        return value

    def sum(self) -> Any:
        sign = self.take("-", "+")
        value = self.product()
        value = -value if sign == "-" else value
        while sign := self.take("+", "-"):
            term = self.product()
            value = value + term if sign == "+" else value - term
        return value

    def product(self) -> Any:
        value = self.power()
        while sign := self.take("*", "/"):
            factor = self.power()
            value = value * factor if sign == "*" else value / factor
        return value

    def power(self) -> Any:
        base = self.atom()
        if not self.take("^"):
            return base
        negative = self.take("-") is not None
        exponent = self.power()
        return base ** (-exponent if negative else exponent)

    def atom(self) -> Any:
        kind, token = self.kind, self.token
        if self.take("("):
            value = self.sum()
            self.close()
            return value
        if self.take("-"):
            return -self.power()
        self.advance()
        if kind == "number":
            return sympy.Rational(token)
        if kind != "name":
            raise ValueError(f"cannot read `{self.text}` at `{token}`")
        if token in _FUNCTIONS and self.take("("):
            arguments = [self.sum()]
            while self.take(","):
                arguments.append(self.sum())
            self.close()
            return _FUNCTIONS[token](*arguments)
        return self.name(token)

    def close(self) -> None:
        if not self.take(")"):
            raise ValueError(f"a bracket is not closed in `{self.text}`")


class SympyEquations:
    """The equations of motion of one form as SymPy objects.

    Attributes
    ----------
    t : Symbol
        The time, that of ``dynamicsymbols``.
    q : list
        The coordinates, functions of t; their rates are ``Derivative`` objects.
    state : list
        What the equations are about: q and the velocities, parameters or momenta.
    energies : dict
        ``T``, ``V`` or ``L``.
    tables : dict of str to Matrix
        The objects of the form by their letters: ``M``, ``r``, ``A``, ``B``, and others with ``steps``.
    rows : dict
        The constraints: expressions that vanish.
    steps : list
        ``("define", {symbol: expression})`` and ``("solve", matrix, unknowns, right)``, in order.
    rate : dict
        The rates of the state.
    equations : list of Eq
        Definitions and linear systems, in order.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.t = _dynamicsymbols._t  # pyright: ignore[reportFunctionMemberAccess]
        self._moving = set(data["coordinates"]) | set(data["state"])
        self._moving |= {name.rstrip("'") for name in data["state"]}
        read = self._read
        self.q = [read(name) for name in data["coordinates"]]
        self.state = [read(name) for name in data["state"]]
        self.energies = {entry["name"]: read(entry["value"]) for entry in data["energies"]}
        self.rows = {row["name"]: read(row["left"]) for row in data["rows"]}
        self.tables = {
            table["name"]: sympy.Matrix([[read(x["value"]) for x in row] for row in table["entries"]])
            for table in [*data["tables"], *data["recipe"]]
        }
        listed = [*data["steps"], *data["recipe_steps"], *data["result_steps"]]
        abbreviations = [{"define": data["abbreviations"]}] if data["abbreviations"] else []
        self.steps = [self._step(step) for step in [*abbreviations, *listed]]
        self.rate = {read(entry["name"]): read(entry["value"]) for entry in data["rate"]}
        self.equations = [equation for step in self.steps for equation in _equations(step)]

    def _read(self, text: str) -> Any:
        return parse(text, self._name)

    def _name(self, name: str) -> Any:
        base = name.rstrip("'")
        if name == "t":
            return self.t
        if name == "pi":
            return sympy.pi
        if base in self._moving:
            function = sympy.Function(base)(self.t)
            order = len(name) - len(base)
            return sympy.Derivative(function, (self.t, order)) if order else function
        return sympy.Symbol(name)

    def _step(self, step: dict[str, Any]) -> tuple[Any, ...]:
        read = self._read
        if "solve" in step:
            sides = ([[read(x) for x in row] for row in step[key]] for key in ("matrix", "unknowns", "right"))
            return ("solve", *(sympy.Matrix(side) for side in sides))
        entries = step["define"] if "define" in step else step["unknowns"]
        return "define", {read(entry["name"]): read(entry["value"]) for entry in entries}


def _equations(step: tuple[Any, ...]) -> list[Any]:
    if step[0] == "define":
        return [sympy.Eq(name, value, evaluate=False) for name, value in step[1].items()]
    left = step[1] * step[2]
    return [sympy.Eq(a, b, evaluate=False) for a, b in zip(left, step[3], strict=True)]
