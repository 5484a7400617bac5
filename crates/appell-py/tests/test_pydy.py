"""Systems of PyDy, handed over with their numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import appell as ap

models = pytest.importorskip("pydy.models", reason="PyDy is not installed")
from sympy.physics import mechanics as me  # noqa: E402


def row_of_masses() -> object:
    made = models.multi_mass_spring_damper(2, apply_external_forces=True)
    made.constants = dict(zip(sympy.symbols("m:2 k:2 c:2"), [1, 2, 30, 20, 0.1, 0.2], strict=True))
    made.initial_conditions = dict(zip(made.states, [0.1, -0.2, 0.3, -0.4], strict=True))
    made.times = np.linspace(0, 1, 11)
    return made


@pytest.mark.parametrize("kind", ["one by one", "together", "by names and values"])
def test_what_a_system_keeps_is_taken(kind: str) -> None:
    made = row_of_masses()
    f = me.dynamicsymbols("f:2")
    given = {
        "one by one": {f[0]: 0.5, f[1]: -2.0},
        "together": {tuple(f): np.array([0.5, -2.0])},
        "by names and values": {"symbols": f, "values": np.array([0.5, -2.0])},
    }
    made.specifieds = given[kind]
    model = ap.Model.from_sympy(made)
    assert dict(model.inputs) == {"f0": 0.5, "f1": -2.0}
    motion = model.run(t_eval=made.times, rtol=1e-12, atol=1e-13)
    assert motion.y.T == pytest.approx(made.integrate(rtol=1e-12, atol=1e-12), rel=1e-8, abs=1e-8)
    assert model.run().t[-1] == 1.0


def test_arguments_come_before_what_a_system_keeps() -> None:
    made = row_of_masses()
    made.specifieds = {tuple(me.dynamicsymbols("f:2")): lambda x, t: np.array([np.sin(t), 0])}
    m0, f1 = sympy.symbols("m0"), me.dynamicsymbols("f1")
    model = ap.Model.from_sympy(made, parameters={m0: 7}, specified={f1: "cos(t)"}, initial=["x0 = 0.5", "x1 = 0"])
    assert model.parameters["m0"] == 7 and dict(model.inputs) == {"f0": 0}
    assert model.run(0.1).y[:, 0] == pytest.approx([0.5, 0, 0, 0])
    assert ap.Model.from_sympy(made, parameters={"m0": 7}).parameters["m0"] == 7


def test_what_has_no_value_in_pydy_is_asked_for() -> None:
    with pytest.raises(ValueError, match="no value is known of .*m0"):
        ap.Model.from_sympy(models.multi_mass_spring_damper(1))
