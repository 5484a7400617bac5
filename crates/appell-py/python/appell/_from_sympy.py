"""Models from what a user of SymPy's mechanics has at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ._sympy import Printer

__all__ = ["fields_of"]


def fields_of(
    q: Sequence[Any],
    *,
    lagrangian: Any = None,
    bodies: Sequence[Any] = (),
    forces: Any = (),
    constraints: Any = (),
    parameters: Mapping[Any, Any] | None = None,
    frame: Any = None,
    origin: Any = None,
    u: Sequence[Any] = (),
    kd: Sequence[Any] = (),
    **more: Any,
) -> dict[str, Any]:
    """The fields of `Model`. Particles are entries of the model, so that their constraint forces are
    known as vectors; rigid bodies too where their frame is a chain of turns about axes, and else are part
    of the kinetic energy."""
    speeds = _solved(u, kd, q)
    q = [q] if isinstance(q, sympy.Basic) else list(q)
    sample = [q, lagrangian, constraints, forces, [getattr(b, "point", None) for b in bodies]]
    printer = Printer.of(sample, frame, origin)
    scene = _Scene(q, printer, speeds)
    for body in bodies:
        scene.add(body)
    if isinstance(forces, Mapping):
        for name, force in forces.items():
            scene.general[printer.coordinate(name) if not isinstance(name, str) else name] = scene.plain(force)
    else:
        for place, vector in forces or ():
            scene.push(place, vector)
    rows = constraints if isinstance(constraints, Mapping) else _named(constraints)
    fields: dict[str, Any] = {
        "coordinates": [printer.coordinate(x) for x in q],
        "parameters": dict(parameters or {}),
        "particles": scene.particles,
        "frames": scene.frames,
        "bodies": scene.bodies,
        "loads": scene.loads,
        "kinetic": scene.kinetic if scene.kinetic != 0 else None,
        "potential": scene.potential if scene.potential != 0 and lagrangian is None else None,
        "lagrangian": None if lagrangian is None else scene.plain(lagrangian - scene.potential),
        "forces": {name: force for name, force in scene.general.items() if force != 0},
        "constraints": {name: scene.plain(row) for name, row in rows.items()},
        "frame": printer.frame,
        "origin": origin,
        **more,
    }
    if lagrangian is not None and scene.kinetic != 0:
        fields["kinetic"] = None
        fields["lagrangian"] = scene.plain(lagrangian + scene.kinetic - scene.potential)
    empty = ("particles", "frames", "bodies", "loads", "forces", "constraints", "parameters")
    return {name: x for name, x in fields.items() if not (name in empty and not x)}


def _named(rows: Any) -> dict[str, Any]:
    rows = [rows] if isinstance(rows, (sympy.Basic, Vector)) else list(rows)
    return {f"c{index}": row for index, row in enumerate(rows, start=1)}


def _solved(u: Sequence[Any], kd: Sequence[Any], q: Sequence[Any]) -> dict[Any, Any]:
    """The motion variables by the rates of the coordinates."""
    if not u:
        return {}
    found = sympy.solve(list(kd), list(u), dict=True)
    if len(found) != 1 or any(x not in found[0] for x in u):
        names = ", ".join(str(x) for x in u)
        raise ValueError(f"the kinematic equations kd do not determine {names}")
    return dict(found[0])


class _Scene:
    """Bodies and forces as entries of a model."""

    def __init__(self, q: list[Any], printer: Printer, speeds: dict[Any, Any]) -> None:
        self.q, self.printer, self.speeds = q, printer, speeds
        self.rates = [sympy.Derivative(x, printer.time) for x in q]
        self.particles: dict[str, Any] = {}
        self.bodies: dict[str, Any] = {}
        self.frames: dict[str, Any] = {}
        self.loads: list[dict[str, Any]] = []
        self.kinetic: Any = sympy.Integer(0)
        self.potential: Any = sympy.Integer(0)
        self.general: dict[str, Any] = {}
        self._points: dict[Any, str] = {}
        self._turned: dict[Any, str | None] = {}

    def plain(self, x: Any) -> Any:
        """The expression without motion variables."""
        if not self.speeds or not hasattr(x, "subs"):
            return x
        time = self.printer.time
        rates = {u.diff(time): rate.diff(time) for u, rate in self.speeds.items()}
        return x.subs(rates).subs(self.speeds)

    def add(self, body: Any) -> None:
        """A particle or a rigid body."""
        self.potential += self.plain(getattr(body, "potential_energy", 0))
        name = self.printer._name(str(body.name))
        if isinstance(body, Particle):
            self.particles[name] = {"mass": body.mass, "position": body.point}
            self._points[body.point] = name
        elif isinstance(body, RigidBody):
            self._rigid(name, body)
        else:
            raise TypeError(f"{body!r} is neither a Particle nor a RigidBody")

    def _rigid(self, name: str, body: Any) -> None:
        frame = self._frame(body.frame)
        if frame is None:
            self.kinetic += self.plain(body.kinetic_energy(self.printer._inertial()))
            return
        about_centre = body.central_inertia.to_matrix(body.frame)
        entries = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "xz": (0, 2)}
        inertia = {key: about_centre[ij] for key, ij in entries.items() if about_centre[ij] != 0}
        self.bodies[name] = {
            "mass": body.mass,
            "frame": frame,
            "position": body.masscenter,
            "inertia": {**{"xx": 0, "yy": 0, "zz": 0}, **inertia},
        }
        self._points[body.masscenter] = name

    def _frame(self, frame: Any) -> str | None:
        """The name of a frame that is a chain of turns about its axes from the inertial one."""
        if frame == self.printer._inertial():
            return "N"
        if frame not in self._turned:
            self._turned[frame] = None
            path = _path(self.printer._inertial(), frame)
            parent = self._frame(path[-2]) if path and len(path) > 1 else None
            turn = _simple_turn(frame.dcm(path[-2])) if parent is not None and path else None
            if turn is not None:
                name = self._free_name(str(frame.name))
                self.frames[name] = {"parent": parent, "angle": turn[1], "axis": turn[0]}
                self._turned[frame] = name
        return self._turned[frame]

    def _free_name(self, name: str) -> str:
        taken = set(self.frames) | {self.printer.coordinate(x) for x in self.q} | {"N", "O", "T", "V", "t"}
        while name in taken:
            name += "_"
        return self.printer._name(name)

    def push(self, place: Any, vector: Any) -> None:
        """A force on a point, or a torque on a frame."""
        vector = self.plain(vector)
        if isinstance(place, (Particle, RigidBody)):
            place = place.point if isinstance(place, Particle) else place.masscenter
        if isinstance(place, Point) and place in self._points:
            name = self._points[place]
            entry = self.particles.get(name) or self.bodies[name]
            entry["force"] = entry["force"] + vector if "force" in entry else vector
            return
        self._generalised(place, vector)

    def _generalised(self, place: Any, vector: Any) -> None:
        """The Lagrangian components of a force on any other point, or of a torque."""
        inertial = self.printer._inertial()
        if isinstance(place, Point):
            motion = place.vel(inertial)
        elif isinstance(place, ReferenceFrame):
            motion = place.ang_vel_in(inertial)
        else:
            raise TypeError(f"a force acts on a point, a torque on a frame; {place!r} is neither")
        motion = self.plain(motion)
        for x, rate in zip(self.q, self.rates, strict=True):
            name = self.printer.coordinate(x)
            component = vector.dot(motion.diff(rate, inertial, var_in_dcm=False))
            self.general[name] = self.general.get(name, 0) + component


def _path(start: Any, end: Any) -> list[Any] | None:
    """The frames from one to the other along the turns that were given."""
    paths = [[start]]
    seen = {start}
    while paths:
        path = paths.pop(0)
        if path[-1] == end:
            return path
        for other in path[-1]._dcm_dict:
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    return None


def _simple_turn(dcm: Any) -> tuple[str, Any] | None:
    """Axis and angle of a turn about x, y or z, as the child's components of the parent's axes."""
    for axis, name in enumerate("xyz"):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        if dcm[axis, axis] != 1:
            continue
        cosine, sine = dcm[a, a], dcm[a, b]
        angles = cosine.atoms(sympy.cos) | cosine.atoms(sympy.sin)
        for angle in (x.args[0] for x in angles):
            for candidate in (angle, -angle):
                fits = dcm[b, b] - cosine == 0 and dcm[b, a] + sine == 0
                if fits and cosine == sympy.cos(candidate) and sine == sympy.sin(candidate):
                    return name, candidate
    return None
