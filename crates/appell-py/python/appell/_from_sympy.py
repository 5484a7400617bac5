"""Models from what a user of SymPy's mechanics has at hand."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Vector
from sympy.physics.vector import dynamicsymbols as _dynamicsymbols

from . import _appell
from ._handed import Handed, energy_added, handed, idle_inertias
from ._names import Names
from ._scene import Scene
from ._states import States
from ._sympy import Printer

__all__ = ["imported"]


def imported(
    q: Any,
    *,
    lagrangian: Any = None,
    bodies: Any = (),
    forces: Any = (),
    constraints: Any = (),
    parameters: Mapping[Any, Any] | None = None,
    frame: Any = None,
    origin: Any = None,
    u: Any = (),
    kd: Any = (),
    u_auxiliary: Any = (),
    specified: Mapping[Any, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    rename: Mapping[Any, str] | None = None,
    velocities: str = "checked",
    **more: Any,
) -> tuple[dict[str, Any], list[str], list[str]]:
    """The fields of `Model`, remarks that change nothing, and those that the user must hear.

    Particles are entries of the model, so that their constraint forces are known as vectors; rigid bodies too where
    their frame is a chain of turns, and else are a particle and the energy of their rotation.
    """
    if velocities not in ("checked", "given"):
        raise ValueError(f"velocities={velocities!r}: say 'checked' or 'given'")
    given = handed(
        q, lagrangian=lagrangian, bodies=bodies, forces=forces, constraints=constraints, frame=frame,
        origin=origin, u=u, kd=kd, u_auxiliary=u_auxiliary,
    )  # fmt: skip
    given.frame = given.frame if given.frame is not None else _only_frame(given)
    time = _time(given)
    _check_coordinates(given, time)
    _check_fields(more)
    names = Names(rename)
    values = dict(parameters or {})
    states = States(given, given.frame, time, _numbers(values))
    scene = Scene(given, states, names, time, as_given=velocities == "given", valued={*values, *(specified or {}), *(inputs or {})})
    fields = scene.fields()
    _check_laws(scene, fields, values | dict(specified or {}))
    fields |= _constants(scene, values, dict(specified or {}), dict(inputs or {}))
    fields |= {name: _worded(value, scene.writer) for name, value in more.items()}
    names.check_heeded()
    added = energy_added(given)
    heard = [*given.heard, *scene.heard, *([added] if added else [])]
    if given.repeated:
        verbs = ("follows", "is") if len(given.repeated) == 1 else ("follow", "are")
        repeated = sorted(given.repeated, key=lambda name: (len(name), name))
        names.remarks.append(f"{', '.join(repeated)} {verbs[0]} from the constraints of the coordinates and {verbs[1]} left out")
    if (names.remarks or heard) and "about" not in fields:
        fields["about"] = "Read from SymPy: " + "; ".join([*heard, *names.remarks]) + "."
    return {name: value for name, value in fields.items() if value not in (None, {}, [])}, names.remarks, heard


def _check_fields(more: Mapping[str, Any]) -> None:
    """Refuses what is neither an argument nor a field of a model."""
    fields = ["name", *(name for names in _appell.keys() for name in names)]
    for name in more:
        if name not in fields:
            near = get_close_matches(name, [*fields, *inspect.signature(imported).parameters], 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise TypeError(f"from_sympy has no argument `{name}`, and a model no such field{hint}")


def _only_frame(given: Handed) -> Any:
    """The inertial frame, where the loads, rows and points speak of one frame only."""
    vectors = [v for _, v in given.loads] + [row for row in given.rows.values() if isinstance(row, Vector)]
    for body in given.bodies:
        point = body.masscenter if hasattr(body, "masscenter") else body.point
        vectors += list(point._pos_dict.values())
    frames = {f for v in vectors for _, f in getattr(v, "args", ())}
    if len(frames) > 1 or (given.bodies and not frames):
        raise ValueError("which frame is at rest? say frame=N")
    return frames.pop() if frames else None


def _time(given: Handed) -> Any:
    """What the coordinates are functions of."""
    functions = {x for x in given.q if isinstance(x, AppliedUndef)}
    times = {x.args[0] for x in functions if len(x.args) == 1}
    if len(times) > 1:
        names = ", ".join(sorted(str(time) for time in times))
        raise ValueError(f"coordinates are functions of one time; here are {names}")
    return times.pop() if times else _dynamicsymbols._t  # pyright: ignore[reportFunctionMemberAccess]


def _check_coordinates(given: Handed, time: Any) -> None:
    for x in [*given.q, *given.u, *given.auxiliary]:
        if not isinstance(x, AppliedUndef) or x.args != (time,):
            raise TypeError(f"{x!r} is no coordinate: a function of time is needed, as dynamicsymbols('x')")
    for kind in (given.q, given.u):
        twice = {x for x in kind if kind.count(x) > 1}
        if twice:
            raise ValueError(f"{', '.join(map(str, twice))} is given twice")


def _numbers(values: Mapping[Any, Any]) -> dict[Any, float]:
    found = {}
    for name, value in values.items():
        try:
            found[name if isinstance(name, sympy.Basic) else sympy.Symbol(str(name))] = float(value)
        except (TypeError, ValueError):
            continue
    return found


def _check_laws(scene: Scene, fields: dict[str, Any], values: dict[Any, Any]) -> None:
    """Refuses laws of the state anywhere but in forces: SymPy holds them fixed where it differentiates.

    F = -k x in L = m x'^2/2 + F x would be another system here, where formulas are put in for their names.
    """
    writer, called = scene.writer, _by_name(scene)
    moving = {name for x in [*scene.given.q, *scene.given.u] for name in (str(x), _called(x), writer.formula(x))}
    laws: dict[str, Any] = {}
    for _ in values:
        for key, value in values.items():
            name, words = writer.named(_meant(key, called)), _words(value)
            if name not in laws and words & (moving | set(laws)):
                laws[name] = value
    for name, value in laws.items():
        where = [place for place, field in {**fields, "define": scene.define}.items() if _speaks(field, name, place)]
        if where:
            raise ValueError(
                f"{name} = {value} is a law of the state and stands in `{where[0]}`: SymPy holds it fixed where it "
                "differentiates, and here it would be differentiated too. Give what it does as forces"
            )


def _words(value: Any) -> set[str]:
    """The names in a value."""
    if isinstance(value, str):
        return set(re.findall(r"[^\W\d]\w*", value))
    if not isinstance(value, sympy.Basic):
        return set()
    functions = value.atoms(AppliedUndef)
    return {str(x) for x in value.free_symbols | functions} | {_called(x) for x in functions}


_FORCES = ("forces", "force", "torque", "about")


def _speaks(field: Any, name: str, place: str) -> bool:
    """Whether a name stands in a field, but for its forces."""
    if place in _FORCES:
        return False
    if isinstance(field, Mapping):
        return any(_speaks(item, name, str(key)) for key, item in field.items())
    if isinstance(field, (list, tuple)):
        return any(_speaks(item, name, place) for item in field)
    return isinstance(field, str) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", field) is not None


def _constants(scene: Scene, values: dict[Any, Any], specified: dict[Any, Any], inputs: dict[Any, Any]) -> dict[str, Any]:
    """Parameters and prescribed functions, with a complaint of what has no value."""
    writer, called = scene.writer, _by_name(scene)
    tables: dict[str, dict[str, Any]] = {"parameters": {}, "define": {}}
    known = set()
    for key, value in inputs.items():
        thing = _meant(key, called)
        known.add(thing)
        tables.setdefault("inputs", {})[writer.named(thing)] = value
    for table, given in (("parameters", values), ("define", specified)):
        for key, value in given.items():
            thing = _meant(key, called)
            known.add(thing)
            own = value.item() if hasattr(value, "item") and not isinstance(value, sympy.Basic) else value
            moves = isinstance(own, sympy.Basic) and (own.has(scene.time) or bool(own.atoms(AppliedUndef)))
            place = "define" if moves or isinstance(own, str) else "parameters"
            tables[table if isinstance(own, str) else place][writer.named(thing)] = _written(own, writer)
    open_ = {thing for thing in writer.used if thing not in known}
    idle = idle_inertias(scene.given.bodies, scene.given.frame, values, open_)
    tables["parameters"] |= {writer.named(thing): value for thing, value in idle.items()}
    if idle:
        names = ", ".join(str(thing) for thing in idle)
        scene.heard.append(f"no motion depends on {names}, which have no value and were given one")
    missing = [name for thing, name in writer.used.items() if thing not in known and thing not in idle]
    if missing:
        raise ValueError(
            f"no value is known of {', '.join(missing)}: give parameters={{...}}, inputs={{F: 0}}, and specified={{F: expression}} for "
            "functions of the time"
        )
    return {**tables, "define": {**tables["define"], **scene.define}}


def _written(value: Any, writer: Printer) -> Any:
    if not isinstance(value, sympy.Basic):
        return value
    plain = writer.plain(value)
    return plain if plain is not value else writer.formula(value)


def _by_name(scene: Scene) -> dict[str, list[Any]]:
    """The symbols and functions that were used, by what they are called."""
    called: dict[str, list[Any]] = {}
    for thing in scene.writer.used:
        called.setdefault(_called(thing), []).append(thing)
    return called


def _called(thing: Any) -> str:
    return str(thing.func.__name__) if isinstance(thing, AppliedUndef) else str(thing.name)


def _meant(key: Any, called: dict[str, list[Any]]) -> Any:
    """The object that a key of `parameters` means: itself, or the only one that is called so."""
    name = key if isinstance(key, str) else _called(key) if isinstance(key, (sympy.Symbol, AppliedUndef)) else None
    if name is None:
        raise TypeError(f"{key!r} is no parameter: give symbols or their names")
    own = called.get(name, [])
    if not isinstance(key, str) and key in own:
        return key
    if len(own) > 1:
        raise ValueError(f"{len(own)} symbols are called `{name}`: give parameters by symbols")
    return own[0] if own else key if not isinstance(key, str) else sympy.Symbol(key)


def _worded(value: Any, writer: Printer) -> Any:
    """A further field with its SymPy objects written in the names of the model."""
    if isinstance(value, Mapping):
        return {
            writer.formula(key) if isinstance(key, sympy.Basic) else key: _worded(item, writer)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)) and not isinstance(value, sympy.Basic):
        return [_worded(item, writer) for item in value]
    if isinstance(value, (sympy.MatrixBase, Vector)):
        return writer.formula(value)
    return _written(value, writer)
