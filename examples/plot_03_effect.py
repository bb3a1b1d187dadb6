"""
What happens if a column is changed?
====================================

Does running the sprinkler less help against slipping? The rain comes first, then the sprinkler is set, then the rest: this
is knowledge that no table holds. With it the effect is identified, and the answer comes with an interval that accounts for
the fact that the graph was learned from the same rows.
"""

import numpy as np
import polars as pl

import sparsest as sp

rng = np.random.default_rng(7)
n = 400
rain = rng.gamma(2.0, 2.0, size=n)
sprinkler = 40 - 3.0 * rain + rng.normal(scale=6, size=n)
wet = 1.0 * rain + 0.3 * sprinkler + rng.normal(scale=1.5, size=n)
slips = 0.5 * wet + rng.normal(scale=1.0, size=n)
table = pl.DataFrame(
    {"rain": rain, "sprinkler": sprinkler, "wet": wet, "slips": slips}
)

order = sp.Knowledge(tiers=[["rain"], ["sprinkler"], ["wet", "slips"]])
result = sp.fit(table, knowledge=order, resamples=50)
effect = result.effect("sprinkler", "slips")
print(effect)

# %%
# The truth of this simulated table is 0.3 · 0.5 = 0.15. The plain regression of slips on the sprinkler is far from it,
# because the gardener waters when it does not rain.
print(np.polyfit(sprinkler, slips, 1)[0])
figure = effect.plot()
