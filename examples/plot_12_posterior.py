"""
All graphs at once: the exact posterior
=======================================

Up to 20 columns the posterior probability of every edge can be computed exactly, by a sum over all graphs. With few rows it is
spread over many of them, and the best graph alone says too much.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsest as sp

rng = np.random.default_rng(4)
truth = sp.Dag.from_edges(["a -> b", "b -> d", "c -> d", "d -> e", "a -> f"])
weights = sp.simulate.random_weights(truth, rng)
names = list(truth.names)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for axis, n in zip(axes, (40, 1000), strict=True):
    table = sp.simulate.linear_gaussian(weights, n, rng).data
    found = sp.posterior(table)
    picture = axis.imshow(found.arrow, vmin=0, vmax=1, cmap="Blues")
    axis.set_xticks(range(6), names)
    axis.set_yticks(range(6), names)
    axis.set(title=f"{n} rows", xlabel="to", ylabel="from")
    for i, j in np.argwhere(truth.to_numpy()):
        axis.add_patch(
            plt.Rectangle(
                (j - 0.5, i - 0.5),
                1,
                1,
                fill=False,
                edgecolor="#d55e00",
                linewidth=2,
            )
        )
figure.colorbar(
    picture, ax=axes, label="probability of the arrow; true arrows are framed"
)
