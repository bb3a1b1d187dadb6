"""
Missing values
==============

A fifth of the cells are emptied at random. Gaussian models then use EM on all rows; dropping incomplete rows would leave
hardly any. The picture compares what is learned with the graph that the table was simulated from.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import sparsest as sp

rng = np.random.default_rng(1)
truth = sp.simulate.random_dag(10, 1, "ER", rng)
full = sp.simulate.linear_gaussian(
    sp.simulate.random_weights(truth, rng), 800, rng
).data
holes = full.copy()
holes[rng.random(full.shape) < 0.2] = np.nan
print(f"complete rows: {np.isfinite(holes).all(axis=1).sum()} of 800")

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", sp.DataWarning
    )  # it says how much is missing, and what was done
    filled = sp.fit(holes)
    dropped = sp.fit(holes[np.isfinite(holes).all(axis=1)])

figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for axis, result, name in zip(
    axes,
    (filled, dropped),
    ("EM on all rows", "complete rows only"),
    strict=True,
):
    wrong = sp.graph.cpdag_shd(truth.to_cpdag(), result.cpdag.to_numpy())
    result.cpdag.plot(
        ax=axis, truth=truth.to_cpdag(), title=f"{name}: {wrong} pairs wrong"
    )
