# %% [markdown]
# # A balancing robot on two wheels: LQR on its linear equations
#
# An axle with two wheels that neither slip sideways nor spin, and a body that would fall over. The motors give the
# torque `tau` between body and wheels and the turning moment `sigma`.

# %%
import appell as ap
import numpy as np
from scipy.linalg import block_diag, solve_continuous_are

fields = dict(
    coordinates="x y psi theta phi",
    parameters=dict(M=4, m=20, l=0.5, r=0.1, J=0.04, Jz=0.6, g=9.81, tau=0, sigma=0),
    gravity="-g*N.z",
    define={"ahead": "[cos(psi), sin(psi), 0]"},
    particles={
        "axle": {"mass": "M", "position": "[x, y, r]"},
        "body": {"mass": "m", "position": "[x, y, r + l*cos(theta)] + l*sin(theta)*ahead"},
    },
    kinetic="J/2*phi'^2 + Jz/2*psi'^2",
    constraints={"roll": "x'*cos(psi) + y'*sin(psi) = r*phi'", "blade": "x'*sin(psi) = y'*cos(psi)"},
)
robot = ap.Model(**fields, forces={"phi": "tau", "theta": "-tau", "psi": "sigma"})
upright = robot.linearize()
print(upright)

# %% [markdown]
# Unstable, as it should be. The inputs enter linearly, so differences of the right-hand side are exact.

# %%
names = [*robot.coordinates, *(f"{name}'" for name in robot.coordinates)]
rows = [names.index(name) for name in upright.state_names]
zero = np.zeros(len(names))


def effect(**inputs):
    return (robot.rhs(params=inputs)(0, zero) - robot.rhs()(0, zero))[rows]


A, B = upright.matrix, np.column_stack([effect(tau=1), effect(sigma=1)])
kept = [upright.state_names.index(name) for name in ("x", "theta", "x'", "theta'", "psi", "psi'")]
A, B = A[np.ix_(kept, kept)], B[kept]
Q, R = np.diag([10, 10, 1, 1, 10, 1.0]), np.diag([0.1, 0.1])
K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
assert np.linalg.eigvals(A - B @ K).real.max() < 0

# %% [markdown]
# The law, written into the full nonlinear model; the path along the ground is `r*phi`.

# %%
state = ["r*phi", "theta", "r*phi'", "theta'", "psi", "psi'"]
tau, sigma = (" ".join(f"- ({float(k)!r})*{x}" for k, x in zip(row, state)) for row in K)
driven = ap.Model(**fields, forces={"phi": tau, "theta": f"-({tau})", "psi": sigma})
motion = driven.run(10, x0={"theta": 0.3, "psi": 1.0, "phi": 0})
print(motion)
assert motion.success and abs(motion["theta"][-1]) < 1e-2 and abs(motion["psi"][-1]) < 1e-2
motion.plot("theta", "psi");
