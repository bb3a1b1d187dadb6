"""pgmpy: an effect in a known DAG, by its smallest adjustment set and a linear regression.

The table comes with the DAG and the pairs that are asked about; the answer is a matrix of effects. Its
`estimate_ate` is not asked: in version 1.1.2 it multiplies total effects, not direct ones, along each path.
Its estimator is given its set instead.
"""

from __future__ import annotations

from typing import Any

REQUIREMENTS = ["pgmpy==1.1.2"]
METHODS: dict[str, dict[str, Any]] = {"pgmpy-adjustment": {}}
# Colour, marker and line of each method in figures.
LINE_STYLES = {"pgmpy-adjustment": ("#009E73", "<", "-")}


def fit(arrays: dict[str, Any]) -> tuple[str, Any]:
    """The effect of the first column of each pair on the second."""
    import logging
    import warnings

    import numpy as np
    import pandas as pd
    from pgmpy.base import DAG  # type: ignore[import-not-found]
    from pgmpy.inference import CausalInference  # type: ignore[import-not-found]
    from pgmpy.inference.LinearModel import LinearEstimator  # type: ignore[import-not-found]

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    p = arrays["X"].shape[1]
    names = [f"x{k}" for k in range(p)]
    graph = DAG()
    graph.add_nodes_from(names)
    graph.add_edges_from([(names[i], names[j]) for i, j in np.argwhere(arrays["dag"])])
    frame = pd.DataFrame(arrays["X"], columns=names)
    asked = CausalInference(graph)
    found = np.zeros((p, p))
    for i, j in arrays["pairs"].tolist():
        adjusting = asked.get_minimal_adjustment_set(names[i], names[j])
        fitted = LinearEstimator(graph).fit(X=names[i], Y=names[j], Z=adjusting, data=frame)
        found[i, j] = fitted._get_ate()
    return "weights", found
