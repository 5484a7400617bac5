"""Answers of a model: the same numbers as those of the command line, to the last bit."""

from __future__ import annotations

import io
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell as ap

from conftest import ZOO

pytestmark = pytest.mark.filterwarnings("ignore::appell.ModelWarning")


def stored(record: Any) -> Any:
    return json.loads(json.dumps(record))


@pytest.mark.parametrize("path", ZOO, ids=lambda path: path.stem)
def test_a_run_is_that_of_the_command_line(path: Path, cli: Any, tmp_path: Path) -> None:
    files = [tmp_path / "motion.json", tmp_path / "motion.npz"]
    summary = cli("run", str(path), "--json", "-o", str(files[0]), "-o", str(files[1]))
    motion = ap.Model(path).run()
    own = motion.to_dict()
    assert {key: own[key] for key in summary} == summary
    table = json.loads(files[0].read_text())
    assert list(table) == motion.columns
    archive = np.load(files[1])
    assert archive.files == motion.columns
    for name, column in table.items():
        wanted = np.array(column, dtype=float)
        assert np.array_equal(motion[name], wanted, equal_nan=True), name
        assert np.array_equal(archive[name], wanted, equal_nan=True), name
    assert motion.y.shape == (len(motion.state_names), motion.t.size)
    assert motion.y[:, -1].tolist() == summary["final"]


@pytest.mark.parametrize("name", ["skate", "rolling-disc", "appell-particle", "bicycle", "suslov"])
def test_what_is_evaluated_and_checked_is_that_of_the_command_line(name: str, cli: Any, tmp_path: Path) -> None:
    path = next(path for path in ZOO if path.stem == name)
    model = ap.Model(path)
    n = len(model.coordinates)
    states = [{"t": 0.5, "q": [0.1 + 0.2 * i for i in range(n)], "v": [0.3 - 0.1 * i for i in range(n)]}]
    file = tmp_path / "states.json"
    file.write_text(json.dumps(states))
    assert model.eval(states).to_dict() == cli("eval", str(path), "--states", str(file), "--json")
    array = [*states[0]["q"], *states[0]["v"]]
    assert model.eval({"t": 0, "q": array[:n], "v": array[n:]}) == model.eval(np.array([array]))
    assert model.check(states).to_dict() == cli("check", str(path), "--states", str(file), "--json")


@pytest.mark.parametrize("name", ["skate", "perpendicular"])
def test_proofs_and_integrals_are_those_of_the_command_line(name: str, cli: Any) -> None:
    model = ap.Model.gallery(name)
    path = str(next(path for path in ZOO if path.stem == name))
    proof = model.prove()
    own = proof.to_dict()
    assert own.pop("refuted") is False
    assert own == cli("prove", path, "--json")
    assert all(claim.verdict == "proved" for claim in proof.claims)
    found = model.conserved()
    assert found.to_dict() == cli("conserved", path, "--json")
    assert found.integrals


@pytest.mark.parametrize("name", ["skate", "rolling-disc", "appell-particle", "snakeboard", "chaplygin-sleigh"])
def test_answers_do_not_depend_on_what_was_asked_before(name: str, cli: Any) -> None:
    """One reading answers all; the command line reads the model for each."""
    path = next(path for path in ZOO if path.stem == name)
    model = ap.Model(path)
    model.check(), model.prove(), model.conserved(), model.run()
    for form in reversed(ap.forms()):
        try:
            own = model.derive(form).text()
        except ap.Unavailable:
            continue
        assert own == cli("derive", str(path), "--form", form), form
    assert model.prove() == ap.Model(path).prove()
    assert np.array_equal(model.run().y, ap.Model(path).run().y)


def test_a_notebook_shows_html() -> None:
    """Browsers typeset MathML; each formula carries the LaTeX that it was made of."""
    from xml.etree import ElementTree

    derivation = ap.Model.gallery("skate").derive("gibbs-appell")
    shown = ElementTree.fromstring(derivation._repr_html_())
    latex = " ".join(derivation.latex().split())
    formulas = [" ".join((node.text or "").split()) for node in shown.iter("annotation")]
    assert len(formulas) > 10 and all(formula in latex for formula in formulas if "begin{" not in formula)
    assert any("\\lambda_{\\mathrm{blade}}" in formula for formula in formulas)
    assert all(len(node) == 1 for node in shown.iter("math"))
    again = pickle.loads(pickle.dumps(derivation))
    assert again.html() == derivation.html() and derivation.html() in derivation._repr_html_()
    long = ap.Model.gallery("skate").derive("gibbs-appell", steps=True)
    assert len(long.html()) > len(derivation.html())


def test_equations_are_those_of_the_command_line(cli: Any) -> None:
    model = ap.Model.gallery("skate")
    path = str(next(path for path in ZOO if path.stem == "skate"))
    forms = model.derive(list(ap.forms()), steps=True)
    wanted = cli("derive", path, "--form", "all", "--steps", "--to", "json")
    assert [form.to_dict() for form in forms.values()] == wanted["forms"]
    assert model.derive("kane").text() == cli("derive", path, "--form", "kane")
    assert model.derive("kane").latex() == cli("derive", path, "--form", "kane", "--to", "latex")
    assert model.derive().form == "multipliers"
    assert model.derive("gibbs-appell").state == ["x", "y", "theta", "z1", "z2"]


def test_a_form_that_does_not_apply_says_why() -> None:
    model = ap.Model.gallery("perpendicular")
    with pytest.raises(ap.Unavailable, match="maggi does not apply: .*not affine"):
        model.derive("maggi")
    assert "unavailable" in model.derive(["maggi"])["maggi"]
    with pytest.raises(ValueError, match="did you mean `gauss`"):
        model.derive("gaus")


def test_derivations_in_notebooks_and_pickles() -> None:
    form = ap.Model.gallery("skate").derive("gibbs-appell", steps=True)
    shown = form._repr_latex_()
    assert "\\paragraph" not in shown and "\\section" not in shown and "\\[" not in shown
    assert shown.count("$$") % 2 == 0 and "\\begin{align*}" in shown
    again = pickle.loads(pickle.dumps(form))
    assert again == form and again.latex() == form.latex()


def test_records_have_attributes_and_arrays() -> None:
    answer = ap.Model.gallery("skate").eval([0, 0, 0.3, 1, 0, 2])
    state = answer.states[0]
    assert state.accel.dtype == float and state.accel.shape == (3,)
    assert np.array_equal(state.lambda_, state["lambda"])
    assert state.forms["gibbs-appell"] == state.forms.gibbs_appell
    assert "lambda_" in dir(state) and "accel" in state and set(state) == set(state.keys())
    assert "accel" in repr(answer) or "q''" in repr(answer)
    with pytest.raises(AttributeError, match="there are t, q, v"):
        state.acel  # noqa: B018
    copied = state.to_dict()
    copied["q"][0] = 99.0
    assert state.q[0] == 0.0
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_states_must_have_the_right_shape() -> None:
    model = ap.Model.gallery("skate")
    with pytest.raises(ValueError, match="6 numbers"):
        model.eval([0, 0, 0])
    with pytest.raises(ValueError, match="3 are needed"):
        model.eval({"q": [0, 0], "v": [0, 0]})
    with pytest.raises(ValueError, match="finite"):
        model.eval({"q": [0, 0, 0], "v": ["one", 0, 0]} | {"t": 0} | {"v": ["inf", 0, 0]})
    assert len(model.eval(np.zeros((4, 6))).states) == 4


def test_linear_equations_and_sweeps(cli: Any) -> None:
    path = str(next(path for path in ZOO if path.stem == "bicycle"))
    model = ap.Model(path)
    riding = ["phi' = 0"]
    one = model.linearize(initial=riding)
    size = len(one.state_names)
    assert one.matrix.shape == (size, size) and one.eigenvalues.dtype == complex
    assert one.to_dict() == cli("linearize", path, "--initial", riding[0], "--json")
    answer = cli("linearize", path, "--initial", riding[0], "-p", "vx=4:6:1", "--crossings", "--json")
    swept = model.linearize(initial=riding, sweep=("vx", 4, 6, 1), crossings=True)
    own = swept.to_dict()
    assert own.pop("state_names")
    assert own == answer
    assert swept.eigenvalues.shape[0] == 3 and np.array_equal(swept.values, [4.0, 5.0, 6.0])
    assert model.linearize(initial=riding, sweep="vx=4:6:1").eigenvalues.shape == swept.eigenvalues.shape
    with pytest.raises(ValueError, match="NAME=FROM:TO"):
        model.linearize(sweep="vx=4")
    with pytest.raises(ap.ModelError, match="not steady"):
        model.linearize()


def test_equilibria_are_looked_for() -> None:
    pendulum = ap.Model(
        coordinates="a", parameters={"g": 9.81}, kinetic="a'^2/2", potential="-g*cos(a)", initial=["a = 0.1"]
    )
    found = pendulum.check(box={"a": (-4, 4)}).equilibria
    assert {round(float(state.q[0]), 6) % 6.283185 for state in found.states} >= {0.0}
    assert pendulum.check(equilibria=True).equilibria.states


def test_citations() -> None:
    text = ap.Model.gallery("skate").cite(form="gibbs-appell")
    assert "{benenti2007," in text and "{appell," in text


@pytest.mark.parametrize("undefined", ["singular"])
def test_a_singular_state_is_no_linear_equation(undefined: str) -> None:
    model = ap.Model.gallery("appell-particle")
    n = len(model.coordinates)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = model.eval([0.0] * (2 * n)).states[0]
    assert state.status == undefined and state.accel is None and state.why
    with pytest.raises((ap.NumericalError, ap.ModelError)):
        model.linearize([0.0] * (2 * n))
    assert issubclass(ap.NumericalError, ArithmeticError)


def test_text_of_results() -> None:
    stream = io.StringIO()
    print(ap.Model.gallery("skate").check(), file=stream)
    assert "freedoms" in stream.getvalue()
