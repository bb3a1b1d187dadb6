"""A path over costs as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparsest.costs import Path

_HEAD = ("cost", "edges", "extended BIC", "held-out", "behind best", "error", "instability", "chosen by")
_NUMBERS = (
    ("cost", ".4g"), ("edges", "d"), ("ebic", ".6g"), ("held_out", ".6g"), ("behind", ".3g"),
    ("behind_error", ".2g"), ("instability", ".3f"),
)  # fmt: skip


def lines(path: Path) -> Iterator[str]:
    """A line per cost, under a head; what is not available is left empty."""
    cells = [_HEAD, *(_cells(row) for row in path.table().iter_rows(named=True))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for *numbers, chosen in cells:
        aligned = [cell.rjust(width) for cell, width in zip(numbers, widths, strict=False)]
        yield "  ".join([*aligned, chosen]).rstrip()


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    shown = ["" if row[name] is None else format(row[name], form) for name, form in _NUMBERS]
    return (*shown, row["chosen"])
