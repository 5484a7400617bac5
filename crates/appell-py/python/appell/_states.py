"""SymPy's points and frames in numbers of 50 digits, at random states that hold the constraints."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import wraps
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Vector

from ._handed import Handed
from ._turns import path_between, unit_quaternions

__all__ = ["Bundle", "States", "digits", "edges_between", "is_zero", "precisely"]

_DIGITS = 50
_STEP = mpmath.mpf(10) ** -15
# Beside rounding and the error of a difference quotient, which are below 1e-26.
_ZERO = 1e-17
# Beside numbers that SymPy has rounded to double precision, as the cosine of 0.1.
_ROUNDED = 1e-12
_HOLDS = 1e-26

State = dict[Any, Any]


class Bundle:
    """Expressions that are evaluated together, vectors of several frames among them."""

    def __init__(self, states: States) -> None:
        self._states = states
        self._expressions: list[Any] = []
        self._compiled: Any = None

    def add(self, expressions: Iterable[Any]) -> slice:
        """The place of the values of some expressions."""
        start = len(self._expressions)
        self._expressions += list(expressions)
        return slice(start, len(self._expressions))

    def add_vector(self, vector: Any) -> list[tuple[slice, Any]]:
        """The places of the components of a vector, frame by frame."""
        parts = vector.args if isinstance(vector, Vector) else ()
        return [(self.add(list(components)), frame) for components, frame in parts]

    @property
    def is_rounded(self) -> bool:
        """Whether there are numbers in double precision among what was added, which SymPy may have rounded."""
        return any(sympy.sympify(x).has(sympy.Float) for x in self._expressions)

    def ready(self) -> Bundle:
        """Compiles what was added."""
        self._compiled = self._states.compile(self._expressions)
        return self

    def __call__(self, state: State) -> list[Any]:
        return list(self._compiled(state))


class States:
    """The names of a system in numbers.

    Parameters
    ----------
    given : Handed
        The system.
    frame : ReferenceFrame
        The inertial frame.
    values : mapping
        Values of parameters, taken where constraints have no solution at random ones.
    """

    def __init__(self, given: Handed, frame: Any, time: Any, values: dict[Any, Any]) -> None:
        self.given, self.frame, self.time = given, frame, time
        self._stand_in: dict[Any, Any] = {}
        # Prescribed functions with their rates.
        self._driven: list[tuple[Any, Any]] = []
        self._random = random.Random(20250101)
        self._values = values
        scalar = [part for row in given.rows.values() for part in _parts(row)]
        # A row on accelerations says nothing of a state.
        scalar = [row for row in scalar if not self._accelerates(row)]
        rates = [row for row in scalar if self._moves(row)]
        self.quaternions = [] if frame is None else unit_quaternions(frame, given.q)
        norms: list[Any] = [sum(x**2 for x in parts) - 1 for parts in self.quaternions]
        # A matrix in quaternions is a rotation, and has an angular velocity, at unit ones only.
        still = [row for row in scalar if not self._moves(row)] + norms
        kd = [*given.kd, *(row.diff(time) for row in norms)]
        self._kd, self._rates, self._still = (self.compile(rows) for rows in (kd, rates, still))
        self._unknown = [self.stand_in(x) for x in [*(x.diff(time) for x in given.q), *given.u]]
        self._at = [self.stand_in(x) for x in given.q]
        self._rates_of = [(self.stand_in(x), self.stand_in(x.diff(time))) for x in given.q]
        self.step = _STEP
        self.free: list[State] = []
        self.bound: list[State] = []

    def draw(self, count: int = 3) -> None:
        """Draws the states: `bound` ones hold everything, `free` ones the kinematical equations only."""
        with digits():
            for own in (False, True):
                self.free, self.bound = [], []
                for _ in range(8 * count):
                    state = self._random_state(own)
                    if not self._solve(state, self._at, self._still):
                        continue
                    free, bound = dict(state), dict(state)
                    fine = self._solve(free, self._unknown, self._kd) and self._solve(bound, self._unknown, self._all)
                    if fine:
                        self.free.append(free)
                        self.bound.append(bound)
                    if len(self.bound) == count:
                        return
        raise ValueError("no state was found that holds the constraints: are they contradictory?")

    def stand_in(self, x: Any) -> Any:
        """The symbol that stands for a name, a function or a rate in numbers."""
        if x not in self._stand_in:
            self._stand_in[x] = sympy.Dummy()
            if isinstance(x, AppliedUndef) and x not in self.given.q:
                self._driven.append((self._stand_in[x], self.stand_in(x.diff(self.time))))
        return self._stand_in[x]

    def compile(self, expressions: Iterable[Any]) -> Any:
        """A function of a state that gives the values of some expressions."""
        ready = [self._ready(sympy.sympify(x)) for x in expressions]
        names = sorted({s for x in ready for s in x.free_symbols}, key=lambda s: s.dummy_index)
        function = sympy.lambdify(names, ready, modules="mpmath", cse=True)

        def values(state: State) -> Any:
            return function(*(self._value(state, name) for name in names))

        return values

    def values(self, x: Any) -> Any:
        """The values of an expression or a matrix at the bound states, in double precision."""
        compiled = self.compile(x if isinstance(x, sympy.MatrixBase) else [x])  # pyright: ignore[reportArgumentType]
        shape = (len(self.bound), *(x.shape if isinstance(x, sympy.MatrixBase) else ()))
        with digits():
            return np.array([[float(v) for v in compiled(state)] for state in self.bound]).reshape(shape)

    def any_rates(self, state: State) -> State:
        """The state with other rates, which hold nothing but the norms of quaternions."""
        near = {**state, **{rate: self._value({}, rate) for _, rate in self._rates_of}}
        self._tangent(near)
        return near

    def _tangent(self, state: State) -> None:
        """Takes the parts out of the rates of unit quaternions that would change their norms."""
        rates = dict(self._rates_of)
        for parts in self.quaternions:
            places = [self.stand_in(x) for x in parts]
            radial = sum(state[x] * state[rates[x]] for x in places)
            for x in places:
                state[rates[x]] -= radial * state[x]

    @property
    def keeps_norms(self) -> bool:
        """Whether the kinematical equations alone say that the norms of quaternions stay what they are."""
        kd = self.compile(self.given.kd)
        radial = self.compile([sum(x * x.diff(self.time) for x in parts) for parts in self.quaternions])
        with digits():
            state = {**self.free[0], **{rate: self._value({}, rate) for _, rate in self._rates_of}}
            return self._solve(state, self._unknown, kd) and is_zero(radial(state), 0)

    def follows_from_norms(self, row: Any) -> bool:
        """Whether a row holds wherever quaternions have the norm 1 and the kinematical equations hold."""
        parts = _parts(row)
        if not any(part.has(x) for part in parts for own in self.quaternions for x in own):
            return False
        compiled = self.compile(parts)
        with digits():
            size, left = mpmath.mpf(0), mpmath.mpf(0)
            for _ in range(3):
                state = self._random_state(own_values=False)
                size = max([size, *(abs(x) for x in compiled(state))])
                norms = [[self.stand_in(x) for x in own] for own in self.quaternions]
                for own in norms:
                    length = mpmath.sqrt(sum(state[x] ** 2 for x in own))
                    state.update({x: state[x] / length for x in own})
                self._tangent(state)
                if not self._solve(state, self._unknown, self._kd):
                    return False
                left = max([left, *(abs(x) for x in compiled(state))])
        # Beside the row elsewhere, for it may be written in any units.
        return bool(left <= _ZERO * size)

    def moved(self, state: State, sign: int) -> State:
        """The state a moment later, or before."""
        near = dict(state)
        for place, rate in self._rates_of:
            near[place] = state[place] + sign * _STEP * self._value(state, rate)
        for own, rate in self._driven:
            near[own] = self._value(state, own) + sign * _STEP * self._value(state, rate)
        clock = self.stand_in(self.time)
        near[clock] = self._value(state, clock) + sign * _STEP
        return near

    def accelerated(self, state: State) -> tuple[State, State]:
        """A moment later and before on a motion that holds the constraints, with its accelerations in both.

        The accelerations are those of least size; the state gets them too.
        """
        speeds = [*(x.diff(self.time) for x in self.given.q), *self.given.u]
        pairs = [(self.stand_in(x), self.stand_in(x.diff(self.time))) for x in speeds]
        for _, change in pairs:
            state[change] = mpmath.mpf(0)

        def near(sign: int, changes: State) -> State:
            found = self.moved({**state, **changes}, sign)
            for speed, change in pairs:
                found[speed] = state[speed] + sign * _STEP * changes[change]
            for place, rate in self._rates_of:
                found[place] += _STEP**2 / 2 * changes[dict(pairs)[rate]]
            return found

        def residual(changes: State) -> list[Any]:
            after, before = (self._all(near(sign, changes)) for sign in (1, -1))
            return [(a - b) / (2 * _STEP) for a, b in zip(after, before, strict=True)]

        unknown = [change for _, change in pairs]
        changes = {x: self._value({}, x) for x in unknown}
        for _ in range(4):
            right = residual(changes)
            if not right:
                break
            columns = [
                [b - a for a, b in zip(right, residual({**changes, x: changes[x] + 1}), strict=True)] for x in unknown
            ]
            step = _least(np.array(columns, dtype=object).T, right)[0]
            changes = {x: changes[x] + change for x, change in zip(unknown, step, strict=True)}
        state.update(changes)
        return near(1, changes), near(-1, changes)

    def rate(self, function: Any, state: State) -> Any:
        """The derivative by the time of a function of positions."""
        return (function(self.moved(state, 1)) - function(self.moved(state, -1))) / (2 * _STEP)

    def matrices(self, values: list[Any], edges: Any) -> dict[Any, Any]:
        """The matrix of every frame: from its components to those in the inertial frame."""
        found = {self.frame: np.array(mpmath.eye(3).tolist(), dtype=object)}
        for frame, parent, place in edges:
            found[frame] = found[parent] @ np.array(values[place], dtype=object).reshape(3, 3).T
        return found

    def vector(self, values: list[Any], parts: Any, matrices: dict[Any, Any]) -> Any:
        """A vector of a bundle, as components in the inertial frame."""
        total = np.array([mpmath.mpf(0)] * 3, dtype=object)
        for place, frame in parts:
            if frame not in matrices:
                raise ValueError(f"the frame {frame} is not oriented in {self.frame}, and a vector is written in it")
            total = total + matrices[frame] @ np.array(values[place], dtype=object)
        return total

    # States.

    def _moves(self, row: Any) -> bool:
        speeds = [*self.given.u, *self.given.auxiliary]
        return bool(row.atoms(sympy.Derivative)) or any(row.has(x) for x in speeds)

    def _accelerates(self, row: Any) -> bool:
        """Whether a row speaks of accelerations."""
        if not row.has(sympy.Derivative):
            return False
        orders = [(d.expr, int(d.derivative_count)) for d in row.doit().atoms(sympy.Derivative)]
        return any(count > int(x in self.given.q) for x, count in orders if x in [*self.given.q, *self.given.u])

    def _ready(self, x: Any) -> Any:
        derivatives = x.atoms(sympy.Derivative)
        if any(not isinstance(d.expr, AppliedUndef) for d in derivatives):
            x = x.doit()
            derivatives = x.atoms(sympy.Derivative)
        names = {*derivatives, *x.atoms(AppliedUndef), *x.free_symbols}
        return x.xreplace({name: self.stand_in(name) for name in sorted(names, key=str)})

    def _value(self, state: State, own: Any) -> Any:
        if own not in state:
            # The same in every state, whenever it is asked for.
            state[own] = mpmath.mpf(repr(random.Random(own.dummy_index).uniform(0.4, 1.3)))
        return state[own]

    def _random_state(self, own_values: bool) -> State:
        state: State = {}
        for x, own in self._stand_in.items():
            low = -1.2 if isinstance(x, (AppliedUndef, sympy.Derivative)) else 0.4
            state[own] = mpmath.mpf(repr(self._random.uniform(low, 1.3)))
        for x in self.given.auxiliary:
            state[self.stand_in(x)] = mpmath.mpf(0)
        if own_values:
            for x, value in self._values.items():
                state[self.stand_in(x)] = mpmath.mpf(value)
        return state

    def _all(self, state: State) -> list[Any]:
        still = lambda near: np.array(self._still(near), dtype=object)  # noqa: E731
        return [*self._kd(state), *self._rates(state), *(self.rate(still, state) if self._still(state) else ())]

    def _solve(self, state: State, unknown: Sequence[Any], rows: Any) -> bool:
        """Newton's method from the state, with steps of least size; whether it arrived."""
        scales: Any = None
        for _ in range(40):
            residual = rows(state)
            if not residual or not all(mpmath.isfinite(r) and not isinstance(r, mpmath.mpc) for r in residual):
                return not residual
            size = 1 + max(abs(state[x]) for x in unknown)
            if scales is not None and max(abs(r) / s for r, s in zip(residual, scales, strict=True)) < _HOLDS * size:
                return True
            found = self._newton(state, unknown, rows, residual)
            if found is None:
                return False
            step, scales = found
            for x, change in zip(unknown, step, strict=True):
                state[x] += change
        return False

    def _newton(self, state: State, unknown: Sequence[Any], rows: Any, residual: list[Any]) -> Any:
        """The step, and the sizes of the rows, which may be written in any units."""
        columns = []
        for x in unknown:
            near = {**state, x: state[x] + _STEP}
            columns.append([(b - a) / _STEP for a, b in zip(residual, rows(near), strict=True)])
        jacobian = np.array(columns, dtype=object).T
        return None if any(isinstance(x, mpmath.mpc) for x in jacobian.ravel()) else _least(jacobian, residual)


def _least(jacobian: Any, residual: list[Any]) -> tuple[list[Any], list[Any]]:
    """The step of least size that takes residuals away to first order, and the sizes of the rows.

    The equations are solved in double precision, so a step leaves a residual of 1e-16 of what was there.
    """
    scales = [max(abs(x) for x in row) or mpmath.mpf(1) for row in jacobian]
    right = [r / s for r, s in zip(residual, scales, strict=True)]
    largest = max(abs(r) for r in right) or mpmath.mpf(1)
    matrix = (jacobian / np.array(scales, dtype=object)[:, None]).astype(float)
    step = np.linalg.lstsq(matrix, -np.array([float(r / largest) for r in right]), rcond=1e-10)[0]
    return [mpmath.mpf(float(x)) * largest for x in step], scales


def precisely(method: Any) -> Any:
    """The method, with its sums in the precision of the states."""

    @wraps(method)
    def inside(*given: Any) -> Any:
        with digits():
            return method(*given)

    return inside


def digits() -> Any:
    """The precision in which states are drawn and evaluated."""
    return mpmath.workdps(_DIGITS)


def _parts(row: Any) -> list[Any]:
    """The scalar equations of a constraint; none of one in words."""
    if isinstance(row, str):
        return []
    if isinstance(row, sympy.Equality):
        return [row.lhs - row.rhs]  # pyright: ignore[reportOperatorIssue]
    if isinstance(row, Vector):
        return list(row.to_matrix(row.args[0][1])) if row.args else []
    if isinstance(row, sympy.MatrixBase):
        return list(row)  # pyright: ignore[reportArgumentType]
    return [sympy.sympify(row)]


def is_zero(vector: Any, size: Any, is_rounded: bool = False) -> bool:
    """Whether a vector vanishes beside others of some size, which may be made of rounded numbers."""
    small = _ROUNDED if is_rounded else _ZERO
    return all(abs(x) <= small * (1 + size) for x in np.ravel(vector))


def edges_between(start: Any, ends: Iterable[Any], links: str) -> list[tuple[Any, Any]]:
    """The steps (thing, neighbour that comes before it) to all ends that can be reached, in order."""
    found: dict[Any, Any] = {}
    for end in ends:
        path = path_between(start, end, links) or [start]
        for before, thing in zip(path, path[1:], strict=False):
            found.setdefault(thing, before)
    return list(found.items())
