"""Figures of grids: a metric against size, and boxes for raw and standardised data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sparsest.plot.style import ORANGE
from sparsest.simulate.designs import parse_graph
from sparsest_bench.canvas import GREEN, PANEL, WIDE_PANEL, entitle, grid_of_panels, label, shared_legend
from sparsest_bench.contenders import line_style
from sparsest_bench.networks import COLUMNS
from sparsest_bench.result_store import Kept
from sparsest_bench.tables import Cell, Interval, cells, main_factor, varying

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DATA_COLOURS = {"raw": ORANGE, "standardised": GREEN}
_BOX_WIDTH, _BOX_MARGIN, _BOX_LINE = 2.9, 0.7, 0.19  # inches: of a panel, around its boxes, for one of them


def lines(kept: Kept, metric: str) -> Iterator[tuple[str, Figure]]:
    """A figure for each kind of data: one panel per graph, the metric against size.

    With a single size, the methods are shown side by side.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "grid" and its finished tasks.
    metric : str
        The metric to show.

    Yields
    ------
    tuple of str and Figure
        The kind of data, and its figure.
    """
    found = cells(kept.rows)
    x = main_factor(found)
    rest = _other_factors(found, x)
    for data in dict.fromkeys(cell.factors["data"] for cell in found):
        here = [cell for cell in found if cell.factors["data"] == data]
        yield data, _lines_of(kept, here, metric, x, rest, len({cell.factors[x] for cell in found}) == 1)


def _other_factors(found: Sequence[Cell], x: str) -> list[str]:
    """Factors that need panels of their own."""
    rest = [f for f in varying(found) if f not in ("graph", "data", "p", x)]
    return rest + (["p"] if x != "p" and len({cell.factors["p"] for cell in found}) > 1 else [])


def _lines_of(
    kept: Kept, here: Sequence[Cell], metric: str, x: str, rest: Sequence[str], single: bool
) -> Figure:
    panels = list(dict.fromkeys(_panel_key(cell, rest) for cell in here))
    columns = 2 if single or len(panels) == 4 else 3
    figure, axes = grid_of_panels(len(panels), columns, WIDE_PANEL if single else PANEL)
    for axis, key in zip(axes.flat, panels, strict=False):
        mine = _in_order([cell for cell in here if _panel_key(cell, rest) == key], kept)
        if single:
            _draw_side_by_side(axis, mine, metric)
        else:
            _draw_lines(axis, mine, x, metric)
            axis.set_xlabel(label(x))
        _scale(axis, metric)
        axis.set_title(", ".join(map(str, key)))
    for row in axes:
        row[0].set_ylabel(label(metric))
    if not single:
        shared_legend(figure, axes, kept.experiment.settings["methods"])
    size = f", {x} = {here[0].factors[x]}" if single else ""
    entitle(figure, f"{kept.experiment.title}: {here[0].factors['data']} data{size}")
    return figure


def _panel_key(cell: Cell, rest: Sequence[str]) -> tuple[Any, ...]:
    return (cell.factors["graph"], *(f"{factor} = {cell.factors[factor]}" for factor in rest))


def _draw_lines(axis: Axes, mine: Sequence[Cell], x: str, metric: str) -> None:
    places = list(dict.fromkeys(cell.factors[x] for cell in mine))
    numbers = all(isinstance(place, int | float) for place in places)
    for method in dict.fromkeys(cell.method for cell in mine):
        points = [
            (cell.factors[x] if numbers else places.index(cell.factors[x]), interval)
            for cell in mine
            if cell.method == method and (interval := cell.interval(metric)) is not None
        ]
        if points:
            _draw_points(axis, sorted(points, key=lambda point: point[0]), metric, method)
    if numbers:
        _number_ticks(axis, x, sorted(places))
    else:
        axis.set_xticks(range(len(places)), [str(place) for place in places])


def _number_ticks(axis: Axes, x: str, places: Sequence[float]) -> None:
    if x in ("n", "p"):
        axis.set_xscale("log")
    axis.set_xticks(places, [f"{place:g}" if x != "n" else f"{place:,}" for place in places])
    axis.minorticks_off()


def _draw_side_by_side(axis: Axes, mine: Sequence[Cell], metric: str) -> None:
    shown = [(cell.method, one) for cell in mine if (one := cell.interval(metric)) is not None]
    for place, (method, interval) in enumerate(shown):
        _draw_points(axis, [(place, interval)], metric, method)
    most = max((interval.count for _, interval in shown), default=0)
    names = [f"{method} ({one.count})" if one.count < most else method for method, one in shown]
    axis.set_xticks(range(len(names)), names, rotation=45, ha="right")


def _draw_points(axis: Axes, points: Sequence[tuple[float, Interval]], metric: str, method: str) -> None:
    colour, marker, line = line_style(method)
    axis.errorbar(
        [place for place, _ in points],
        [interval.mean for _, interval in points],
        yerr=None if metric == "cpu_seconds" else whiskers([interval for _, interval in points]),
        label=method,
        color=colour,
        marker=marker,
        linestyle=line,
        elinewidth=0.7,
        capsize=1.5,
    )


def whiskers(intervals: Sequence[Interval]) -> list[list[float]]:
    """Half widths below and above each mean; an interval around a count does not reach below 0.

    Parameters
    ----------
    intervals : sequence of Interval
        Means and half widths.

    Returns
    -------
    list of two lists of float
        Lengths below and above.

    Examples
    --------
    >>> whiskers([Interval(1.0, 3.0, 2)])
    [[1.0], [3.0]]
    """
    below = [min(one.half, one.mean) if one.mean >= 0 else one.half for one in intervals]
    return [below, [one.half for one in intervals]]


def boxes(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """One figure with a panel per graph and size; a box per method and kind of data.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "grid" and its finished tasks.

    Yields
    ------
    tuple of str and Figure
        An empty string, and the figure.
    """
    metric = kept.experiment.metric
    found = _in_order([cell for cell in cells(kept.rows) if cell.values[metric]], kept)
    panels = sorted(dict.fromkeys((cell.factors["p"], cell.factors["graph"]) for cell in found))
    names = list(dict.fromkeys(cell.method for cell in found))
    height = _BOX_MARGIN + _BOX_LINE * len(names)
    figure, axes = grid_of_panels(len(panels), 3 if len(panels) == 3 else 2, (_BOX_WIDTH, height))
    kinds = [data for data in _DATA_COLOURS if any(cell.factors["data"] == data for cell in found)]
    for axis, (p, graph) in zip(axes.flat, panels, strict=False):
        mine = [cell for cell in found if (cell.factors["p"], cell.factors["graph"]) == (p, graph)]
        _draw_boxes(axis, mine, names, kinds, metric)
        axis.set_title(f"{graph}, p = {p}" + (" (complete)" if _complete(graph, p) else ""))
        axis.set_xlabel(label(metric))
        _scale(axis, metric, "x")
    for axis in axes[:, 1:].flat:
        axis.set_yticklabels([])
    shared_legend(figure, axes, kept.experiment.settings["methods"])
    entitle(figure, kept.experiment.title)
    yield "", figure


def _draw_boxes(
    axis: Axes, mine: Sequence[Cell], names: Sequence[str], kinds: Sequence[str], metric: str
) -> None:
    """A box per method, from top to bottom in the order of the names, and kind of data."""
    shifts = (-0.18, 0.18) if len(kinds) == 2 else (0.0,)
    for shift, data in zip(shifts, kinds, strict=True):
        here, colour = [cell for cell in mine if cell.factors["data"] == data], _DATA_COLOURS[data]
        stroke = {"color": colour, "linewidth": 0.9}
        axis.boxplot(
            [cell.values[metric] for cell in here],
            positions=[names.index(cell.method) + shift for cell in here],
            orientation="horizontal",
            widths=0.3,
            patch_artist=True,
            boxprops={"facecolor": f"{colour}33", "edgecolor": colour},
            medianprops=stroke,
            whiskerprops=stroke,
            capprops=stroke,
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": colour},
        )
        axis.plot([], [], color=colour, linewidth=5, alpha=0.5, label=data)
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.5)


def _in_order(found: Sequence[Cell], kept: Kept) -> list[Cell]:
    """Cells in the order in which the experiment names its methods."""
    order = {name: place for place, name in enumerate(kept.experiment.settings["methods"])}
    return sorted(found, key=lambda cell: order.get(cell.method, len(order)))


def _complete(graph: str, p: int) -> bool:
    """Whether a random graph of this size has all edges."""
    if graph in COLUMNS:
        return False
    kind, k = parse_graph(graph)
    return kind == "ER" and 2 * k >= p - 1


def _scale(axis: Axes, metric: str, along: Literal["x", "y"] = "y") -> None:
    if metric == "cpu_seconds":
        axis.set(**{f"{along}scale": "log"})
    elif metric.startswith("shd"):
        _square_root_scale(axis, along)


def _square_root_scale(axis: Axes, along: Literal["x", "y"]) -> None:
    """Errors from 0 to hundreds in one panel: the roots of counts are about equally uncertain."""
    set_scale = axis.set_xscale if along == "x" else axis.set_yscale
    set_scale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
    top = (axis.get_xlim() if along == "x" else axis.get_ylim())[1]
    step = max(1.0, 10 ** math.floor(math.log10(max(top, 1.0))))
    ticks = sorted({0.0, *(step * part for part in (0.05, 0.2, 0.5, 1, 2, 5))})
    shown = [tick for tick in ticks if tick <= top and tick == round(tick)]
    axis.set(**{f"{along}ticks": shown, f"{along}lim": (0, top)})
