"""`Piecewise`: SymPy's value on both sides and at the edge, and only the piece whose condition holds is evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell as ap

sympy = pytest.importorskip("sympy")
from sympy.physics import mechanics as me  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::appell.ModelWarning")

x = me.dynamicsymbols("x")
T = me.dynamicsymbols._t
HALF, TWO = sympy.Rational(1, 2), sympy.Integer(2)

PIECES: dict[str, Any] = {
    "Hertz": sympy.Piecewise((3 * (-x) ** sympy.Rational(3, 2), x < 0), (0, True)),
    "decimals": sympy.Piecewise((3 * (-x) ** 1.5, x <= 0), (7, True)),
    "logarithm": sympy.Piecewise((sympy.log(x - 1) + 2, x > 1), (x, True)),
    "quotient": sympy.Piecewise((sympy.sin(x) / x, sympy.Ne(x, 0)), (1, True)),
    "one point": sympy.Piecewise((5, sympy.Eq(x, 1)), (sympy.sqrt(sympy.Abs(x)), True)),
    "open": sympy.Piecewise((0, x <= 0), (10, True)),
    "closed": sympy.Piecewise((10, x >= 0), (sympy.log(-x), True)),
    "large": sympy.Piecewise((x, x < HALF), (sympy.exp(-1000 * x), True)),
    "three": sympy.Piecewise((sympy.asin(x), sympy.Abs(x) <= 1), (sympy.log(x), x > 0), (1 / (x + 1), True)),
    "or": sympy.Piecewise((sympy.sqrt(x**2 - 1), (x > 1) | (x < -1)), (sympy.acos(x), True)),
    "and": sympy.Piecewise((sympy.sqrt(1 - x**2), (x >= -1) & (x < 1)), (x ** (-TWO), True)),
    "nested": sympy.Piecewise((sympy.Piecewise((sympy.sqrt(1 - x), x < 1), (2, True)) / x, x > 0), (x**3, True)),
    "step": sympy.Heaviside(x, 1) + 2 * sympy.Heaviside(x - 1, 0) + 4 * sympy.Heaviside(x + 1),
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces_and_edges_are_those_of_sympy(name: str) -> None:
    force = PIECES[name]
    model = ap.Model.from_sympy([x], lagrangian=x.diff(T) ** 2 / 2, forces={x: force})
    for at in (-3, -1, -HALF, -sympy.Rational(1, 10**15), 0, sympy.Rational(1, 10**15), HALF, 1, sympy.Rational(3, 2), 3):
        wanted = float(force.subs(x, at))
        assert model.rhs()(0.0, [float(at), 0.0])[1] == pytest.approx(wanted, rel=1e-12, abs=1e-300), at


def test_a_ball_bounces_on_a_contact() -> None:
    """The contact of Hertz conserves energy, and the ball leaves it as it came; before, the motion ended at the first touch."""
    force = sympy.Piecewise((3 * (-x) ** sympy.Rational(3, 2), x < 0), (0, True))
    model = ap.Model.from_sympy([x], lagrangian=x.diff(T) ** 2 / 2, forces={x: force})
    motion = model.run(6, x0={"x": 0.5, "x'": -1.0}, rtol=1e-10, atol=1e-12)
    assert motion["x"].min() < -0.5
    assert motion["x'"][-1] == pytest.approx(1.0, abs=1e-7)


def test_a_force_that_begins_at_an_edge() -> None:
    """At rest where the force is still 0, a body stays; one in time begins when it is said."""
    rest = ap.Model.from_sympy([x], lagrangian=x.diff(T) ** 2 / 2, forces={x: sympy.Piecewise((0, x <= 0), (10, True))})
    assert rest.run(1, x0={"x": 0.0, "x'": 0.0}).y[:, -1] == pytest.approx([0, 0])
    late = ap.Model.from_sympy([x], lagrangian=x.diff(T) ** 2 / 2, forces={x: sympy.Piecewise((0, T < 0.3), (10, True))})
    assert late.run(1, x0={"x": 0.0, "x'": 0.0}).y[:, -1] == pytest.approx([10 * 0.7**2 / 2, 7.0], rel=1e-9)


def test_the_slope_of_a_potential_in_pieces() -> None:
    """A model differentiates each piece, and SymPy's derivative is that of the piece that holds."""
    potential = sympy.Piecewise(((-x) ** sympy.Rational(5, 2), x < 0), (0, True))
    model = ap.Model.from_sympy([x], lagrangian=x.diff(T) ** 2 / 2 - potential)
    for at in (-2.0, -0.3, 0.4, 2.0):
        wanted = -float(potential.diff(x).subs(x, at))
        assert model.rhs()(0.0, [at, 0.0])[1] == pytest.approx(wanted, rel=1e-12, abs=1e-300)


def test_a_condition_without_words_is_refused() -> None:
    y = me.dynamicsymbols("y")
    odd = sympy.Piecewise((1, sympy.Contains(x, sympy.S.Integers)), (0, True))
    with pytest.raises(ValueError, match="has no counterpart in the model language"):
        ap.Model.from_sympy([x, y], lagrangian=x.diff(T) ** 2 / 2, forces={x: odd})
    with pytest.raises(ValueError, match="where none of its conditions holds"):
        ap.Model.from_sympy([x], lagrangian=x.diff(T) ** 2 / 2, forces={x: sympy.Piecewise((1, x > 0))})
    assert np.isnan(float(sympy.Piecewise((1.0, x > 0)).subs(x, -1)))
