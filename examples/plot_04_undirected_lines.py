"""
Why a line has no arrow
=======================

Three columns in a chain, a → b → c. The graphs a → b → c, a ← b ← c and a ← b → c say the same about the data: a and c are
independent given b, and nothing else is. No method can tell them apart from such a table. What is learned is their class.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import sparsest as sp

rng = np.random.default_rng(0)
a = rng.normal(size=1000)
b = 0.8 * a + rng.normal(size=1000)
c = 0.8 * b + rng.normal(size=1000)
result = sp.fit(pl.DataFrame({"a": a, "b": b, "c": c}))
members = list(sp.graph.mec_members(result.cpdag))
print(result.cpdag, len(members), "graphs")

# %%
# The class, and its members:
figure, axes = plt.subplots(
    1, 1 + len(members), figsize=(11, 2.8), layout="constrained"
)
result.cpdag.plot(ax=axes[0], title="learned")
for axis, member in zip(axes[1:], members, strict=True):
    member.plot(ax=axis, title="possible")

# %%
# A second cause of b makes the difference: a and d are independent, but not given b. Only a collider does that.
d = rng.normal(size=1000)
b = 0.8 * a + 0.8 * d + rng.normal(size=1000)
c = 0.8 * b + rng.normal(size=1000)
collider = sp.fit(pl.DataFrame({"a": a, "b": b, "c": c, "d": d}))
assert collider.cpdag.undirected_edges == []
figure = collider.plot()
