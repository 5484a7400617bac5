"""Parameters and starts from measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arguments import times_of
from ._errors import ModelError, NumericalError
from ._inputs import with_constants
from ._starts import by_name, named, names_of, reals

__all__ = ["fitted"]

Array = NDArray[np.float64]

#: Changes of the data, by an unknown as large as it is, that may be rounding: whether they are is looked at.
_SMALL = 1e-8
#: Those that are rounding whatever they look like: the data, as doubles, would not show them.
_TINY = 1e-13
#: Beside values that differ by so much derivatives are nearly the same, and rounding is not.
_ASIDE = 2.0**-20


def fitted(
    model: Any,
    t: ArrayLike,
    data: ArrayLike | Mapping[str, ArrayLike],
    free: Sequence[str] | Mapping[str, float],
    sigma: ArrayLike | Mapping[str, ArrayLike] | None,
    x0: Mapping[str, float] | None,
    given: dict[str, Any],
    options: dict[str, Any],
) -> Any:
    """See `Model.fit`."""
    times = np.array(times_of("t", t, None))
    columns, measured = _columns(model, times, data, "data")
    if np.isinf(measured).any():
        raise ValueError("data has an infinite number")
    if np.isnan(measured).all():
        raise ValueError("data: nothing was measured, all of it is nan")
    spread = np.ones_like(measured)
    if sigma is not None:
        spread = _spread(model, times, sigma, columns, measured.shape)
    names = names_of(free)
    if not names:
        raise ValueError("free is empty: name what is to be found")
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ValueError(f"free: `{twice[0]}` is named twice")
    given = {**given, "params": by_name("params", given["params"])}
    fit = _Fit(model, times, columns, (measured, spread), names, by_name("x0", x0), given)
    guess = fit.guess(by_name("free", free) if isinstance(free, Mapping) else {})
    result = _in_units(fit, guess, 1.0 if sigma is not None else _size(measured), options)
    result.names = names
    result.estimates = {name: float(value) for name, value in zip(names, result.x, strict=True)}
    result.open = [name for name, column in zip(names, result.jac.T, strict=True) if not column.any()]
    if result.open:
        result.message = f"{result.message} The data do not depend on {', '.join(result.open)}: left open."
    result.covariance = _covariance(result.jac, result.fun, sigma is not None)
    result.motion = fit.motion(result.x)
    return result


def _size(measured: Array) -> float:
    """The largest size of what was measured."""
    return float(np.abs(measured[np.isfinite(measured)]).max()) or 1.0


def _in_units(fit: _Fit, guess: Array, unit: float, options: dict[str, Any]) -> Any:
    """Least squares with misses in this unit, and each unknown in that in which it changes them by 1 at the guess: SciPy holds
    gradients against an absolute tolerance, and the estimates should not depend on metres or millimetres."""
    from scipy.optimize import least_squares

    unit = 2.0 ** round(math.log2(unit))
    lengths = np.linalg.norm(fit.slopes(guess) / unit, axis=0)
    usual = np.where(guess != 0, np.abs(guess), 1.0)
    # Powers of 2 round nothing: the motion at the guess is that which is known.
    scale = 2.0 ** np.round(np.log2(np.divide(1, lengths, out=usual, where=lengths > 0)))
    own = dict(options)
    bounds = fit.bounds(own.get("bounds", (-np.inf, np.inf)))
    # The method `lm` knows none.
    if "bounds" in own or np.isfinite(bounds).any() and own.get("method") != "lm":
        own["bounds"] = tuple(bounds / scale)
    if not isinstance(own.get("x_scale", "jac"), str):
        own["x_scale"] = np.asarray(own["x_scale"], float) / scale
    own["f_scale"] = own.get("f_scale", 1.0) / unit
    result: Any = least_squares(
        lambda y: fit.misses(y * scale) / unit,
        guess / scale,
        jac=lambda y: fit.slopes(y * scale) * scale / unit,  # pyright: ignore[reportArgumentType]
        **own,
    )
    result.x = result.x * scale
    result.fun = result.fun * unit
    result.jac = result.jac * unit / scale
    result.grad = result.grad * unit**2 / scale
    result.cost = result.cost * unit**2
    return result


class _Fit:
    """The misses of motions, with their derivatives; the last motion is kept."""

    def __init__(
        self,
        model: Any,
        times: Array,
        columns: list[str],
        measured: tuple[Array, Array],
        names: list[str],
        x0: dict[str, float],
        given: dict[str, Any],
    ) -> None:
        self.model, self.times, self.columns, self.names = model, times, columns, names
        self.data, self.spread = measured
        self.known = np.isfinite(self.data)
        self.x0, self.given = x0, given
        self.parameters = {*model.parameters, *model.inputs}
        # An input that something drives is found as a constant that is added to it.
        self.driven = {name for name in names if isinstance(given["inputs"], Mapping) and name in given["inputs"]}
        self.last: tuple[Array, Any] | None = None
        self.limits = np.array([[-np.inf], [np.inf]])

    def guess(self, given: Mapping[str, float]) -> Array:
        """The first values: those given, else the model's, and nothing added to what is driven."""
        params = {**self.model.parameters, **self.model.inputs, **(self.given["params"] or {}), **self.x0}
        params |= dict.fromkeys(self.driven, 0.0)
        open_ = [name for name in self.names if name not in given and name not in params]
        values = {**params, **given}
        if open_:
            options = {**self.given, "params": self._params({}), "inputs": None}
            start = self._run({**self.x0}, until=self.times[-1], samples=1, **options).start
            found = dict(zip(self.model.coordinates, start.q, strict=True))
            found |= {f"{name}'": v for name, v in zip(self.model.coordinates, start.v, strict=True)}
            unknown = [name for name in open_ if name not in found]
            if unknown:
                known = ", ".join([*params, *found])
                raise ValueError(f"free: `{unknown[0]}` is nothing of the model, or needs a first guess; known: {known}")
            values |= {name: found[name] for name in open_}
        return np.array([float(values[name]) for name in self.names])

    def bounds(self, given: Any) -> Array:
        """The least and the largest admissible values, shape (2, k): those given, within the limits of the model."""
        low, high = (given.lb, given.ub) if hasattr(given, "lb") else given
        bounds = np.array(np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float), np.zeros(len(self.names)))[:2])
        about = self.model._about
        limits = {own["name"]: (own["min"], own["max"]) for own in (*about["parameters"], *about["inputs"])}
        for place, name in enumerate(self.names):
            if name in limits and name not in self.driven:
                least, largest = limits[name]
                bounds[0, place] = max(bounds[0, place], -np.inf if least is None else least)
                bounds[1, place] = min(bounds[1, place], np.inf if largest is None else largest)
        self.limits = bounds
        return bounds

    def motion(self, values: Array) -> Any:
        """The motion with these values and its derivatives."""
        if self.last is None or not np.array_equal(self.last[0], values):
            new = {name: float(value) for name, value in zip(self.names, values, strict=True)}
            params = self._params(new)
            x0 = self.x0 | {name: value for name, value in new.items() if name not in self.parameters}
            inputs = with_constants(self.given["inputs"], {name: new[name] for name in self.driven})
            options = {**self.given, "params": params, "inputs": inputs, "t_eval": self.times, "sensitivity": self.names}
            motion = self._run(x0, **options)
            if not motion.success or len(motion.t) != len(self.times):
                raise NumericalError(f"with {new} the motion does not reach the last time: {motion.message}")
            self.last = (np.array(values), motion)
        return self.last[1]

    def _params(self, new: dict[str, float]) -> dict[str, Any]:
        return {**(self.given["params"] or {}), **{k: v for k, v in new.items() if k in self.parameters - self.driven}}

    def _run(self, x0: dict[str, float], **options: Any) -> Any:
        return self.model.run(x0=x0 or None, **options)

    def misses(self, values: Array) -> Array:
        motion = self.motion(values)
        computed = np.stack([motion[name] for name in self.columns], axis=1)
        return self._finite(((computed - self.data) / self.spread)[self.known], "the motion is", values)

    def slopes(self, values: Array) -> Array:
        motion = self.motion(values)
        slopes = self._slopes(motion, values)
        computed = np.stack([motion[name] for name in self.columns], axis=1)
        size = np.linalg.norm((computed / self.spread)[self.known])
        units = np.where(values != 0, np.abs(values), 1.0)
        changes = units * np.linalg.norm(slopes, axis=0)
        # Of an unknown that is 0 nobody knows in which units it is small.
        slopes[:, (values != 0) & (changes < _TINY * size)] = 0
        small = slopes.any(axis=0) & (changes < _SMALL * size)
        if small.any():
            slopes[:, small & self._is_rounding(values, slopes)] = 0
            self.last = (np.array(values), motion)
        return slopes

    def _slopes(self, motion: Any, values: Array) -> Array:
        computed = np.stack([motion.derivatives[name] for name in self.columns], axis=1)
        return self._finite((computed / self.spread[:, :, None])[self.known], "its derivatives are", values)

    def _is_rounding(self, values: Array, slopes: Array) -> NDArray[np.bool_]:
        """Whether derivatives by each unknown are others for values that hardly differ: sums of terms that cancel, and what is left
        is their rounding."""
        steps = _ASIDE * np.where(values != 0, np.abs(values), 1.0)
        aside = np.where(values + steps <= self.limits[1], values + steps, values - steps)
        try:
            beside = self._slopes(self.motion(aside), aside)
        except (ModelError, NumericalError):
            # The values leave no way aside.
            return np.zeros(len(values), dtype=bool)
        differences = np.linalg.norm(beside - slopes, axis=0)
        found: NDArray[np.bool_] = differences > 0.01 * np.linalg.norm(slopes, axis=0)
        return found

    def _finite(self, found: Array, what: str, values: Array) -> Array:
        """What SciPy is given, which would not say with which values it is no finite number."""
        if not np.isfinite(found).all():
            new = dict(zip(self.names, values.tolist(), strict=True))
            raise NumericalError(
                f"with {new} {what} not finite where something was measured: fit up to an earlier time, or start from other guesses"
            )
        return found


def _columns(
    model: Any, times: Array, data: ArrayLike | Mapping[str, ArrayLike], what: str
) -> tuple[list[str], Array]:
    """The names of columns and their numbers, shape (N, columns)."""
    data = named(data)
    if isinstance(data, Mapping):
        columns = list(data)
        parts = [reals(f"{what}[{name!r}]", data[name]) for name in columns]
        for name, part in zip(columns, parts, strict=True):
            if part.shape != times.shape:
                raise ValueError(f"{what}[{name!r}] has the shape {part.shape}, the times {times.shape}")
        return columns, np.stack(parts, axis=1)
    states = [*model.coordinates, *(f"{name}'" for name in model.coordinates)]
    values = reals(what, data)
    table = values[:, None] if values.ndim == 1 else values
    width = table.shape[-1]
    if table.ndim != 2 or len(table) != len(times) or width not in (len(states) // 2, len(states)):
        raise ValueError(
            f"{what} has the shape {values.shape}; for {len(times)} times and the columns {', '.join(states)} give "
            "columns by name, or an array of all coordinates, or of coordinates and velocities"
        )
    return states[:width], table


def _spread(model: Any, times: Array, sigma: Any, columns: list[str], shape: tuple[int, ...]) -> Array:
    """Standard deviations in the shape of the data."""
    sigma = named(sigma)
    if isinstance(sigma, Mapping):
        missing = [name for name in columns if name not in sigma]
        if missing:
            raise ValueError(f"sigma has nothing for `{missing[0]}`")
        parts = [np.broadcast_to(reals(f"sigma[{name!r}]", sigma[name]), times.shape) for name in columns]
        spread: Array = np.stack(parts, axis=1)
    else:
        spread = np.broadcast_to(reals("sigma", sigma), shape)
    if not (spread > 0).all():
        raise ValueError("sigma: standard deviations are numbers > 0")
    return spread


def _covariance(jac: Array, misses: Array, absolute: bool) -> Array:
    """Of the values found, to first order; without known deviations by what is left."""
    known: NDArray[np.bool_] = np.any(jac != 0, axis=0)
    covariance = np.full((jac.shape[1], jac.shape[1]), np.nan)
    count, size = len(jac), int(known.sum())
    lengths = np.linalg.norm(jac[:, known], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = jac[:, known] / lengths
    if not np.isfinite(unit).all() or np.linalg.matrix_rank(unit) < size or (not absolute and count <= size):
        return covariance
    inverse: Array = np.asarray(np.linalg.inv(unit.T @ unit) / np.outer(lengths, lengths), dtype=np.float64)
    if not absolute:
        inverse = inverse * (float(misses @ misses) / (count - size))
    covariance[np.ix_(known, known)] = inverse
    return covariance
