"""Rows of the store as tables: means with 95 % confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from sparsest_bench.grid import designs
from sparsest_bench.judge import METRICS
from sparsest_bench.result_store import Kept
from sparsest_bench.starts import gathered

FACTORS = ("model", "graph", "weights", "p", "n", "noise", "hidden", "r2sortability", "data")
NOTHING = "–"
_LEVEL = 0.95
_MEANS = (
    "aid", "precision", "recall", "f1", "edges", "cpu_seconds", "memory_mb", "varsortability", "r2",
)  # fmt: skip

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Interval:
    """A mean and the half width of its 95 % confidence interval (Student's t); 0 of a single value."""

    mean: float
    half: float
    count: int

    def __str__(self) -> str:
        digits = 1 if abs(self.mean) >= 10 else 2
        return f"{self.mean:.{digits}f}" + (f" ± {self.half:.{digits}f}" if self.count > 1 else "")


@dataclass(frozen=True)
class Cell:
    """One method on one design: the values of each metric over the seeds, and how its tasks ended."""

    factors: Mapping[str, Any]
    method: str
    values: Mapping[str, tuple[float, ...]]
    statuses: Mapping[str, int]

    def interval(self, metric: str) -> Interval | None:
        """Mean and interval of a metric; None where there is no value."""
        values = self.values.get(metric, ())
        if not values:
            return None
        return interval(values)


def interval(values: Sequence[float]) -> Interval:
    """Mean and interval of some values."""
    return Interval(fmean(values), _half_width(values), len(values))


def cells(rows: Iterable[Row]) -> list[Cell]:
    """The rows of a grid, a cell a design and method, in the order of the plan."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((*(row[factor] for factor in FACTORS), row["method"]), []).append(row)
    found = []
    for (*factors, method), mine in groups.items():
        statuses: dict[str, int] = {}
        for row in mine:
            statuses[row["status"]] = statuses.get(row["status"], 0) + 1
        good = [row for row in mine if row["status"] == "done"]
        values = {
            metric: tuple(float(row[metric]) for row in good if row.get(metric) is not None)
            for metric in (*METRICS, "varsortability", "r2")
        }
        # Sortability belongs to the table, also where the method failed.
        for key in ("varsortability", "r2"):
            values[key] = tuple(float(row[key]) for row in mine if row.get(key) is not None)
        found.append(Cell(dict(zip(FACTORS, factors, strict=True)), method, values, statuses))
    return found


def varying(found: Sequence[Cell]) -> list[str]:
    """The factors that take more than one value; p always."""
    return [f for f in FACTORS if f == "p" or len({cell.factors[f] for cell in found}) > 1]


def grid_table(kept: Kept) -> str:
    """One line a design and method."""
    found = cells(kept.rows)
    factors = varying(found)
    order = {name: place for place, name in enumerate(kept.experiment.settings["methods"])}
    found.sort(
        key=lambda cell: (*(_sortable(cell.factors[f]) for f in factors), order.get(cell.method, len(order)))
    )
    header = [*factors, "method", "SHD", "SHD (old)", "DAG-SHD", "AID", "precision", "recall", "F1", "edges",
              "CPU s", "MB", "var-sort.", "R²-sort.", "not done"]  # fmt: skip
    lines = []
    for cell in found:
        missed = {status: count for status, count in cell.statuses.items() if status != "done"}
        lines.append([
            *(str(cell.factors[factor]) for factor in factors),
            cell.method,
            *(_shown(cell.interval(metric)) for metric in ("shd", "shd_old", "shd_dag")),
            *(_mean(cell, metric) for metric in _MEANS),
            ", ".join(f"{count} {status}" for status, count in missed.items()) or NOTHING,
        ])  # fmt: skip
    return without_empty_columns(header, lines)


def without_empty_columns(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table without the columns in which nothing is known."""
    told = [k for k in range(len(header)) if any(line[k] != NOTHING for line in lines)]
    return markdown([header[k] for k in told], [[line[k] for k in told] for line in lines])


def starts_table(kept: Kept) -> str:
    """One line a graph, δ, λ and kind of start."""
    header = ("graph", "δ/δ₀", "δ₀", "λ", "random entries", "starts", "SHD 0", "SHD > 0",
              "cyclic (−1)", "mean SHD", "mean distance",
              "at a sparsest model", "at a model of E(Θ)", "seconds")  # fmt: skip
    lines = []
    for group in gathered(kept.rows):
        counts = {int(value): count for value, count in group["shd_counts"].items()}
        total, cyclic = group["starts"], counts.get(-1, 0)
        valid = max(total - cyclic, 1)
        lines.append([
            group["structure"], f"{group['delta']:g}", f"{group['delta_0']:.3g}", f"{group['lam']:g}",
            group["entries"], str(total),
            f"{counts.get(0, 0) / total:.1%}", f"{(total - cyclic - counts.get(0, 0)) / total:.1%}",
            f"{cyclic / total:.2%}",
            f"{sum(value * count for value, count in counts.items() if value > 0) / valid:.2f}",
            f"{group['distance_sum'] / total:.3f}", f"{group['sparsest'] / total:.1%}",
            f"{group['in_class'] / total:.1%}", f"{group['wall']:.0f}",
        ])  # fmt: skip
    return markdown(header, lines)


def example_table(kept: Kept) -> str:
    """The numbers of the examples; curves are for the figure."""
    parts = []
    for row in kept.rows:
        rows = [one for one in row.get("rows", []) if "t" not in one]
        if rows:
            header = list(rows[0])
            lines = [[str(one[key]) or NOTHING for key in header] for one in rows]
            parts.append(f"{row['example']}:\n\n{markdown(header, lines)}")
    return "\n\n".join(parts)


def table(kept: Kept) -> str:
    """The table of an experiment, by its kind."""
    if kept.experiment.kind == "measure":
        from sparsest_bench.measures import registry  # its modules make tables by this one

        return registry.table(kept)
    return {"grid": grid_table, "starts": starts_table, "example": example_table}[kept.experiment.kind](kept)


def failures(kept: Kept) -> list[str]:
    """Why tasks were not done, each reason once."""
    reasons: dict[str, int] = {}
    for row in kept.rows:
        if row["status"] != "done":
            words = f"{row.get('method', row.get('structure', ''))}: {row['status']} ({row['error']})"
            reasons[words] = reasons.get(words, 0) + 1
    return [f"{words}, {count} times" if count > 1 else words for words, count in reasons.items()]


def along(found: Sequence[Cell]) -> str:
    """The factor along which a grid is shown: the one with most levels beside graph and data."""
    levels = {factor: len({cell.factors[factor] for cell in found}) for factor in varying(found)}
    return max((f for f in levels if f not in ("graph", "data")), key=lambda f: (levels[f], f == "p"))


def leaderboard(kept: Kept) -> str:
    """A line a method, a column a size: the mean of the metric on each kind of data, and CPU seconds.

    Means are over all graphs and seeds. A cell that lacks some of them says how many it has: its mean is
    over an easier or a harder part, and not to be compared with others.
    """
    found = cells(kept.rows)
    if not found:
        return ""
    factor, metric = along(found), kept.experiment.metric
    metric = "shd" if metric == "cpu_seconds" else metric
    levels = sorted({cell.factors[factor] for cell in found}, key=_sortable)
    settings = kept.experiment.settings
    kinds = settings["data"]
    # Of every level as many tasks are planned, the same for every method.
    planned = len(list(designs(settings))) * settings["seeds"] // len(levels)
    lines = []
    for method in settings["methods"]:
        mine = [cell for cell in found if cell.method == method]
        line = [
            _board_cell([c for c in mine if c.factors[factor] == level], metric, kinds, planned)
            for level in levels
        ]
        if any(cell != NOTHING for cell in line):
            lines.append([method, *line])
    names = [f"{factor} = {level}: {metric.upper()} {' / '.join(kinds)}, s" for level in levels]
    return markdown(["method", *names], lines)


def _board_cell(mine: Sequence[Cell], metric: str, kinds: Sequence[str], planned: int) -> str:
    values = [
        [v for cell in mine if cell.factors["data"] == kind for v in cell.values[metric]] for kind in kinds
    ]
    count = sum(map(len, values))
    if not count:
        return NOTHING
    digits = 2 if metric in ("f1", "precision", "recall") else 1
    means = " / ".join(f"{fmean(part):.{digits}f}" if part else NOTHING for part in values)
    seconds = fmean(value for cell in mine for value in cell.values["cpu_seconds"])
    return f"{means}, {rounded(seconds, 2)}" + (f" ({count} of {planned})" if count < planned else "")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table that reads well as plain text too."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    shown = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in lines
    ]
    shown.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(shown)


def _half_width(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, (1 + _LEVEL) / 2))
    return quantile * stdev(values) / math.sqrt(len(values))


def _sortable(value: Any) -> Any:
    return -1.0 if value is None else value


def _shown(interval: Interval | None) -> str:
    return NOTHING if interval is None else str(interval)


def _mean(cell: Cell, metric: str) -> str:
    values = cell.values[metric]
    return rounded(fmean(values)) if values else NOTHING


def rounded(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, large ones written out: 2400, not 2.4e+03."""
    short = f"{value:.{digits}g}"
    return f"{float(short):.0f}" if "e+" in short else short
