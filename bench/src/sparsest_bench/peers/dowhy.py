"""DoWhy: an effect in a known DAG, by its smallest back-door set and a linear regression.

The table comes with the DAG and the pairs that are asked about; the answer is a matrix of effects. As its
documentation does, a model is made for each pair, its estimand identified, and then estimated.
"""

from __future__ import annotations

from typing import Any

REQUIREMENTS = ["dowhy==0.14"]
METHODS: dict[str, dict[str, Any]] = {"dowhy-adjustment": {}}
# Colour, marker and line of each method in figures.
LINE_STYLES = {"dowhy-adjustment": ("#0072B2", "v", "-")}


def fit(arrays: dict[str, Any]) -> tuple[str, Any]:
    """The effect of the first column of each pair on the second."""
    import logging
    import warnings

    import dowhy  # type: ignore[import-not-found]
    import networkx as nx
    import numpy as np
    import pandas as pd

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    p = arrays["X"].shape[1]
    names = [f"x{k}" for k in range(p)]
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in np.argwhere(arrays["dag"]))
    frame = pd.DataFrame(arrays["X"], columns=names)
    found = np.zeros((p, p))
    for i, j in arrays["pairs"].tolist():
        model = dowhy.CausalModel(data=frame, graph=graph, treatment=names[i], outcome=names[j])
        estimand = model.identify_effect(proceed_when_unidentifiable=True, method_name="minimal-adjustment")
        found[i, j] = model.estimate_effect(estimand, method_name="backdoor.linear_regression").value
    return "weights", found
