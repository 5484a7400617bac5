"""Bodies, loads and constraints of SymPy as entries of a model."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ._frames import Frames, Writer
from ._handed import Handed, is_rigid
from ._kinematics import Kinematics, Place
from ._names import Names
from ._positions import integrated
from ._speeds import speeds_of, without_divisions
from ._states import States, digits
from ._toml import exact

__all__ = ["Scene"]


class Scene:
    """A system of SymPy as the fields of a model.

    Attributes
    ----------
    writer : Writer
        Writes expressions and vectors in the names of the model.
    heard : list of str
        What was understood or added, which the user must know.
    define : dict
        Speeds by rates.
    """

    def __init__(
        self, given: Handed, states: States, names: Names, time: Any, as_given: bool, valued: set[Any]
    ) -> None:
        self.given, self.states, self.names, self.time = given, states, names, time
        self.as_given, self._valued = as_given, valued
        self.heard: list[str] = []
        self.define: dict[str, str] = {}
        self._fields: dict[str, Any] = {
            "coordinates": [names.of(x, str(x.func.__name__), "coordinate") for x in given.q],
            "frames": {}, "particles": {}, "bodies": {}, "loads": [], "forces": {}, "constraints": {},
        }  # fmt: skip
        self._kinetic: list[str] = []
        self._potential: Any = sympy.S.Zero
        self._shifts: list[tuple[Any, str]] = []
        self._entries: dict[Any, dict[str, Any]] = {}
        self._turned: dict[Any, dict[str, Any]] = {}
        self._own: dict[Any, list[str]] = {}
        # Roots whose position is coordinates, by the inertial axes of these.
        self._axes_of: dict[Any, list[int]] = {}
        states.draw()
        if given.origin is not None and given.frame is not None and given.frame not in given.origin._vel_dict:
            given.origin.set_vel(given.frame, 0)
        listed, spoken_for = (
            [(_centre(b), b.frame if is_rigid(b) else None, str(b.name)) for b in bodies]
            for bodies in (given.bodies, given.spoken_for)
        )
        points = [place for place, _ in given.loads if isinstance(place, Point)]
        turned = [place for place, _ in given.loads if isinstance(place, ReferenceFrame)]
        self.kinematics = None
        if listed or spoken_for or given.loads:
            self.kinematics = Kinematics(states, [*listed, *spoken_for], points, turned)
        self.writer = Writer(time, given.frame, names, [*given.q, *given.u, *given.auxiliary])
        self.frames = Frames(self.kinematics, self.writer, names, states, self._fields["frames"])
        self.writer.frames = self.frames
        self._speeds()
        self._places: dict[Any, Place] = {}

    # The whole.

    def fields(self) -> dict[str, Any]:
        """The fields of a model."""
        given = self.given
        if self.kinematics is not None:
            self._check_turns()
            self._place()
            if given.bodies:
                self.kinematics.check_accelerations()
                self.kinematics.check_rows(given.accelerated)
            for body in given.bodies:
                self._body(body)
            self._tell_potentials()
            self._drop_unknown_forces()
            for place, vector in given.loads:
                self._push(place, vector)
        for name, force in given.general.items():
            self._general(self._coordinate_of(name), self._component(name, force))
        norms = [name for name, row in given.rows.items() if self.states.follows_from_norms(row)]
        for name, row in given.rows.items():
            if name not in norms:
                paths = [f" + ({self.writer.formula(part)})*{self._own[x][0]}" for x, part in given.loosened.get(name, [])]
                self._fields["constraints"][self._row_name(name)] = self._row(row) + "".join(paths)
        given.repeated += norms
        energies = self._energies()
        self._norms(is_said=bool(norms))
        return {**self._fields, **energies}

    def _norms(self, is_said: bool) -> None:
        """The norms of quaternions: rows that the model adds to frames turned by them, or of its own."""
        turned = [set(frame["quaternion"]) for frame in self._fields["frames"].values() if "quaternion" in frame]
        is_said = is_said or not self.states.quaternions or self.states.keeps_norms
        for parts in self.states.quaternions:
            names = [self.writer.formula(x) for x in parts]
            row = " + ".join(f"{name}^2" for name in names) + " = 1"
            if set(names) not in turned:
                self._fields["constraints"][self._row_name("norm")] = row
            remark = f"{', '.join(names)} are a unit quaternion: the model has the row {row}"
            # Where SymPy has neither this row nor its rate, lengths are free there.
            (self.names.remarks if is_said else self.heard).append(remark)

    def _energies(self) -> dict[str, Any]:
        potential = None if self._potential == 0 else self.writer.formula(self._potential)
        kinetic = " + ".join(self._kinetic) or None
        if self.given.lagrangian is None:
            return {"kinetic": kinetic, "potential": potential}
        text = self.writer.formula(self.given.lagrangian)
        text += f" + {kinetic}" if kinetic else ""
        return {"lagrangian": text + (f" - ({potential})" if potential else "")}

    def _coordinate_of(self, key: Any) -> str:
        """The coordinate that a key of `forces` means."""
        if isinstance(key, str):
            return key
        if key not in self.given.q:
            raise ValueError(f"forces: {key!r} is no coordinate, point or frame; the coordinates: {_listed(self.given.q)}")
        return self.names.of(key, str(key.func.__name__), "coordinate")

    def _component(self, key: Any, force: Any) -> str:
        """A Lagrangian component as a formula: an expression, a number of any kind, or a formula already."""
        if isinstance(force, sympy.Basic):
            return self.writer.formula(force)
        if isinstance(force, bool) or not isinstance(force, (str, int, float, np.number, Fraction, Decimal)):
            raise TypeError(f"forces[{key}] = {force!r} is neither a number nor a formula")
        return exact(force)

    # Speeds.

    def _speeds(self) -> None:
        """Speeds as definitions; those of no coordinate become rates of new ones."""
        given, writer = self.given, self.writer
        kd = without_divisions(given.kd, given.u, self.states.quaternions)
        found = speeds_of(kd, given.u, self.states)
        for x in [*given.u, *given.auxiliary]:
            self.names.of(x, str(x.func.__name__), "speed")
        for x in [*found.free, *given.auxiliary]:
            name = self._coordinate(f"path_{self.names.of(x, '', '')}")
            self.define[writer.formula(x)] = f"{name}'"
            self._own[x] = [name]
        if found.free:
            names = _listed(found.free)
            self.heard.append(f"of {names} no coordinate is the integral, so there is a new one (path_...)")
        for x, value in found.by_rates.items():
            self.define[writer.formula(x)] = writer.formula(value)
        for x in given.auxiliary:
            self._fields["constraints"][self._row_name(f"no_{writer.formula(x)}")] = f"{self._own[x][0]} = 0"
        if given.auxiliary:
            names = _listed(given.auxiliary)
            self.heard.append(f"constraints no_... hold {names} at zero, and their multipliers are the forces there")
        for row in found.rows:
            if not self._is_void(row):
                self._fields["constraints"][self._row_name("kd")] = writer.formula(row) + " = 0"
        self.by_rates, self.free = found.by_rates, found.free
        self.frames.free_speeds = found.free

    def _is_void(self, row: Any) -> bool:
        """Whether an equation holds for all rates."""
        compiled = self.states.compile([row])
        with digits():
            return all(abs(compiled(self.states.any_rates(state))[0]) < 1e-20 for state in self.states.free)

    def _coordinate(self, name: str) -> str:
        own = self.names.fresh(name)
        self._fields["coordinates"].append(own)
        return own

    def _row_name(self, name: Any) -> str:
        own, number = str(name), 1
        while own in self._fields["constraints"]:
            number += 1
            own = f"{name}_{number}"
        return own

    # Kinematics.

    def _check_turns(self) -> None:
        """Holds every given angular velocity against its orientation."""
        kinematics = self.kinematics
        assert kinematics is not None
        for body in self.given.bodies:
            if is_rigid(body):
                self.frames.check(body.frame, body, self.as_given)
        for place, _ in self.given.loads:
            if isinstance(place, ReferenceFrame):
                self.frames.check(place, None, self.as_given)
        self.heard += self.frames.heard
        self._fields["coordinates"] += self.frames.coordinates
        self._fields["constraints"] |= self.frames.rows

    def _place(self) -> None:
        """From where every point is measured; new coordinates where nothing else says."""
        kinematics = self.kinematics
        assert kinematics is not None
        self._moved: dict[Any, str] = {}
        for component in kinematics.components:
            if self.as_given and not self._agrees(component):
                continue
            if self.given.lagrangian is not None and not self.given.bodies and not self._has_rest(component):
                continue
            place = kinematics.place(component, self.given.origin)
            for point in component:
                self._places[point] = place
            if place.moving:
                self._let_move(place)
            self._check_energies(place)

    def _check_energies(self, place: Place) -> None:
        """Holds bodies whose energies are in a Lagrangian to their positions for all rates, constraints or not."""
        kinematics = self.kinematics
        assert kinematics is not None
        for body in self.given.spoken_for:
            centre = _centre(body)
            exact = self._places.get(centre) is not place or place.moving or kinematics.is_exact_at(centre, place.root)
            if not exact or (is_rigid(body) and not kinematics.is_exact(body.frame)):
                raise ValueError(
                    f"the velocity given to {centre} or to the frame of {body.name} is right on the constraints only, and "
                    "an energy in the Lagrangian was formed with it, which Lagrange's equations do not allow: form the "
                    "energy with velocities of positions, or hand over bodies= instead of the Lagrangian"
                )

    def _has_rest(self, component: list[Any]) -> bool:
        kinematics = self.kinematics
        assert kinematics is not None
        return any(kinematics.is_at_rest(p) for p in component) or bool(self.given.spoken_for)

    def _agrees(self, component: list[Any]) -> bool:
        """With `velocities='given'`: whether a component needs no point of its own; else each body gets one."""
        kinematics = self.kinematics
        assert kinematics is not None
        try:
            kinematics.place(component, self.given.origin)
        except ValueError:
            for centre, _, _ in kinematics.bodies:
                velocity = kinematics.velocity_of(centre)
                if centre in component and velocity is not None:
                    place = Place(centre, [centre], [0, 1, 2], drift=velocity)
                    self._places[centre] = place
                    self._let_move(place)
            self.heard.append("velocities that are not those of positions are kept by constraints")
            return False
        return True

    def _let_move(self, place: Place) -> None:
        """The root's position by integration, or as coordinates with rows for their rates."""
        root, writer = place.root, self.writer
        kinematics = self.kinematics
        assert kinematics is not None
        if place.contact is None and place.drift is not None and not self.as_given:
            known = integrated(place.drift, self)
            if known is not None:
                self._moved[root] = known
                return
        called = self.names.of(root, str(root), "point")
        own = [self._coordinate(f"{called}_{'xyz'[axis]}") for axis in place.moving]
        self._axes_of[root] = place.moving
        self._moved[root] = " + ".join(f"{name}*N.{'xyz'[axis]}" for name, axis in zip(own, place.moving, strict=True))
        if place.contact is not None:
            self._touch(place, own)
            return
        text = writer.formula(place.drift)
        for name, axis in zip(own, place.moving, strict=True):
            row = self._row_name(f"{called}_{'xyz'[axis]}_rate")
            self._fields["constraints"][row] = f"{name}' = dot({text}, N.{'xyz'[axis]})"
        if not self.as_given:
            self.heard.append(f"{root} is given by its velocity, so its position {', '.join(own)} is part of the state")

    def _touch(self, place: Place, own: list[str]) -> None:
        """The rows of a point of contact: the body's material point there has the velocity given to it."""
        kinematics = self.kinematics
        assert kinematics is not None
        centre, _ = place.contact
        body = next(b for b in self.given.bodies if _centre(b) == centre and is_rigid(b))
        name = self._body_name(body)
        velocity = kinematics.velocity_of(place.root)
        arm = self.writer.formula(place.root.pos_from(centre))
        rest = self.writer.formula(velocity)
        called = self.names.of(place.root, str(place.root), "point")
        for axis in range(3):
            if axis in place.moving:
                row = self._row_name(f"{called}_rolls_{'xyz'[axis]}")
                along = f"N.{'xyz'[axis]}"
                self._fields["constraints"][row] = f"dot(v({name}, {arm}), {along}) = dot({rest}, {along})"
        moves = ", ".join(own)
        self.heard.append(
            f"{place.root} is the point where {body.name} rolls: it moves ({moves}), and v({name}, {place.root}) = 0"
        )

    def position(self, point: Any) -> str:
        """The position of a point as a formula."""
        place = self._places.get(point)
        if place is None:
            raise ValueError(f"the position of {point} is not known")
        terms = [self._moved.get(place.root, "")]
        if point != place.root:
            terms.append(self.writer.formula(point.pos_from(place.root)))
        terms += self._shift(point, place)
        return " + ".join(term for term in terms if term and term != "[0, 0, 0]") or "[0, 0, 0]"

    def _shift(self, point: Any, place: Place) -> list[str]:
        """What speeds that are zero would move: their paths times the partial velocities, less what the root's coordinates move."""
        kinematics, found = self.kinematics, []
        assert kinematics is not None
        velocity = kinematics.velocity_of(point)
        axes = self._axes_of.get(place.root)
        for x in self.given.auxiliary:
            partial = Vector(0) if velocity is None else self._loose(velocity, x)
            if axes is not None:
                partial = partial - self._along(self._loose(kinematics.velocity_of(place.root), x), axes)
            if partial != 0:
                found.append(f"{self._own[x][0]}*({self.writer.formula(partial)})")
        return found

    def _along(self, vector: Any, axes: list[int]) -> Any:
        """The part of a vector along some inertial axes."""
        if vector == 0:
            return vector
        frame = self.given.frame
        components = vector.to_matrix(frame)
        if all(self._is_zero(components[axis]) for axis in range(3) if axis not in axes):
            return vector
        return sum((components[axis] * (frame.x, frame.y, frame.z)[axis] for axis in axes), Vector(0))

    def _loosened(self, frame: Any, turned: str) -> str:
        """The frame of a body, turned further by the paths of speeds that are zero, which its orientation has not.

        The angles are zero, so that their order does not matter: the angular velocity gets its partial one for each speed.
        """
        kinematics = self.kinematics
        assert kinematics is not None
        for x in self.given.auxiliary:
            partial = self._loose(kinematics.spins[frame], x)
            if partial == 0:
                continue
            if frame not in kinematics.oriented:
                raise ValueError(f"{x} turns {frame}, which has no orientation: orient {frame} by its angles")
            path = self._own[x][0]
            for component, axis in zip(partial.to_matrix(frame), "xyz", strict=True):
                if not self._is_zero(component):
                    text = self.writer.formula(component)
                    own = self.names.fresh(f"{turned}_{axis}_{self.names.of(x, '', '')}")
                    angle = path if text == "1" else f"({text})*{path}"
                    self._fields["frames"][own] = {"parent": turned, "angle": angle, "axis": axis}
                    turned = own
        return turned

    def _is_loose(self, motion: Any) -> bool:
        """Whether a velocity has a part with a speed that is zero."""
        return motion is not None and any(self._loose(motion, x) != 0 for x in self.given.auxiliary)

    def _loose(self, motion: Any, x: Any) -> Any:
        """The partial velocity for a speed that is zero, at given rates of the coordinates: of these and of it others may be made."""
        partial = _partial(motion, x, self.given.frame)
        for u, value in self.by_rates.items():
            factor = sympy.diff(value, x)
            if factor != 0:
                partial = partial + factor * _partial(motion, u, self.given.frame)
        return partial

    # Bodies.

    def _body_name(self, body: Any) -> str:
        return self.names.of(("body", id(body)), str(body.name), "body")

    def _body(self, body: Any) -> None:
        """A particle or a rigid body; one at rest is nothing to the motion."""
        kinematics = self.kinematics
        assert kinematics is not None
        potential = getattr(body, "potential_energy", 0)
        centre = _centre(body)
        frame = body.frame if is_rigid(body) else None
        if kinematics.velocity_of(centre) is None:
            raise ValueError(f"no velocity is known of {centre}, the place of {body.name}")
        self._potential += potential if self.given.has_potentials else 0
        at_rest = kinematics.is_at_rest(centre) and not self._is_moved(centre)
        at_rest = at_rest and kinematics.is_fixed(centre) and not self._is_loose(kinematics.velocity_of(centre))
        still = frame is not None and kinematics.is_still(frame) and kinematics.is_fixed(frame)
        still = still and not self._is_loose(kinematics.spins[frame])
        if at_rest and (frame is None or still):
            self._entries[centre] = {}
            return
        mass = sympy.sympify(body.mass)
        if mass.has(self.time) or mass.atoms(AppliedUndef):
            raise ValueError(f"the mass of {body.name} changes, and that of a model does not: what leaves it is a force")
        name = self._body_name(body)
        entry = {"mass": self._plain(body.mass), "position": self.position(centre)}
        # The inertia of a body that never turns is nothing to its motion.
        frame = None if still else frame
        turned = None if frame is None else self.frames.of_body(frame)
        if frame is not None and turned is not None:
            entry |= {"frame": self._loosened(frame, turned), "inertia": self._inertia(body)}
            self._fields["bodies"][name] = entry
            self._turned[frame] = {"name": name}
        else:
            self._fields["particles"][name] = entry
            if frame is not None:
                self._kinetic.append(self.frames.energy(body))
        self._entries.setdefault(centre, {"name": name, "entry": entry})

    def _tell_potentials(self) -> None:
        """What Kane's method of SymPy does not look at."""
        own = [str(body.name) for body in self.given.bodies if getattr(body, "potential_energy", 0) != 0]
        if own and not self.given.has_potentials:
            self.heard.append(f"Kane's method of SymPy knows loads only, so the potential energy of {', '.join(own)} does not count")

    def _is_moved(self, centre: Any) -> bool:
        place = self._places.get(centre)
        return place is not None and bool(place.moving)

    def _plain(self, value: Any) -> Any:
        value = sympy.sympify(value)
        plain = self.writer.plain(value)
        return plain if plain is not value else self.writer.formula(value)

    def _inertia(self, body: Any) -> dict[str, Any]:
        matrix = self.frames.inertia(body)
        entries = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "xz": (0, 2)}
        given = {key: matrix[ij] for key, ij in entries.items() if matrix[ij] != 0}
        return {**{"xx": 0, "yy": 0, "zz": 0}, **{key: self._plain(value) for key, value in given.items()}}

    # Loads.

    def _drop_unknown_forces(self) -> None:
        """Forces that only speeds held at zero would feel: their values are multipliers, and have no symbol."""
        auxiliary = self.given.auxiliary
        if not auxiliary:
            return
        known = {*self.given.q, *self.given.u, *auxiliary, *self._in_bodies()}
        found: list[tuple[Any, Any]] = []
        dropped: set[Any] = set()
        for place, vector in self.given.loads:
            velocity = self._motion(place)
            real = [_partial(velocity, x, self.given.frame) for x in [*self.given.u, *self._rates()]]
            names = {s for c, _ in vector.args for e in c for s in e.atoms(AppliedUndef, sympy.Symbol)} - known
            for name in sorted((x for x in names - {self.time} if not self._has_value(x)), key=str):
                part = vector.diff(name, self.given.frame, var_in_dcm=False)
                weighs = {s for c, _ in part.args for e in c for s in e.free_symbols} & self._in_bodies()
                if part != 0 and not weighs and all(self._is_zero(part.dot(x)) for x in real):
                    vector = vector - name * part
                    dropped.add(name)
            if vector != 0:
                found.append((place, vector))
        if len(dropped) > len(auxiliary):
            return
        self.given.loads = found
        if dropped:
            listed = _listed(sorted(dropped, key=str))
            self.heard.append(f"without work and without a value, {listed} became multipliers of no_...")

    def _in_bodies(self) -> set[Any]:
        """The symbols in masses and inertias."""
        found: set[Any] = set()
        for body in self.given.bodies:
            found |= sympy.sympify(body.mass).free_symbols
        return found

    def _has_value(self, x: Any) -> bool:
        return x in self._valued or str(x.func.__name__ if isinstance(x, AppliedUndef) else x) in self._valued

    def _is_zero(self, value: Any) -> bool:
        return bool(np.abs(self.states.values(sympy.sympify(value))).max() < 1e-13)

    def _rates(self) -> list[Any]:
        return [x.diff(self.time) for x in self.given.q]

    def _motion(self, place: Any) -> Any:
        kinematics = self.kinematics
        assert kinematics is not None
        motion = kinematics.velocity_of(place) if isinstance(place, Point) else kinematics.spins.get(place)
        if motion is None and place != self.given.frame:
            raise ValueError(f"no {'velocity' if isinstance(place, Point) else 'angular velocity'} is known of {place}")
        return Vector(0) if motion is None else motion

    def _push(self, place: Any, vector: Any) -> None:
        """A force on a point, or a torque on a frame."""
        if isinstance(place, ReferenceFrame):
            if place in self._turned:
                torque = {"body": self._turned[place]["name"], "torque": self.writer.formula(vector)}
                self._fields["loads"].append(torque)
            else:
                self._components(self._motion(place), vector)
            return
        kinematics = self.kinematics
        assert kinematics is not None
        entry = self._entries.get(place)
        if entry is not None:
            if entry:
                text = self.writer.formula(vector)
                own = entry["entry"]
                own["force"] = f"{own['force']} + {text}" if "force" in own else text
            return
        self._motion(place)
        carrier = kinematics.carrier(place)
        if carrier is not None and carrier[1] in self._turned and self._is_carried(place, carrier):
            load = {"body": self._turned[carrier[1]]["name"], "at": self.writer.formula(place.pos_from(carrier[0]))}
            self._fields["loads"].append({**load, "force": self.writer.formula(vector)})
            return
        self._components(self._motion(place), vector)

    def _is_carried(self, point: Any, carrier: tuple[Any, Any]) -> bool:
        """Whether a point moves with a body by speeds that are zero too."""
        kinematics, (centre, frame) = self.kinematics, carrier
        assert kinematics is not None
        for x in self.given.auxiliary:
            own, of_centre = (self._loose(kinematics.velocity_of(p), x) for p in (point, centre))
            slip = own - of_centre - self._loose(kinematics.spins[frame], x).cross(point.pos_from(centre))
            if slip != 0 and not all(self._is_zero(part) for part in slip.to_matrix(self.given.frame)):
                return False
        return True

    def _components(self, motion: Any, vector: Any) -> None:
        """The Lagrangian components of a load, from the partial velocities of its place."""
        frame, writer = self.given.frame, self.writer
        text = None
        rates = self._rates()
        own = [(x, self.define[writer.formula(x)], self._own.get(x)) for x in [*self.given.u, *self.given.auxiliary]]
        for x, rate in zip(self.given.q, rates, strict=True):
            partial = _partial(motion, rate, frame)
            name = writer.formula(x)
            if partial != 0:
                text = text or writer.formula(vector)
                self._general(name, f"dot({text}, {writer.formula(partial)})")
        for x, _, path in own:
            partial = _partial(motion, x, frame)
            if partial == 0:
                continue
            text = text or writer.formula(vector)
            power = f"dot({text}, {writer.formula(partial)})"
            if path is not None:
                self._general(path[0], power)
                continue
            value = self._in_rates(self.by_rates[x])
            for y, rate in zip(self.given.q, rates, strict=True):
                factor = sympy.diff(value, rate)
                if factor != 0:
                    self._general(writer.formula(y), f"{power}*({writer.formula(factor)})")
            for y in [*self.free, *self.given.auxiliary]:
                factor = sympy.diff(value, y)
                if factor != 0:
                    self._general(self._own[y][0], f"{power}*({writer.formula(factor)})")

    def _in_rates(self, value: Any) -> Any:
        return value.doit() if value.atoms(sympy.Derivative) else value

    def _general(self, name: str, force: str) -> None:
        if force == "0":
            return
        forces = self._fields["forces"]
        forces[name] = f"{forces[name]} + {force}" if name in forces else force

    def _row(self, row: Any) -> Any:
        return row if isinstance(row, str) else self.writer.formula(row)


def _listed(things: Any) -> str:
    return ", ".join(str(x.func.__name__ if isinstance(x, AppliedUndef) else x) for x in things)


def _centre(body: Any) -> Any:
    return body.masscenter if is_rigid(body) or not hasattr(body, "point") else body.point


def _partial(velocity: Any, x: Any, frame: Any) -> Any:
    """A partial velocity."""
    if velocity == 0:
        return Vector(0)
    return velocity.diff(x, frame, var_in_dcm=False)
