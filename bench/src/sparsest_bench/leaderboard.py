"""The leaderboard of a grid: one line per method, one column per size, means over all graphs and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sparsest_bench.grid import designs
from sparsest_bench.result_store import Kept
from sparsest_bench.tables import NOTHING, Cell, cells, level_order, main_factor, markdown, rounded

LEADERBOARD_NOTES = (
    "Means over all graphs and seeds; CPU seconds. A cell marked (k of m) has only k of m answers, and must "
    "not be compared with complete ones."
)


@dataclass(frozen=True)
class Entry:
    """One method at one level: its mean on each kind of data and its CPU seconds.

    Parameters
    ----------
    means : tuple of float or None
        Mean of the metric on each kind of data; None where there is no answer.
    seconds : float or None
        Mean CPU seconds over all kinds of data; None where they were not measured.
    count, planned : int
        How many answers there are, and how many were planned.
    digits : int
        Decimals of a mean.
    """

    means: tuple[float | None, ...]
    seconds: float | None
    count: int
    planned: int
    digits: int

    @property
    def complete(self) -> bool:
        """Whether no answer is missing: only then are means comparable."""
        return self.count >= self.planned

    def mean(self, kind: int) -> str:
        """The mean on one kind of data as text."""
        value = self.means[kind]
        return NOTHING if value is None else f"{value:.{self.digits}f}"

    @property
    def time(self) -> str:
        """CPU seconds as text."""
        return NOTHING if self.seconds is None else rounded(self.seconds, 2)

    def __str__(self) -> str:
        means = " / ".join(self.mean(kind) for kind in range(len(self.means)))
        missing = "" if self.complete else f" ({self.count} of {self.planned})"
        return f"{means}, {self.time}{missing}"


@dataclass(frozen=True)
class Board:
    """Entries of a grid by method and level.

    Parameters
    ----------
    factor : str
        The factor whose levels are the columns, such as "p".
    levels : list
        Its levels in order.
    metric : str
        The metric that is averaged.
    kinds : list of str
        Kinds of data, "raw" and "standardised".
    entries : dict
        (method, level) to Entry, where there is any answer; methods in the experiment's order.
    """

    factor: str
    levels: list[Any]
    metric: str
    kinds: list[str]
    entries: dict[tuple[str, Any], Entry]

    @property
    def methods(self) -> list[str]:
        """Methods with at least one entry."""
        return list(dict.fromkeys(method for method, _ in self.entries))


def board(kept: Kept) -> Board | None:
    """Entries of the leaderboard of an experiment.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "grid" and its finished tasks.

    Returns
    -------
    Board or None
        None where no task is finished.
    """
    found = cells(kept.rows)
    if not found:
        return None
    factor, settings = main_factor(found), kept.experiment.settings
    levels = sorted({cell.factors[factor] for cell in found}, key=level_order)
    # A page about times also shows errors: a time alone says little.
    metric = "shd" if kept.experiment.metric == "cpu_seconds" else kept.experiment.metric
    # At every level the same number of tasks is planned, and the same for every method.
    planned = len(list(designs(settings))) * settings["seeds"] // len(levels)
    entries = {
        (method, level): entry
        for method in settings["methods"]
        for level in levels
        if (entry := _entry(_at(found, method, factor, level), metric, settings["data"], planned))
    }
    return Board(factor, levels, metric, settings["data"], entries)


def _at(found: Sequence[Cell], method: str, factor: str, level: Any) -> list[Cell]:
    return [cell for cell in found if cell.method == method and cell.factors[factor] == level]


def _entry(mine: Sequence[Cell], metric: str, kinds: Sequence[str], planned: int) -> Entry | None:
    values = [
        [v for cell in mine if cell.factors["data"] == kind for v in cell.values[metric]] for kind in kinds
    ]
    count = sum(map(len, values))
    if not count:
        return None
    seconds = [value for cell in mine for value in cell.values["cpu_seconds"]]
    return Entry(
        tuple(fmean(part) if part else None for part in values),
        fmean(seconds) if seconds else None,
        count,
        planned,
        2 if metric in ("f1", "precision", "recall") else 1,
    )


def leaderboard(kept: Kept) -> str:
    """The leaderboard as a Markdown table.

    Means are over all graphs and seeds. A cell that lacks some of them says how many it has: its mean is
    over an easier or a harder part, and not comparable with others.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "grid" and its finished tasks.

    Returns
    -------
    str
        The table; empty where no task is finished.
    """
    shown = board(kept)
    if shown is None:
        return ""
    names = [
        f"{shown.factor} = {level}: {shown.metric.upper()} {' / '.join(shown.kinds)}, s"
        for level in shown.levels
    ]
    lines = [
        [method, *(str(shown.entries.get((method, level), NOTHING)) for level in shown.levels)]
        for method in shown.methods
    ]
    return markdown(["method", *names], lines)
