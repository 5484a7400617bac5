"""The two pucks of SymPy discussion 26428, pasted as SymPy vectors.

Two particles in a plane whose velocities stay perpendicular: a constraint of degree 2, which ``KanesMethod``
refuses. Here the user's objects give accelerations, forces and a plot.
"""

from __future__ import annotations

import numpy as np
import pytest

import appell as ap

pytest.importorskip("sympy")


def test_the_pucks(tmp_path: object) -> None:
    from sympy import symbols
    from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

    # What the user has.
    x1, y1, x2, y2 = q = dynamicsymbols("x1 y1 x2 y2")
    u = dynamicsymbols("u1:5")
    m1, m2, s = symbols("m1 m2 s")
    t = dynamicsymbols._t
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x1 * N.x + y1 * N.y)
    Q = O.locatenew("Q", x2 * N.x + y2 * N.y)
    for point in (P, Q):
        point.set_vel(N, point.pos_from(O).dt(N))
    pucks = [Particle("P1", P, m1), Particle("P2", Q, m2)]
    pushes = [(P, s * N.x), (Q, s * N.x)]
    perpendicular = P.vel(N).dot(Q.vel(N))

    # SymPy refuses.
    kd = [rate - speed for rate, speed in zip([x.diff(t) for x in q], u, strict=True)]
    speeds = dict(zip([x.diff(t) for x in q], u, strict=True))
    with pytest.raises(ValueError):
        kane = KanesMethod(
            N, q, u[:3], kd, u_dependent=u[3:], velocity_constraints=[perpendicular.subs(speeds)]
        )
        kane.kanes_equations(pucks, pushes)

    # Appell does not.
    model = ap.Model.from_sympy(
        q,
        bodies=pucks,
        forces=pushes,
        constraints={"perpendicular": perpendicular},
        parameters={m1: 1, m2: 2, s: 1},
        frame=N,
    )
    start = [1, -2, 1, 2, 0.3, 0.4, 0.4, -0.3]
    state = model.eval(start).states[0]
    # By hand: lambda from A M^-1 A^T lambda = -A M^-1 r with A = (v2, v1).
    v1, v2 = np.array(start[4:6]), np.array(start[6:8])
    push = np.array([1.0, 0.0])
    multiplier = -(v2 @ push / 1 + v1 @ push / 2) / (v2 @ v2 / 1 + v1 @ v1 / 2)
    wanted = [*(push + multiplier * v2) / 1, *(push + multiplier * v1) / 2]
    assert state.accel == pytest.approx(wanted, rel=1e-14)
    assert state.lambda_ == pytest.approx([multiplier], rel=1e-14)

    motion = model.run(10, x0=start)
    assert motion.success and motion.max_residual < 1e-14
    assert motion.reaction("P1")[0, :2] == pytest.approx(multiplier * v2, rel=1e-13)
    same = ap.Model.gallery("perpendicular").run()
    assert np.allclose(motion.y, same.y, rtol=0, atol=1e-9)

    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = motion.plot("x1", "y1", "x2", "y2")
    axes.figure.savefig(f"{tmp_path}/pucks.png")
    assert "Derivative" in str(model.derive().sympy().equations[0])
