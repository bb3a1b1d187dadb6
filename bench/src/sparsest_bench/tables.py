"""Rows of the store as Markdown tables: means with 95 % confidence intervals."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from sparsest_bench.judge import METRICS
from sparsest_bench.result_store import Kept

# The factors of a design as columns of a row, in the order in which tables show them.
ROW_FACTORS = ("model", "graph", "weights", "p", "n", "noise", "hidden", "r2sortability", "data")
NOTHING = "–"
_LEVEL = 0.95
_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # what begins an element of HTML
# The columns of the table of every design: metrics with an interval, and those with their mean only.
_INTERVALS = {"shd": "SHD", "shd_old": "SHD (old)", "shd_dag": "DAG-SHD"}
_MEANS = {
    "aid": "AID",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "edges": "edges",
    "cpu_seconds": "CPU s",
    "memory_mb": "MB",
    "varsortability": "var-sort.",
    "r2": "R²-sort.",
}
_SORTABILITY = ("varsortability", "r2")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Interval:
    """Mean and half width of its 95 % confidence interval (Student's t).

    Parameters
    ----------
    mean : float
        Mean of the values.
    half : float
        Half the width of the interval; 0 for a single value.
    count : int
        Number of values.

    Examples
    --------
    >>> str(Interval(1.0, 0.25, 10)), str(Interval(12.3, 0.0, 1))
    ('1.00 ± 0.25', '12.3')
    """

    mean: float
    half: float
    count: int

    def __str__(self) -> str:
        digits = 1 if abs(self.mean) >= 10 else 2
        return f"{self.mean:.{digits}f}" + (f" ± {self.half:.{digits}f}" if self.count > 1 else "")


@dataclass(frozen=True)
class Cell:
    """One method on one design.

    Parameters
    ----------
    factors : mapping
        The design, by the names in `ROW_FACTORS`.
    method : str
        Name of the method.
    values : mapping of str to tuple of float
        Values of each metric over the seeds.
    statuses : mapping of str to int
        How many of the tasks ended in which way.
    """

    factors: Mapping[str, Any]
    method: str
    values: Mapping[str, tuple[float, ...]]
    statuses: Mapping[str, int]

    def interval(self, metric: str) -> Interval | None:
        """Mean and interval of a metric; None where there is no value."""
        values = self.values.get(metric, ())
        return interval(values) if values else None


def interval(values: Sequence[float]) -> Interval:
    """Mean and 95 % confidence interval of some values.

    Parameters
    ----------
    values : sequence of float
        At least one value.

    Returns
    -------
    Interval
        Their mean, with half the width of its interval.

    Examples
    --------
    >>> str(interval([1.0, 2.0, 3.0]))
    '2.00 ± 2.48'
    """
    return Interval(fmean(values), _half_width(values), len(values))


def cells(rows: Iterable[Row]) -> list[Cell]:
    """Rows of a grid grouped by design and method, in the order of the plan.

    Parameters
    ----------
    rows : iterable of mapping
        Flat rows of one experiment.

    Returns
    -------
    list of Cell
        One cell per design and method.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((*(row[factor] for factor in ROW_FACTORS), row["method"]), []).append(row)
    return [
        Cell(
            dict(zip(ROW_FACTORS, factors, strict=True)),
            method,
            _values(mine),
            Counter(row["status"] for row in mine),
        )
        for (*factors, method), mine in groups.items()
    ]


def _values(mine: Sequence[Row]) -> dict[str, tuple[float, ...]]:
    good = [row for row in mine if row["status"] == "done"]
    # Sortability belongs to the table, and is known even if the method failed.
    sources = dict.fromkeys(METRICS, good) | dict.fromkeys(_SORTABILITY, mine)
    return {
        metric: tuple(float(row[metric]) for row in rows if row.get(metric) is not None)
        for metric, rows in sources.items()
    }


def varying(found: Sequence[Cell]) -> list[str]:
    """The factors that take more than one value, and p always.

    Parameters
    ----------
    found : sequence of Cell
        Cells of one experiment.

    Returns
    -------
    list of str
        Names from `ROW_FACTORS`.
    """
    return [f for f in ROW_FACTORS if f == "p" or len({cell.factors[f] for cell in found}) > 1]


def main_factor(found: Sequence[Cell]) -> str:
    """The factor along which a grid is shown: the one with most levels, apart from graph and data.

    Parameters
    ----------
    found : sequence of Cell
        Cells of one experiment.

    Returns
    -------
    str
        A name from `ROW_FACTORS`.
    """
    levels = {factor: len({cell.factors[factor] for cell in found}) for factor in varying(found)}
    return max((f for f in levels if f not in ("graph", "data")), key=lambda f: (levels[f], f == "p"))


def table(kept: Kept) -> str:
    """The full table of an experiment, by its kind.

    Parameters
    ----------
    kept : Kept
        An experiment and its finished tasks.

    Returns
    -------
    str
        A Markdown table; empty where there is nothing to tabulate.
    """
    from sparsest_bench.measures import registry  # its modules import this one
    from sparsest_bench.starts_tables import starts_table  # so does this

    tables = {
        "grid": grid_table,
        "starts": starts_table,
        "example": example_table,
        "measure": registry.table,
    }
    return tables[kept.experiment.kind](kept)


def grid_table(kept: Kept) -> str:
    """Table of a grid with one line per design and method.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "grid".

    Returns
    -------
    str
        A Markdown table without empty columns.
    """
    found = cells(kept.rows)
    factors = varying(found)
    order = {name: place for place, name in enumerate(kept.experiment.settings["methods"])}
    found.sort(
        key=lambda cell: (
            *(level_order(cell.factors[f]) for f in factors),
            order.get(cell.method, len(order)),
        )
    )
    header = [*factors, "method", *_INTERVALS.values(), *_MEANS.values(), "not done"]
    return without_empty_columns(header, [_design_line(cell, factors) for cell in found])


def _design_line(cell: Cell, factors: Sequence[str]) -> list[str]:
    missed = (f"{count} {status}" for status, count in cell.statuses.items() if status != "done")
    return [
        *(str(cell.factors[factor]) for factor in factors),
        cell.method,
        *(str(cell.interval(metric) or NOTHING) for metric in _INTERVALS),
        *(rounded(fmean(values)) if (values := cell.values[m]) else NOTHING for m in _MEANS),
        ", ".join(missed) or NOTHING,
    ]


def example_table(kept: Kept) -> str:
    """Tables of the examples' numbers, one per example; curves are left to the figure.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "example".

    Returns
    -------
    str
        Markdown tables, each after the name of its example.
    """
    parts = []
    for row in kept.rows:
        rows = [one for one in row.get("rows", []) if "t" not in one]
        if rows:
            header = list(rows[0])
            lines = [[str(one[key]) or NOTHING for key in header] for one in rows]
            parts.append(f"{row['example']}:\n\n{markdown(header, lines)}")
    return "\n\n".join(parts)


def failures(kept: Kept) -> list[str]:
    """Why tasks were not done, each reason once.

    Parameters
    ----------
    kept : Kept
        An experiment and its finished tasks.

    Returns
    -------
    list of str
        Reasons, with how often each occurred.
    """
    reasons = Counter(
        plain(f"{_subject(row)}: {row['status']} ({row['error']})")
        for row in kept.rows
        if row["status"] != "done"
    )
    return [f"{words}, {count} times" if count > 1 else words for words, count in reasons.items()]


def _subject(row: Row) -> str:
    """What a task is about: a method, a structure, an example or a measurement."""
    names = ("method", "structure", "example", "measure")
    return str(next((row[name] for name in names if name in row), ""))


def without_empty_columns(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table without the columns that are empty throughout.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    lines : sequence of sequence of str
        Cells by line; `NOTHING` stands for an unknown one.

    Returns
    -------
    str
        The table.
    """
    told = [k for k in range(len(header)) if any(line[k] != NOTHING for line in lines)]
    return markdown([header[k] for k in told], [[line[k] for k in told] for line in lines])


def plain(words: str) -> str:
    """Words from elsewhere without HTML: a page of results runs nothing.

    Parameters
    ----------
    words : str
        A title, or a paragraph of Markdown.

    Returns
    -------
    str
        The same words on a page.

    Examples
    --------
    >>> plain("p < 0.05 and <script>")
    'p < 0.05 and &lt;script>'
    """
    return _TAG.sub("&lt;", words)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table that reads well as plain text too.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        Cells by line.

    Returns
    -------
    str
        The table, its columns padded to equal width.

    Examples
    --------
    >>> print(markdown(["method", "SHD"], [["auto", "1.6"]]))
    | method | SHD |
    |--------|-----|
    | auto   | 1.6 |
    """
    lines = [[plain(cell) for cell in line] for line in (header, *rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    shown = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in lines
    ]
    shown.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(shown)


def rounded(value: float, digits: int = 3) -> str:
    """A number to some significant digits, large ones written out.

    Parameters
    ----------
    value : float
        The number.
    digits : int, default 3
        Significant digits.

    Returns
    -------
    str
        The number as text.

    Examples
    --------
    >>> rounded(2437.0), rounded(0.00123456)
    ('2440', '0.00123')
    """
    short = f"{value:.{digits}g}"
    return f"{float(short):.0f}" if "e+" in short else short


def level_order(value: Any) -> Any:
    """A factor's level as a sort key; None comes first."""
    return -1.0 if value is None else value


def _half_width(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, (1 + _LEVEL) / 2))
    return quantile * stdev(values) / math.sqrt(len(values))
