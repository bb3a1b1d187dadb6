"""XGES (`xges`, Nazaret & Blei 2024): greedy equivalence search with deletions first and an extended search.

Its penalty α counts as λ does for FLOP: an edge costs α log n / 2n in units of our objective. α = 1 is BIC's
cost, α = 2 its default, and α = 1 + 2 log p / log n our default: "xges@ours".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

REQUIREMENTS = ["xges==0.1.6"]
METHODS: dict[str, dict[str, Any]] = {"xges": {}, "xges@ours": {"at_our_cost": True}}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "xges": ("#AA4499", "p", "-"),
    "xges@ours": ("#AA4499", "p", "--"),
}


def fit(arrays: dict[str, Any], at_our_cost: bool = False) -> tuple[str, Any]:
    """The search at its default penalty, or with edges that cost what they cost us."""
    from xges import XGES  # type: ignore[import-not-found]

    n, p = arrays["X"].shape
    penalty = 1 + 2 * math.log(p) / math.log(n) if at_our_cost else 2.0
    return "cpdag", np.asarray(XGES(alpha=penalty).fit(arrays["X"], verbose=0).to_adjacency_matrix()) != 0
