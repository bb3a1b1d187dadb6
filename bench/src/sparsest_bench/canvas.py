"""What the figures share: style, panels, labels, legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sparsest.plot.style import SLATE, TEXT
from sparsest_bench.result_store import Kept

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREEN = "#009E73"
_NARROWEST = 5.0  # inches, for titles and legends
_LEGEND_COLUMN = 1.65
PANEL, WIDE_PANEL = (2.6, 2.1), (4.2, 2.7)  # width and height in inches
_STYLE = {
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.edgecolor": SLATE,
    "axes.labelcolor": TEXT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E3E8EE",
    "grid.linewidth": 0.6,
    "xtick.color": SLATE,
    "ytick.color": SLATE,
    "legend.frameon": False,
    "svg.hashsalt": "sparsest",
    "svg.fonttype": "none",
    "lines.markersize": 4.0,
    "lines.linewidth": 1.2,
}
_LABELS = {
    "shd": "SHD between CPDAGs",
    "shd_dag": "SHD between DAGs",
    "f1": "F1 of adjacencies",
    "cpu_seconds": "CPU seconds",
    "p": "columns p",
    "n": "rows n",
    "r2sortability": "R²-sortability",
    "hidden": "hidden common causes",
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Matplotlib's settings for every figure, inside a `with` block."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        yield


def label(name: str) -> str:
    """The words for a metric or a factor on an axis."""
    return _LABELS.get(name, name)


def grid_of_panels(count: int, columns: int, size: tuple[float, float] = PANEL) -> tuple[Figure, Any]:
    """A figure with at least this many panels; surplus ones are left blank.

    Parameters
    ----------
    count : int
        Panels that are needed.
    columns : int
        The most panels side by side.
    size : tuple of float
        Width and height of a panel in inches.

    Returns
    -------
    tuple of Figure and array of Axes
        The figure and its panels by row and column.
    """
    from matplotlib.figure import Figure

    columns = min(columns, count)
    rows = math.ceil(count / columns)
    width, height = size
    figure = Figure(
        figsize=(max(width * columns + 0.4, _NARROWEST), height * rows + 0.9), layout="constrained"
    )
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in list(axes.flat)[count:]:
        axis.set_axis_off()
    return figure, axes


def single_panel(kept: Kept, x: str, y: str) -> tuple[Figure, Axes]:
    """A figure of one panel with the experiment's title and named axes."""
    figure, ((axis,),) = grid_of_panels(1, 1, (4.6, 2.6))
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    entitle(figure, kept.experiment.title)
    return figure, axis


def entitle(figure: Figure, words: str) -> None:
    """Put a title above all panels."""
    figure.suptitle(words, fontsize=10)


def shared_legend(figure: Figure, axes: Any, methods: Iterable[str]) -> None:
    """One legend below all panels, in the order in which the experiment names its methods."""
    handles: dict[str, Any] = {}
    for axis in axes.flat:
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    order = [name for name in methods if name in handles]
    labels = [*order, *(name for name in handles if name not in order)]
    columns = int(figure.get_figwidth() / _LEGEND_COLUMN)
    shown = [handles[name] for name in labels]
    figure.legend(shown, labels, loc="outside lower center", ncols=columns, fontsize=7.5)
