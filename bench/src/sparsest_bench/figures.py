"""Figures of experiments in one style, made from the rows of the store alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsest.plot.style import BLUE, GREY, ORANGE, SLATE, TEXT
from sparsest.simulate.designs import parse_graph
from sparsest_bench.contenders import line_style
from sparsest_bench.networks import COLUMNS
from sparsest_bench.result_store import Kept
from sparsest_bench.starts import gathered
from sparsest_bench.tables import Cell, Interval, along, cells, varying

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREEN = "#009E73"
_DATA_COLOURS = {"raw": ORANGE, "standardised": GREEN}

_NARROWEST = 5.0  # inches: titles and legends need as much
_LEGEND_COLUMN = 1.65
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


def draw(kept: Kept, folder: Path, stem: str) -> list[Path]:
    """Write the figures of an experiment; none where its kind of figure or its rows give none."""
    makers: Mapping[str, Callable[[Kept], Iterator[tuple[str, Figure]]]] = {
        "lines": lambda kept: _lines(kept, kept.experiment.metric),
        "times": lambda kept: _lines(kept, "cpu_seconds"),
        "boxes": _boxes,
        "dots": _dots,
        "penalty": _penalty,
        "bias": _bias,
    }
    if kept.experiment.figure not in makers or not any(row["status"] == "done" for row in kept.rows):
        return []
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with _style():
        for part, figure in makers[kept.experiment.figure](kept):
            path = folder / (f"{stem}-{part}.svg" if part else f"{stem}.svg")
            figure.savefig(path, metadata={"Date": None})
            written.append(path)
    return written


@contextmanager
def _style() -> Iterator[None]:
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        yield


def _panels(rows: int, columns: int, width: float = 2.6, height: float = 2.1) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    size = max(width * columns + 0.4, _NARROWEST), height * rows + 0.9
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _lines(kept: Kept, metric: str) -> Iterator[tuple[str, Figure]]:
    """A figure for raw and one for standardised data: a panel a graph, the metric along the sizes.

    Where there is one size only, the methods stand side by side.
    """
    found = cells(kept.rows)
    x = along(found)
    single = len({cell.factors[x] for cell in found}) == 1
    rest = [f for f in varying(found) if f not in ("graph", "data", "p", x)]
    rest += ["p"] if x != "p" and len({cell.factors["p"] for cell in found}) > 1 else []
    for data in dict.fromkeys(cell.factors["data"] for cell in found):
        here = [cell for cell in found if cell.factors["data"] == data]
        panels = list(dict.fromkeys(_panel_key(cell, rest) for cell in here))
        columns = min(2 if single or len(panels) == 4 else 3, len(panels))
        figure, axes = _panels(math.ceil(len(panels) / columns), columns, *((4.2, 2.7) if single else ()))
        for axis, key in zip(axes.flat, panels, strict=False):
            mine = _in_order([cell for cell in here if _panel_key(cell, rest) == key], kept)
            if single:
                _draw_side_by_side(axis, mine, metric)
            else:
                _draw_lines(axis, mine, x, metric)
                axis.set_xlabel(_LABELS.get(x, x))
            _scale(axis, metric)
            axis.set_title(", ".join(map(str, key)))
        for axis in list(axes.flat)[len(panels) :]:
            axis.set_axis_off()
        for row in axes:
            row[0].set_ylabel(_LABELS.get(metric, metric))
        if not single:
            _legend(figure, axes, kept)
        size = f", {x} = {here[0].factors[x]}" if single else ""
        figure.suptitle(f"{kept.experiment.title}: {data} data{size}", fontsize=10)
        yield data, figure


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
        if not points:
            continue
        points.sort(key=lambda point: point[0])
        _draw_points(axis, points, metric, method)
    if not numbers:
        axis.set_xticks(range(len(places)), [str(place) for place in places])
    else:
        if x in ("n", "p"):
            axis.set_xscale("log")
        axis.set_xticks(
            sorted(places), [f"{place:g}" if x != "n" else f"{place:,}" for place in sorted(places)]
        )
        axis.minorticks_off()


def _draw_side_by_side(axis: Axes, mine: Sequence[Cell], metric: str) -> None:
    shown = [(cell.method, one) for cell in mine if (one := cell.interval(metric)) is not None]
    for place, (method, interval) in enumerate(shown):
        _draw_points(axis, [(place, interval)], metric, method)
    names = [f"{method} ({one.count})" if one.count < _most(shown) else method for method, one in shown]
    axis.set_xticks(range(len(names)), names, rotation=45, ha="right")


def _most(shown: Sequence[tuple[str, Interval]]) -> int:
    return max(interval.count for _, interval in shown)


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


def _scale(axis: Axes, metric: str) -> None:
    if metric == "cpu_seconds":
        axis.set_yscale("log")
    elif metric.startswith("shd"):
        _square_root_scale(axis)


def whiskers(intervals: Sequence[Interval]) -> list[list[float]]:
    """Half widths below and above; where a mean is not below 0, its interval is not either."""
    below = [min(one.half, one.mean) if one.mean >= 0 else one.half for one in intervals]
    return [below, [one.half for one in intervals]]


def _square_root_scale(axis: Axes) -> None:
    """Errors from 0 to hundreds in one panel: the roots of counts are about equally uncertain."""
    axis.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
    top = axis.get_ylim()[1]
    step = max(1.0, 10 ** math.floor(math.log10(max(top, 1.0))))
    ticks = sorted({0.0, *(step * part for part in (0.05, 0.2, 0.5, 1, 2, 5))})
    axis.set_yticks([tick for tick in ticks if tick <= top and tick == round(tick)])
    axis.set_ylim(0, top)


def _in_order(found: Sequence[Cell], kept: Kept) -> list[Cell]:
    """Cells in the order in which the experiment names its methods."""
    order = {name: place for place, name in enumerate(kept.experiment.settings["methods"])}
    return sorted(found, key=lambda cell: order.get(cell.method, len(order)))


def _legend(figure: Figure, axes: Any, kept: Kept) -> None:
    handles: dict[str, Any] = {}
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    order = [name for name in kept.experiment.settings["methods"] if name in handles]
    labels = [*order, *(name for name in handles if name not in order)]
    columns = int(figure.get_figwidth() / _LEGEND_COLUMN)
    shown = [handles[label] for label in labels]
    figure.legend(shown, labels, loc="outside lower center", ncols=columns, fontsize=7.5)


def _boxes(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """A panel a size; for each method a box for raw and one for standardised data."""
    found = [cell for cell in cells(kept.rows) if cell.values[kept.experiment.metric]]
    panels = list(dict.fromkeys((cell.factors["graph"], cell.factors["p"]) for cell in found))
    figure, axes = _panels(math.ceil(len(panels) / 2), min(2, len(panels)), width=4.2, height=2.7)
    kinds = [data for data in _DATA_COLOURS if any(cell.factors["data"] == data for cell in found)]
    shifts = (-0.18, 0.18) if len(kinds) == 2 else (0.0,)
    for axis, (graph, p) in zip(axes.flat, panels, strict=False):
        mine = [cell for cell in found if (cell.factors["graph"], cell.factors["p"]) == (graph, p)]
        names = list(dict.fromkeys(cell.method for cell in _in_order(mine, kept)))
        for shift, data in zip(shifts, kinds, strict=True):
            here, colour = [cell for cell in mine if cell.factors["data"] == data], _DATA_COLOURS[data]
            stroke = {"color": colour, "linewidth": 0.9}
            axis.boxplot(
                [cell.values[kept.experiment.metric] for cell in here],
                positions=[names.index(cell.method) + shift for cell in here],
                widths=0.3,
                patch_artist=True,
                boxprops={"facecolor": f"{colour}33", "edgecolor": colour},
                medianprops=stroke,
                whiskerprops=stroke,
                capprops=stroke,
                flierprops={"marker": ".", "markersize": 3, "markeredgecolor": colour},
            )
            axis.plot([], [], color=colour, linewidth=5, alpha=0.5, label=data)
        axis.set_xticks(range(len(names)), names, rotation=45, ha="right")
        axis.set_title(f"{graph}, p = {p}" + (" (complete)" if _complete(graph, p) else ""))
        axis.set_ylabel(_LABELS.get(kept.experiment.metric, kept.experiment.metric))
        _scale(axis, kept.experiment.metric)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_axis_off()
    _legend(figure, axes, kept)
    figure.suptitle(kept.experiment.title, fontsize=10)
    yield "", figure


def _complete(graph: str, p: int) -> bool:
    """Whether a random graph of this size has all edges."""
    if graph in COLUMNS:
        return False
    kind, k = parse_graph(graph)
    return kind == "ER" and 2 * k >= p - 1


def _dots(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """The initialisation study: dots by frequency, a line through the means, δ₀ marked."""
    groups = gathered(kept.rows)
    told = [key for key in ("structure", "lam", "entries") if len({group[key] for group in groups}) > 1]
    panels = list(dict.fromkeys(tuple(group[key] for key in told) for group in groups))
    figure, axes = _panels(2, len(panels))
    for column, panel in enumerate(panels):
        here = [group for group in groups if tuple(group[key] for key in told) == panel]
        mine = sorted(here, key=lambda group: group["delta"])
        for row, (key, label) in enumerate((("shd_counts", "SHD"), ("distance_counts", "distance to E_min"))):
            axis = axes[row][column]
            for group in mine:
                counts = {float(value): count for value, count in group[key].items()}
                sizes = [max(2.0, 160 * count / group["starts"]) for count in counts.values()]
                axis.scatter(
                    [group["delta"]] * len(counts), list(counts), s=sizes, color=BLUE, alpha=0.6, linewidth=0
                )
            axis.plot(
                [g["delta"] for g in mine], [_mean_of(g, key) for g in mine], color=ORANGE, label="mean"
            )
            axis.axvline(1.0, color=SLATE, linestyle=":", linewidth=0.9)
            axis.set_xscale("log")
            axis.set_xticks([g["delta"] for g in mine], [f"{g['delta']:g}" for g in mine])
            axis.minorticks_off()
            axis.set_ylabel(label)
            axis.set_xlabel("δ / δ₀")
        name = ", ".join([mine[0]["structure"], *_other_factors(mine[0], told)])
        axes[0][column].set_title(f"{name}: {mine[0]['starts']:,} starts a δ")
    figure.suptitle(kept.experiment.title, fontsize=10)
    yield "", figure


def _other_factors(group: Mapping[str, Any], told: Sequence[str]) -> list[str]:
    words = {"lam": f"λ = {group['lam']:g}", "entries": f"{group['entries']} random"}
    return [words[key] for key in told if key in words]


def _mean_of(group: Mapping[str, Any], key: str) -> float:
    if key == "distance_counts":
        return float(group["distance_sum"]) / float(group["starts"])
    counts = {int(value): count for value, count in group[key].items() if int(value) >= 0}
    total = sum(value * count for value, count in counts.items())
    return float(total / max(sum(counts.values()), 1))


def _penalty(kept: Kept) -> Iterator[tuple[str, Figure]]:
    figure, axes = _panels(1, 1, width=4.6, height=2.6)
    (rows,) = [row["rows"] for row in kept.rows]
    for row, colour, line in zip(rows, (BLUE, ORANGE, GREEN, GREY), ("-", "--", "-.", ":"), strict=True):
        axes[0][0].plot(row["t"], row["value"], color=colour, linestyle=line, label=row["curve"])
    axes[0][0].set_xlabel("t")
    axes[0][0].set_ylabel("p(t)")
    axes[0][0].legend()
    figure.suptitle(kept.experiment.title, fontsize=10)
    yield "", figure


def _bias(kept: Kept) -> Iterator[tuple[str, Figure]]:
    rows = [one for row in kept.rows for one in row.get("rows", []) if "penalty" in one]
    if not rows:
        return
    figure, axes = _panels(1, 1, width=4.6, height=2.6)
    for name, colour in (("l1", ORANGE), ("quasi-MCP", BLUE)):
        mine = [row for row in rows if row["penalty"] == name]
        axes[0][0].plot(
            [r["lam"] for r in mine], [r["estimate"] for r in mine], "o-", color=colour, label=name
        )
    axes[0][0].axhline(1.0, color=SLATE, linestyle=":", linewidth=0.9)
    axes[0][0].set_xlabel("λ")
    axes[0][0].set_ylabel("minimising a (truth: 1)")
    axes[0][0].legend()
    figure.suptitle(kept.experiment.title, fontsize=10)
    yield "", figure
