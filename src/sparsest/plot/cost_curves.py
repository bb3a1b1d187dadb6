"""The path over costs as a picture: edges, held-out likelihood, instability, and the chosen points."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path as Location
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from sparsest.plot.effects import dressed
from sparsest.plot.picture import format_of, new_picture, save_picture
from sparsest.plot.style import BLUE, ORANGE, Theme, theme_called

if TYPE_CHECKING:
    from sparsest.costs import Path

_WIDTH, _HEIGHT = 7.0, 2.1  # inches, per panel
_COLOURS = {"ebic": BLUE, "bic": "#56B4E9", "stars": ORANGE, "cv": "#009E73", "cv-1se": "#CC79A7"}
_STYLES = {"ebic": "-", "bic": ":", "stars": "--", "cv": "-.", "cv-1se": (0, (1, 3))}


def draw_path(path: Path, file: str | os.PathLike[str] | None = None, theme: str = "auto") -> Figure:
    """Draw a panel for each curve that there is, one above the other."""
    if file is not None:
        format_of(Location(file))
    colours = theme_called(theme)
    panels = [panel for panel in (_edges, _held_out, _instability) if panel is _edges or _has(path, panel)]
    figure = new_picture((_WIDTH, _HEIGHT * len(panels) + 0.7), colours.ground, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for number, (panel, axis) in enumerate(zip(panels, axes, strict=True)):
        panel(path, axis, colours)
        _marked(path, axis, labelled=number == 0)
        dressed(axis, colours)
    axes[-1].set_xlabel("cost of an edge, in log-likelihood per row", color=colours.text)
    handles, labels = axes[0].get_legend_handles_labels()
    if handles:
        figure.legend(
            handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=8,
            labelcolor=colours.text,
        )  # fmt: skip
    if file is not None:
        save_picture(figure, file)
    return figure


def _has(path: Path, panel: Any) -> bool:
    first = path.points[0]
    return (first.held_out if panel is _held_out else first.instability) is not None


def _edges(path: Path, axis: Any, theme: Theme) -> None:
    axis.plot(path.costs, [point.edges for point in path.points], **_line(theme.line))
    axis.set_ylabel("edges")


def _held_out(path: Path, axis: Any, theme: Theme) -> None:
    """How far behind the best, with one standard error of the difference."""
    behind = [point.behind or 0.0 for point in path.points]
    errors = [point.behind_error or 0.0 for point in path.points]
    axis.errorbar(path.costs, [-value for value in behind], yerr=errors, capsize=2, **_line(theme.line))
    # Far behind the best nothing can be told apart: the part near it is shown.
    near = sorted(value + error for value, error in zip(behind, errors, strict=True))[len(behind) // 2]
    axis.set_ylim(-1.5 * max(near, max(errors)) or -1.0, 0.3 * max(near, max(errors)) or 0.1)
    axis.set_ylabel("held-out likelihood\nper row, minus best")


def _instability(path: Path, axis: Any, theme: Theme) -> None:
    axis.plot(path.costs, [point.instability for point in path.points], **_line(theme.line))
    axis.axhline(0.05, color=theme.faint, linewidth=0.8)
    axis.set_ylim(bottom=0)
    axis.set_ylabel("instability")


def _line(colour: str) -> dict[str, Any]:
    return {"color": colour, "marker": "o", "markersize": 3, "linewidth": 1.2}


def _marked(path: Path, axis: Any, *, labelled: bool) -> None:
    """Chosen points as vertical lines; costs fall from left to right, as edges become more."""
    axis.set_xscale("log")
    # Plain text: formulas of matplotlib would be letters of their source in files whose text stays text.
    axis.xaxis.set_major_formatter(lambda cost, _place: f"{cost:g}")
    axis.xaxis.set_minor_formatter(lambda _cost, _place: "")
    axis.set_xlim(max(path.costs) * 1.1, min(path.costs) / 1.1)
    axis.tick_params(labelsize=8)
    for rule, cost in _chosen(path):
        label = rule if labelled else None
        axis.axvline(cost, color=_COLOURS[rule], linestyle=_STYLES[rule], linewidth=1.3, label=label)


def _chosen(path: Path) -> Sequence[tuple[str, float]]:
    return [(rule, path.choose(rule).cost) for rule in path.rules]
