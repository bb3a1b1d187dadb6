"""GES by the package `ges` (Gamella 2022): forward, backward and turning phases, at BIC."""

from __future__ import annotations

from typing import Any

REQUIREMENTS = ["ges==1.1.1"]
METHODS: dict[str, dict[str, Any]] = {"ges-package": {}}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "ges-package": ("#44AA99", "8", ":"),
}


def fit(arrays: dict[str, Any]) -> tuple[str, Any]:
    """Its default call, with the Gaussian BIC score."""
    import ges  # type: ignore[import-not-found]

    return "cpdag", ges.fit_bic(arrays["X"])[0] != 0
