"""
Numbers, yes or no, and counts in one table
===========================================

``model="auto"`` looks at the columns: continuous ones get Gaussian noise, binary ones a logistic model, counts a Poisson
model. Weights are in each column's own units; for a binary column these are log-odds.
"""

import numpy as np
import polars as pl

import sparsest as sp

rng = np.random.default_rng(3)
n = 2000
age = rng.normal(50, 12, size=n)
smokes = rng.random(n) < 1 / (1 + np.exp((age - 50) / 10))
pressure = 90 + 0.6 * age + rng.normal(scale=8, size=n)
visits = rng.poisson(np.exp(-2 + 0.02 * pressure + 0.7 * smokes))
table = pl.DataFrame(
    {
        "age": age,
        "smokes": np.where(smokes, "yes", "no"),
        "pressure": pressure,
        "visits": visits,
    }
)
truth = sp.Dag.from_edges(
    [
        "age -> smokes",
        "age -> pressure",
        "smokes -> visits",
        "pressure -> visits",
    ]
)

result = sp.fit(table)
print(result.summary())

# %%
print(result.columns.select("column", "kind", "used"))
figure = result.plot(truth=truth)
