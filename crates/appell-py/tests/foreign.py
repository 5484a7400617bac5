"""Systems of scripts that know nothing of Appell, and SymPy's own motions of them.

SymPy's tests build systems and assert what they are. Here they are run until a method of SymPy has formed its equations,
and this object is handed over.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from sympy.core.function import AppliedUndef
from sympy.physics import mechanics as me

T = me.dynamicsymbols._t

# Tests of SymPy, and which of the systems that each forms is taken: most form the same one several times.
SYMPY: list[tuple[str, int]] = [
    ("kane:test_one_dof", 0),
    ("kane:test_two_dof", 0),
    ("kane:test_pend", 0),
    ("kane:test_rolling_disc", 0),
    ("kane:test_aux", 0),
    ("kane:test_parallel_axis", 0),
    ("kane:test_input_format", 6),
    ("kane:test_implicit_kinematics", 0),
    ("kane2:test_aux_dep", 0),
    ("kane2:test_non_central_inertia", 0),
    ("kane2:test_sub_qdot", 0),
    ("kane3:test_bicycle", 0),
    ("kane4:test_replace_qdots_in_force", 0),
    ("kane5:test_kane_rolling_disc_lu", 0),
    ("lagrange:test_disc_on_an_incline_plane", 0),
    ("lagrange:test_dub_pen", 0),
    ("lagrange:test_nonminimal_pendulum", 0),
    ("lagrange:test_rolling_disc", 0),
    ("lagrange:test_simp_pen", 0),
    ("lagrange2:test_lagrange_2forces", 0),
    ("linearize:test_linearize_pendulum_kane_minimal", 0),
    ("linearize:test_linearize_pendulum_kane_nonminimal", 0),
    ("linearize:test_linearize_pendulum_lagrange_minimal", 0),
    ("linearize:test_linearize_pendulum_lagrange_nonminimal", 0),
    ("linearize:test_linearize_rolling_disc_kane", 0),
    ("linearize:test_linearize_rolling_disc_lagrange", 0),
    ("jointsmethod:test_chaos_pendulum", 0),
    ("jointsmethod:test_complete_simple_double_pendulum", 0),
    ("jointsmethod:test_four_bar_linkage_with_manual_constraints", 0),
    ("jointsmethod:test_jointsmethod", 0),
    ("jointsmethod:test_rigid_body_particle_compatibility", 0),
    ("jointsmethod:test_simple_pedulum", 0),
    ("jointsmethod:test_two_dof_joints", 0),
    ("models:test_multi_mass_spring_damper_inputs", 0),
    ("models:test_multi_mass_spring_damper_higher_order", 0),
    ("models:test_n_link_pendulum_on_cart_inputs", 0),
    ("models:test_n_link_pendulum_on_cart_higher_order", 0),
    ("system_class:TestSystemExamples.test_cart_pendulum_kanes", 0),
    ("system_class:TestSystemExamples.test_cart_pendulum_lagrange", 0),
    ("system_class:TestSystemExamples.test_box_on_ground", 0),
    ("actuator:TestForcedMassSpringDamperModel.test_force_acuator", 0),
    ("actuator:TestForcedMassSpringDamperModel.test_linear_spring_linear_damper", 0),
]


class _Enough(BaseException):
    """The system is formed; what the test asserts is not asked for."""


@contextmanager
def _watched(number: int, found: list[Any]) -> Iterator[None]:
    """Notes methods whose equations were formed, and ends the test at the one that is wanted."""
    kinds = [(me.KanesMethod, "kanes_equations"), (me.LagrangesMethod, "form_lagranges_equations"), (me.System, "form_eoms")]
    kept = [(kind, name, getattr(kind, name)) for kind, name in kinds]
    inside = [0]

    def noted(form: Any) -> Any:
        def formed(self: Any, *given: Any, **more: Any) -> Any:
            inside[0] += 1
            try:
                result = form(self, *given, **more)
            finally:
                inside[0] -= 1
            if inside[0] == 0:
                found.append(self)
                if len(found) > number:
                    raise _Enough
            return result

        return formed

    for kind, name, form in kept:
        setattr(kind, name, noted(form))
    try:
        yield
    finally:
        for kind, name, form in kept:
            setattr(kind, name, form)


def of_sympy(script: str, number: int) -> Any:
    """The object that a test of SymPy forms."""
    module, name = script.split(":")
    test: Any = importlib.import_module(f"sympy.physics.mechanics.tests.test_{module}")
    for part in name.split("."):
        owner = test() if inspect.isclass(test) else test
        test = getattr(owner, part)
    if hasattr(test, "__self__"):
        _prepared(test.__self__)
    found: list[Any] = []
    with _watched(number, found), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            test()
        except _Enough:
            pass
    return found[number]


def _prepared(owner: Any) -> None:
    """Fills the object of a test class as its fixtures do."""
    for name in dir(type(owner)):
        fixture = getattr(type(owner), name)
        function = getattr(fixture, "_fixture_function", None)
        if function is not None and len(inspect.signature(function).parameters) == 1:
            function(owner)


@dataclass
class Oracle:
    """SymPy's side of a system: its method, and numbers for every symbol."""

    method: Any
    values: dict[Any, float]

    @classmethod
    def of(cls, handed: Any, values: dict[Any, float] | None = None) -> Oracle:
        method = handed.eom_method if isinstance(handed, me.System) else handed
        method = method.method if isinstance(method, me.JointsMethod) else method
        oracle = cls(method, {})
        given = values or {}
        named = {str(name): value for name, value in given.items()}
        for number, name in enumerate(oracle._names()):
            oracle.values[name] = named.get(str(name), value_of(str(name), number))
        return oracle

    @property
    def is_kane(self) -> bool:
        return isinstance(self.method, me.KanesMethod)

    @property
    def q(self) -> list[Any]:
        return list(self.method.q)

    @property
    def speeds(self) -> list[Any]:
        return list(self.method.u) if self.is_kane else [x.diff(T) for x in self.q]

    def _plain(self, matrix: Any) -> Any:
        """Without speeds that are zero."""
        zero = [x for x in (self.method._uaux if self.is_kane else ())]
        return sympy.Matrix(matrix).subs({y: 0 for x in zero for y in (x.diff(T), x)}) if len(matrix) else sympy.Matrix([0])

    def _names(self) -> list[Any]:
        method = self.method
        parts = [method.mass_matrix_full, method.forcing_full]
        if self.is_kane:
            parts += [method._f_h, method._f_nh, method._k_nh, sympy.Matrix(list(method.kindiffdict().values()))]
        else:
            parts += [method._hol_coneqs, method.coneqs]
        found: set[Any] = set()
        for part in map(self._plain, parts):
            found |= part.free_symbols | part.atoms(AppliedUndef)
        return sorted(found - {*self.q, *self.speeds, T}, key=str)

    def function(self, matrices: list[Any]) -> Any:
        """Matrices as functions of the coordinates and the speeds."""
        names = [*self.q, *self.speeds, T, *self.values]
        compiled = sympy.lambdify(names, [self._plain(m) for m in matrices], "numpy", cse=True)
        numbers = list(self.values.values())
        return lambda t, y: [np.array(m, float) for m in compiled(*y, t, *numbers)]

    def rows(self) -> tuple[Any, Any]:
        """Constraints of coordinates, and of speeds, as functions of a state."""
        method = self.method
        if self.is_kane:
            still, moving = method._f_h, method._f_nh
            moving = moving + method._k_nh * method.u if len(moving) else []
        else:
            still, moving = method._hol_coneqs, method.coneqs
        first, second = (self.function([m]) if len(m) else None for m in (still, moving))
        return _at_start(first), _at_start(second)

    def states(self, count: int, seed: int) -> list[Any]:
        """States that hold the constraints."""
        rng = np.random.default_rng(seed)
        still, moving = self.rows()
        n, found = len(self.q), []
        for _ in range(40):
            y = self._on_unit(np.concatenate([rng.uniform(-0.5, 0.5, n), rng.uniform(-1, 1, len(self.speeds))]))
            for function, part in ((still, slice(0, n)), (moving, slice(n, None))):
                if function is not None:
                    y, misses = _solved(function, y, part)
                    if misses > 1e-12:
                        break
            else:
                found.append(y)
            if len(found) == count:
                return found
        raise AssertionError("no state holds the constraints")

    def _on_unit(self, y: Any) -> Any:
        """The state with e0, e1, e2, e3 as a unit quaternion, if there is one."""
        names = [str(x.func.__name__) for x in self.q]
        if "e0" in names:
            own = [names.index(f"e{i}") for i in range(4)]
            y[own] /= np.linalg.norm(y[own])
        return y

    def right_side(self) -> Any:
        """The rates of the state: of the coordinates, and of the speeds."""
        compute = self.function([self.method.mass_matrix_full, self.method.forcing_full])
        count = len(self.q) + len(self.speeds)

        def rates(t: float, y: Any) -> Any:
            matrix, forcing = compute(t, y)
            return np.linalg.lstsq(matrix, forcing.ravel(), rcond=None)[0][:count]

        return rates

    def accelerations(self) -> Any:
        """The second rates of the coordinates at a state."""
        rates, n = self.right_side(), len(self.q)
        if not self.is_kane:
            return lambda y: rates(0.0, y)[n : 2 * n]
        by_speeds = self.method.kindiffdict()
        first = self._plain([by_speeds[x.diff(T)] for x in self.q])
        slopes = self.function([first.jacobian(self.q), first.jacobian(self.speeds)])

        def second(y: Any) -> Any:
            rate = rates(0.0, y)
            by_q, by_u = slopes(0.0, y)
            return by_q @ rate[:n] + by_u @ rate[n:]

        return second

    def start(self, model: Any, y: Any) -> dict[str, float]:
        """A state by names of the model."""
        n = len(self.q)
        rate = self.right_side()(0.0, y)[:n]
        names = model.coordinates[:n]
        found = dict(zip(names, map(float, y), strict=False))
        found |= {f"{name}'": float(value) for name, value in zip(names, rate, strict=True)}
        for x, value in zip(self.speeds, y[n:], strict=True):
            path = f"path_{x.func.__name__}" if self.is_kane else ""
            if path in model.coordinates:
                found[f"{path}'"] = float(value)
        return found

    def end(self, y: Any, until: float) -> Any:
        """The coordinates at a later time."""
        done = solve_ivp(self.right_side(), (0, until), y, method="DOP853", rtol=1e-12, atol=1e-13)
        assert done.success
        return done.y[: len(self.q), -1]


def _at_start(function: Any) -> Any:
    return None if function is None else lambda y: function(0.0, y)[0].ravel()


def _solved(function: Any, y: Any, part: slice) -> tuple[Any, float]:
    def residual(own: Any) -> Any:
        near = y.copy()
        near[part] = own
        return function(near)

    done = least_squares(residual, y[part], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    near = y.copy()
    near[part] = done.x
    return near, float(np.abs(done.fun).max())


def value_of(name: str, number: int) -> float:
    """Some value for a symbol; those called as moments and products of inertia are such."""
    value = 0.6 + 0.37 * ((number * 0.618) % 1)
    if re.match(r"[IJ]|i[a-z]?\d\d", name) or "_I" in name or name.endswith(("xx", "yy", "zz")):
        is_product = any(part in name.lower() for part in ("xz", "yz", "xy", "31", "23", "12"))
        return 0.1 * value if is_product else 1 + 0.2 * value
    return 0.2 * value if name == "a" else value
