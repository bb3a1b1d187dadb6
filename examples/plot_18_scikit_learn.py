"""
Inside scikit-learn
===================

``StructureLearner`` is an estimator: it can be cloned, put into a pipeline and searched over. Its score is the log-likelihood of
rows that it has not seen.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV

import sparsest as sp

wine = load_wine(as_frame=True).data
costs = [0.005, 0.01, 0.02, 0.04, 0.08, 0.16]
search = GridSearchCV(sp.StructureLearner(), {"penalty": costs}, cv=5).fit(wine)
print(search.best_params_)

# %%
figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
axis.errorbar(
    costs,
    search.cv_results_["mean_test_score"],
    search.cv_results_["std_test_score"],
    marker="o",
)
axis.set(
    xscale="log",
    xlabel="cost of an edge",
    ylabel="log-likelihood of held-out rows",
)
axis.spines[["top", "right"]].set_visible(False)
figure = search.best_estimator_.result_.plot()
