"""Constraint forces by SymPy's own equations, beside those of the model that was read from them.

- On the speeds: SymPy's equations of the system without its rows, at the accelerations of the system with them, leave
  the generalised constraint forces, `M u' - f`. Those of the model are taken along the same velocities.
- By auxiliary speeds: SymPy's auxiliary equations say which force holds each at zero.
- At contacts: where the model has coordinates of a point, the force in their direction is the sum of `m a` less the loads.
- Multipliers: those of `LagrangesMethod` one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from foreign import Oracle, T
from sympy.core.function import AppliedUndef
from sympy.physics import mechanics as me

import appell as ap

# In these scripts SymPy's velocities are those of the positions only where the rows hold, so that off the rows its bodies move
# otherwise than the model's, and forces along these motions are others. What is compared is the force of the contact, along coordinates
# that move the whole disc.
ON_ROWS_ONLY = {
    "kane2:test_aux_dep": {},
    "kane5:test_kane_rolling_disc_lu": {"q4": "x", "q5": "y"},
    "linearize:test_linearize_rolling_disc_kane": {},
}


@dataclass
class Compared:
    """Pairs of forces, the model's and SymPy's, by what they are; and the size of the forces that move the system."""

    pairs: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    size: float = 0.0

    def add(self, kind: str, own: Any, wanted: Any) -> None:
        pairs = zip(np.ravel(own).tolist(), np.ravel(wanted).tolist(), strict=True)
        self.pairs.setdefault(kind, []).extend(pairs)

    @property
    def worst(self) -> float:
        """The largest difference beside the largest constraint force; beside the forces that move the system where there is none."""
        table = np.array([pair for pairs in self.pairs.values() for pair in pairs])
        largest = np.abs(table[:, 1]).max()
        return float(np.abs(table[:, 0] - table[:, 1]).max() / (largest if largest > 1e-9 * self.size else self.size))


class Forces:
    """What SymPy says of the constraint forces of a system that was handed over."""

    def __init__(self, name: str, oracle: Oracle, model: ap.Model) -> None:
        self.oracle, self.model, self.n = oracle, model, len(oracle.q)
        self.along = ON_ROWS_ONLY.get(name)
        method = oracle.method
        self.auxiliary = list(method._uaux) if oracle.is_kane else []
        self.speeds = [*oracle.speeds, *self.auxiliary]
        self._rates = dict(method._qdot_u_map) if oracle.is_kane else {}
        mass, forcing = self._free() if oracle.is_kane else (method._m_d, method._f_d)
        moves = sympy.Matrix([self._rates.get(x.diff(T), x.diff(T)) for x in oracle.q]).jacobian(self.speeds)
        self._balance = self._function([mass, forcing, moves])
        self._auxiliary = self._function([method.auxiliary_eqs]) if self.auxiliary else None
        self._bodies = self._function([self._velocities(), *self._loads()]) if oracle.is_kane else None

    def _free(self) -> tuple[Any, Any]:
        """The equations of Kane's method without the rows, with auxiliary speeds as others."""
        method = self.oracle.method
        kd = [x - value for x, value in self._rates.items()]
        free = me.KanesMethod(method._inertial, self.oracle.q, self.speeds, kd)
        free.kanes_equations(method.bodylist, method.forcelist)
        return free.mass_matrix, free.forcing

    def _velocities(self) -> Any:
        """Velocities of mass centres times masses, a column for each body."""
        method = self.oracle.method
        bodies = [(b.masscenter if hasattr(b, "masscenter") else b.point, b.mass) for b in method.bodylist]
        columns = [mass * point.vel(method._inertial).to_matrix(method._inertial) for point, mass in bodies]
        return sympy.Matrix.hstack(*columns).xreplace(self._rates)

    def _loads(self) -> list[Any]:
        """The sum of the forces on points."""
        method, frame = self.oracle.method, self.oracle.method._inertial
        forces = [v.to_matrix(frame) for p, v in method.forcelist or () if isinstance(p, me.Point) and v != 0]
        return [sum(forces, sympy.zeros(3, 1)).xreplace(self._rates)]

    def _function(self, matrices: list[Any]) -> Any:
        """Matrices as functions of the time, the state and the rates of the speeds, with zeros for forces that the model calls multipliers."""
        oracle = self.oracle
        plain = [oracle._plain(m) for m in matrices]
        state = [*oracle.q, *oracle.speeds]
        rates = [x.diff(T) for x in oracle.speeds]
        known = {*state, *rates, T, *oracle.values}
        others = sorted({s for m in plain for s in m.free_symbols | m.atoms(AppliedUndef)} - known, key=str)
        compiled = sympy.lambdify([*state, *rates, T, *oracle.values, *others], plain, "numpy", cse=True)
        numbers = [*oracle.values.values(), *(self._number(x) for x in others)]
        return lambda t, y, rate: [np.array(m) for m in compiled(*y, *rate, t, *numbers)]

    def _number(self, x: Any) -> float:
        name = str(x.func.__name__) if isinstance(x, AppliedUndef) else str(x)
        return float(self.model.parameters.get(name, 0.0))

    def compared(self, y: Any, motion: ap.Motion) -> Compared | None:
        """The forces at a state, which is that of the start of a motion; None where nothing is constrained."""
        rows = [name[9:-1] for name in motion.columns if name.startswith("residual[")]
        if not rows:
            return None
        rate = self.oracle.right_side()(0.0, y)
        mass, forcing, moves = self._balance(0.0, y, rate[self.n :])
        found = Compared(size=float(np.abs(forcing).max()))
        state = self._at(motion)
        reaction = np.array(state.reaction)
        if self.along is None:
            change = np.concatenate([rate[self.n :], np.zeros(len(self.auxiliary))])
            found.add("on speeds", self._motions(moves, motion).T @ reaction, mass @ change - forcing.ravel())
        if self._auxiliary is not None:
            own = [motion[f"lambda[no_{x.func.__name__}]"][0] for x in self.auxiliary]
            found.add("by auxiliary speeds", own, -self._auxiliary(0.0, y, rate[self.n :])[0])
        if self._bodies is not None:
            self._contacts(found, y, rate, reaction, motion)
        if not self.oracle.is_kane and rows == [f"c{i + 1}" for i in range(len(self.oracle.method.coneqs))] and state.rank == len(rows):
            found.add("by multipliers", motion.multipliers[:, 0], self._multipliers(y))
        return found

    def _at(self, motion: ap.Motion) -> Any:
        return self.model.eval(motion.y[:, 0], form="multipliers").states[0]

    def _motions(self, moves: Any, motion: ap.Motion) -> Any:
        """The velocities of the model's coordinates for each speed: of SymPy's by the kinematical equations, of paths, and of others, as
        those of points of contact, by the rows that were added for these.
        """
        names, n = self.model.coordinates, self.n
        found = np.zeros((len(names), len(self.speeds)))
        found[:n] = moves
        for i, x in enumerate(self.speeds if self.oracle.is_kane else ()):
            if f"path_{x.func.__name__}" in names:
                found[names.index(f"path_{x.func.__name__}"), i] = 1
        added = [i for i, name in enumerate(names) if i >= n and not name.startswith("path_")]
        if added:
            slopes = self._slopes(motion)
            own = np.abs(slopes[:, added]).max(axis=1) > 0
            found[added] = np.linalg.lstsq(slopes[np.ix_(own, added)], -slopes[own] @ found, rcond=None)[0]
        return found

    def _slopes(self, motion: ap.Motion) -> Any:
        """What is left of the rows for unit velocities: their coefficients, for rows on velocities."""
        count = len(self.model.coordinates)
        still = np.concatenate([motion.y[:count, 0], np.zeros(count)])
        states = np.vstack([still, still + np.hstack([np.zeros((count, count)), np.eye(count)])])
        left = np.array([state.residual for state in self.model.eval(states, form="multipliers").states])
        return (left[1:] - left[0]).T

    def _contacts(self, found: Compared, y: Any, rate: Any, reaction: Any, motion: ap.Motion) -> None:
        """The force on all bodies along each coordinate that moves all."""
        names = self.model.coordinates
        along = {name: name[-1] for name in names[self.n :] if name[-2:] in ("_x", "_y", "_z") and not name.startswith("path_")} | (self.along or {})
        if not along:
            return
        assert self._bodies is not None
        # The derivative along the motion, without differences.
        step = 1e-30
        change, forces = self._bodies(1j * step, y + 1j * step * rate, rate[self.n :])
        total = change.imag.sum(axis=1) / step - forces.real.ravel()
        wanted = [total["xyz".index(axis)] for axis in along.values()]
        found.add("at contacts", [reaction[names.index(name)] for name in along], wanted)
        bodies = {column.rsplit(" on ", 1)[1][:-3] for column in motion.columns if column.startswith("R[")}
        if bodies:
            own = sum(motion.reaction(body)[0] for body in bodies)
            found.add("at contacts", [own["xyz".index(axis)] for axis in along.values()], wanted)

    def _multipliers(self, y: Any) -> Any:
        """SymPy's multipliers."""
        method = self.oracle.method
        matrix, forcing = self.oracle.function([method.mass_matrix_full, method.forcing_full])(0.0, y)
        return np.linalg.solve(matrix, forcing.ravel())[2 * self.n :]
