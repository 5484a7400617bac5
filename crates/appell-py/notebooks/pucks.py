# %% [markdown]
# # Two pucks whose velocities stay perpendicular
#
# Roithmayr and Hodges [2010, section 4] constrain two pucks on a table by $v_1 \cdot v_2 = 0$: of degree 2 in the
# velocities, and inherently so. SymPy's `KanesMethod` takes linear constraints only.

# %%
from sympy import symbols
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

x1, y1, x2, y2 = q = dynamicsymbols("x1 y1 x2 y2")
m1, m2, s, t = *symbols("m1 m2 s"), dynamicsymbols._t
N, O = ReferenceFrame("N"), Point("O")
O.set_vel(N, 0)
P, Q = O.locatenew("P", x1 * N.x + y1 * N.y), O.locatenew("Q", x2 * N.x + y2 * N.y)
for point in (P, Q):
    point.set_vel(N, point.pos_from(O).dt(N))
pucks, pushes = [Particle("P1", P, m1), Particle("P2", Q, m2)], [(P, s * N.x), (Q, s * N.x)]

# %% [markdown]
# SymPy refuses:

# %%
u = dynamicsymbols("u1:5")
speeds = {x.diff(t): speed for x, speed in zip(q, u)}
kinematics = [rate - speed for rate, speed in speeds.items()]
row = P.vel(N).dot(Q.vel(N)).subs(speeds)
try:
    KanesMethod(N, q, u[:3], kinematics, u_dependent=u[3:], velocity_constraints=[row])
except ValueError as refusal:
    print(refusal)
else:
    raise AssertionError("this version takes it: compare its accelerations with those below")

# %% [markdown]
# Appell, from the same objects:

# %%
import appell as ap

model = ap.Model.from_sympy(
    q,
    bodies=pucks,
    forces=pushes,
    constraints={"perpendicular": P.vel(N).dot(Q.vel(N))},
    parameters={m1: 1, m2: 2, s: 1},
    frame=N,
)
motion = model.run(10, x0=[1, -2, 1, 2, 0.3, 0.4, 0.4, -0.3])
model.derive()

# %% [markdown]
# The constraint forces are vectors: each is parallel to the velocity of the *other* puck.

# %%
import numpy as np

force, velocity = motion.reaction("P1")[:, :2], np.array([motion["x2'"], motion["y2'"]]).T
print(motion)
assert np.allclose(np.linalg.det(np.stack([force, velocity], axis=1)), 0, atol=1e-12)
motion.plot("x1", "y1", "x2", "y2");
