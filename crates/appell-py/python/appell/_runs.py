"""Questions that compute a motion, or hand its equations to others."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _appell
from ._arguments import Parameters, given_of, real, request_of, times_of
from ._copies import Listed
from ._derivatives import derivatives_of
from ._ensemble import Ensemble, Progress, members, meter
from ._errors import ModelWarning, translated
from ._events import Events, Stops, events_of, solved
from ._inputs import Inputs, inputs_of, sampled
from ._motion import Motion, Solve
from ._page import Page
from ._right_side import RightSide
from ._starts import States, arranged, as_json, by_name, equations_of, names_of
from ._stepper import Stepper
from ._studies import Studies

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Runs", "again"]


class Runs(Studies):
    """The part of `Model` that computes motions."""

    _session: _appell.Session
    _about: dict[str, Any]
    coordinates = Listed()
    name: str
    text: str

    def _started(self, equations: tuple[str, ...], t0: float | None = None) -> Model:
        """The model with equations of its start given anew, and with another time."""
        raise NotImplementedError

    def _begun(self, x0: Any, t0: float | None) -> tuple[Model | None, str | None]:
        """The model with a start in words or at another time, else a state in numbers as JSON."""
        x0 = arranged(x0, self.coordinates)
        equations = () if x0 is None else equations_of(x0, self.coordinates)
        if equations is None:
            return None, self._states(x0, t0)
        # A mapping of nothing changes nothing.
        return (self._started(equations, t0), None) if equations or t0 is not None else (None, None)

    def _states(self, states: States | None, t0: float | None = None) -> str | None:
        """States as JSON."""
        return None if states is None else as_json(states, self.coordinates, self._about["t"], t0)

    def run(
        self,
        until: float | None = None,
        x0: States | Iterable[str] | None = None,
        *,
        params: Parameters = None,
        method: str | None = None,
        form: str | None = None,
        backend: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        max_step: float | None = None,
        samples: int | None = None,
        t_eval: ArrayLike | None = None,
        t0: float | None = None,
        inputs: Inputs = None,
        input_times: ArrayLike | None = None,
        sample_time: float | None = None,
        events: Events = None,
        stop: Stops = (),
        sensitivity: Iterable[str] = (),
        drop: Iterable[str] = (),
    ) -> Motion:
        """Computes the motion.

        What is left open comes from the model.

        Parameters
        ----------
        until : float, optional
            The end time; before the start for a motion backwards.
        x0 : array, mapping or sequence of str, optional
            The start: an array of length 2n, q then v; a state ``{"t", "q", "v"}``; names with values,
            ``{"x": 1, "x'": 0}`` or a pandas Series, or equations ``["x = 1"]``, which take the places of the model's own. The rule of
            the model for inconsistent starts holds.
        params : mapping, optional
            Other values of parameters.
        method, form : str, optional
            Ids of the method and of the form of the equations.
        backend : str, optional
            How the equations are evaluated: ``auto``, ``interp``, ``jit`` or ``cc``.
        rtol, atol : float, optional
            Tolerances of a step.
        max_step : float, optional
            The longest step, for what acts for a moment only.
        samples : int, optional
            How many states are reported, the first and the last included.
        t_eval : array, optional
            The times of the reported states instead, in order. The motion ends at the last of them; where `until` is
            given it goes on to there, and that state is reported too.
        t0 : float, optional
            The initial time; by default that of the state `x0`, or of the model.
        inputs : mapping, optional
            What drives the inputs of the model: a number; an expression in the time, coordinates, velocities and
            parameters, ``"2*sin(t) - k*x"``; samples ``(times, values)``, each held up to the next, or
            ``(times, values, "linear")``; or a function ``f(t, y)`` of the time and of y = (q, v). Steps end at
            samples, where the input may jump. Inputs that are not named keep their values.
        input_times : array, optional
            The times of samples that `inputs` gives as arrays alone, ``{"u": values}``, each held up to the next.
        sample_time : float, optional
            How often the functions of `inputs` are asked, from the start on; their values are held meanwhile. By
            default they are asked at every stage of a step, and must be smooth.
        events : mapping, optional
            What may happen on the way, by name: a condition that becomes true, ``"z < 0"``; an expression that
            crosses zero, ``"theta - pi/2"``; a function ``f(t, y)`` that does, with ``direction`` and ``terminal``,
            true or false, as SciPy has them, but that a quantity which is zero at the start is met there only with a
            direction, or one that answers True and False, which is a condition; or a mapping
            with ``when``, one of these, ``direction``, ``terminal``, and ``reset``: values of coordinates and
            velocities after it, as expressions in those before, ``{"z'": "-e*z'"}``, or a function ``g(t, y)`` that
            gives the state. After a reset the state is brought onto the constraints, by the least change in the
            kinetic metric, and the ledger has the energy as ``resets``. `Motion.events` has them. In each step the
            quantity is looked at in ten places, and in hundreds where these do not show its course; of two
            crossings between neighbouring places both are found, from the slopes there, where it turns once between
            them. A function is looked at likewise, and may have corners and jumps.
        stop : str, function, or sequence of these
            Conditions that end the motion, beside those of the model.
        sensitivity : iterable of str
            Parameters, inputs, and starts of coordinates and velocities (``theta'``) by which the motion is
            differentiated exactly: `Motion.sensitivity`, `Motion.derivatives`.
        drop : iterable of str
            Constraints to be left out.

        Returns
        -------
        Motion
            Also where the motion ended early: `Motion.success`, `Motion.message`.

        Raises
        ------
        ModelError
            An inconsistent start, an unknown parameter, no end time.
        KeyboardInterrupt
            Ctrl-C.
        """
        inputs = sampled(inputs, input_times)
        started, start = self._begun(x0, real("t0", t0))
        if started is not None:
            return started.run(
                until, params=params, method=method, form=form, backend=backend, rtol=rtol, atol=atol,
                max_step=max_step, samples=samples, t_eval=t_eval, inputs=inputs, sample_time=sample_time, events=events, stop=stop,
                sensitivity=sensitivity, drop=drop,
            )  # fmt: skip
        given = given_of(params, drop)
        driven = inputs_of(inputs, real("sample_time", sample_time))
        happens = events_of(events, stop)
        names = names_of(sensitivity)
        if names and happens:
            raise ValueError("a motion with events cannot be differentiated: write what ends it as `stop` of the model")
        times = times_of("t_eval", t_eval, samples)
        request = request_of(form, method, backend, until, rtol, atol, samples, times, start, happens, max_step)
        session, solve = self._session, self._solver(given, request, driven)
        motion = solved(lambda: solve(None, None), happens)
        resolve = partial(_solver_again, self.name, self.text, given, request, driven)
        written = partial(_page_again, self.name, self.text, given, request)
        called = [own["name"] for own in happens]
        made = Motion(motion, solve, lambda: session.describe_motion(given, motion), resolve, written, called)
        if names:
            with translated():
                found = session.sensitivity(given, request, driven, names)
            made.derivatives = derivatives_of(found, made.t)
        return made

    def fmu(
        self,
        path: str | os.PathLike[str],
        kind: str = "both",
        *,
        params: Parameters = None,
        form: str | None = None,
        drop: Iterable[str] = (),
    ) -> Path:
        """Writes the model as a Functional Mock-up Unit, FMI 3.0, which simulators and controllers load.

        States are coordinates and velocities, with the start of the model on the constraints; inputs and parameters can
        be set without compiling anew, and what is set or given of the start stays where the constraints allow it; outputs are multipliers, energy, residuals, constraint forces and plotted curves.
        Stop conditions are events that end the simulation. Co-Simulation ends each step on the constraints; in Model
        Exchange an event brings back a state that has left them by more than the tolerance.

        Parameters
        ----------
        path : str or os.PathLike
            The file to be written.
        kind : {"both", "me", "cs"}
            Which interfaces it has: Model Exchange, Co-Simulation.
        params, form, drop
            As for `run`.

        Returns
        -------
        Path
            The file.

        Warns
        -----
        UserWarning
            There is no C compiler, so that the unit has sources but no library for this machine.
        """
        path = Path(path)
        with translated():
            archive, missing = self._session.fmu(given_of(params, drop), path.stem, kind, form)
        path.write_bytes(archive)
        if missing is not None:
            warnings.warn(f"{path} has no library for this machine: {missing}", stacklevel=2)
        return path

    def report(
        self,
        path: str | os.PathLike[str],
        until: float | None = None,
        *,
        params: Parameters = None,
        method: str | None = None,
        form: str | None = None,
        drop: Iterable[str] = (),
    ) -> Page:
        """Writes the page of this model, as ``appell report`` does: its motion, plots, equations and proofs.

        Parameters
        ----------
        path : str or os.PathLike
            The file to be written.
        until, params, method, form, drop
            As for `run`.

        Returns
        -------
        Page
            What was written; a notebook shows it.
        """
        return self.run(until, params=params, method=method, form=form, drop=drop).report(path)

    def _solver(
        self, given: tuple[list[str], list[str]], request: dict[str, Any], driven: list[dict[str, Any]] | None
    ) -> Solve:
        """What computes a motion, at other times where some are given."""
        session = self._session

        def solve(times: list[float] | None, until: float | None) -> _appell.Motion:
            own = request if times is None else {**request, "times": times, "until": until}
            with translated():
                return session.run(given, own, driven)

        return solve

    def ensemble(
        self,
        x0: ArrayLike | Mapping[str, ArrayLike] | None = None,
        params: Mapping[str, Any] | None = None,
        until: float | None = None,
        *,
        rtol: float | None = None,
        atol: float | None = None,
        samples: int | None = None,
        times: ArrayLike | None = None,
        threads: int | None = None,
        backend: str | None = None,
        form: str | None = None,
        drop: Iterable[str] = (),
        progress: Progress = False,
    ) -> Ensemble:
        """Computes the motions of many members.

        What is left open comes from the model. Results are the same to the last bit whatever the number of
        threads and whoever the other members are.

        Parameters
        ----------
        x0 : array, shape (members, 2n), or mapping of str to array, optional
            Starts: q, then v, in the order of `coordinates`; or some of them by name,
            ``{"theta'": array}``, while the others are found as the model says. Any real type and layout; one
            state, or a single number of a mapping, is that of all members.
        params : mapping, optional
            Other values of parameters: one for all, or an array, shape (members,).
        until : float, optional
            The end time.
        rtol, atol : float, optional
            Tolerances of a step.
        samples : int, optional
            How many states of each member are kept, the first and the last included; by default the last only.
        times : array, optional
            The times of the kept states instead.
        threads : int, optional
            By default as many as there are processors.
        backend : str, optional
            ``auto``, ``interp``, ``jit``, ``cc`` or ``cuda``.
        form, drop
            As for `run`.
        progress : bool or callable
            True for a line on standard error; or a function that is called now and then with the part that is
            done, from 0 to 1. An exception in it ends the work.

        Returns
        -------
        Ensemble
            Also where members failed or their starts were refused: `Ensemble.status`, `Ensemble.remarks`.

        Raises
        ------
        ValueError, TypeError
            Arrays of wrong shapes, what is no finite number, with the row.
        ModelError
            An unknown name, no end time.
        KeyboardInterrupt
            Ctrl-C; nothing is kept.
        """
        params = by_name("params", params)
        single = {name: value for name, value in params.items() if np.ndim(value) == 0}
        columns, values = members(
            self.coordinates, x0, {name: value for name, value in params.items() if name not in single}
        )
        if threads is not None and threads < 1:
            raise ValueError(f"{threads} threads are too few: give 1 or more, or none for all processors")
        kept = times_of("times", times, samples)
        request = request_of(form, None, backend, until, rtol, atol, samples, kept, None)
        with translated(), meter(progress) as tell:
            done = self._session.ensemble(given_of(single, drop), request, columns, values, threads or 0, tell)
        return Ensemble(done)

    def rhs(
        self,
        form: str | None = None,
        backend: str = "auto",
        *,
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> RightSide:
        """The right-hand side ``f(t, y, p=None)``, for `scipy.integrate.solve_ivp` and others.

        Parameters
        ----------
        form
            A form of the equations, by default the first that applies.
        backend
            ``"auto"``, ``"interp"``, ``"jit"`` or ``"cc"``: what evaluates them.

        Returns
        -------
        RightSide
            A function of the time and of y = (q, v) with the exact derivative ``jac(t, y)`` and
            ``state_names``. y may be any sequence of real numbers. Nothing is projected: the constraints hold
            along exact solutions only. Nor are singular states watched for, as `run` does.

            ``f(t, y, p)`` takes other values of parameters and inputs, in the order of ``parameters``; nothing is
            compiled anew for them.

            ``c_function`` has two addresses for `ctypes`, `cffi` or `numba`, or is None where machine code
            cannot be made: ``int f(double t, const double *y, double *out, void *data)``, which answers 0 or,
            where it has no value, 1, and what is to be given as ``data``. Any thread may call it, as long as
            the right-hand side lives.

        Raises
        ------
        NumericalError
            When called where the equations contradict each other.
        ValueError
            A backend that there is not, or that this machine does not have.
        """
        given = given_of(params, drop)
        with translated():
            function = self._session.right_side(given, form, backend)
        return RightSide(function, partial(_right_side_again, self.name, self.text, given, form, backend))

    def stepper(
        self,
        dt: float,
        x0: States | Iterable[str] | None = None,
        *,
        params: Parameters = None,
        form: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        t0: float | None = None,
        drop: Iterable[str] = (),
    ) -> Stepper:
        """The motion step by step, with inputs that are set between the steps: for control loops.

        Parameters
        ----------
        dt : float
            The length of a step.
        x0, params, form, rtol, atol, t0, drop
            As for `run`.

        Returns
        -------
        Stepper
            ``step(inputs)`` goes on by `dt` and gives the state; ``t``, ``state``, ``inputs``, ``reset()``,
            ``accelerations()``, ``multipliers()``.

        Examples
        --------
        >>> import appell as ap
        >>> cart = ap.Model(coordinates="x", inputs={"tau": 0}, kinetic="x'^2/2", forces={"x": "tau"})
        >>> loop = cart.stepper(0.1)
        >>> for _ in range(100):
        ...     x, v = loop.state
        ...     _ = loop.step({"tau": 1 - x - 2 * v})
        >>> bool(abs(loop.state[0] - 1) < 1e-2)
        True
        """
        started, start = self._begun(x0, real("t0", t0))
        if started is not None:
            return started.stepper(dt, params=params, form=form, rtol=rtol, atol=atol, drop=drop)
        request = request_of(form, None, None, None, rtol, atol, None, None, start)
        with translated():
            return Stepper(self._session.stepper(given_of(params, drop), real("dt", dt) or 0.0, request))

def again(name: str, text: str) -> Model:
    """The model from its text, without the warnings that were given before."""
    from ._model import Model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return Model(text=text, name=name)


def _solver_again(
    name: str,
    text: str,
    given: tuple[list[str], list[str]],
    request: dict[str, Any],
    driven: list[dict[str, Any]] | None,
) -> Solve:
    return again(name, text)._solver(given, request, driven)


def _page_again(name: str, text: str, given: tuple[list[str], list[str]], request: dict[str, Any]) -> str:
    with translated():
        return again(name, text)._session.report(given, request)


def _right_side_again(
    name: str, text: str, given: tuple[list[str], list[str]], form: str | None, backend: str = "auto"
) -> RightSide:
    drop, params = given[1], dict(pair.split("=", 1) for pair in given[0])
    return again(name, text).rhs(form, backend, params=params, drop=drop)
