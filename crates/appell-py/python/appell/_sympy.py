"""SymPy objects as formulas of the model language, converted object by object.

A symbol keeps its name, whatever SymPy might read into it: ``I``, ``E``, ``lambda`` and ``beta`` are
parameters like any other. Names are never handed to ``sympify``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Dyadic, Point, ReferenceFrame, Vector
from sympy.physics.vector import dynamicsymbols as _dynamicsymbols

from ._names import NAME, RESERVED

try:
    from sympy.physics.mechanics import Particle
except ImportError:  # pragma: no cover
    Particle = ()

__all__ = ["Printer"]

# SymPy's functions, and what the model language calls them.
_CALLS: dict[Any, str] = {
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tan: "tan",
    sympy.asin: "asin",
    sympy.acos: "acos",
    sympy.atan: "atan",
    sympy.atan2: "atan2",
    sympy.sinh: "sinh",
    sympy.cosh: "cosh",
    sympy.tanh: "tanh",
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.Abs: "abs",
    sympy.sign: "sign",
    sympy.Min: "min",
    sympy.Max: "max",
}
# Functions that the language has not: each in those that it has.
_INSTEAD: dict[Any, tuple[str, str]] = {
    sympy.cot: ("cos", "sin"),
    sympy.sec: ("", "cos"),
    sympy.csc: ("", "sin"),
    sympy.coth: ("cosh", "sinh"),
    sympy.sech: ("", "cosh"),
    sympy.csch: ("", "sinh"),
}


def _arsinh(x: Any) -> Any:
    """As a quotient that is smooth at zero and keeps its digits for negative arguments too."""
    root = sympy.sqrt(1 + x**2)
    return sympy.log((1 + root + x) / (1 + root - x))


def _sinc(x: Any) -> Any:
    """The series near zero, to the last digit, so that value and slopes are those of the quotient at zero too.

    Where they meet there is no slope, so that is at the root of 2, which no floating-point number is.
    """
    series = sum((-1) ** k * x ** (2 * k) / sympy.factorial(2 * k + 1) for k in range(10))
    return sympy.Piecewise((series, x**2 < 2), (sympy.sin(x) / x, True))


# Functions that are others of the language by a formula, with SymPy's values wherever those are real.
_FORMULAS: dict[Any, Callable[[Any], Any]] = {
    sympy.asinh: _arsinh,
    sympy.acosh: lambda x: sympy.log(x + sympy.sqrt((x - 1) * (x + 1))),
    sympy.atanh: lambda x: sympy.log((1 + x) / (1 - x)) / 2,
    sympy.acoth: lambda x: sympy.log((x + 1) / (x - 1)) / 2,
    sympy.acsch: lambda x: _arsinh(1 / x),
    sympy.asech: lambda x: sympy.log(1 / x + sympy.sqrt((1 / x - 1) * (1 / x + 1))),
    sympy.acot: lambda x: sympy.atan(1 / x),
    sympy.asec: lambda x: sympy.acos(1 / x),
    sympy.acsc: lambda x: sympy.asin(1 / x),
    sympy.sinc: _sinc,
}

# How tightly an expression holds together.
_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def is_sympy(value: Any) -> bool:
    """Whether the value is one of those that this module writes."""
    return isinstance(value, (sympy.Basic, sympy.MatrixBase, Vector, Dyadic, Point, ReferenceFrame))


class Printer:
    """Writes expressions of one model.

    Parameters
    ----------
    time : Symbol or None
        What the coordinates are functions of.
    frame : ReferenceFrame or None
        The inertial frame.
    origin : Point or None
        A point at rest.
    """

    def __init__(self, time: Any, frame: Any = None, origin: Any = None) -> None:
        self.time, self.frame, self.origin = time, frame, origin
        # Texts of conditions by the symbols that stand for them.
        self._conditions: dict[Any, str] = {}

    @classmethod
    def of(cls, fields: Any, frame: Any, origin: Any) -> Printer:
        """The printer for these fields: time and frame are looked up in them where they are not given."""
        found = list(_objects(fields))
        functions = {a for x in found for a in _functions(x) if len(a.args) == 1}
        times = {a.args[0] for a in functions if isinstance(a.args[0], sympy.Symbol)}
        if len(times) > 1:
            names = ", ".join(sorted(str(time) for time in times))
            raise ValueError(f"coordinates are functions of one time; here are {names}")
        frames = {f for x in found if isinstance(x, Vector) for _, f in x.args}
        if frame is None and len(frames) == 1:
            frame = frames.pop()
        return cls(times.pop() if times else _dynamicsymbols._t, frame, origin)  # pyright: ignore[reportFunctionMemberAccess]

    # Fields.

    def fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields with SymPy's containers as the format has them."""
        own = dict(fields)
        coordinates = own.get("coordinates")
        if isinstance(coordinates, sympy.MatrixBase):
            coordinates = list(coordinates.flat())
        if isinstance(coordinates, (list, tuple)):
            own["coordinates"] = [q if isinstance(q, str) else self.coordinate(q) for q in coordinates]
        elif is_sympy(coordinates):
            own["coordinates"] = [self.coordinate(coordinates)]
        for name in ("particles", "bodies"):
            if isinstance(own.get(name), (list, tuple)):
                own[name] = dict(self.entry(body) for body in own[name])
        return {name: self._keys(value) for name, value in own.items()}

    def _keys(self, value: Any) -> Any:
        """Mappings with SymPy objects as keys: parameters by symbols, forces by coordinates."""
        if isinstance(value, Mapping):
            return {self._key(key): self._keys(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)) and not isinstance(value, sympy.Basic):
            return [self._keys(item) for item in value]
        return self.plain(value)

    def _key(self, key: Any) -> Any:
        return self.formula(key) if isinstance(key, sympy.Basic) else key

    def plain(self, value: Any) -> Any:
        """Numbers of SymPy that are exact stay numbers, so that what needs one takes them."""
        if isinstance(value, sympy.Integer):
            return int(value)
        if isinstance(value, sympy.Float) and value._prec == 53:
            return float(value)
        return value

    def coordinate(self, q: Any) -> str:
        """The name of a coordinate."""
        if isinstance(q, AppliedUndef):
            return self.formula(q)
        if isinstance(q, sympy.Symbol):
            return self._name(q.name)
        raise TypeError(f"{q!r} is no coordinate: a function of time is needed, as dynamicsymbols('x')")

    def entry(self, body: Any) -> tuple[str, dict[str, Any]]:
        """A ``Particle`` as an entry of ``[particles]``."""
        if isinstance(body, Particle):
            return self._name(str(body.name)), {"mass": body.mass, "position": body.point}
        raise TypeError(f"{body!r} is no Particle; Model.from_sympy(bodies=[...]) takes rigid bodies too")

    # Formulas.

    def formula(self, value: Any) -> str:
        """The text of an expression, equation, vector or point."""
        if isinstance(value, sympy.Equality):
            return f"{self.formula(value.lhs)} = {self.formula(value.rhs)}"
        if isinstance(value, (sympy.StrictLessThan, sympy.StrictGreaterThan, sympy.LessThan, sympy.GreaterThan)):
            return f"{self.formula(value.lhs)} {value.rel_op} {self.formula(value.rhs)}"
        if isinstance(value, Point):
            return self.formula(value.pos_from(self._rest(value)))
        if isinstance(value, Vector):
            return self._components(value.to_matrix(self._inertial()) if value.args else sympy.zeros(3, 1))
        if isinstance(value, sympy.MatrixBase) and value.shape in ((3, 1), (1, 3)):
            return self._components(value)
        if isinstance(value, sympy.Expr):
            return self._write(value)[0]
        raise TypeError(f"{value!r} is neither a number nor a formula")

    def _inertial(self) -> Any:
        if self.frame is None:
            raise ValueError("which frame is at rest? say frame=N")
        return self.frame

    def _rest(self, point: Any) -> Any:
        """The point at rest from which positions are measured."""
        if self.origin is not None:
            return self.origin
        seen, waiting = {point}, [point]
        while waiting:
            here = waiting.pop()
            if here._vel_dict.get(self._inertial()) == 0:
                return here
            near = [other for other in here._pos_dict if other not in seen]
            seen.update(near)
            waiting.extend(near)
        raise ValueError(f"from which point at rest is {point} measured? say origin=O")

    def _components(self, vector: Any) -> str:
        return "[" + ", ".join(self.formula(component) for component in vector) + "]"

    def _name(self, name: str) -> str:
        if name in RESERVED:
            raise ValueError(f"`{name}` means something else in a model; give the symbol another name")
        if not NAME.match(name):
            raise ValueError(f"`{name}` cannot be a name in a model: letters, digits and _ only")
        return name

    def _symbol(self, x: Any) -> str:
        return self._name(x.name)

    def _function(self, x: Any) -> str:
        return self._name(x.func.__name__)

    def _write(self, x: Any) -> tuple[str, int]:
        """The text and how tightly it holds together."""
        if x == self.time:
            return "t", _ATOM
        if x in self._conditions:
            return self._conditions[x], _ATOM
        if isinstance(x, sympy.Symbol):
            return self._symbol(x), _ATOM
        if isinstance(x, AppliedUndef):
            if x.args != (self.time,):
                raise ValueError(f"{x} is not a function of the time alone")
            return self._function(x), _ATOM
        if isinstance(x, sympy.Derivative):
            return self._derivative(x)
        if x is sympy.pi:
            return "pi", _ATOM
        if x is sympy.E:
            return "exp(1)", _ATOM
        if x is sympy.GoldenRatio:
            return "(1 + sqrt(5))/2", _PRODUCT
        if isinstance(x, sympy.Rational):
            return _rational(x.p, x.q)
        if isinstance(x, sympy.Float):
            return _float(x)
        if isinstance(x, sympy.Add):
            return self._sum(x)
        if isinstance(x, sympy.Mul):
            return self._product(x)
        if isinstance(x, sympy.Pow):
            return self._power(x)
        if x.func in _CALLS:
            return self._call(x), _ATOM
        if x.func in _FORMULAS:
            return self._write(_FORMULAS[x.func](*x.args))
        if isinstance(x, (sympy.re, sympy.conjugate)):
            # Everything is real, which SymPy's symbols do not say.
            return self._write(x.args[0])
        if isinstance(x, sympy.im):
            return "0", _ATOM
        if isinstance(x, sympy.Heaviside):
            return self._step(x), _PRODUCT
        if isinstance(x, sympy.Piecewise):
            return self._pieces(x), _SUM
        if x.func in _INSTEAD:
            above, below = _INSTEAD[x.func]
            argument = self.formula(x.args[0])
            return f"{above}({argument})/{below}({argument})" if above else f"1/{below}({argument})", _PRODUCT
        raise ValueError(f"`{x}` ({x.func.__name__}) has no counterpart in the model language")

    def _derivative(self, x: Any) -> tuple[str, int]:
        if set(x.variables) != {self.time}:
            raise ValueError(f"{x} is no derivative by the time")
        if not isinstance(x.expr, AppliedUndef):
            return self._write(x.doit())
        return self._write(x.expr)[0] + "'" * len(x.variables), _ATOM

    def _sum(self, x: Any) -> tuple[str, int]:
        text = ""
        for term in x.as_ordered_terms():
            sign, positive = (" - ", -term) if term.could_extract_minus_sign() else (" + ", term)
            part, tightness = self._write(positive)
            part = f"({part})" if tightness == _SUM or part.startswith("-") else part
            text += (sign if text or sign == " - " else "") + part
        return (text.replace(" - ", "-", 1) if text.startswith(" - ") else text), _SUM

    def _product(self, x: Any) -> tuple[str, int]:
        above, below, sign = [], [], ""
        for factor in x.as_ordered_factors():
            if isinstance(factor, sympy.Rational):
                sign = "-" if factor.p < 0 and not sign else "" if factor.p < 0 else sign
                above += [str(abs(factor.p))] if abs(factor.p) != 1 else []
                below += [str(factor.q)] if factor.q != 1 else []
            elif isinstance(factor, sympy.Pow) and factor.exp.could_extract_minus_sign():
                below.append(self._held(1 / factor))
            else:
                above.append(self._held(factor))
        text = sign + ("*".join(above) or "1") + "".join(f"/{part}" for part in below)
        # A leading sign makes it a sum: -a*b is read as -(a*b), but not within another product.
        return text, _SUM if text.startswith("-") else _PRODUCT

    def _held(self, factor: Any) -> str:
        """A factor, in brackets unless it is an atom or a power."""
        text, tightness = self._write(factor)
        return text if tightness >= _POWER and not text.startswith("-") else f"({text})"

    def _power(self, x: Any) -> tuple[str, int]:
        base, exponent = x.base, x.exp
        if base is sympy.E:
            return f"exp({self.formula(exponent)})", _ATOM
        if exponent == sympy.Rational(1, 2):
            return f"sqrt({self.formula(base)})", _ATOM
        if exponent.could_extract_minus_sign():
            return f"1/{self._held(1 / x)}", _PRODUCT
        text, tightness = self._write(base)
        text = text if tightness == _ATOM else f"({text})"
        power, tightness = self._write(exponent)
        return f"{text}^{power if tightness == _ATOM else f'({power})'}", _POWER

    def _step(self, x: Any) -> str:
        """One above zero; at zero what SymPy has there, which is a half if nothing is said."""
        at, edge = self.formula(x.args[0]), x.args[1] if len(x.args) > 1 else sympy.Rational(1, 2)
        if edge == sympy.Rational(1, 2):
            return f"(1 + sign({at}))/2"
        return f"(max(sign({at}), 0) + ({self.formula(edge)})*(1 - abs(sign({at}))))"

    def _pieces(self, x: Any) -> str:
        """A sum of the pieces, each times one where its condition holds and none before does, else zero.

        These factors are no sums: one that is multiplied out would leave the rounding of a large piece in a small one.
        """
        terms: list[str] = []
        before: list[str] = []
        for value, condition in x.args:
            factors = [*before, *([] if condition == True else [self._holds(condition)])]  # noqa: E712
            if value != 0:
                terms.append("*".join([*factors, f"({self.formula(self._guarded(value, factors))})"]))
            if condition == True:  # noqa: E712
                break
            before.append(self._holds(sympy.Not(condition)))
        else:
            raise ValueError(f"`{x}` has no value where none of its conditions holds; add (0, True)")
        return " + ".join(terms) or "0"

    def _guarded(self, value: Any, factors: list[str]) -> Any:
        """A piece that has a value everywhere, and where its condition holds its own: elsewhere it is multiplied by zero, and zero times
        what is not finite is not zero.
        """
        if not factors:
            return value
        # What stands for a function is kept in its range piece by piece.
        value = value.replace(lambda part: part.func in _FORMULAS, lambda part: _FORMULAS[part.func](*part.args))
        holds, fails = sympy.Dummy(), sympy.Dummy()
        own = "*".join(factors)
        self._conditions |= {holds: f"({own})", fails: f"abs(1 - {own})"}
        return _within(value, holds, fails, self.time)

    def _holds(self, condition: Any) -> str:
        """One where a condition holds and zero where not, at its edge too."""
        if isinstance(condition, sympy.Eq):
            return "*".join(self._holds(own(*condition.args)) for own in (sympy.Ge, sympy.Le))
        if isinstance(condition, sympy.Ne):
            return f"abs(sign({self.formula(condition.lhs - condition.rhs)}))"  # pyright: ignore[reportOperatorIssue]
        if isinstance(condition, (sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le)):
            sign = f"sign({self.formula(condition.gts - condition.lts)})"  # pyright: ignore[reportOperatorIssue]
            return f"max({sign}, 0)" if isinstance(condition, (sympy.Gt, sympy.Lt)) else f"min(1 + {sign}, 1)"
        if isinstance(condition, (sympy.And, sympy.Or)):
            first, *others = (self._holds(part) for part in condition.args)
            for other in others:
                first = f"{first}*{other}" if isinstance(condition, sympy.And) else f"max({first}, {other})"
            return first
        if isinstance(condition, sympy.Not) and isinstance(condition.args[0], (sympy.And, sympy.Or)):
            other = sympy.Or if isinstance(condition.args[0], sympy.And) else sympy.And
            return self._holds(other(*(sympy.Not(part) for part in condition.args[0].args)))
        if condition in (True, False):
            return str(int(bool(condition)))
        raise ValueError(f"the condition `{condition}` has no counterpart in the model language")

    def _call(self, x: Any) -> str:
        name, arguments = _CALLS[x.func], [self.formula(a) for a in x.args]
        if name in ("min", "max"):
            text = arguments[0]
            for argument in arguments[1:]:
                text = f"{name}({text}, {argument})"
            return text
        if name == "log" and len(arguments) == 2:
            return f"(log({arguments[0]})/log({arguments[1]}))"
        return f"{name}({', '.join(arguments)})"


# Functions without a value somewhere, or beyond all numbers; at 1 each has one.
_LIMITED = (sympy.log, sympy.asin, sympy.acos, sympy.exp, sympy.sinh, sympy.cosh, *_INSTEAD)


def _within(x: Any, holds: Any, fails: Any, time: Any) -> Any:
    """An expression with 1 in place of the arguments that may be out of the range of their functions, where `holds` is 0 and `fails` is 1,
    and else itself to the last digit.
    """
    if not isinstance(x, sympy.Expr) or not x.args or isinstance(x, (AppliedUndef, sympy.Derivative)):
        return x
    if isinstance(x, sympy.Piecewise):
        return sympy.Piecewise(*((_within(pair.args[0], holds, fails, time), pair.args[1]) for pair in x.args))
    is_limited = isinstance(x, _LIMITED) or (isinstance(x, sympy.Pow) and not (x.exp.is_integer and x.exp.is_positive))
    moves = bool(x.args[0].atoms(AppliedUndef)) or x.args[0].has(time)
    own = [_within(part, holds, fails, time) for part in x.args]
    if is_limited and moves:
        own[0] = own[0] * holds + fails
    return x.func(*own)


def _rational(p: int, q: int) -> tuple[str, int]:
    if q != 1:
        return f"{p}/{q}", _SUM if p < 0 else _PRODUCT
    return str(p), _SUM if p < 0 else _ATOM


def _float(x: Any) -> tuple[str, int]:
    if not x.is_finite:
        raise ValueError(f"{x} is not a finite number")
    text = repr(float(x)) if x._prec <= 53 else str(x)
    return text, _SUM if text.startswith("-") else _ATOM


def _functions(x: Any) -> Iterable[Any]:
    """The functions in an expression or a vector."""
    parts = [components for components, _ in x.args] if isinstance(x, Vector) else [x]
    for part in parts:
        if hasattr(part, "atoms"):
            yield from part.atoms(AppliedUndef)


def _objects(value: Any) -> Iterable[Any]:
    """The SymPy objects in containers; of particles their points."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _objects(key)
            yield from _objects(item)
    elif isinstance(value, Particle):
        yield from _objects(value.point)
    elif isinstance(value, Point):
        # A point was placed in a frame by its velocity.
        yield from (vector for vector in value._pos_dict.values())
    elif is_sympy(value):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _objects(item)
