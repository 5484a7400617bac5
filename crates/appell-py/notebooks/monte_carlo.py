# %% [markdown]
# # A Monte-Carlo on the rolling disc
#
# A disc is pushed off upright, as well as a hand can do it: lean and turning rates are not exactly zero. Fast discs
# stay up, slow ones lean over. The upright motion is stable in the linear approximation where the spin exceeds
# `sqrt(g/(3*r))`.

# %%
import appell as ap
import matplotlib.pyplot as plt
import numpy as np

text = ap.Model.gallery("rolling-disc").text
model = ap.Model(text=text.replace("[simulate]", '[simulate]\nstop = ["theta^2 > 0.3^2"]'))
r, g = model.parameters["r"], model.parameters["g"]
critical = np.sqrt(g / (3 * r))
critical

# %% [markdown]
# Heights and velocities of the centre are not given: they follow from the constraints, member by member.

# %%
rng = np.random.default_rng(7)
count = 2000
start = {
    "theta": rng.normal(0, 0.01, count),
    "theta'": rng.normal(0, 0.02, count),
    "psi'": rng.normal(0, 0.02, count),
    "phi'": rng.uniform(0, 2 * critical, count),
}
discs = model.ensemble(start, until=8, samples=81)
discs

# %% [markdown]
# A disc counts as fallen when it leans by 0.3, the stop condition of the model.

# %%
fallen = discs.words == "stopped"
spin = start["phi'"] / critical
edges = np.linspace(0, 2, 21)
part = [fallen[(a <= spin) & (spin < b)].mean() for a, b in zip(edges, edges[1:])]
plt.stairs(part, edges, fill=True)
plt.axvline(1, color="black", linestyle="--")
plt.xlabel("spin / critical spin")
plt.ylabel("fallen within 8 s")
assert fallen[spin < 0.8].all() and not fallen[spin > 1.2].any()

# %% [markdown]
# What the tolerance of the hand does to the lean: the middle half of the discs that stay up, over time.

# %%
lean = discs.samples[:, :, discs.names.index("theta")]
low, middle, high = np.percentile(lean[spin > 1.2], [25, 50, 75], axis=0)
plt.figure()
plt.fill_between(discs.times, low, high, alpha=0.4)
plt.plot(discs.times, middle)
plt.xlabel("t")
plt.ylabel("theta")
assert np.abs(lean[spin > 1.2]).max() < 0.3
