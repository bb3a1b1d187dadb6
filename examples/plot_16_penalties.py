"""
Penalties: how edges are counted
================================

A search counts edges. A differentiable solver needs something smooth that comes close to counting: quasi-MCP rises with a kink at
zero and levels off at λδ/2, so that a strong edge costs as much as a stronger one. ℓ1 never levels off, and shrinks what it
keeps.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsest as sp

weights = np.linspace(-2, 2, 401)
figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for penalty in (
    sp.QuasiMCP(0.5, 1.0),
    sp.MCP(0.5, 2.0),
    sp.SCAD(0.5, 3.7),
    sp.L1(0.5),
):
    axis.plot(weights, penalty.value(weights), label=repr(penalty))
axis.set(xlabel="weight of an edge", ylabel="penalty")
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)

# %%
# As δ falls with λδ fixed, quasi-MCP tends to a plain count of edges.
figure, axis = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
for delta in (2.0, 1.0, 0.5, 0.1):
    axis.plot(
        weights,
        sp.QuasiMCP(0.5 / delta, delta).value(weights),
        label=f"δ = {delta}",
    )
axis.set(xlabel="weight of an edge", ylabel="quasi-MCP, λδ/2 = 0.25")
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)
