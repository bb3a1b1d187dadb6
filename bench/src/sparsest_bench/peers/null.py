"""Null methods, the empty graph and a random one, which do not look at the data."""

from __future__ import annotations

from typing import Any

import numpy as np

REQUIREMENTS = None
METHODS: dict[str, dict[str, Any]] = {"empty": {"edges_per_node": 0}, "random": {"edges_per_node": 2}}
NOT_RIVALS = tuple(METHODS)
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "empty": ("#98A2AE", ".", ":"),
    "random": ("#98A2AE", ",", ":"),
}


def fit(arrays: dict[str, Any], edges_per_node: int) -> tuple[str, Any]:
    """A random graph with the expected edges per node, seeded by the size of the table alone."""
    p = arrays["X"].shape[1]
    rng = np.random.default_rng([p, len(arrays["X"])])
    share = min(1.0, 2 * edges_per_node / max(p - 1, 1))
    order = rng.permutation(p)
    return "dag", np.triu(rng.random((p, p)) < share, 1)[np.ix_(order, order)]
