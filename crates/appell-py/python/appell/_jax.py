"""Equations and motions as functions of JAX, with the exact derivatives of Appell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arguments import times_of
from ._errors import NumericalError
from ._inputs import with_constants
from ._right_side import RightSide
from ._starts import by_name, names_of

__all__ = ["jax_motion", "jax_rhs"]

Array = NDArray[np.float64]


def _jax() -> Any:
    """JAX, in double precision."""
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def jax_rhs(side: RightSide) -> Callable[..., Any]:
    """See `Model.jax_rhs`."""
    jax = _jax()
    jnp = jax.numpy
    size, count, usual = len(side.state_names), len(side.parameters), side.values

    def asked(shape: tuple[int, ...], function: Callable[..., Any], *arguments: Any) -> Any:
        """What the model answers, asked when the program runs."""
        kind = jax.ShapeDtypeStruct(shape, jnp.float64)
        return jax.pure_callback(function, kind, *arguments, vmap_method="sequential")

    def rate(t: Any, y: Any, p: Any) -> Any:
        return asked((size,), lambda t, y, p: side(float(t), np.asarray(y), np.asarray(p)), t, y, p)

    def slopes(at: tuple[Any, Any, Any], along: tuple[Any, Any, Any]) -> tuple[Any, Any]:
        by_state = asked((size, size), lambda t, y, p: side.jac(float(t), np.asarray(y), np.asarray(p)), *at)
        by_rest = asked((size, count + 1), lambda t, y, p: side._rest(float(t), np.asarray(y), np.asarray(p)), *at)
        dt, dy, dp = along
        return known(*at), by_state @ dy + by_rest[:, :count] @ dp + by_rest[:, count] * dt

    known = jax.custom_jvp(rate)
    known.defjvp(slopes)

    def function(t: Any, y: Any, p: Any = None) -> Any:
        p = usual if p is None else p
        t, y, p = (jnp.asarray(x, dtype=jnp.float64) for x in (t, y, p))
        if y.shape != (size,) or p.shape != (count,):
            raise ValueError(f"y has the shape {y.shape} and p {p.shape}; ({size},) and ({count},) are needed")
        return known(t, y, p)

    return function


def jax_motion(model: Any, by: Iterable[str], t_eval: ArrayLike, given: dict[str, Any]) -> Callable[[Any], Any]:
    """See `Model.jax_motion`."""
    jax = _jax()
    jnp = jax.numpy
    names = names_of(by)
    times = np.array(times_of("t_eval", t_eval, None))
    states = [*model.coordinates, *(f"{name}'" for name in model.coordinates)]
    known = [*model.parameters, *model.inputs, *states]
    unknown = [name for name in names if name.removesuffix("(0)") not in known]
    if unknown:
        raise ValueError(f"`{unknown[0]}` is no parameter, input or start; there are {', '.join(known)}")
    shape = (len(times), len(states))

    def settings(values: Any) -> dict[str, Any]:
        own = dict(zip(names, np.asarray(values).tolist(), strict=True))
        params, x0 = _parted(model, own, given)
        inputs = with_constants(given.get("inputs"), {name: own[name] for name in names if name in model.inputs})
        return {**given, "params": params, "inputs": inputs, "x0": x0, "t_eval": times}

    def computed(values: Any) -> Array:
        motion = model.run(**settings(values))
        if not motion.success or len(motion.t) != len(times):
            raise NumericalError(f"with {dict(zip(names, values, strict=True))} the motion ends early: {motion.message}")
        return np.stack([motion[name] for name in states], axis=1)

    def pulled(values: Any, weights: Any) -> Array:
        found = model.adjoint(names, np.asarray(weights), **settings(values))
        return np.array([found[name] for name in names])

    def forwards(values: Any) -> Any:
        kind = jax.ShapeDtypeStruct(shape, jnp.float64)
        return jax.pure_callback(computed, kind, values, vmap_method="sequential")

    def back(values: Any, weights: Any) -> tuple[Any]:
        kind = jax.ShapeDtypeStruct((len(names),), jnp.float64)
        return (jax.pure_callback(pulled, kind, values, weights, vmap_method="sequential"),)

    motion = jax.custom_vjp(forwards)
    motion.defvjp(lambda values: (motion(values), values), back)

    def function(values: Any) -> Any:
        values = jnp.asarray(values, dtype=jnp.float64)
        if values.shape != (len(names),):
            raise ValueError(f"the values have the shape {values.shape}; there are {len(names)} names: {', '.join(names)}")
        return motion(values)

    return function


def _parted(model: Any, values: Mapping[str, float], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Parameters and inputs apart from starts."""
    known = {*model.parameters, *model.inputs}
    params = {**by_name("params", given.get("params")), **{k: v for k, v in values.items() if k in known}}
    x0 = {**by_name("x0", given.get("x0")), **{k.removesuffix("(0)"): v for k, v in values.items() if k not in known}}
    return params, x0 or None
