"""
The sparsest graph need not be the causal one
=============================================

Training makes people fitter, and fitter people eat more; both change their weight, and here the two effects cancel. So training
and weight are independent, and the sparsest graph that explains this is a collider with two edges, where the truth has
three. This is what *faithfulness* excludes: exact cancellation.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import sparsest as sp

rng = np.random.default_rng(8)
n = 5000
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for axis, direct in zip(axes, (-1.0, -0.6), strict=True):
    training = rng.normal(size=n)
    appetite = 1.0 * training + rng.normal(size=n)
    weight = direct * training + 1.0 * appetite + rng.normal(size=n)
    result = sp.fit(
        pl.DataFrame(
            {"training": training, "appetite": appetite, "weight": weight}
        )
    )
    words = "they cancel" if direct == -1.0 else "they do not cancel"
    result.plot(ax=axis, title=f"{words}: {len(result.dag.edges)} edges")
