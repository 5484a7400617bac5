"""What a user of SymPy's mechanics hands over, as one record whatever it came as."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom
from sympy.physics import mechanics as me
from sympy.physics.vector import Point, ReferenceFrame, Vector
from sympy.physics.vector import dynamicsymbols as _dynamicsymbols

__all__ = ["Handed", "energy_added", "handed", "is_rigid", "loads_of"]

_T = _dynamicsymbols._t  # pyright: ignore[reportFunctionMemberAccess]


@dataclass
class Handed:
    """A system in SymPy's words.

    Attributes
    ----------
    q, u, auxiliary : list
        Coordinates, speeds, and speeds that are zero.
    kd : list
        Kinematical equations.
    rows : dict
        Constraints by name, of any kind.
    bodies, loads : list
        Particles and rigid bodies; pairs of a point or a frame and a vector.
    general : dict
        Lagrangian components by coordinate.
    lagrangian : Expr or None
    frame, origin : ReferenceFrame, Point or None
    spoken_for : list
        Bodies whose energies are in the Lagrangian already.
    accelerated : list
        Rows on accelerations that were given beside those on velocities.
    repeated : list of str
        Names of rows on velocities that were left out, for they follow from those on coordinates.
    loosened : dict of str to list of (speed, factor)
        What rows on coordinates have besides: factors times the integrals of auxiliary speeds.
    has_potentials : bool
        Whether the potential energies of bodies count: Lagrange's method of SymPy takes them, Kane's knows loads only.
    heard : list of str
        What is to be said of the method.
    """

    q: list[Any]
    u: list[Any] = field(default_factory=list)
    kd: list[Any] = field(default_factory=list)
    rows: dict[str, Any] = field(default_factory=dict)
    bodies: list[Any] = field(default_factory=list)
    loads: list[tuple[Any, Any]] = field(default_factory=list)
    general: dict[Any, Any] = field(default_factory=dict)
    lagrangian: Any = None
    auxiliary: list[Any] = field(default_factory=list)
    frame: Any = None
    origin: Any = None
    spoken_for: list[Any] = field(default_factory=list)
    accelerated: list[Any] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    loosened: dict[str, list[tuple[Any, Any]]] = field(default_factory=dict)
    has_potentials: bool = True
    heard: list[str] = field(default_factory=list)


def handed(
    q: Any,
    *,
    lagrangian: Any = None,
    bodies: Any = (),
    forces: Any = (),
    constraints: Any = (),
    frame: Any = None,
    origin: Any = None,
    u: Any = (),
    kd: Any = (),
    u_auxiliary: Any = (),
) -> Handed:
    """The record of a method of SymPy, completed by the other arguments, or of these alone."""
    given = _from_method(q)
    given = Handed(q=_coordinates(q)) if given is None else given
    given.u += _listed(u)
    given.kd += [_sided(row) for row in _listed(kd)]
    given.auxiliary += _listed(u_auxiliary)
    # Methods of Lagrange call the rates of the coordinates speeds.
    given.u = [x for x in given.u if x not in given.auxiliary and not isinstance(x, sympy.Derivative)]
    given.kd = [row for row in given.kd if row != 0]
    given.bodies += _listed(bodies)
    _check_bodies(given.bodies)
    rows = dict(constraints) if isinstance(constraints, Mapping) else _numbered(constraints, len(given.rows))
    for name, row in rows.items():
        _check_row(name, row)
    given.rows |= rows
    given.lagrangian = given.lagrangian if lagrangian is None else _scalar(lagrangian)
    given.frame = frame.frame if hasattr(frame, "frame") else frame if frame is not None else given.frame
    given.origin = origin if origin is not None else given.origin
    if isinstance(forces, Mapping):
        given.general |= {
            name: force for name, force in forces.items() if not isinstance(name, (Point, ReferenceFrame))
        }
        forces = [pair for pair in forces.items() if isinstance(pair[0], (Point, ReferenceFrame))]
    given.loads += loads_of(forces)
    return given


def _coordinates(q: Any) -> list[Any]:
    """The coordinates, where no method of SymPy was handed over."""
    if q is None or not (hasattr(q, "__iter__") or isinstance(q, (sympy.Expr, sympy.MatrixBase))):
        raise TypeError(
            f"q={q!r}: give the coordinates, as [x, y] of dynamicsymbols('x y'), or the object that forms the equations, such as a "
            "KanesMethod"
        )
    return _listed(q)


def _check_bodies(bodies: list[Any]) -> None:
    """Refuses a body that is there twice: it would count once in its forces and twice in its mass."""
    for index, body in enumerate(bodies):
        if any(body is other for other in bodies[:index]):
            name = getattr(body, "name", body)
            raise ValueError(f"the body {name} is given twice: leave it out once, or make another object for another body")


def _check_row(name: Any, row: Any) -> None:
    """Refuses what is no equation, and an equation that says nothing or never holds."""
    if isinstance(row, str):
        return
    if isinstance(row, (bool, np.bool_, BooleanAtom)):
        holds = bool(row)
    elif isinstance(row, Relational) and not isinstance(row, sympy.Equality):
        raise TypeError(f"the constraint {name}, {row}, is no equation: give an expression that vanishes, or Eq(...)")
    else:
        parts = [sympy.sympify(row)] if not isinstance(row, Vector) else list(row.args)
        if not all(getattr(part, "is_number", False) for part in parts):
            return
        # Numbers that are zero may not be written so.
        holds = all(part.equals(0) for part in parts)
    if holds:
        raise ValueError(f"the constraint {name} holds whatever moves: it says nothing, leave it out")
    raise ValueError(f"the constraint {name} never holds: it has no coordinates or velocities in it")


def energy_added(given: Handed) -> str | None:
    """What is to be said where the Lagrangian and the bodies both have kinetic energy of the same speeds.

    Raises
    ------
    ValueError
        It is the same quadratic form of the speeds, which would count twice.
    """
    if given.lagrangian is None or not given.bodies or given.frame is None:
        return None
    try:
        kinetic = me.kinetic_energy(given.frame, *given.bodies)
    except (AttributeError, TypeError, ValueError):  # SymPy knows no velocity of a point.
        return None
    functions = sorted((given.lagrangian.atoms(AppliedUndef) | kinetic.atoms(AppliedUndef)) - {*given.u}, key=str)
    speeds = [*given.u, *(x.diff(_T) for x in functions)]
    symbols = {x: sympy.Dummy() for x in [*speeds, *functions]}
    forms = [
        sympy.hessian(x.doit().xreplace(symbols), [symbols[v] for v in speeds]) for x in (given.lagrangian, kinetic)
    ]
    names = sorted({s for form in forms for s in form.free_symbols}, key=str)
    dice = random.Random(20261127)
    at = {name: sympy.Float(dice.uniform(0.4, 1.3), 30) for name in names}
    own, other = (form.subs(at).evalf(20) for form in forms)
    size = max((abs(x) for x in other), default=0)
    small = 1e-9 * size
    if size > 0 and all(abs(x) < small for x in own - other):
        raise ValueError("the Lagrangian has the kinetic energy of the bodies already: leave out one of them")
    both = [str(v) for i, v in enumerate(speeds) if abs(own[i, i]) > small and abs(other[i, i]) > small]
    return f"the kinetic energy of {both[0]} in the Lagrangian and that of the bodies are added" if both else None


def _from_method(method: Any) -> Handed | None:
    """The record of an object that forms equations of motion."""
    if isinstance(method, me.KanesMethod):
        return _from_kane(method)
    if isinstance(method, me.LagrangesMethod):
        return _from_lagrange(method)
    if hasattr(me, "System") and isinstance(method, me.System):
        return _from_system(method)
    if isinstance(method, me.JointsMethod):
        return Handed(
            q=list(method.q), u=list(method.u), kd=list(method.kdes), bodies=list(method.bodies),  # pyright: ignore[reportArgumentType]
            loads=loads_of(method.loads), frame=method.frame, has_potentials=isinstance(method.method, me.LagrangesMethod),
        )  # fmt: skip
    return None


def _from_kane(method: Any) -> Handed:
    q, u = list(method.q), list(method.u)
    rates = sympy.Matrix(method._qdot)
    kd = method._k_ku_implicit * sympy.Matrix(u) + method._k_kqdot_implicit * rates + method._f_k_implicit
    # There SymPy has left out what speeds that are zero do, and in the partial velocities not.
    solved = sympy.Matrix([method._qdot_u_map[x] for x in rates])
    for x in method._uaux:
        kd -= x * method._k_kqdot_implicit * solved.diff(x)
    still, moving = list(method._f_h), list(method._k_nh * sympy.Matrix(u) + method._f_nh if method._k_nh else ())
    auxiliary = list(method._uaux)
    rows, repeated, loosened = _rows(kd, still, moving, [*rates, *(x for x in u if x not in auxiliary)], auxiliary)
    if not method._bodylist:
        raise ValueError("the KanesMethod has no bodies yet: call kanes_equations(bodies, loads) first")
    accelerated = []
    if method._k_dnh is not method._k_nh and method._k_dnh:
        accelerated = list(method._k_dnh * sympy.Matrix(method._udot) + method._f_dnh)
    speeds = [*rates, *(x for x in u if x not in auxiliary)]
    return Handed(
        heard=_loose(list(kd), still, moving, speeds), accelerated=accelerated, repeated=repeated, loosened=loosened,
        q=q, u=[x for x in u if x not in auxiliary], kd=list(kd), rows=rows,
        bodies=list(method._bodylist), loads=loads_of(method._forcelist or ()),
        auxiliary=auxiliary, frame=method._inertial, has_potentials=False,
    )  # fmt: skip


def _loose(kd: list[Any], still: list[Any], moving: list[Any], speeds: list[Any]) -> list[str]:
    """What is to be said of rows on coordinates whose rates are no rows on velocities: SymPy's accelerations do not know them."""
    rates = [row.diff(_T) for row in still]
    # The kinematical equations may keep a row by themselves, as the norm of a quaternion.
    kept = _repeated([*kd, *moving], [], rates, speeds) if rates else []
    names = [f"c{index + 1}" for index in range(len(still)) if index not in kept]
    if not names or (moving and not kept and len(moving) >= len(still)):
        return []
    these = "this constraint" if len(names) == 1 else "these constraints"
    return [f"SymPy's own accelerations do not keep {', '.join(names)}, for no velocity constraint is the rate; the model keeps {these}"]


def _rows(
    kd: Any, still: list[Any], moving: list[Any], speeds: list[Any], auxiliary: list[Any]
) -> tuple[dict[str, Any], list[str], dict[str, list[tuple[Any, Any]]]]:
    """Rows on coordinates and on velocities by name, the names of those that are left out because they follow, and what auxiliary
    speeds add to others.
    """
    rows, kd = _numbered([*still, *moving], 0), list(kd)
    names = list(rows)[len(still) :]
    if not (still and moving):
        return rows, [], {}
    repeated = {names[i] for i in _repeated(kd, still, moving, [*speeds, *auxiliary])}
    loosened: dict[str, list[tuple[Any, Any]]] = {}
    if auxiliary:
        # The force that an auxiliary speed brings to light acts on the row in which the speed stands: a row that is the rate of one on
        # coordinates but for such speeds is kept as the latter with their integrals, which are zero.
        zero = dict.fromkeys(auxiliary, sympy.S.Zero)
        plain = [sympy.sympify(row).xreplace(zero) for row in moving]
        for i in _repeated(kd, still, plain, speeds):
            found = None if names[i] in repeated else _rate_of(kd, still, plain[i], speeds)
            if found is not None and f"c{found[0] + 1}" not in loosened:
                loosened[f"c{found[0] + 1}"] = [(x, part / found[1]) for x in auxiliary if (part := moving[i].diff(x)) != 0]
                repeated.add(names[i])
    return {name: row for name, row in rows.items() if name not in repeated}, sorted(repeated), loosened


def _rate_of(kd: list[Any], still: list[Any], row: Any, speeds: list[Any]) -> tuple[int, int] | None:
    """The row on coordinates of which another on velocities is the rate, or less the rate, where the kinematical equations hold."""
    for index, place in enumerate(still):
        for sign in (1, -1):
            if _repeated(kd, [], [row - sign * place.diff(_T)], speeds):
                return index, sign
    return None


def _repeated(kd: list[Any], still: list[Any], moving: list[Any], speeds: list[Any]) -> list[int]:
    """Which rows on velocities are combinations of the kinematical equations and the rates of the rows on coordinates: SymPy asks for both, and with
    both, multipliers would be a matter of choice.

    A row is looked at beside the size of its own terms, for it may be written in any units: to 25 digits, or to 12 where its numbers are rounded.
    """
    known = [*kd, *(row.diff(_T) for row in still)]
    # A row is linear in rates and speeds: its coefficients, and what is left without them.
    zero = dict.fromkeys(speeds, sympy.S.Zero)
    tables = [[sympy.sympify(x) for row in rows for x in [*(row.diff(s) for s in speeds), row.xreplace(zero)]] for rows in (known, moving)]
    names = sorted(set().union(*(x.free_symbols | x.atoms(AppliedUndef, sympy.Derivative) for part in tables for x in part)), key=str)
    own = {name: sympy.Dummy() for name in names}
    is_rounded = any(x.has(sympy.Float) for part in tables for x in part)
    compute = sympy.lambdify(list(own.values()), [[x.xreplace(own) for x in part] for part in tables], "mpmath", cse=True)
    found, rng = set(range(len(moving))), random.Random(1)
    with mpmath.workdps(50):
        for _ in range(3):
            try:
                values = [np.array(part, object) for part in compute(*(mpmath.mpf(rng.uniform(0.4, 1.6)) for _ in names))]
            except (ArithmeticError, TypeError, ValueError):
                return []
            # What has no value there is kept.
            if not all(mpmath.isfinite(x) and not isinstance(x, mpmath.mpc) for part in values for x in part):
                return []
            rows, asked = (part.reshape(-1, len(speeds) + 1) for part in values)
            found &= _within(rows, asked, mpmath.mpf(10) ** (-12 if is_rounded else -25))
    return sorted(found)


def _within(rows: Any, asked: Any, small: Any) -> set[int]:
    """Which rows lie in the space of others, each beside its own size."""
    axes: list[Any] = []
    for row in rows:
        rest = _without(row, axes)
        if rest is not None and (length := mpmath.sqrt(rest @ rest)) > small:
            axes.append(rest / length)
    left = [_without(row, axes) for row in asked]
    return {i for i, rest in enumerate(left) if rest is None or max(abs(x) for x in rest) <= small}


def _without(row: Any, axes: list[Any]) -> Any:
    """A row of size one less its parts along axes, taken twice, for the first time is rounded; None for one without terms."""
    size = max(abs(x) for x in row)
    if size == 0:
        return None
    rest = row / size
    for axis in [*axes, *axes]:
        rest = rest - (rest @ axis) * axis
    return rest


def _from_lagrange(method: Any) -> Handed:
    still = list(method._hol_coneqs)
    rows, repeated, _ = _rows([], still, list(method.coneqs)[len(still) :], [x.diff(_T) for x in method.q], [])
    bodies = list(method.bodies or ()) if method.inertial is not None else []
    return Handed(
        q=list(method.q), rows=rows, repeated=repeated, lagrangian=_scalar(method._L), frame=method.inertial,
        loads=loads_of(method.forcelist or ()), spoken_for=bodies,
    )  # fmt: skip


def _from_system(system: Any) -> Handed:
    still, moving = list(system.holonomic_constraints), list(system.nonholonomic_constraints)
    # Where these were set, SymPy takes them for the rates of the former and for the latter.
    if getattr(system, "_vel_constrs", None) is not None:
        moving = list(system._vel_constrs)
    q, u, auxiliary = list(system.q), list(system.u), list(getattr(system, "u_aux", ()))
    rows, repeated, loosened = _rows(system.kdes, still, moving, [*(x.diff(_T) for x in q), *u], auxiliary)
    return Handed(
        q=q, u=u, kd=list(system.kdes), rows=rows, repeated=repeated, loosened=loosened, bodies=list(system.bodies),
        loads=loads_of([*system.loads, *system.actuators]), auxiliary=auxiliary, frame=system.frame, origin=system.fixed_point,
        has_potentials=isinstance(system.eom_method, me.LagrangesMethod),
    )  # fmt: skip


def loads_of(given: Iterable[Any] | None) -> list[tuple[Any, Any]]:
    """Pairs of a point or a frame and a vector, of pairs, force objects and actuators."""
    found: list[tuple[Any, Any]] = []
    if given is None:
        return found
    if hasattr(given, "to_loads"):
        given = [given]
    for load in given:
        if hasattr(load, "to_loads"):
            found += loads_of(load.to_loads())
            continue
        try:
            place, vector = load
        except (TypeError, ValueError):
            raise TypeError(
                f"{load!r} is no load: give pairs of a point and a force, of a frame and a torque, or actuators"
            ) from None
        if isinstance(place, me.Particle):
            place = place.point
        if isinstance(place, me.RigidBody):
            place = place.masscenter
        if not isinstance(place, (Point, ReferenceFrame)):
            raise TypeError(f"a force acts on a point, a torque on a frame; {place!r} is neither")
        is_zero = isinstance(vector, (int, float, np.number, sympy.Number)) and vector == 0
        if not isinstance(vector, Vector) and not is_zero:
            what, axis = ("force", "N.x") if isinstance(place, Point) else ("torque", "N.z")
            raise TypeError(f"the {what} in the pair ({place}, {vector!r}) is no vector: give one of SymPy, such as 3*{axis} for a frame N")
        if vector != 0:
            found.append((place, vector))
    return found


def is_rigid(body: Any) -> bool:
    """Whether a body is a rigid one; `Body` is both in SymPy's classes."""
    rigid = isinstance(body, me.RigidBody)
    return rigid and bool(getattr(body, "is_rigidbody", True))


def idle_inertias(
    bodies: Iterable[Any], frame: Any, values: Mapping[Any, Any], missing: set[Any]
) -> dict[Any, float]:
    """The inertias without a value that SymPy has made up for bodies, as ``body_ixx``, and about axes about which these never turn: with
    values that belong to a body, for the sake of the others. A body that turns about one axis has one moment of inertia.
    """
    known = {str(name): value for name, value in values.items()}
    found: dict[Any, float] = {}
    for body in bodies:
        made_up = {(i, j): sympy.Symbol(f"{body.name}_i{'xyz'[i]}{'xyz'[j]}") for i, j in _ENTRIES}
        if not is_rigid(body) or frame is None or missing.isdisjoint(made_up.values()):
            continue
        matrix = body.central_inertia.to_matrix(body.frame)
        turning = body.frame.ang_vel_in(frame).to_matrix(body.frame)
        given = {s: known[str(s)] for s in matrix.free_symbols if str(s) in known}
        own = [sympy.sympify(matrix[i, i]).subs(given) for i in range(3)]
        large = sum(abs(float(x)) for x in own if x.is_number) or 1.0
        for (i, j), symbol in made_up.items():
            if symbol in missing and matrix[i, j] == symbol and sympy.simplify(turning[i] * turning[j]) == 0:
                found[symbol] = large if i == j else 0.0
    return found


# Those of SymPy's names for the entries of an inertia.
_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    if isinstance(values, (sympy.Expr, Vector, me.Particle, me.RigidBody)) and not hasattr(values, "shape"):
        return [values]
    return list(values)  # pyright: ignore[reportArgumentType]


def _sided(row: Any) -> Any:
    return row.lhs - row.rhs if isinstance(row, sympy.Equality) else row  # pyright: ignore[reportOperatorIssue]


def _scalar(value: Any) -> Any:
    return value[0] if isinstance(value, sympy.MatrixBase) else sympy.sympify(value)


def _numbered(rows: Any, known: int) -> dict[str, Any]:
    rows = [rows] if isinstance(rows, (sympy.Basic, Vector, str)) and not hasattr(rows, "shape") else list(rows)  # pyright: ignore[reportArgumentType]
    return {f"c{index}": row for index, row in enumerate(rows, start=known + 1)}
