"""FLOP (`flopsearch`, in Rust): iterated local search over orders, for linear Gaussian data.

Its BIC is n Σ log ω + λ log(n) · edges, lower is better. Over 2n that is our objective at a cost per edge of
λ log n / 2n. Checked on ten small tables at λ = ½, 1, 2 and 4: each of its 40 answers has the least objective
of all graphs at that cost. So

- λ = 1 is BIC's cost, and λ = 2, which its documentation suggests, is twice that;
- λ = 1 + 2 log p / log n is our default, (log n + 2 log p) / 2n: the methods "@ours".

It takes no seed. Twenty restarts unless the name says otherwise: it has no default for them.
"""

from __future__ import annotations

import math
from typing import Any

REQUIREMENTS = ["numpy>=1.26", "flopsearch==0.3.0"]  # which uses NumPy and does not say so
METHODS: dict[str, dict[str, Any]] = {
    "flop": {},
    "flop@ours": {"at_our_cost": True},
    "flop-100@ours": {"at_our_cost": True, "restarts": 100},
    "flop-0@ours": {"at_our_cost": True, "restarts": 0},
}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "flop": ("#882255", "h", "-"),
    "flop@ours": ("#882255", "h", "--"),
    "flop-100@ours": ("#882255", "H", ":"),
    "flop-0@ours": ("#882255", "1", ":"),
}


def fit(arrays: dict[str, Any], at_our_cost: bool = False, restarts: int = 20) -> tuple[str, Any]:
    """The search at the suggested penalty, or with edges that cost what they cost us."""
    from flopsearch import flop  # type: ignore[import-not-found]

    n, p = arrays["X"].shape
    penalty = 1 + 2 * math.log(p) / math.log(n) if at_our_cost else 2.0
    # 1 is i -> j, and 2 in both places an edge whose direction is open.
    return "cpdag", flop(arrays["X"], penalty, restarts=restarts) != 0
