"""Questions that compute many motions, or motions with their deviations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import Parameters, given_of, real, request_of, times_of
from ._errors import NumericalError, translated
from ._fit import fitted
from ._inputs import Inputs, inputs_of
from ._jax import jax_motion, jax_rhs
from ._records import Record, record
from ._shown import Shown
from ._starts import States, names_of, ordered, reals

__all__ = ["Studies"]


class Studies(Shown):
    """The part of `Model` that other methods of it are used for."""

    def lyapunov(
        self,
        count: int | None = None,
        until: float | None = None,
        x0: States | Iterable[str] | None = None,
        *,
        discard: float = 0.0,
        interval: float | None = None,
        params: Parameters = None,
        form: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        t0: float | None = None,
        inputs: Inputs = None,
        drop: Iterable[str] = (),
    ) -> Record:
        """Lyapunov exponents: the mean rates at which small deviations on the constraints grow.

        By the equations of variation, with exact derivatives, and repeated orthonormalisation.

        Parameters
        ----------
        count : int, optional
            How many, the largest first; by default as many as the constraints leave deviations.
        until : float, optional
            The end time.
        discard : float
            How long the motion goes before growth is counted.
        interval : float, optional
            The time between two orthonormalisations; by default a thousandth of the motion.
        x0, params, form, rtol, atol, t0, inputs, drop
            As for `run`.

        Returns
        -------
        Record
            ``exponents``; ``dimension``, how many there are; ``times`` and ``history`` (times x exponents), the means
            up to each; ``t``, ``outcome``, ``steps``.

        Raises
        ------
        NumericalError
            The motion ended before its time; the means up to there are in the message.

        Examples
        --------
        >>> import appell as ap
        >>> upright = ap.Model(coordinates="a", kinetic="a'^2/2", potential="9*cos(a)", initial=["a = 0", "a' = 0"])
        >>> [float(round(x, 6)) for x in upright.lyapunov(until=30, discard=10).exponents]
        [3.0, -3.0]
        """
        model: Any = self
        started, start = model._begun(x0, real("t0", t0))
        if started is not None:
            found: Record = started.lyapunov(
                count, until, discard=discard, interval=interval, params=params, form=form, rtol=rtol, atol=atol,
                inputs=inputs, drop=drop,
            )  # fmt: skip
            return found
        request = request_of(form, None, None, until, rtol, atol, None, None, start)
        discard, interval = real("discard", discard) or 0.0, real("interval", interval)
        with translated():
            answer, done = model._session.lyapunov(
                given_of(params, drop), request, inputs_of(inputs, None), count, discard, interval
            )
        entry = json.loads(answer)
        if not done:
            raise NumericalError(f"{entry['outcome']} The exponents up to t = {entry['t']}: {entry['exponents']}")
        return record(entry)

    def linearize_along(
        self,
        states: States,
        *,
        params: Parameters = None,
        inputs: Inputs = None,
        drop: Iterable[str] = (),
    ) -> Record:
        """The linear equations about states of a motion, which need not be steady: for LQR along trajectories.

        Deviations are those of coordinates and velocities that are independent at the first state, the same all along,
        at fixed inputs: ``xi' = A xi + B u``.

        Parameters
        ----------
        states : sequence of mappings, or array
            As for `eval`; an array has one time for all states, mappings ``{"t", "q", "v"}`` have their own.
        inputs : mapping, optional
            What drove the inputs, as for `run`.
        params, drop
            As for `check`.

        Returns
        -------
        Record
            ``times``, ``state_names``, ``inputs``; ``A`` (states x k x k) and ``B`` (states x k x inputs).

        Raises
        ------
        ModelError
            A state off the constraints.
        NumericalError
            A singular state, or one where the independent ones are not.
        """
        model: Any = self
        with translated():
            answer = model._session.linearize_along(
                given_of(params, drop), model._states(states), inputs_of(inputs, None)
            )
        return record(json.loads(answer))

    def fit(
        self,
        t: ArrayLike,
        data: ArrayLike | Mapping[str, ArrayLike],
        free: Sequence[str] | Mapping[str, float],
        *,
        sigma: ArrayLike | Mapping[str, ArrayLike] | None = None,
        x0: Mapping[str, float] | None = None,
        params: Parameters = None,
        inputs: Inputs = None,
        rtol: float | None = None,
        atol: float | None = None,
        drop: Iterable[str] = (),
        **options: Any,
    ) -> Any:
        """Fits parameters and starts to measurements, by SciPy's least squares with exact derivatives.

        Parameters
        ----------
        t : array, shape (N,)
            The times of the measurements, rising, none before the start.
        data : array or mapping of str to array
            What was measured, by columns of a motion: ``{"theta": array, "lambda[rod]": array}``, each of shape (N,);
            or an array, shape (N, n) of all coordinates, or (N, 2n) of q and v. Where it is nan, nothing was measured.
        free : sequence of str, or mapping of str to float
            What is to be found: parameters, inputs, and starts of coordinates and velocities (``theta'``); with first
            guesses, or from the values of the model on. Of an input that `inputs` drives it is a constant that is added
            to what drives it, from 0 on.
        sigma : number, array or mapping, optional
            Standard deviations of the data, in the shape of `data`.
        x0 : mapping, optional
            Other values of the start, by name.
        params, inputs, rtol, atol, drop
            As for `run`.
        **options
            Of ``scipy.optimize.least_squares``: ``bounds``, ``loss``, ``x_scale``, ``max_nfev``. Bounds are cut to the
            ``min`` and ``max`` of the model's parameters. Its tolerances, and ``optimality`` in the result, are of misses
            and unknowns in units by the data and by the slopes at the guess.

        Returns
        -------
        scipy.optimize.OptimizeResult
            With ``names``, ``estimates`` (a mapping), ``covariance`` (k x k; nan where the data leave something open),
            ``open`` (the names of which the data do not depend, which stay where they were) and ``motion``, the one that
            fits, besides.

        Raises
        ------
        NumericalError
            A motion on the way does not reach the last time.
        ImportError
            There is no SciPy.
        """
        given = {"params": params, "inputs": inputs, "rtol": rtol, "atol": atol, "drop": drop}
        return fitted(self, t, data, free, sigma, x0, given, options)

    def adjoint(
        self,
        by: Iterable[str],
        weights: ArrayLike,
        until: float | None = None,
        x0: States | Iterable[str] | None = None,
        *,
        t_eval: ArrayLike | None = None,
        params: Parameters = None,
        form: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        t0: float | None = None,
        inputs: Inputs = None,
        drop: Iterable[str] = (),
    ) -> dict[str, float]:
        """The exact derivatives of one number by many parameters, by the adjoint equations.

        The number is the sum of ``weights[k] . y(t_k)`` over the samples of a motion, y = (q, v): the gradient of any
        function of them, where the weights are its derivatives by y. The cost hardly depends on how many names
        there are; for few, `run` with ``sensitivity`` has the derivatives of everything.

        Parameters
        ----------
        by : iterable of str
            Parameters, inputs, and starts of coordinates and velocities (``theta'``).
        weights : array, shape (2n,) or (N, 2n)
            Those of the end state, or of the states at the N times of `t_eval`.
        until, x0, t_eval, params, form, rtol, atol, t0, inputs, drop
            As for `run`; a function that drives an input has no derivatives, an expression has.

        Returns
        -------
        dict of str to float
            The derivatives by their names.

        Raises
        ------
        NumericalError
            The motion ends before its time.
        """
        model: Any = self
        started, start = model._begun(x0, real("t0", t0))
        if started is not None:
            found: dict[str, float] = started.adjoint(
                by, weights, until, t_eval=t_eval, params=params, form=form, rtol=rtol, atol=atol, inputs=inputs, drop=drop
            )
            return found
        names = names_of(by)
        states = [*model.coordinates, *(f"{name}'" for name in model.coordinates)]
        rows = np.atleast_2d(reals("weights", ordered(weights, states, axis=-1)))
        width = len(states)
        times = times_of("t_eval", t_eval, None)
        count = 1 if times is None else len(times)
        if rows.shape != (count, width):
            raise ValueError(f"weights have the shape {np.shape(weights)}; ({count}, {width}) is needed")
        if not np.isfinite(rows).all():
            raise ValueError("weights has a number that is not finite")
        # One sample is the end.
        samples = 1 if times is None else None
        request = request_of(form, None, None, until, rtol, atol, samples, times, start)
        with translated():
            _, values, _ = model._session.adjoint(
                given_of(params, drop), request, inputs_of(inputs, None), names, rows.ravel().tolist()
            )
        return dict(zip(names, values, strict=True))

    def jax_rhs(self, form: str | None = None, *, params: Parameters = None, drop: Iterable[str] = ()) -> Callable[..., Any]:
        """The right-hand side ``f(t, y, p=None)`` as a function of JAX, with the exact derivatives of `rhs`.

        JAX asks Appell for values and derivatives while it runs, so that nothing long is compiled: ``jit``, ``jvp``,
        ``grad``, ``vmap`` apply, on the processor; for other devices ``derive(form).code("jax")`` is plain code. It is
        differentiated once, forwards or backwards.

        Parameters
        ----------
        form, params, drop
            As for `rhs`.

        Returns
        -------
        callable
            ``f(t, y)`` or ``f(t, y, p)``, with p in the order of ``rhs().parameters``.
        """
        model: Any = self
        return jax_rhs(model.rhs(form, params=params, drop=drop))

    def jax_motion(
        self,
        by: Iterable[str],
        t_eval: ArrayLike,
        *,
        x0: Mapping[str, float] | None = None,
        params: Parameters = None,
        inputs: Inputs = None,
        rtol: float | None = None,
        atol: float | None = None,
        drop: Iterable[str] = (),
    ) -> Callable[[Any], Any]:
        """The motion as a function of JAX: from values of parameters, inputs and starts to the states.

        Its gradient is that of the adjoint equations, see `adjoint`, so that losses over motions are differentiated
        backwards with many parameters.

        Parameters
        ----------
        by : iterable of str
            What the values are of: parameters, inputs, and starts of coordinates and velocities. That of an input which
            `inputs` drives is added to what drives it.
        t_eval : array, shape (N,)
            The times of the states.
        x0 : mapping, optional
            Other values of the start, by name.
        params, inputs, rtol, atol, drop
            As for `run`.

        Returns
        -------
        callable
            ``f(values)``, values in the order of `by`, gives an array of shape (N, 2n).
        """
        given = {"x0": x0, "params": params, "inputs": inputs, "rtol": rtol, "atol": atol, "drop": drop}
        return jax_motion(self, by, t_eval, given)
