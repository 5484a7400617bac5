"""The schema for editors beside the reader: every model of the repository is valid, and both refuse the same structure.

Judges are not those of the program: Python's own reader of TOML, and jsonschema.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import ROOT

jsonschema = pytest.importorskip("jsonschema")

PROGRAM = os.environ.get("APPELL_CLI") or shutil.which("appell")
MODELS = sorted([*(ROOT / "zoo").glob("*.toml"), *(ROOT / "strangers").glob("*.toml")])
#: What the reader says of structure alone: an unknown or missing key, a wrong type, an unknown word, a wrong claim.
STRUCTURE = {"E0008", "E0009", "E0010", "E0013", "E0601"}

#: A model in which every key occurs.
EVERY_KEY: dict[str, Any] = {
    "appell": 1,
    "title": "Every key",
    "source": "none",
    "about": "for tests",
    "coordinates": ["x", "y", "phi", "e0", "e1", "e2", "e3"],
    "gravity": "-g*N.y",
    "parameters": {
        "g": 9.81,
        "m": {"value": "2", "unit": "kg", "about": "mass", "min": 0, "max": 10.5},
    },
    "inputs": {"tau": {"value": 0, "unit": "N*m", "about": "a torque"}, "push": 1},
    "units": {"x": "m", "y": "m"},
    "define": {"r": "[x, y, 0]", "two": 2},
    "frames": {
        "A": {"parent": "N", "angle": "phi", "axis": "z"},
        "B": {"parent": "N", "quaternion": ["e0", "e1", "e2", "e3"]},
    },
    "points": {"Q": "r"},
    "particles": {"P": {"mass": "m", "position": "r", "force": "N.x"}},
    "bodies": {
        "disc": {
            "mass": 1,
            "frame": "A",
            "position": "[x, 0, 0]",
            "inertia": [1, 1, 1],
            "force": "N.x",
            "torque": "N.z",
        },
        "top": {
            "frame": "B",
            "inertia": {"xx": 1, "yy": 1, "zz": 1, "xy": 0, "yz": "0", "xz": 0.0},
        },
    },
    "loads": [
        {"body": "disc", "against": "P", "at": "Q", "force": "N.x"},
        {"body": "disc", "torque": "N.z"},
    ],
    "energy": {"kinetic": "x'^2/2", "potential": "x^2/2"},
    "forces": {"x": "-x'", "y": 1},
    "constraints": {
        "one": "x' = y*y'",
        "two": [{"equation": "phi' = x'", "reaction": {"phi": "1"}}],
        "three": {"equation": "y' = 0", "reaction": {"on": "P", "force": "N.y"}},
    },
    "motion": {"independent": ["x'"]},
    "initial": {"t": 0, "state": ["x = 1"], "keep": ["x"], "inconsistent": "project"},
    "simulate": {
        "until": 1,
        "rtol": 1e-9,
        "atol": 1e-9,
        "max_step": 0.5,
        "method": "auto",
        "samples": 5,
        "stop": ["x > 5"],
    },
    "claims": {
        "a": {"constant": "T + V", "where": "x > 0", "cite": "(1)", "about": "energy"},
        "b": {"equation": "x'' = 0", "tolerance": 1e-6, "refuted": True, "where": ["x > 0", "y > 0"]},
        "c": {"always": "x > 0"},
        "d": {"class": ["linear"]},
        "e": {"singular_at": ["x = 0"]},
        "f": {"equivalent": ["kane", "multipliers"]},
        "g": {"class": "linear, homogeneous"},
    },
    "plots": [{"title": "x", "x": "t", "y": ["x", "y"]}, {"x": "t", "y": "x"}],
    "animation": {
        "plane": "xy",
        "trail": ["P", "r"],
        "arrows": ["v(P)"],
        "force_scale": 2,
        "bodies": [
            {
                "shape": "box",
                "body": "disc",
                "frame": "A",
                "at": "Q",
                "along": "A.x",
                "axis": "x",
                "normal": "N.z",
                "length": 1,
                "width": "m",
                "height": 1,
                "radius": 1,
                "size": [1, 2],
                "colour": "#fff",
                "label": "a box",
                "trail": False,
            },
            {"shape": "line", "from": "P", "to": "[0, 0, 0]", "colour": "blue"},
            {"shape": "polyline", "points": ["P", "Q"]},
            {"shape": "ellipsoid", "radii": [1, 2, "m"]},
        ],
    },
}

#: Keys that do not go together with others of that model.
ELSEWHERE = {"lagrangian", "variables", "equations", "at"}

#: What is put in the place of every value.
OTHERS: list[Any] = [True, 1.5, -1, "P", [], ["P"], [1], [True], {}, {"nobody": 1}]


@pytest.fixture(scope="module")
def validator() -> Any:
    if PROGRAM is None:
        pytest.skip("no command line: set APPELL_CLI to the program")
    done = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True)
    schema = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def written(value: Any) -> str:
    """A value in TOML, tables on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {written(own)}" for key, own in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value)


def codes(model: dict[str, Any]) -> set[str]:
    """The errors of the reader."""
    assert PROGRAM is not None
    text = "".join(f"{key} = {written(value)}\n" for key, value in model.items())
    done = subprocess.run(
        [PROGRAM, "derive", "-", "--form", "multipliers"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return set(re.findall(r"error\[(E\d+)\]", done.stderr))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value within another."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    model = copy.deepcopy(EVERY_KEY)
    inner: Any = model
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return model


def without(path: tuple[Any, ...]) -> dict[str, Any]:
    model = copy.deepcopy(EVERY_KEY)
    inner: Any = model
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return model


def test_every_model_of_the_repository_is_valid(validator: Any) -> None:
    assert len(MODELS) > 200
    for path in MODELS:
        faults = list(validator.iter_errors(tomllib.loads(path.read_text(encoding="utf-8"))))
        assert not faults, f"{path.name}: {faults[0].json_path}: {faults[0].message}"


def test_every_key_of_the_schema_occurs_in_the_model_of_this_test(validator: Any) -> None:
    def known(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
            for inner in schema.values():
                yield from known(inner)
        if isinstance(schema, list):
            for inner in schema:
                yield from known(inner)

    used = {key for path in places(EVERY_KEY) for key in path if isinstance(key, str)}
    assert set(known(validator.schema)) - ELSEWHERE <= used
    assert validator.is_valid(EVERY_KEY)
    assert not codes(EVERY_KEY) & STRUCTURE


def test_schema_and_reader_refuse_the_same_structure(validator: Any) -> None:
    disagreeing = []
    models = [(path, value, changed(path, value)) for path in places(EVERY_KEY) for value in OTHERS]
    models += [(path, "(removed)", without(path)) for path in places(EVERY_KEY)]
    for path, value, model in models:
        if ("equivalent" in path or "method" in path) and value == "P":
            continue  # The names of formalisms and methods are no part of the format.
        valid, said = validator.is_valid(model), codes(model)
        if valid and said & STRUCTURE:
            disagreeing.append(f"{path} = {value!r}: only the reader refuses it: {said & STRUCTURE}")
        if not valid and not said:
            disagreeing.append(f"{path} = {value!r}: only the schema refuses it")
    assert not disagreeing, "\n".join(disagreeing)
    assert len(models) > 1500
