"""SymPy's frames as frames of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Vector

from ._names import Names
from ._states import States
from ._sympy import Printer
from ._turns import path_between, quaternion_with_turns, turns_of

__all__ = ["Frames", "Writer"]

# What is said besides where velocities are to be kept as they were given.
_KEPT = (
    ". velocities='given' keeps the velocities of points only: a frame that turns otherwise than its orientation says would need "
    "an orientation of its own"
)


class Writer(Printer):
    """Writes expressions in the names of a model, and vectors along the axes of its frames."""

    def __init__(self, time: Any, frame: Any, names: Names, moving: list[Any]) -> None:
        super().__init__(time, frame)
        self._names, self._moving = names, set(moving)
        self.used: dict[Any, str] = {}
        self.frames: Frames | None = None

    def named(self, thing: Any) -> str:
        """The name of a symbol or a function of the time."""
        is_function = isinstance(thing, AppliedUndef)
        called = str(thing.func.__name__) if is_function else str(thing.name)
        return self._names.of(thing, called, "function" if is_function else "symbol")

    def _symbol(self, x: Any) -> str:
        return self.used.setdefault(x, self.named(x))

    def _function(self, x: Any) -> str:
        return self.named(x) if x in self._moving else self.used.setdefault(x, self.named(x))

    def formula(self, value: Any) -> str:
        """The text of an expression, an equation or a vector."""
        if isinstance(value, Vector) and self.frames is not None:
            return self.frames.vector(value)
        return super().formula(value)


class Frames:
    """The frames of a model, made as they are needed.

    Attributes
    ----------
    coordinates : list of str
        Angles that were added for turns that no coordinate describes.
    rows : dict of str to str
        Their rates.
    heard : list of str
        What the user must know.
    """

    def __init__(self, kinematics: Any, writer: Writer, names: Names, states: States, table: dict[str, Any]) -> None:
        self.kinematics, self.writer, self.names, self.states = kinematics, writer, names, states
        self.table = table
        self.coordinates: list[str] = []
        self.rows: dict[str, str] = {}
        self.heard: list[str] = []
        # Speeds that are the rates of no coordinate.
        self.free_speeds: list[Any] = []
        self._found: dict[Any, str | None] = {}
        self._spun: dict[Any, tuple[str, Any]] = {}

    def name(self, frame: Any) -> str | None:
        """The name of a frame that is a chain of turns from the inertial one, None for others."""
        if frame == self.writer.frame:
            return "N"
        if frame not in self._found:
            self._found[frame] = None
            path = path_between(self.writer.frame, frame, "_dcm_dict")
            parent = None if path is None else self.name(path[-2])
            if path is not None and parent is not None:
                self._found[frame] = self._turned(frame, path[-2], parent)
        return self._found[frame]

    def _turned(self, frame: Any, before: Any, parent: str) -> str | None:
        dcm = frame._dcm_dict[before]
        turns = turns_of(dcm, self.states.values)
        if turns is None:
            found = quaternion_with_turns(dcm)
            # The language has coordinates there, and no signs.
            if found is None or not set(found[1]) <= set(self.states.given.q):
                return None
            before_it, quaternion, after_it = found
            steps = [*map(self._turn, before_it), {"quaternion": [self.writer.formula(x) for x in quaternion]}, *map(self._turn, after_it)]
        else:
            steps = [self._turn(turn) for turn in turns]
        name = self.names.of(frame, str(frame.name), "frame")
        for number, step in enumerate(steps, start=1):
            own = name if number == len(steps) else self.names.fresh(f"{name}_{number}")
            self.table[own] = {"parent": parent, **step}
            parent = own
        return name

    def _turn(self, turn: tuple[str, Any]) -> dict[str, Any]:
        axis, angle = turn
        return {"angle": self.writer.formula(angle), "axis": axis}

    def vector(self, value: Any) -> str:
        """A vector along the axes of the model's frames."""
        terms = []
        for components, frame in value.args:
            name = self.name(frame)
            if name is None:
                components, name = frame.dcm(self.writer.frame).T * components, "N"
            for component, axis in zip(components, "xyz", strict=True):
                if component != 0:
                    terms.append(self._term(component, f"{name}.{axis}"))
        return " + ".join(terms) or "[0, 0, 0]"

    def _term(self, component: Any, axis: str) -> str:
        if component == 1:
            return axis
        text = self.writer.formula(component)
        return f"({text})*{axis}" if not text.isidentifier() else f"{text}*{axis}"

    # Bodies.

    def of_body(self, frame: Any) -> str | None:
        """The name of the frame in which a body is at rest."""
        return self._spun[frame][0] if frame in self._spun else self.name(frame)

    def inertia(self, body: Any) -> Any:
        """The matrix of the central inertia in the body's frame, without coordinates in it."""
        dyadic = body.central_inertia
        rest = self._spun[body.frame][1] if body.frame in self._spun else body.frame
        candidates = [rest, *dict.fromkeys(frame for part in dyadic.args for frame in (_frame_of(part[1]),))]
        for frame in candidates:
            if path_between(rest, frame, "_dcm_dict") is None:
                continue
            matrix = dyadic.to_matrix(frame)
            if matrix.atoms(AppliedUndef) or matrix.has(self.writer.time):
                continue
            if frame is rest or self._is_same(matrix, rest.dcm(frame)):
                return matrix
        raise ValueError(f"the inertia of {body.name} is not constant in its frame {body.frame}")

    def _is_same(self, matrix: Any, turn: Any) -> bool:
        """Whether a tensor has the same components in a turned frame."""
        difference = turn * matrix * turn.T - matrix
        return bool(np.abs(self.states.values(difference)).max() < 1e-12)

    def energy(self, body: Any) -> str:
        """The kinetic energy of the rotation of a body whose frame is no chain of turns."""
        kinematics, frame = self.kinematics, body.frame
        if not kinematics.is_exact(frame):
            raise ValueError(
                f"the angular velocity given to {frame} is that of its orientation on the constraints only, and its "
                "orientation is no chain of turns: leave the angular velocity out, or orient it by turns about axes"
            )
        spin = kinematics.spins[frame]
        return "(" + self.writer.formula(spin.dot(body.central_inertia.dot(spin)) / 2) + ")"

    # Angular velocities.

    def check(self, frame: Any, body: Any, as_given: bool = False) -> None:
        """Holds the angular velocity given to a frame against its orientation.

        Raises
        ------
        ValueError
            They differ, with the frame and what to do.
        """
        kinematics = self.kinematics
        if frame in self._spun or frame == self.writer.frame:
            return
        if kinematics.spins[frame] is None:
            raise ValueError(f"no angular velocity of {frame} in {self.writer.frame} is known: orient it")
        if frame not in kinematics.oriented:
            self._unoriented(frame, body)
            return
        slip = kinematics.slip(frame)
        if all(kinematics.zero(part) for part in slip):
            return
        if body is None or not self._spins_freely(frame, body):
            raise ValueError(
                f"the angular velocity given to {frame} is not that of its orientation, also where the kinematical "
                f"equations and the constraints hold. Orient {frame} with the angles whose rates it has, leave the "
                "angular velocity out, or correct the kinematical equations"
                f"{_KEPT if as_given else ''}"
            )

    def _unoriented(self, frame: Any, body: Any) -> None:
        """A frame that has an angular velocity and no orientation, as a wheel's whose angle does not matter."""
        path = path_between(frame, self.writer.frame, "_ang_vel_dict")
        before = next((f for f in path or () if f in self.kinematics.oriented), None)
        if path is None or before is None or body is None:
            raise ValueError(f"{frame} is not oriented in {self.writer.frame}: orient it by its angles")
        if before != self.writer.frame:
            self.check(before, None)
        spin = Vector(0)
        for own, other in zip(path, path[1 : path.index(before) + 1], strict=False):
            spin = spin + own._ang_vel_dict[other]
        self._spin(frame, before, spin, body)

    def _spins_freely(self, frame: Any, body: Any) -> bool:
        """Whether a frame's angular velocity has a part with speeds of no coordinate, about an axis of the frame."""
        free = set(self.free_speeds)
        spin = self.kinematics.spins[frame]
        parts = [(c.applyfunc(lambda e: sum(e.coeff(x) * x for x in free)), f) for c, f in spin.args]
        extra = Vector([(c, f) for c, f in parts if any(c)])
        if extra == 0:
            return False
        bundle = self.kinematics.numbers_of(extra)
        if not all(self.kinematics.zero(a - b) for a, b in zip(bundle, self.kinematics.slip(frame), strict=True)):
            return False
        self._spin(frame, frame, extra, body)
        return True

    def _spin(self, frame: Any, before: Any, spin: Any, body: Any) -> None:
        """A turn about a fixed axis of a frame with a given rate, the angle a new coordinate."""
        components = spin.to_matrix(before) if spin != 0 else sympy.zeros(3, 1)
        axes = [axis for axis in range(3) if np.abs(self.states.values(components[axis])).max() > 1e-13]
        if len(axes) != 1:
            raise ValueError(
                f"{frame} has no orientation in {self.writer.frame}, and its angular velocity is along no axis of "
                f"{before}: orient it by its angles"
            )
        axis, parent = axes[0], self.name(before)
        if parent is None:
            raise ValueError(f"{frame} turns in {before}, which is no chain of turns: orient it by its angles")
        angle = self.names.fresh(f"{self.names.of(frame, str(frame.name), 'frame')}_turn")
        own = self.names.fresh(f"{self.names.of(frame, str(frame.name), 'frame')}_turned")
        self._check_round(body, before, axis)
        self.table[own] = {"parent": parent, "angle": angle, "axis": "xyz"[axis]}
        self._spun[frame] = (own, before)
        self.coordinates.append(angle)
        self.rows[f"{angle}_rate"] = f"{angle}' = {self.writer.formula(components[axis])}"
        self.heard.append(f"no coordinate says how far {frame} has turned, so {angle} is one")

    def _check_round(self, body: Any, before: Any, axis: int) -> None:
        """The inertia of a body that turns without an orientation must be round about the axis."""
        matrix = body.central_inertia.to_matrix(before)
        a, b = (axis + 1) % 3, (axis + 2) % 3
        rest = [matrix[a, a] - matrix[b, b], matrix[a, b], matrix[a, axis], matrix[b, axis]]
        if np.abs(self.states.values(sympy.Matrix(rest))).max() > 1e-12:
            raise ValueError(
                f"{body.name} turns, has no angle of its own, and is not round: orient {body.frame} by an angle"
            )


def _frame_of(axis: Any) -> Any:
    return axis.args[0][1]
