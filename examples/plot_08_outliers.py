"""
Outliers and unknown scales: the rank model
===========================================

Columns are seen through unknown increasing curves, such as an exponential. The Gaussian model takes curvature for
dependence; ``model="rank"`` uses only the order of the values, and does not notice.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsest as sp

rng = np.random.default_rng(2)
truth = sp.simulate.random_dag(8, 1, "ER", rng)
straight = sp.simulate.linear_gaussian(
    sp.simulate.random_weights(truth, rng), 1000, rng
).data
straight = (straight - straight.mean(0)) / straight.std(0)
bent = np.exp(1.5 * straight)

figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for axis, model in zip(axes, ("gaussian", "rank"), strict=True):
    found = sp.fit(bent, model=model).cpdag
    wrong = sp.graph.cpdag_shd(truth.to_cpdag(), found.to_numpy())
    found.plot(
        ax=axis, truth=truth.to_cpdag(), title=f"{model}: {wrong} pairs wrong"
    )
