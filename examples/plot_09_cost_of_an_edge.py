"""
What should an edge cost?
=========================

Every edge improves the likelihood a little, a superfluous one too. The path over costs shows the answers from no edge at all
to many, how well each predicts rows that it was not learned from, and how stable it is.
"""

from sklearn.datasets import load_wine

import sparsest as sp

wine = load_wine(as_frame=True).data
path = sp.path(wine, points=8, folds=3, subsamples=6)
print(path)

# %%
figure = path.plot()
