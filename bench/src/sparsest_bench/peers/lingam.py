"""DirectLiNGAM (Shimizu et al. 2011) by the package `lingam`: made for non-Gaussian noise."""

from __future__ import annotations

from typing import Any

REQUIREMENTS = ["lingam==1.9.1"]
METHODS: dict[str, dict[str, Any]] = {"direct-lingam": {}}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "direct-lingam": ("#CC79A7", "<", "-"),
}


def fit(arrays: dict[str, Any]) -> tuple[str, Any]:
    """Its default call; its matrix has effects in rows."""
    import lingam  # type: ignore[import-not-found]

    model = lingam.DirectLiNGAM(random_state=0)
    model.fit(arrays["X"])
    return "dag", model.adjacency_matrix_.T != 0
