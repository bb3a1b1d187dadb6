"""
When a common cause is hidden
=============================

Two columns have a common cause that is not in the table. The learned graph joins them, as it must: they are dependent. The
edge is right as a statement about the data and wrong as a statement about causes, and no resample shows it.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import sparsest as sp

rng = np.random.default_rng(6)
n = 2000
hidden = rng.normal(size=n)
left, right = rng.normal(size=(2, n))
a = left + hidden + rng.normal(size=n)
b = right + hidden + rng.normal(size=n)
table = pl.DataFrame(
    {"left": left, "a": a, "b": b, "right": right, "hidden": hidden}
)

figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
sp.fit(table).plot(ax=axes[0], title="all columns")
result = sp.fit(table.drop("hidden"), resamples=30)
result.plot(ax=axes[1], title="without the common cause")

# %%
# No graph over these four columns says what is true here: left and b are independent, so are right and a, but a and b
# are dependent. The learned graph needs an edge too many, or has an arrow that is none, and it comes again in most halves.
print(result.summary())
