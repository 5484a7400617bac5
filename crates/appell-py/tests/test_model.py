"""Models from files, texts and arguments; their errors and warnings."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
import time
import tomllib
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import appell as ap

from conftest import ROOT, ZOO

SKATE: dict[str, Any] = {
    "coordinates": "x y theta",
    "parameters": {"m": 1, "I": 0.2},
    "kinetic": "m*(x'^2 + y'^2)/2 + I*theta'^2/2",
    "constraints": {"blade": "x'*sin(theta) - y'*cos(theta) = 0"},
}


def test_a_file_a_text_and_fields_are_one_model() -> None:
    path = ROOT / "zoo" / "skate.toml"
    of_file, of_text = ap.Model(path), ap.Model(text=path.read_text())
    of_fields = ap.Model(**tomllib.loads(path.read_text()))
    state = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    answers = [model.eval(state).to_dict() for model in (of_file, of_text, of_fields)]
    assert answers[0] == answers[1] == answers[2]
    assert of_file.name.endswith("skate.toml") and of_file.title == "Skate on an inclined plane"
    assert of_file.coordinates == ["x", "y", "theta"] and of_file.constraints == ["blade"]
    assert of_file.parameters == {"m": 1.0, "I": 0.2, "g": 9.81, "alpha": 0.3}


@pytest.mark.parametrize("path", ZOO, ids=lambda path: path.stem)
def test_every_file_survives_the_way_through_fields(path: Any) -> None:
    """What Python's reader makes of a file, written again, says the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ap.ModelWarning)
        fields = tomllib.loads(path.read_text())
        again = tomllib.loads(ap.Model(**fields).text)
    fields.setdefault("appell", 1)
    assert again == fields


def test_exactly_one_way_to_say_a_model() -> None:
    with pytest.raises(TypeError, match="one of the three"):
        ap.Model()
    with pytest.raises(TypeError, match="one of the three"):
        ap.Model("skate.toml", text="")


def test_a_missing_file_may_be_in_the_gallery(tmp_path: Any) -> None:
    with pytest.raises(FileNotFoundError, match="gallery"):
        ap.Model(tmp_path / "skate.toml")
    with pytest.raises(FileNotFoundError):
        ap.Model(tmp_path / "no-such-model.toml")
    with pytest.raises(KeyError, match="gallery"):
        ap.Model.gallery("no-such-model")


def test_errors_have_code_message_place_and_hint() -> None:
    fields = {**SKATE, "constraints": {"blade": "x'*sin(tetha) - y'*cos(theta) = 0"}}
    with pytest.raises(ap.ModelError) as caught:
        ap.Model(**fields)
    (one,) = caught.value.diagnostics
    assert one.code == "E0102" and "tetha" in one.message and one.hint == "did you mean `theta`?"
    assert one.severity == "error" and one.line is not None and one.text.rstrip() in str(caught.value)
    assert "tetha" in ap.explain("E0102") or "name" in ap.explain("E0102")
    # The span counts characters of the text that was made of the fields.
    text = "# \u03b8\u00e9\n" + 'coordinates = ["x"]\n[energy]\nkinetic = "yy\'^2"\n'
    with pytest.raises(ap.ModelError) as caught:
        ap.Model(text=text)
    span = caught.value.diagnostics[0].span
    assert span is not None and text[span[0] : span[1]].startswith("yy")
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics


def test_an_unknown_field_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ap.ModelError) as caught:
        ap.Model(**SKATE, constrains={"a": "x' = 0"})
    assert caught.value.diagnostics[0].code == "E0008"
    assert "constraints" in str(caught.value)


def test_warnings_are_warnings() -> None:
    text = 'coordinates = ["x"]\n[energy]\nkinetic = "x\'^2"\npotential = "abs(x)"\n'
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ap.Model(text=text)
    (one,) = caught
    assert isinstance(one.message, ap.ModelWarning) and one.filename == __file__
    assert one.message.diagnostic == model.warnings[0]
    assert model.warnings[0].code == "W0101" and model.warnings[0].severity == "warning"


@pytest.mark.parametrize(
    "value", ['a "quoted" \\ back\\slash', "line\nend\ttab\r", "\x00\x1f\x7f", "\u03b8 \U0001f600", ""]
)
def test_texts_are_escaped(value: str) -> None:
    model = ap.Model(**SKATE, title="x", about=value)
    assert tomllib.loads(model.text)["about"] == value
    assert model.about == value


def test_names_are_quoted_where_they_must_be() -> None:
    model = ap.Model(**{**SKATE, "constraints": {'the "blade"': "x'*sin(theta) - y'*cos(theta) = 0"}})
    assert model.constraints == ['the "blade"']


def test_numbers_of_every_kind() -> None:
    kinds = {"a": 2, "b": 0.1, "c": Fraction(1, 3), "d": Decimal("0.25"), "e": np.float32(0.5), "f": np.int64(7)}
    model = ap.Model(coordinates=["x"], parameters=kinds, kinetic="(a+b+c+d+e+f)*x'^2")
    assert model.parameters == {"a": 2.0, "b": 0.1, "c": 1 / 3, "d": 0.25, "e": 0.5, "f": 7.0}
    with pytest.raises(ap.ModelError) as caught:
        ap.Model(coordinates=["x"], parameters={"a": float("nan")}, kinetic="a*x'^2")
    assert caught.value.diagnostics[0].code == "E0011"
    with pytest.raises(TypeError, match="neither a number nor a formula"):
        ap.Model(coordinates=["x"], parameters={"a": object()}, kinetic="a*x'^2")
    for table in ("parameters", "forces"):
        with pytest.raises(ValueError, match=f"{table}: `x` is None"):
            ap.Model(coordinates=["x"], kinetic="x'^2", **{table: {"x": None}})


def test_short_ways_to_say_things() -> None:
    model = ap.Model(**{**SKATE, "constraints": ["x' = 0", "y' = 0"]}, initial="theta' = 3")
    assert model.constraints == ["c1", "c2"]
    assert model.run(until=1)["theta'"][0] == 3.0


def test_parameters_are_exact_and_checked() -> None:
    model = ap.Model(**SKATE)
    state = [0, 0, 0.3, 1, 0, 2]
    heavier = model.eval(state, params={"m": 2}).states[0]
    assert heavier.energy == pytest.approx(1 + 0.4, rel=1e-15)
    assert model.eval(state, params={"m": "1/3"}) == model.eval(state, params={"m": Fraction(1, 3)})
    with pytest.raises(ap.ModelError, match="did you mean `m`"):
        model.run(until=1, params={"mm": 2})
    with pytest.raises(TypeError, match="not a number"):
        model.run(until=1, params={"m": None})
    with pytest.raises(ValueError, match="is not a number"):
        model.run(until=1, params={"m": "two"})


def test_dropped_constraints() -> None:
    model = ap.Model(**SKATE)
    assert model.check(drop=["blade"]).dof == 3
    assert model.check(drop="blade").dof == 3
    with pytest.raises(ap.ModelError, match="unknown constraint"):
        model.check(drop=["blad"])


def test_models_are_pickled_and_copied() -> None:
    model = ap.Model(**SKATE)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.text == model.text
        assert other.eval([0, 0, 0.3, 1, 0, 2]) == model.eval([0, 0, 0.3, 1, 0, 2])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore")
def test_a_forked_process_has_its_own_thread() -> None:
    model = ap.Model(**SKATE)
    child = os.fork()
    if child == 0:
        os._exit(0 if model.check().dof == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert model.check().dof == 2


def test_many_threads_ask_one_model() -> None:
    model = ap.Model(**SKATE)
    expected = model.run(until=1).y
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(model.run(until=1).y)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and all(np.array_equal(y, expected) for y in answers)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
def test_ctrl_c_ends_a_run_and_leaves_the_model_usable() -> None:
    model = ap.Model(**SKATE, initial=["x' = 1", "theta' = 2"])
    # A program in the background of a shell ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.run(until=1e9)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert model.run(until=1).success


def test_other_threads_go_on_during_a_run() -> None:
    model = ap.Model(**SKATE, initial=["x' = 1", "theta' = 2"])
    done: list[float] = []
    thread = threading.Thread(target=lambda: done.append(model.run(until=3000).t[-1]))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert done == [3000.0] and turns > 3


def test_tables_of_the_package() -> None:
    assert "skate" in ap.gallery() and "gibbs-appell" in ap.forms() and "dop853" in ap.methods()
    with pytest.raises(KeyError):
        ap.explain("E9999")


def test_what_a_model_says_of_itself_cannot_be_changed_in_vain() -> None:
    model = ap.Model.gallery("skate")
    with pytest.raises(AttributeError, match="run\\(params="):
        model.parameters = {"m": 2}
    with pytest.raises(TypeError):
        model.parameters["m"] = 2  # type: ignore[index]
    with pytest.raises(AttributeError, match="`text` of a model cannot be changed"):
        model.text = ""
    model.note = "mine"  # type: ignore[attr-defined]


def test_every_answer_shows_itself() -> None:
    model = ap.Model.gallery("skate")
    motion = model.run(1, sensitivity=["m"])
    answers = [model, motion, motion.derivatives, model.rhs(), model.ensemble({"theta": [0.1]}, until=1), model.stepper(0.1)]
    for answer in [*answers, model.check(), model.derive()]:
        shown = answer._repr_html_()
        assert isinstance(shown, str) and shown.startswith("<")
    assert "&lt;Model" in model._repr_html_()


@pytest.mark.parametrize("given", [{"form": 3}, {"method": 1.5}, {"backend": ["jit"]}])
def test_names_are_strings(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a string is needed"):
        ap.Model.gallery("skate").run(1, **given)


def test_numbers_of_a_search_are_whole_and_in_their_range() -> None:
    model = ap.Model(**SKATE)
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match="seed="):
            model.conserved(seed=seed)
    with pytest.raises(TypeError, match="degree=1.5: a whole number"):
        model.conserved(degree=1.5)  # type: ignore[arg-type]


def test_lists_of_names_are_the_reader_s_own() -> None:
    model = ap.Model(
        coordinates="y x", kinetic="(x'^2 + 4*y'^2)/2", potential="x^2 + y", constraints=["x' = y'"], initial=["y = 1", "x = 2", "x' = 0.1"]
    )
    start = [1.0, 2.0, 0.1, 0.1]
    motion, ensemble, stepper = model.run(1, start), model.ensemble([start], until=1), model.stepper(0.1)
    derivatives = model.run(1, sensitivity=["x"]).derivatives
    assert derivatives is not None
    before = derivatives["x"].copy()
    derivatives.columns.sort()
    np.testing.assert_array_equal(derivatives["x"], before)
    kinds = ((model, "coordinates"), (model, "constraints"), (motion, "columns"), (motion, "state_names"), (ensemble, "names"), (stepper, "state_names"))
    for owner, name in kinds:
        names = list(getattr(owner, name))
        getattr(owner, name).sort(reverse=True)
        getattr(owner, name).append("more")
        assert getattr(owner, name) == names
    assert model.run(1, {"x": 2.0, "y": 1.0, "x'": 0.1, "y'": 0.1})["x"][-1] == motion["x"][-1]
    assert model.ensemble([start], until=1)["x"] == ensemble["x"]


def test_whole_numbers_of_any_size() -> None:
    model = ap.Model(coordinates="x", kinetic="x'^2/2", parameters={"a": 2**70, "b": {"value": -(2**63)}, "c": -(2**80)})
    assert dict(model.parameters) == {"a": 2.0**70, "b": -(2.0**63), "c": -(2.0**80)}
    assert model.derive().text() and "1180591620717411303424" in model.text
