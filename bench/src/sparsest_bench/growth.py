"""How the time of a method grows with the number of columns: a table and a figure of published rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from statistics import fmean, linear_regression

from sparsest._core.writing import written_whole
from sparsest_bench.canvas import figure_style, grid_of_panels, label
from sparsest_bench.tables import NOTHING, Row, markdown

_LARGE, _FEWEST = 200, 3  # columns from which growth is measured, and at how many sizes at least
_LINES = {"auto": "-", "order1": "--"}
_COLOURS = {"ER2": "#0072B2", "ER4": "#D55E00", "SF2": "#009E73"}

Seconds = Mapping[int, float]


def growth(rows: Sequence[Row]) -> str:
    """One line per method and graph: CPU seconds by size, and b of seconds ∝ p^b from 200 columns on."""
    found = _seconds(rows)
    sizes = sorted({p for seconds in found.values() for p in seconds})
    lines = [
        [*name, *(f"{seconds[p]:.3g}" if p in seconds else NOTHING for p in sizes), _exponent(seconds)]
        for name, seconds in found.items()
    ]
    return markdown(["method", "graph", *(f"p = {p}" for p in sizes), "exponent of p"], lines)


def draw_growth(rows: Sequence[Row], path: Path) -> None:
    """The same as an SVG figure: a line per method and graph, with its exponent."""
    with figure_style():
        figure, ((axis,),) = grid_of_panels(1, 1, (4.6, 2.9))
        for (method, graph), seconds in _seconds(rows).items():
            exponent = _exponent(seconds)
            words = f"{method}, {graph}" + ("" if exponent == NOTHING else f": $p^{{{exponent}}}$")
            axis.plot(
                list(seconds), list(seconds.values()), _LINES.get(method, ":"), marker="o",
                color=_COLOURS.get(graph), label=words,
            )  # fmt: skip
        axis.set(xscale="log", yscale="log", xlabel=label("p"), ylabel=label("cpu_seconds"))
        sizes = sorted({p for seconds in _seconds(rows).values() for p in seconds})
        axis.set_xticks(sizes, [str(p) for p in sizes])
        axis.set_xticks([], minor=True)
        axis.legend(fontsize=7.5)
        with written_whole(path) as draft:
            figure.savefig(draft, format="svg", metadata={"Date": None})


def _seconds(rows: Sequence[Row]) -> dict[tuple[str, str], Seconds]:
    """Mean CPU seconds by size, for every method and graph."""
    done = [row for row in rows if row["status"] == "done"]
    found: dict[tuple[str, str], Seconds] = {}
    for name in dict.fromkeys((row["method"], row["graph"]) for row in done):
        mine = [row for row in done if (row["method"], row["graph"]) == name]
        sizes = sorted({row["p"] for row in mine})
        found[name] = {p: fmean(row["cpu_seconds"] for row in mine if row["p"] == p) for p in sizes}
    return found


def _exponent(seconds: Seconds) -> str:
    """The slope of the logarithms of time and size, where there are enough large sizes."""
    large = [p for p in seconds if p >= _LARGE]
    if len(large) < _FEWEST:
        return NOTHING
    return f"{linear_regression([log(p) for p in large], [log(seconds[p]) for p in large]).slope:.2f}"
