"""
Comparing with a known graph
============================

For a simulated table, or where experts agree on a graph. ``truth=`` draws what was missed and what was added, and
``sp.graph.compare`` counts.
"""

import numpy as np

import sparsest as sp

rng = np.random.default_rng(5)
truth = sp.simulate.random_dag(12, 2, "SF", rng)
table = sp.simulate.linear_gaussian(
    sp.simulate.random_weights(truth, rng), 150, rng
).data
result = sp.fit(table)
agreement = sp.graph.compare(truth, result.cpdag)
print(agreement)

# %%
figure = agreement.plot()
