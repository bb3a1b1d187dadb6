"""Reliability diagrams: how often what has a share, or a probability, is true.

cd bench/results && python -m sparsest_bench.calibration.reliability calibration-paper.csv reliability.png
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sparsest_bench.measures.calibration import points
from sparsest_bench.published_rows import read_kept

_PANELS = (("well-specified", True), ("misspecified", False))
_LINES = {
    "shares": ("shares of half-samples", "#98A2AE", "o"),
    "bootstrap": ("plain bootstrap", "#E69F00", "s"),
    "calibrated": ("calibrated", "#0072B2", "D"),
}


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """One panel for pairs and one for arrows, on well-specified and on misspecified tables."""
    figure = Figure(figsize=(8.2, 3.2), layout="constrained")
    panels = figure.subplots(1, 4, sharex=True, sharey=True)
    for place, (axes, (what, key, (kind, well))) in enumerate(zip(panels, _panels(), strict=True)):
        _panel(axes, [row for row in rows if row["well"] is well], key)
        axes.set_title(f"{what},\n{kind} tables", fontsize=9)
        axes.set_xlabel("share or probability", fontsize=8)
        if place == 0:
            axes.set_ylabel("how often it is true", fontsize=8)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    figure.savefig(path, dpi=150)


def _panels() -> list[tuple[str, str, tuple[str, bool]]]:
    return [
        (what, key, panel)
        for what, key in (("pairs", "pair_bins"), ("arrows", "arrow_bins"))
        for panel in _PANELS
    ]


def _panel(axes: Axes, rows: Sequence[Mapping[str, Any]], key: str) -> None:
    axes.plot([0, 1], [0, 1], color="#CCCCCC", lw=1)
    for arm, (label, colour, marker) in _LINES.items():
        found = [one for one in points([row for row in rows if row["arm"] == arm], key) if one[2] >= 10]
        axes.plot(
            [one[0] for one in found],
            [one[1] for one in found],
            marker,
            ls="-",
            color=colour,
            ms=4,
            label=label,
        )
    axes.set_aspect("equal")
    axes.tick_params(labelsize=7)


def main() -> None:
    """Draw what a file of results holds."""
    source, target = map(Path, sys.argv[1:])
    draw([inner | {} for row in read_kept(source).rows for inner in row["rows"]], target)


if __name__ == "__main__":
    main()
