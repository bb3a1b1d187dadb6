"""
Curved effects
==============

Effects that are no straight lines: a parabola has no correlation with its cause, and a linear model sees nothing.
``model="additive"`` fits a smooth curve for every parent, and the direction of such effects is often identified, too.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import sparsest as sp

rng = np.random.default_rng(10)
n = 600
dose = rng.normal(size=n)
response = dose**2 + 0.5 * rng.normal(size=n)
outcome = np.sin(1.5 * response) + 0.3 * rng.normal(size=n)
table = pl.DataFrame({"dose": dose, "response": response, "outcome": outcome})

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
axes[0].scatter(dose, response, s=5, color="#555555")
axes[0].set(xlabel="dose", ylabel="response", title="the table")
sp.fit(table, model="gaussian").plot(ax=axes[1], title="gaussian")
sp.fit(table, model="additive").plot(ax=axes[2], title="additive")
