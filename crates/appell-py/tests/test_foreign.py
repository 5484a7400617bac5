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
from forces import Compared, Forces  # noqa: E402
from foreign import SYMPY, Oracle, of_sympy, value_of  # noqa: E402
from scripts import SCRIPTS  # noqa: E402
from strangers import STRANGERS  # noqa: E402

ALL = SCRIPTS | {f"Stranger, {name}": form for name, form in STRANGERS.items()}
TABLE = Path(__file__).resolve().parents[3] / "docs/foreign.md"
HEAD = """# Scripts of others, read by Appell

What `Model.from_sympy` makes of scripts that know nothing of Appell: SymPy's own tests of its mechanics (`file:test`), run
from the installed SymPy until a method has formed its equations, examples of PyDy and of courses, written anew, and scripts as a
stranger writes them, for idioms that those have not. Only values of parameters are added. Where a script is read, accelerations
agree with SymPy's to 1e-10, a motion to 1e-8, and constraint forces to 1e-8 of the largest; the tests of the package check it, and this
table, which `python crates/appell-py/tests/test_foreign.py` writes.

The last column counts the forces that were compared at each of two states, and within what part of the largest they agree (1e-12, 1e-10 or 1e-8).
On speeds: what SymPy's equations of the system without its rows leave at the accelerations with them. By auxiliary speeds:
the forces of SymPy's auxiliary equations, beside the multipliers `lambda[no_...]`. At contacts: mass times acceleration less the loads along the coordinates of a
point of contact, beside the forces of the model there, on its coordinates and on its bodies. By multipliers: those of `LagrangesMethod`. Three scripts are compared at
contacts only, for their velocities are those of the positions only where their rows hold: `test_aux_dep`, `test_kane_rolling_disc_lu` and
`test_linearize_rolling_disc_kane`.

Refused are: `test_aux`, where SymPy's test gives the centre of a rolling disc the acceleration of a disc that turns about a
fixed point, so that its equations are not those of `test_rolling_disc`; and the conical pendulum, whose printed angular
velocities are not those of its space-fixed turns.

"""

# What is refused, and the words that must be in the refusal.
REFUSED = {
    "kane:test_aux": "acceleration given to Dmc",
    "PyDy, conical pendulum, as printed": "angular velocity given to A is not that of its orientation",
}


def agrees(name: str, handed: Any, values: dict[Any, float] | None = None, until: float = 0.5) -> tuple[ap.Model, list[Compared]]:
    """Holds accelerations, a motion and constraint forces against SymPy's; gives the model and the forces."""
    oracle, found = Oracle.of(handed, values), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = imported(handed, oracle)
        f, second, n, forces = model.rhs(), oracle.accelerations(), len(oracle.q), Forces(name, oracle, model)
        for number, y in enumerate(oracle.states(2, 7)):
            motion = model.run(until if number == 0 else 1e-3, x0=oracle.start(model, y), rtol=1e-11, atol=1e-12)
            own = f(0.0, motion.y[:, 0])[len(model.coordinates) :][:n]
            wanted = second(y)
            assert own == pytest.approx(wanted, rel=1e-10, abs=1e-10 * (1 + np.abs(wanted).max()))
            compared = forces.compared(y, motion)
            if compared is not None:
                assert compared.worst < 1e-8, compared
                found.append(compared)
            if number == 0:
                end = oracle.end(y, motion.t[-1])
                assert motion.t[-1] == pytest.approx(until)
                assert motion.y[:n, -1] == pytest.approx(end, rel=1e-8, abs=1e-8)
    return model, found


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
            parameters |= {name: value_of(name, known) for name in names.partition(": give")[0].split(", ")}
    raise AssertionError("symbols without end")


def rows(name: str, model: ap.Model, compared: list[Compared]) -> list[str]:
    """Lines of the table in the documentation, any of which is true: the last says of forces what holds elsewhere too."""
    said = [remark for remark in model.remarks if " is called " not in remark]
    start = f"| {name} | {'; '.join(said) or 'as it is'} | "
    if not compared:
        return [f"{start}no constraints |"]
    counts = ", ".join(f"{len(pairs)} {kind}" for kind, pairs in compared[0].pairs.items())
    worst = max(own.worst for own in compared)
    true = [figure for figure in ("1e-8", "1e-10", "1e-12") if worst < float(figure)]
    safe = [figure for figure in true if 10 * worst < float(figure)]
    return [f"{start}{counts}: {figure} |" for figure in [*true, *safe[-1:]]]


def check(name: str, handed: Any, values: dict[Any, float] | None) -> list[str]:
    """Holds a script against SymPy; gives true lines of the table."""
    if name in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[name]):
            agrees(name, handed, values)
        return [f"| {name} | refused: the {REFUSED[name]} | |"]
    return rows(name, *agrees(name, handed, values))


def lines() -> list[Any]:
    """All scripts: functions that give a name, what is handed over, and values."""
    sympys = [lambda s=script, n=number: (s, of_sympy(s, n), None) for script, number in SYMPY]
    return sympys + [lambda n=name, f=form: (n, *f()) for name, form in ALL.items()]


@pytest.mark.parametrize("line", lines(), ids=[*(name for name, _ in SYMPY), *ALL])
def test_scripts_of_others(line: Any) -> None:
    written = TABLE.read_text(encoding="utf-8").splitlines()
    assert any(own in written for own in check(*line()))


if __name__ == "__main__":
    table = [check(*line())[-1] for line in lines()]
    TABLE.write_text(HEAD + "\n".join(["| script | how it was read | constraint forces |", "|---|---|---|", *table]) + "\n", encoding="utf-8")
