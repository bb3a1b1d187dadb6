"""What sorting alone achieves: regressions along an order by variance or by R², from the package CausalDisco.

Reisach, Seiler & Weichwald (2021; 2023). A method that does no better merely exploits the scale of the data.
"""

from __future__ import annotations

from typing import Any

REQUIREMENTS = ["CausalDisco==0.2.4"]
METHODS: dict[str, dict[str, Any]] = {"varsort": {"by": "var"}, "r2sort": {"by": "r2"}}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "varsort": ("#3A4756", "1", "-"),
    "r2sort": ("#3A4756", "2", "--"),
}


def fit(arrays: dict[str, Any], by: str) -> tuple[str, Any]:
    """Each column regressed on those before it, chosen by the lasso and BIC."""
    from CausalDisco import baselines  # type: ignore[import-not-found]

    return "dag", getattr(baselines, f"{by}_sort_regress")(arrays["X"]) != 0
