# %% [markdown]
# # When does a bicycle balance itself?
#
# The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab [2007]: four rigid bodies and two rolling contacts.
# Its linear equations about upright riding, along the speed `vx`.

# %%
import appell as ap
import matplotlib.pyplot as plt

bicycle = ap.Model.gallery("bicycle")
swept = bicycle.linearize(initial=["phi' = 0"], sweep="vx=0.25:10:0.25", crossings=True)
for crossing in swept.crossings:
    print(f"vx = {crossing.value:.6f}: {crossing.kind}")

# %% [markdown]
# The published speeds are 4.292 m/s (weave) and 6.024 m/s (capsize); between them it is stable.

# %%
weave, capsize = (crossing.value for crossing in swept.crossings)
assert abs(weave - 4.292382536341) < 1e-6 and abs(capsize - 6.024262015388) < 1e-6

axes = plt.figure(figsize=(7, 4)).add_subplot()
axes.plot(swept.values, swept.eigenvalues.real, "k.", markersize=3)
axes.axvspan(weave, capsize, alpha=0.2)
axes.set(xlabel="vx in m/s", ylabel="real parts in 1/s", ylim=(-10, 10));
