"""Models: read from a file, from a text, or from arguments; and what can be asked of them."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, overload

from . import _appell
from ._arguments import Parameters, given_of, whole
from ._copies import Listed
from ._derivation import Derivation, Writer, derivations
from ._errors import Diagnostic, SympyRemark, translated, warn_of
from ._formulas import file_text, model_text
from ._records import Record, record
from ._runs import Runs, again
from ._starts import States, written
from ._toml import exact

__all__ = ["Model"]

_KEPT = 8
#: What a model says of itself.
_FIXED = frozenset(("text", "title", "source", "about", "coordinates", "parameters", "inputs", "constraints", "bodies", "claims"))


class Model(Runs):
    """A mechanical system with constraints on its velocities.

    Parameters
    ----------
    path : str or os.PathLike, optional
        A model file.
    text : str, optional
        The text of one instead.
    **fields
        The keys of the format instead: ``coordinates``, ``parameters``, ``inputs``, ``define``, ``frames``, ``points``,
        ``particles``, ``bodies``, ``loads``, ``gravity``, ``kinetic``, ``potential``, ``lagrangian``,
        ``forces``, ``constraints``, ``motion``, ``initial``, ``simulate``, ``claims``, ``plots``,
        ``animation``, ``title``, ``source``, ``about``. Tables are dictionaries; ``coordinates`` may be one
        string with blanks, ``constraints`` a list, ``initial`` a list of equations. Formulas are strings of
        the model language, or SymPy expressions, vectors, points, particles and rigid bodies; ``frame`` and
        ``origin`` say which SymPy frame and point are at rest where that is not plain.

    Attributes
    ----------
    text : str
        The text of the model; also of one made from arguments.
    title, source, about : str or None
        Texts of the model.
    coordinates : list of str
        The n coordinates, in the order of q.
    parameters : mapping of str to float
        Their values, in the order of the model; other values are given to each question as ``params``.
    inputs : mapping of str to float
        The inputs with the values that they have where nothing drives them; see `run` and `stepper`.
    constraints, bodies, claims : list of str
        Names.
    warnings : list of Diagnostic
        What was warned of when the model was read.
    remarks : list of str
        What `from_sympy` understood, added and renamed.

    Raises
    ------
    ModelError
        Everything that is wrong with the text, with places and hints.
    FileNotFoundError
        There is no such file.

    Notes
    -----
    Questions are answered in threads of their own, without the interpreter's lock; Ctrl-C ends them. Answers
    do not depend on what was asked before.

    Examples
    --------
    >>> import appell as ap
    >>> model = ap.Model(
    ...     coordinates="x y theta",
    ...     parameters={"m": 1, "I": 0.2},
    ...     kinetic="m*(x'^2 + y'^2)/2 + I*theta'^2/2",
    ...     constraints={"blade": "x'*sin(theta) - y'*cos(theta) = 0"},
    ... )
    >>> model.check().dof
    2
    """

    title: str
    source: str | None
    about: str | None
    parameters: Mapping[str, float]
    inputs: Mapping[str, float]
    constraints = Listed()
    bodies = Listed()
    claims = Listed()
    warnings: list[Diagnostic]
    remarks: list[str]
    text: str
    name: str

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        /,
        *,
        text: str | None = None,
        name: str | None = None,
        **fields: Any,
    ) -> None:
        ways = [path is not None, text is not None, bool(fields)]
        if sum(ways) != 1:
            raise TypeError("give a file, or text=..., or the fields of the model; one of the three")
        if path is not None:
            name = name or os.fspath(path)
            text = file_text(path)
        elif text is None:
            text = model_text(fields)
        self.name = name or "model"
        self.text = text
        with translated():
            self._session = _appell.Session(self.name, text)
        self.warnings = warn_of(self._session.warnings, stacklevel=2)
        self._restarted: dict[tuple[tuple[str, ...], float | None], Model] = {}
        self.remarks = []
        self._describe()

    def _describe(self) -> None:
        with translated():
            self._about = json.loads(self._session.describe(([], [])))
        entry = self._about
        self.title, self.source, self.about = entry["title"], entry["source"], entry["about"]
        self.coordinates = entry["coordinates"]
        self.parameters = MappingProxyType({p["name"]: p["value"] for p in entry["parameters"]})
        self.inputs = MappingProxyType({p["name"]: p["value"] for p in entry["inputs"]})
        self.constraints = [constraint["name"] for constraint in entry["constraints"]]
        self.bodies, self.claims = entry["bodies"], entry["claims"]

    @classmethod
    def from_sympy(cls, q: Sequence[Any], **given: Any) -> Model:
        """Makes a model of what a user of SymPy's mechanics has at hand.

        Parameters
        ----------
        q : KanesMethod, LagrangesMethod, System, JointsMethod, or sequence
            The object that forms the equations in SymPy; or the coordinates, as ``dynamicsymbols`` or
            functions of time, with the rest as the arguments below. Of a ``System`` of PyDy also its constants, initial
            conditions and times are taken, and what it calls specified becomes inputs.
        lagrangian : sympy expression, optional
            L(q, q', t).
        bodies : sequence, optional
            ``Particle``, ``RigidBody`` and ``Body`` objects, instead of the Lagrangian or beside one without their energy.
        forces : sequence, optional
            Pairs of a point and a force vector, or of a frame and a torque vector, ``Force`` and ``Torque``
            objects, actuators; or a mapping of coordinates to Lagrangian components.
        constraints : sequence or mapping, optional
            Expressions that vanish, in q, q', u and t: holonomic ones, those on velocities of any degree, and those on
            accelerations; vectors too.
        parameters : mapping, optional
            Values of symbols, by symbols or by names.
        frame : ReferenceFrame, optional
            The inertial frame; the only one if there is one only.
        origin : Point, optional
            A point at rest.
        u, kd : sequences, optional
            Motion variables with the kinematic equations that define them, as for ``KanesMethod``. One that is
            the rate of no coordinate gets a coordinate of its own, ``path_u1``.
        u_auxiliary : sequence, optional
            Speeds that are zero, for the sake of forces: each is held by a constraint ``no_u1``, whose
            multiplier is the force.
        specified : mapping, optional
            Functions of the time with their expressions; numbers may be given as parameters.
        inputs : mapping, optional
            Functions of the time that are inputs of the model, ``{F: 0}``: what drives them is told to `run` and `stepper`.
        rename : mapping, optional
            Names of the model for symbols, functions or what they are called. Without it what cannot be a
            name is changed, and equal names are numbered: see `remarks`.
        velocities : {"checked", "given"}
            Velocities must be those of the positions, or of a rolling contact; or they are kept as
            they were given, as Kane's equations in SymPy keep them, by constraints and coordinates of their own.
        **fields
            Further fields, as of `Model`.

        Returns
        -------
        Model

        Raises
        ------
        ValueError
            A velocity, angular velocity or acceleration is not that of the positions, with the point or frame and what
            to do; a symbol has no value; something has no counterpart in a model.

        Warns
        -----
        SympyRemark
            How something was understood that SymPy leaves open; also in `remarks`.
        """
        from ._from_sympy import imported
        from ._pydy import opened

        q, given = opened(q, given)
        fields, remarks, heard = imported(q, **given)
        model = cls(**fields)
        for remark in heard:
            warnings.warn(SympyRemark(remark), stacklevel=2)
        model.remarks = [*heard, *remarks]
        return model

    @classmethod
    def gallery(cls, name: str) -> Model:
        """A model of the gallery by its name; `appell.gallery` lists them."""
        for own, _, text in _appell.gallery_entries():
            if own == name:
                return cls(text=text, name=f"{name}.toml")
        raise KeyError(f"the gallery has no model `{name}`; `appell.gallery()` lists all")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and name in self.__dict__:
            instead = "; give other values to each question, as run(params={...})" if name == "parameters" else ""
            raise AttributeError(f"`{name}` of a model cannot be changed{instead}")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<Model {self.title!r}: {', '.join(self.coordinates)}>"

    def __eq__(self, other: object) -> bool:
        """Whether the texts are the same."""
        return isinstance(other, Model) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return again, (self.name, self.text), {"remarks": self.remarks}

    # Questions.

    def check(
        self,
        states: States | None = None,
        *,
        equilibria: bool = False,
        box: Mapping[str, tuple[float, float]] | None = None,
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> Record:
        """What the model is: freedoms, classes of constraints, ranks, singular set, initial state.

        Parameters
        ----------
        states : states, optional
            States to be judged too: see `eval`.
        equilibria : bool
            Whether equilibria and steady motions are looked for near the initial state.
        box : mapping of str to (float, float), optional
            Ranges of coordinates or velocities in which they are looked for, as soon as there are some.
        params : mapping, optional
            Other values of parameters.
        drop : iterable of str
            Constraints to be left out.

        Returns
        -------
        Record
            ``coordinates`` (n), ``dof`` (m), ``stationary``, ``constraints``, ``holonomic_combinations``,
            ``growth_vector``, ``singular``, ``initial``, and ``states``, ``equilibria`` where asked for.
        """
        ranges = [f"{name}={exact(low)}:{exact(high)}" for name, (low, high) in (box or {}).items()]
        asked = ranges if equilibria or ranges else None
        with translated():
            answer = self._session.check(given_of(params, drop), self._states(states), asked)
        return _answer(answer)

    @overload
    def derive(
        self, form: str | None = None, *, steps: bool = ..., params: Parameters = ..., drop: Iterable[str] = ...
    ) -> Derivation: ...

    @overload
    def derive(
        self, form: list[str] | tuple[str, ...], *, steps: bool = ..., params: Parameters = ..., drop: Iterable[str] = ...
    ) -> dict[str, Derivation | Record]: ...

    def derive(
        self,
        form: str | list[str] | tuple[str, ...] | None = None,
        *,
        steps: bool = False,
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> Derivation | dict[str, Derivation | Record]:
        """The equations of motion.

        Parameters
        ----------
        form : str or list of str, optional
            The id of a form, as ``gibbs-appell``, or several; by default the first that applies. `appell.forms`
            lists them.
        steps : bool
            Whether every intermediate object is kept, under its printed letter.
        params, drop
            As for `check`.

        Returns
        -------
        Derivation, or for several forms a dict of them
            In the dict a form that does not apply is a `Record` with ``unavailable``, the reason.

        Raises
        ------
        Unavailable
            The one form asked for does not apply.
        """
        ids = None if form is None else [form] if isinstance(form, str) else list(form)
        given = given_of(params, drop)
        with translated():
            answer = self._session.derive(given, ids, steps)
        write = Writer(self._session, given, steps)
        single = form is None or isinstance(form, str)
        found: Derivation | dict[str, Derivation | Record] = derivations(answer, write, single)
        return found

    def prove(self, *, params: Parameters = None, drop: Iterable[str] = ()) -> Record:
        """Proves the forms equal, and proves or refutes the model's claims.

        Returns
        -------
        Record
            ``equivalence``, ``identities``, ``claims``, each with ``verdict``: proved, refuted or undecided;
            ``refuted`` says whether something is refuted that should hold.
        """
        with translated():
            answer, text, refuted = self._session.prove(given_of(params, drop))
        return record({**json.loads(answer), "refuted": refuted}, text)

    def conserved(
        self,
        *,
        degree: int = 2,
        seed: int = 0,
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> Record:
        """First integrals, each proved.

        Parameters
        ----------
        degree
            Polynomials of up to this degree in the velocities are searched, from 1 to 6; with coefficients of bounded
            degree in functions of place and time, which is higher where this one is, so that more of lower degree may
            be found with it: ``ansatz`` says which.
        seed
            Another number, other primes and points.

        Returns
        -------
        Record
            ``ansatz``, what was searched in words; ``integrals``, each with ``expression``, ``kind``,
            ``verdict`` and ``bound``; ``seed``.
        """
        degree, seed = whole("degree", degree), whole("seed", seed)
        if not 1 <= degree <= 6:
            raise ValueError(f"degree must be from 1 to 6, not {degree}")
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed={seed}: give a number from 0 to 2**64 - 1")
        with translated():
            return _answer(self._session.conserved(given_of(params, drop), degree, seed))

    def eval(
        self,
        states: States,
        *,
        form: str | Sequence[str] | None = None,
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> Record:
        """Everything at given states, in every form.

        Parameters
        ----------
        states : mapping, sequence of mappings, or array
            ``{"t": 0, "q": [...], "v": [...]}`` or several, without ``t`` at the time of the model's start; ``z`` may
            stand for ``v`` where the model has parameters of the velocities. Or an array of shape (2n,) or (k, 2n): q,
            then v; or a DataFrame with all names of a state.
        form : str or sequence of str, optional
            The forms; by default all.
        params, drop
            As for `check`.

        Returns
        -------
        Record
            ``states``: for each ``accel`` (n), ``lambda_`` (rows), ``reaction`` (n, covariant), ``energy``,
            ``forces``, ``forms`` and more.
        """
        ids = None if form is None else [form] if isinstance(form, str) else list(form)
        text = self._states(states)
        if text is None:
            raise TypeError("states are needed")
        with translated():
            return _answer(self._session.eval(given_of(params, drop), text, ids))

    def linearize(
        self,
        at: States | None = None,
        *,
        sweep: str | tuple[str, Any, Any] | tuple[str, Any, Any, Any] | None = None,
        crossings: bool = False,
        initial: Iterable[str] | None = None,
        outputs: Iterable[str] = (),
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> Record:
        """The linear equations about an equilibrium or a steady motion, on the constraints.

        Parameters
        ----------
        at : state, optional
            The state, as for `eval`; by default the model's start. Numbers may be strings, expressions in
            the parameters.
        sweep : str or tuple, optional
            A range of a parameter: ``"v=0:10:0.1"`` or ``("v", 0, 10, 0.1)``.
        crossings : bool
            Whether the values are found at which real parts change sign.
        initial : iterable of str, optional
            Equations of the start given anew.
        outputs : str or iterable of str, optional
            Columns of a motion, or expressions, for C and D; by default coordinates and velocities. Not for a sweep.
        params, drop
            As for `check`.

        Returns
        -------
        Record
            ``state_names``, ``matrix`` (k x k), ``eigenvalues`` (k, complex); for a sweep ``parameter``,
            ``values``, ``eigenvalues`` (values x k; nan where there are none) and ``crossings``. Of a model with
            inputs, or with `outputs`, also ``inputs``, ``outputs`` and the matrices ``B``, ``C``, ``D``.

        Raises
        ------
        ModelError
            The state is not steady, or off the constraints.
        NumericalError
            The state is singular.
        """
        if initial is not None:
            started = self._started(tuple(initial))
            return started.linearize(at, sweep=sweep, crossings=crossings, outputs=outputs, params=params, drop=drop)
        given, states, asked = given_of(params, drop), self._states(at), _listed(outputs)
        if sweep is None and crossings:
            raise ValueError("crossings are looked for along a sweep: give sweep=(\"v\", 0, 10, 0.1) too")
        if sweep is not None and asked:
            raise ValueError("a sweep gives eigenvalues only: ask for outputs at one value, by params, without sweep")
        with translated():
            if sweep is None:
                return _answer(self._session.linearize(given, states, asked))
            if isinstance(sweep, str) and "=" not in sweep:
                raise ValueError(f"sweep={sweep!r}: give \"v=0:10:0.1\" or (\"v\", 0, 10, 0.1)")
            if not isinstance(sweep, str):
                sweep = f"{sweep[0]}=" + ":".join(exact(value) for value in sweep[1:])
            answer, text, names = self._session.sweep(given, sweep, states, crossings)
        return record({**json.loads(answer), "state_names": names}, text)

    def cite(
        self,
        form: str | None = None,
        method: str | None = None,
        *,
        params: Parameters = None,
        drop: Iterable[str] = (),
    ) -> str:
        """The sources of the model, of a form and of a method, as BibTeX.

        Parameters
        ----------
        form, method : str, optional
            Ids; by default those that `run` would choose.
        """
        with translated():
            return self._session.cite(given_of(params, drop), form, method)

    # Helpers.

    def _started(self, equations: tuple[str, ...], t0: float | None = None) -> Model:
        """The model with equations of its start given anew, and with another time."""
        key = (equations, t0)
        if key not in self._restarted:
            while len(self._restarted) >= _KEPT:
                self._restarted.pop(next(iter(self._restarted)))
            text = _appell.with_initial(self.text, list(equations), t0)
            self._restarted[key] = type(self)(text=text, name=self.name)
        return self._restarted[key]


def _listed(formulas: Any) -> list[str]:
    several = [formulas] if isinstance(formulas, str) or not hasattr(formulas, "__iter__") else list(formulas)
    return [written(formula) for formula in several]


def _answer(answer: tuple[str, str]) -> Record:
    return record(json.loads(answer[0]), answer[1])
