"""Scripts that know nothing of Appell: the same system, or a refusal that says why; never another one."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell as ap

pytest.importorskip("sympy")
pytest.importorskip("scipy")
from foreign import SYMPY, Oracle, of_sympy  # noqa: E402
from scripts import SCRIPTS  # noqa: E402
from strangers import STRANGERS  # noqa: E402

ALL = SCRIPTS | {f"Stranger, {name}": form for name, form in STRANGERS.items()}
TABLE = Path(__file__).resolve().parents[3] / "docs/foreign.md"
HEAD = """# Scripts of others, read by Appell

What `Model.from_sympy` makes of scripts that know nothing of Appell: SymPy's own tests of its mechanics (`file:test`), run
from the installed SymPy until a method has formed its equations, examples of PyDy and of courses, written anew, and scripts as a
stranger writes them, for idioms that those have not. Only values of parameters are added. Where a script is read, accelerations agree with SymPy's to 1e-10 and a motion to 1e-8; the
tests of the package check it, and this table, which `python crates/appell-py/tests/test_foreign.py` writes.

Refused are: `test_aux`, where SymPy's test gives the centre of a rolling disc the acceleration of a disc that turns about a
fixed point, so that its equations are not those of `test_rolling_disc`; and the conical pendulum, whose printed angular
velocities are not those of its space-fixed turns.

"""

# What is refused, and the words that must be in the refusal.
REFUSED = {
    "kane:test_aux": "acceleration given to Dmc",
    "PyDy, conical pendulum, as printed": "angular velocity given to A is not that of its orientation",
}


def agrees(handed: Any, values: dict[Any, float] | None = None, until: float = 0.5) -> ap.Model:
    """Holds accelerations and a motion against SymPy's; gives the model."""
    oracle = Oracle.of(handed, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = imported(handed, oracle)
        f, second, n = model.rhs(), oracle.accelerations(), len(oracle.q)
        for number, y in enumerate(oracle.states(2, 7)):
            motion = model.run(until if number == 0 else 1e-3, x0=oracle.start(model, y), rtol=1e-11, atol=1e-12)
            own = f(0.0, motion.y[:, 0])[len(model.coordinates) :][:n]
            wanted = second(y)
            assert own == pytest.approx(wanted, rel=1e-10, abs=1e-10 * (1 + np.abs(wanted).max()))
            if number == 0:
                end = oracle.end(y, motion.t[-1])
                assert motion.t[-1] == pytest.approx(until)
                assert motion.y[:n, -1] == pytest.approx(end, rel=1e-8, abs=1e-8)
    return model


def imported(handed: Any, oracle: Oracle) -> ap.Model:
    """The model, with a value for each symbol that is asked for."""
    parameters = dict(oracle.values)
    for _ in range(3):
        try:
            return ap.Model.from_sympy(handed, parameters=parameters)
        except ValueError as error:
            before, _, names = str(error).partition("no value is known of ")
            if before or not names:
                raise
            known = len(parameters)
            parameters |= {name: 0.9 + 0.01 * known for name in names.partition(": give")[0].split(", ")}
    raise AssertionError("symbols without end")


def row(name: str, model: ap.Model | None) -> str:
    """The line of the table in the documentation."""
    if model is None:
        return f"| {name} | refused: the {REFUSED[name]} |"
    said = [remark for remark in model.remarks if " is called " not in remark]
    return f"| {name} | " + ("; ".join(said) or "as it is") + " |"


def check(name: str, handed: Any, values: dict[Any, float] | None) -> str:
    """Holds a script against SymPy; gives its line of the table."""
    if name in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[name]):
            agrees(handed, values)
        return row(name, None)
    return row(name, agrees(handed, values))


def lines() -> list[Any]:
    """All scripts: functions that give a name, what is handed over, and values."""
    sympys = [lambda s=script, n=number: (s, of_sympy(s, n), None) for script, number in SYMPY]
    return sympys + [lambda n=name, f=form: (n, *f()) for name, form in ALL.items()]


@pytest.mark.parametrize("line", lines(), ids=[*(name for name, _ in SYMPY), *ALL])
def test_scripts_of_others(line: Any) -> None:
    assert check(*line()) in TABLE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    table = [check(*line()) for line in lines()]
    TABLE.write_text(HEAD + "\n".join(["| script | how it was read |", "|---|---|", *table]) + "\n", encoding="utf-8")
