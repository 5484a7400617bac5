"""Scripts that know nothing of Appell: the same system, or a refusal that says why; never another one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import appell as ap

pytest.importorskip("sympy")
pytest.importorskip("scipy")
from foreign import SYMPY, Oracle, of_sympy  # noqa: E402
from scripts import SCRIPTS  # noqa: E402

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


@pytest.mark.parametrize(("script", "number"), SYMPY)
def test_scripts_of_sympy(script: str, number: int) -> None:
    handed = of_sympy(script, number)
    if script in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[script]):
            agrees(handed)
        return
    agrees(handed)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_of_others(name: str) -> None:
    handed, values = SCRIPTS[name]()
    if name in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[name]):
            agrees(handed, values)
        return
    agrees(handed, values)
