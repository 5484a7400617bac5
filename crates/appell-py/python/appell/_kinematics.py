"""Whether the velocities that were given are those of the positions, and what they mean where not.

SymPy's Kane takes the velocities of points as given and never looks at their positions. A model has positions, and
velocities follow. So both are compared, after the kinematical equations and on the constraints.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy.physics.vector import Point

from ._states import Bundle, States, digits, edges_between, is_zero, precisely
from ._turns import path_between

__all__ = ["Kinematics", "Place"]


@dataclass
class Place:
    """From where the points of a connected set are measured.

    Attributes
    ----------
    root : Point
        All positions are from here.
    points : list of Point
        The points whose positions matter.
    moving : list of int
        The inertial components of the root's position that are coordinates of their own; none for a point at rest.
    contact : body or None
        The body whose material point at the root is at rest, as a rolling wheel's.
    drift : Vector or None
        The velocity of the root, where it was given by velocity alone.
    """

    root: Any
    points: list[Any] = field(default_factory=list)
    moving: list[int] = field(default_factory=list)
    contact: Any = None
    drift: Any = None


class Kinematics:
    """The motions of SymPy's points and frames as given, and as positions and orientations have them.

    Parameters
    ----------
    states : States
        Where they are compared.
    bodies : sequence
        Pairs (point, frame or None), with a name for messages.
    points, frames : sequence
        Further ones whose velocities matter: of loads.
    """

    def __init__(self, states: States, bodies: Sequence[tuple[Any, Any, str]], points: Any, frames: Any) -> None:
        self.states, self.frame = states, states.frame
        self.bodies = list(bodies)
        self.interest = _unique([*(point for point, _, _ in bodies), *points])
        self.components = self._components(self.interest)
        everything = [point for component in self.components for point in component]
        self._velocities = {p: v for p in everything if (v := self._velocity(p)) is not None}
        turning = _unique([*(frame for _, frame, _ in bodies if frame is not None), *frames])
        turning = _unique([*turning, *(f for frame in turning for f in self._between(frame))])
        self.spins = {f: self._spin(f) for f in turning}
        self._collect(everything, turning)
        self._evaluate()

    # What was given.

    def _between(self, frame: Any) -> list[Any]:
        """The frames by which the angular velocity of one without an orientation is given."""
        if path_between(self.frame, frame, "_dcm_dict") is not None:
            return []
        path = path_between(self.frame, frame, "_ang_vel_dict") or []
        return [f for f in path if f != self.frame and path_between(self.frame, f, "_dcm_dict") is not None]

    def _components(self, points: Any) -> list[list[Any]]:
        """Points that are connected by positions."""
        found: list[list[Any]] = []
        for point in points:
            if any(point in component for component in found):
                continue
            linked, waiting = [point], [point]
            while waiting:
                for other in waiting.pop(0)._pos_dict:
                    if other not in linked:
                        linked.append(other)
                        waiting.append(other)
            told = [p for p in linked if p in self.interest or self._is_told(point, p)]
            wanted = {point, *(p for p, _ in edges_between(point, told, "_pos_dict"))}
            found.append([p for p in linked if p in wanted])
        return found

    def _is_told(self, start: Any, point: Any) -> bool:
        """Whether a point was given a velocity, and it and the way to the point are known in the inertial frame: others may belong to
        another system, which has points in common with this one.
        """
        if self.frame not in point._vel_dict:
            return False
        steps = [p._pos_dict[before] for p, before in edges_between(start, [point], "_pos_dict")]
        named = {frame for vector in [point._vel_dict[self.frame], *steps] for _, frame in getattr(vector, "args", ())}
        return all(path_between(self.frame, frame, "_dcm_dict") is not None for frame in named)

    def _between_points(self, component: list[Any], root: Any) -> list[Any]:
        """The points of the system, and those by which they are placed from the root, that were given velocities: others that are
        connected with them may belong to another system.
        """
        ends = [p for p in component if p in self.interest]
        way = {root, *ends, *(p for p, _ in edges_between(root, ends, "_pos_dict"))}
        return [p for p in component if p in way and p in self._given]

    def _velocity(self, point: Any) -> Any:
        """The velocity as SymPy's methods take it; None where it has none."""
        if self.frame in point._vel_dict or point in self.interest:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    return point.vel(self.frame)
                except ValueError:
                    return None
        return None

    def _spin(self, frame: Any) -> Any:
        try:
            return frame.ang_vel_in(self.frame)
        except ValueError:
            return None

    # Numbers.

    def _collect(self, points: Any, turning: Any) -> None:
        vectors = [*self._velocities.values(), *(w for w in self.spins.values() if w is not None)]
        vectors += [v for p in points for v in p._pos_dict.values()]
        named = {frame for vector in vectors for _, frame in getattr(vector, "args", ())}
        turns = edges_between(self.frame, [*turning, *named], "_dcm_dict")
        self.oriented = {self.frame, *(frame for frame, _ in turns)}
        still, self._moving = Bundle(self.states), Bundle(self.states)
        self._still = still
        self._turns = [(frame, before, still.add(list(frame._dcm_dict[before]))) for frame, before in turns]
        self._steps = {
            (p, other): still.add_vector(p._pos_dict[other]) for p in points for other in p._pos_dict
        }
        self._given = {p: self._moving.add_vector(v) for p, v in self._velocities.items()}
        self._turning = {f: self._moving.add_vector(w) for f, w in self.spins.items() if w is not None}
        still.ready()
        self._moving.ready()
        self._is_rounded = still.is_rounded or self._moving.is_rounded

    def _evaluate(self) -> None:
        """Turns, positions, their rates, and the given velocities, state by state."""
        states = self.states
        with digits():
            self.at = [self._configuration(state) for state in states.bound]
            self.rates = [self._rate(state) for state in states.bound]
            self.given = [self._motion(state, at[0]) for state, at in zip(states.bound, self.at, strict=True)]
            free = [(state, self._configuration(state)) for state in states.free]
            self._free_rates = [self._rate(state) for state, _ in free]
            self._free_given = [self._motion(state, at[0]) for state, at in free]
        self.size = max(
            [1, *(abs(x) for given in self.given for part in given for v in part.values() for x in np.ravel(v))]
        )

    def _configuration(self, state: Any) -> tuple[Any, Any]:
        """Matrices of frames, and positions from the first point of each component."""
        values = self._still(state)
        matrices = self.states.matrices(values, self._turns)
        positions: dict[Any, Any] = {}
        for component in self.components:
            positions[component[0]] = np.array([0 * values[0] if values else 0] * 3, dtype=object)
            for point, before in edges_between(component[0], component, "_pos_dict"):
                step = self.states.vector(values, self._steps[point, before], matrices)
                positions[point] = positions[before] + step
        return matrices, positions

    def _rate(self, state: Any) -> tuple[Any, Any]:
        """Angular velocities and velocities from orientations and positions."""
        after, before = (self._configuration(self.states.moved(state, sign)) for sign in (1, -1))
        now = self._configuration(state)[0]
        two = 2 * self.states.step
        spins = {}
        for frame, matrix in now.items():
            spin = (after[0][frame] - before[0][frame]) @ matrix.T / two
            spins[frame] = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2
        return spins, {p: (after[1][p] - before[1][p]) / two for p in after[1]}

    def _motion(self, state: Any, matrices: Any) -> tuple[Any, Any]:
        """Angular velocities and velocities as given."""
        values = self._moving(state)
        vector = self.states.vector
        spins = {f: vector(values, parts, matrices) for f, parts in self._turning.items()}
        return spins, {p: vector(values, parts, matrices) for p, parts in self._given.items()}

    # Questions.

    def zero(self, vector: Any) -> bool:
        """Whether a vector vanishes beside the velocities of the system; to rounding, where these are made of rounded numbers."""
        return is_zero(vector, self.size, self._is_rounded)

    @precisely
    def drift(self, point: Any, root: Any) -> list[Any]:
        """Given velocity less the rate of the position from the root, in each state."""
        return [
            given[1][point] - (rate[1][point] - rate[1][root])
            for given, rate in zip(self.given, self.rates, strict=True)
        ]

    @precisely
    def slip(self, frame: Any) -> list[Any]:
        """Given angular velocity less that of the orientation, in each state."""
        return [given[0][frame] - rate[0][frame] for given, rate in zip(self.given, self.rates, strict=True)]

    def check_accelerations(self) -> None:
        """Holds accelerations that were given against the given velocities; SymPy takes both as they are.

        Raises
        ------
        ValueError
            They differ, with the point or frame and what to do.
        """
        inertial = self.frame
        given = [(p, p._acc_dict[inertial], self._given[p]) for p, _, _ in self.bodies if inertial in p._acc_dict]
        turning = [f for _, f, _ in self.bodies if f is not None and inertial in f._ang_acc_dict]
        given += [(f, f._ang_acc_dict[inertial], self._turning[f]) for f in turning if f in self._turning]
        if not given:
            return
        bundle = Bundle(self.states)
        parts = [bundle.add_vector(acceleration) for _, acceleration, _ in given]
        bundle.ready()
        for state in self.states.bound[:2]:
            with digits():
                self._compare(state, given, bundle, parts)

    def check_rows(self, rows: list[Any]) -> None:
        """Holds rows on accelerations against those on velocities, whose rates they must be on the constraints.

        Raises
        ------
        ValueError
            They say something else.
        """
        if not rows:
            return
        compiled = self.states.compile(rows)
        with digits():
            own = dict(self.states.bound[0])
            self.states.accelerated(own)
            left = [abs(x) for x in compiled(own)]
        if max(left) > 1e-10 * (1 + self.size**2):
            raise ValueError(
                "acceleration_constraints are not the rates of velocity_constraints where these hold: leave them out"
            )

    def _compare(self, state: Any, given: Any, bundle: Bundle, parts: Any) -> None:
        own = dict(state)
        sides = self.states.accelerated(own)
        matrices = [self._configuration(side)[0] for side in (own, *sides)]
        values = [self._moving(side) for side in sides]
        for (thing, _, velocity), part in zip(given, parts, strict=True):
            after, before = (self.states.vector(v, velocity, m) for v, m in zip(values, matrices[1:], strict=True))
            rate = (after - before) / (2 * self.states.step)
            difference = self.states.vector(bundle(own), part, matrices[0]) - rate
            if max(abs(x) for x in difference) > 1e-10 * (1 + self.size**2):
                raise ValueError(
                    f"the acceleration given to {thing} is not the rate of its velocity; SymPy takes both as they are. "
                    "Leave the acceleration out (set_acc, a1pt_theory, a2pt_theory, set_ang_acc), or correct it"
                )

    @precisely
    def is_exact(self, frame: Any) -> bool:
        """Whether a given angular velocity is that of the orientation off the constraints too."""
        pairs = zip(self._free_given, self._free_rates, strict=True)
        return all(self.zero(given[0][frame] - rate[0][frame]) for given, rate in pairs)

    @precisely
    def is_exact_at(self, point: Any, root: Any) -> bool:
        """Whether a given velocity is that of the position off the constraints too."""
        pairs = zip(self._free_given, self._free_rates, strict=True)
        return all(self.zero(given[1][point] - (rate[1][point] - rate[1][root])) for given, rate in pairs)

    @precisely
    def is_at_rest(self, point: Any) -> bool:
        """Whether a point was given the velocity zero."""
        return point in self._given and all(self.zero(given[1][point]) for given in self.given)

    @precisely
    def is_still(self, frame: Any) -> bool:
        """Whether a frame was given no angular velocity."""
        return frame == self.frame or all(self.zero(given[0][frame]) for given in self.given if frame in given[0])

    @precisely
    def is_fixed(self, thing: Any) -> bool:
        """Whether a point or a frame was given no velocity whatever the rates are, not by constraints alone."""
        kind = 1 if isinstance(thing, Point) else 0
        return all(self.zero(given[kind][thing]) for given in self._free_given if thing in given[kind])

    def numbers_of(self, vector: Any) -> list[Any]:
        """Another vector in each state."""
        bundle = Bundle(self.states)
        parts = bundle.add_vector(vector)
        bundle.ready()
        with digits():
            return [
                self.states.vector(bundle(state), parts, at[0])
                for state, at in zip(self.states.bound, self.at, strict=True)
            ]

    def carrier(self, point: Any) -> tuple[Any, Any] | None:
        """The body (point, frame) one of whose material points has the velocity given to a point."""
        for centre, frame, _ in self.bodies:
            if centre not in self._given or point not in self._given:
                continue
            if frame is not None and frame not in self._turning:
                continue
            if self._component(centre) is self._component(point) and self._carries(centre, frame, point):
                return centre, frame
        return None

    @precisely
    def _carries(self, centre: Any, frame: Any, point: Any) -> bool:
        for given, at in zip(self.given, self.at, strict=True):
            arm = at[1][point] - at[1][centre]
            if frame is None:
                if not self.zero(arm):
                    return False
                continue
            if not self.zero(given[1][centre] + _cross(given[0][frame], arm) - given[1][point]):
                return False
        return True

    def _component(self, point: Any) -> Any:
        return next(component for component in self.components if point in component)

    def place(self, component: list[Any], origin: Any) -> Place:
        """From where the points of a component are measured.

        Raises
        ------
        ValueError
            The velocity of a point is not that of its position, with the point and what to do.
        """
        known = [p for p in component if p in self._given]
        centres = [p for p, _, _ in self.bodies if p in known] or known[:1]
        resting = [p for p in known if self.is_at_rest(p)]
        if origin in component:
            resting = [origin]
        if not resting:
            return self._by_velocity(component, centres)
        fits = {root: sum(all(map(self.zero, self.drift(p, root))) for p in centres) for root in resting}
        root = max(resting, key=lambda p: (fits[p], self.is_fixed(p)))
        wrong = [p for p in self._between_points(component, root) if not self._fits(p, root)]
        if not wrong:
            return Place(root, component)
        contact = self._rolling(component, centres, resting)
        if contact is not None:
            return contact
        raise ValueError(self._refusal(wrong[0], root))

    def _fits(self, point: Any, root: Any) -> bool:
        """Whether a point moves as its position says, or as a material point of a body that does."""
        if all(map(self.zero, self.drift(point, root))):
            return True
        carrier = self.carrier(point)
        is_centre = any(point == centre for centre, _, _ in self.bodies)
        return not is_centre and carrier is not None and all(map(self.zero, self.drift(carrier[0], root)))

    def _rolling(self, component: list[Any], centres: list[Any], resting: list[Any]) -> Place | None:
        """A point of contact: it was given no velocity, for the body's material point there has none."""
        for root in resting:
            carrier = self.carrier(root)
            drifts = [self.drift(p, root) for p in centres]
            if carrier is None or carrier[1] is None or not self._agree(drifts):
                continue
            # What is at rest does not speak of the contact, which others place and do not move.
            way = self._between_points(component, root)
            rest = [p for p in way if p not in centres and not self.is_at_rest(p)]
            moved = [self.drift(p, root) for p in rest if not self._is_material(p)]
            if self._agree([drifts[0], *moved]):
                return Place(root, component, self._axes(drifts[0]), contact=carrier)
        return None

    def _is_material(self, point: Any) -> bool:
        return self.carrier(point) is not None

    def _by_velocity(self, component: list[Any], centres: list[Any]) -> Place:
        """Points whose positions from anything at rest are not given."""
        root = next((p for p in centres if p in self._given), None)
        if root is None:
            names = ", ".join(str(p) for p in component[:3])
            raise ValueError(
                f"neither a velocity nor a position from a point at rest is known of {names}: say origin=O of the point "
                f"at rest, or O.set_vel({self.frame}, 0)"
            )
        drifts = {p: self.drift(p, root) for p in self._between_points(component, root)}
        for point, drift in drifts.items():
            if not self._agree([drifts[root], drift]) and not self._is_material(point):
                raise ValueError(self._refusal(point, root))
        return Place(root, component, self._axes(drifts[root]), drift=self._velocities[root])

    @precisely
    def _agree(self, drifts: list[list[Any]]) -> bool:
        return all(self.zero(a - b) for drift in drifts[1:] for a, b in zip(drifts[0], drift, strict=True))

    def _axes(self, drift: list[Any]) -> list[int]:
        return [axis for axis in range(3) if not all(self.zero(value[axis]) for value in drift)]

    def _refusal(self, point: Any, root: Any) -> str:
        body = next((name for centre, _, name in self.bodies if centre == point), None)
        of = f"the velocity given to {point}" + (f", the mass centre of {body}," if body and body != str(point) else "")
        return (
            f"{of} is not the rate of its position from {root}, also where the kinematical equations and the "
            f"constraints hold. Give {point} the velocity {point}.pos_from({root}).dt({self.frame}), or leave it out. "
            f"If {root} is a point of contact, a body must turn about it: {point}.v2pt_theory({root}, {self.frame}, "
            "frame of the body). If the velocities are meant as they are, say velocities='given'"
        )

    def velocity_of(self, point: Any) -> Any:
        """The velocity given to a point, None where there is none."""
        return self._velocities.get(point)


def _cross(a: Any, b: Any) -> Any:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def _unique(things: Any) -> list[Any]:
    return list(dict.fromkeys(things))
