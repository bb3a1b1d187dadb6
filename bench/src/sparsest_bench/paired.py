"""One method against the others, table by table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from sparsest.problem import SAME_OBJECTIVE
from sparsest_bench.result_store import Kept
from sparsest_bench.tables import NOTHING, ROW_FACTORS, Row, interval, rounded, without_empty_columns

COMPARISON_NOTES = (
    "Each line compares the two on the tables that both answered. *Difference*: of their SHD, mean ± half "
    "the width of its 95 % confidence interval; below 0 the first is better. *Time*: CPU seconds of the "
    "other over those of the first. *≤ truth*: on how many tables the objective, NLL + cost · edges, is no "
    "higher than that of the true graph."
)


def comparison(kept: Kept) -> str:
    """One line per other method and design, and one for all graphs of a size together."""
    first = kept.experiment.reference
    answers = _by_table(kept.rows)
    others = [name for name in kept.experiment.settings["methods"] if name != first]
    header = ["p", "data", "graph", f"{first} against", "tables", f"SHD of {first}", "SHD", "difference",
              "time", f"≤ truth: {first}", "≤ truth"]  # fmt: skip
    lines = list(_lines(answers, first, others))
    if len({line[1] for line in lines}) == 1:  # a single kind of data needs no column
        for line in (header, *lines):
            del line[1]
    return without_empty_columns(header, lines)


def _by_table(rows: Sequence[Row]) -> dict[tuple[Any, ...], dict[str, Row]]:
    """The answers to each table, by method."""
    found: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        if row["status"] == "done":
            found.setdefault((*(row[factor] for factor in ROW_FACTORS), row["seed"]), {})[row["method"]] = row
    return found


def _lines(
    answers: Mapping[tuple[Any, ...], Mapping[str, Row]], first: str, others: Sequence[str]
) -> Iterator[list[str]]:
    tables = [table for table in answers.values() if first in table]
    # A raw table and its standardised version are not two tables: an interval over both would be too narrow.
    for p, data in sorted({(table[first]["p"], table[first]["data"]) for table in tables}):
        here = [table for table in tables if (table[first]["p"], table[first]["data"]) == (p, data)]
        for graph in (*dict.fromkeys(table[first]["graph"] for table in here), None):
            for other in others:
                pairs = [
                    (table[first], table[other])
                    for table in here
                    if other in table and graph in (None, table[first]["graph"])
                ]
                if pairs:
                    yield [str(p), data, graph or "all", other, *_compared(pairs)]


def _compared(pairs: Sequence[tuple[Row, Row]]) -> list[str]:
    mine, theirs = ([pair[side] for pair in pairs] for side in (0, 1))
    difference = interval([a["shd"] - b["shd"] for a, b in pairs])
    return [
        str(len(pairs)),
        f"{fmean(row['shd'] for row in mine):.1f}",
        f"{fmean(row['shd'] for row in theirs):.1f}",
        str(difference),
        _time_ratio(mine, theirs),
        _no_higher(mine),
        _no_higher(theirs),
    ]


def _time_ratio(mine: Sequence[Row], theirs: Sequence[Row]) -> str:
    """CPU seconds of theirs over those of mine, where they were measured."""
    if any(row.get("cpu_seconds") is None for row in (*mine, *theirs)):
        return NOTHING
    return rounded(sum(row["cpu_seconds"] for row in theirs) / sum(row["cpu_seconds"] for row in mine))


def _no_higher(rows: Sequence[Row]) -> str:
    known = [row for row in rows if None not in (row.get("objective"), row.get("true_objective"))]
    if not known:
        return NOTHING
    return (
        f"{sum(row['objective'] <= row['true_objective'] + SAME_OBJECTIVE for row in known)} of {len(rows)}"
    )
