"""
Many columns
============

300 columns, 300 edges, one descent of the order search. A picture of everything would be a hairball: ``around`` draws a column and
those joined to it, ``top`` the strongest edges.
"""

import numpy as np

import sparsest as sp

rng = np.random.default_rng(9)
truth = sp.simulate.random_dag(300, 1, "SF", rng)
table = sp.simulate.linear_gaussian(
    sp.simulate.random_weights(truth, rng), 1000, rng
).data
result = sp.fit(table, time_limit=5)
wrong = sp.graph.cpdag_shd(truth.to_cpdag(), result.cpdag.to_numpy())
print(
    f"{len(result.dag.edges)} edges, {wrong} of {300 * 299 // 2} pairs wrong, status {result.status.value}"
)

# %%
hub = max(
    result.names,
    key=lambda name: (
        len(result.dag.children(name)) + len(result.dag.parents(name))
    ),
)
figure = result.plot(around=hub)
