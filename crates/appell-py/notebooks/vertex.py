# %% [markdown]
# # Appell's particle and its singular vertex
#
# Appell [1911] lets a particle move so that its velocity keeps a constant angle to the vertical,
# $\dot z^2 = a^2 (\dot x^2 + \dot y^2)$. Velocities lie on a cone. Its vertex, the state of rest, is singular: there the
# constraint has no derivative, and the accelerations are not determined.

# %%
import appell as ap

model = ap.Model.gallery("appell-particle")
model.check()

# %% [markdown]
# Thrown up, the particle slows down until its velocity reaches the vertex. The file stops the motion shortly
# before. Without the stop, Appell sees the singular state coming and says so; what was computed is kept.

# %%
unstopped = ap.Model(text=model.text.replace('stop  = ["z\' < 1e-3"]', ""))
motion = unstopped.run(until=1)
print(motion.message)
assert not motion.success and motion.status == -1

# %% [markdown]
# On the way the force keeps its size while the velocity dies out. At the vertex its direction would depend on
# how the vertex was reached:

# %%
import numpy as np

size = np.linalg.norm(motion.reaction("P"), axis=1)
assert np.allclose(size, size[0], rtol=1e-6)
axes = motion.plot("x'", "z'")

# %% [markdown]
# At the vertex itself there are no accelerations, and a reason:

# %%
rest = model.eval([0, 0, 0, 0, 0, 0]).states[0]
assert rest.accel is None
print(rest.status, "-", rest.why)
