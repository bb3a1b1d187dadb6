"""
How sure is each edge?
======================

An edge is found in one table. Does it come again in another? Half of the rows, drawn 40 times, stand in for other tables:
beside each edge stands the share of halves in which it came again, and what seldom comes again is dashed.
"""

from sklearn.datasets import load_diabetes

import sparsest as sp

patients = load_diabetes(as_frame=True, scaled=False).frame
result = sp.fit(patients, model="gaussian", resamples=40)
figure = result.plot()

# %%
# Shares are not probabilities. ``calibrated`` turns them into probabilities that an edge is in the true graph, fitted on
# simulated tables whose graphs are known.
edges = result.confidence.edges(least=0.5)
print(edges)
