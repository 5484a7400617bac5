"""PyDy beside Appell: the examples of docs/how-to/pydy.md, taken from there.

    python benches/peers/pydy_peer.py            prints the table
    python benches/peers/pydy_peer.py --write    puts it at the end of the page

It needs the package `appell`, PyDy and what its tests need. Of both sides are measured: the characters that tell the system, without blanks, comments,
numbers and starts; the processor time from there to a right-hand side; and that of one call of it from Python.
"""

import ast
import contextlib
import io
import pathlib
import re
import sys
import time
import warnings

import sympy
from common import seconds

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/how-to/pydy.md"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LAST = "## What it takes\n"
# Sections, what is theirs up to its equations, and names of PyDy's system and of the model.
EXAMPLES = [
    ("A chain of pendulums on a cart", "n_link_pendulum_on_cart", "chain", "links"),
    ("A four-bar linkage", "kanes_equations", "linkage", "rods"),
    ("Chaplygin's sleigh", "kanes_equations", "pydys", "own"),
    ("Forces that Kane's equations do not have", "kanes_equations", None, "rods"),
    ("A rolling disc", "kanes_equations", "rolling", "gallery"),
]


def statements(code, last):
    """The statements of a piece of code up to one that has a word."""
    found = []
    for statement in ast.parse(code).body:
        found.append(statement)
        if last in ast.unparse(statement):
            return found
    return []


def model_of(code, name):
    """The statement that makes a model, without its start and its claims."""
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name and "ap.Model" in ast.unparse(statement.value):
            if isinstance(statement.value, ast.Call):
                statement.value.keywords = [k for k in statement.value.keywords if k.arg not in ("initial", "claims")]
            return statement
    return None


def characters(text):
    return len(re.sub(r"\s", "", text))


def once(work, before=lambda: None):
    """The least processor time of three."""
    best = float("inf")
    for _ in range(3):
        before()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def gallery_text(model):
    """A model of the gallery as far as it tells the system."""
    text = re.sub(r"#.*", "", model.text)
    parts = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    return "".join(part for part in parts if not re.match(r"\[+(initial|simulate|claims|plots|animation)", part))


def measured(example, codes, names):
    """The row of the table."""
    title, last, system, model = example
    theirs = next(found for found in (statements(code, last) for code in codes) if found)
    text = "\n".join(map(ast.unparse, theirs))
    foreign = compile(ast.Module(theirs, []), title, "exec")
    own = next(found for found in (model_of(code, model) for code in codes) if found)
    answer = names[model]
    words = gallery_text(answer) if model == "gallery" else ast.unparse(own)
    making = compile(ast.Module([own], []), title, "exec")

    def derive_theirs():
        local = dict(names)
        exec(foreign, local)
        made = local["chain"] if last != "kanes_equations" else names["System"](local["kane"])
        made.generate_ode_function()

    def derive_own():
        local = dict(names)
        exec(making, local)
        local[model].rhs()

    # What PyDy ships has options, which here would be counted too.
    row = [None, None] if system == "chain" else [characters(text), characters(words)]
    # The hinge's auxiliary speeds are no part of what PyDy can call.
    if system is None:
        return [title, *row, None, None, None, None]
    made = names[system]
    x = [float(made.initial_conditions[s]) for s in made.states]
    arguments = made._prep_for_evaluate()[1]
    rates = answer.rhs()
    y = answer.run(1e-6).y[:, 0] if system != "linkage" else names["own"].y[:, 0]
    calls = [seconds(lambda: made.evaluate_ode_function(x, 0.0, *arguments)), seconds(lambda: rates(0.0, y))]
    return [title, *row, once(derive_theirs, sympy.core.cache.clear_cache), once(derive_own), *calls]


def table():
    text = PAGE.read_text(encoding="utf-8")
    names, rows = {}, []
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        codes = [match for match in FENCE.findall(section)]
        with contextlib.redirect_stdout(io.StringIO()):
            for code in codes:
                exec(compile(code, str(PAGE), "exec"), names)
        rows += [measured(example, codes, names) for example in EXAMPLES if section.startswith(f"## {example[0]}\n")]
    head = "| example | characters | model to right-hand side | one call |\n|---|---|---|---|\n"
    return head + "".join(f"| {row[0]} | {line(row, 1, 1, '')} | {line(row, 3, 1e3, ' ms')} | {line(row, 5, 1e6, ' µs')} |\n" for row in rows)


def line(row, at, scale, unit):
    """Both sides and their ratio."""
    theirs, own = row[at : at + 2]
    if own is None or theirs is None:
        return ""
    said = [f"{float(f'{x * scale:.{4 if scale == 1 else 2}g}'):g}{unit}" for x in (theirs, own)]
    return f"{said[0]} : {said[1]} = {theirs / own:.1f}"


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = table()
    print(found)
    if "--write" in sys.argv:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(LAST)
        words = rest.partition("\n| example")[0]
        PAGE.write_text(before + LAST + words.rstrip("\n") + "\n\n" + found, encoding="utf-8")
