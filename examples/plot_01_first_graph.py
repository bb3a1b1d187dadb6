"""
A first graph
=============

The wine table of scikit-learn: 178 wines, 13 measurements. One call learns the graph, one draws it.

Arrows have the direction that all graphs of the class share. A line without an arrow means that the table fits
either direction equally well.
"""

from sklearn.datasets import load_wine

import sparsest as sp

wine = load_wine(as_frame=True).data
result = sp.fit(wine)
print(result.summary())

# %%
figure = result.plot()
