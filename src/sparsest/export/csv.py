"""Edges and tables as CSV, for spreadsheets and other programs."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sparsest._core.cells import safe_cell
from sparsest._core.writing import written_whole
from sparsest.export.edges import weighted_edges

if TYPE_CHECKING:
    import polars

    from sparsest.result import Result


def write_edges(result: Result, path: str | os.PathLike[str]) -> None:
    """Write one line per edge: source, target, mark, weight, and the share of resamples where it is known.

    Sources, targets and weights are those of the DAG. The mark is that of the CPDAG: "->" if the direction is
    identified, and "--" if it is not and the DAG shows one of the possible directions.
    """
    rows = [[edge.source, edge.target, edge.mark, repr(edge.weight)] for edge in weighted_edges(result)]
    header = ["source", "target", "mark", "weight"]
    if result.confidence is not None:
        header.append("share")
        for row, edge in zip(rows, weighted_edges(result), strict=True):
            row.append(repr(result.confidence.share(*edge.place, edge.mark)))
    _write(path, header, rows)


def write_frame(frame: polars.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a data frame of ours, whose words may be names of columns."""
    _write(path, frame.columns, frame.iter_rows())


def write_table(values: NDArray[Any], names: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Write a table with a header; numbers are written with all their digits."""
    _write(path, names, values.tolist())


def _write(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with written_whole(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_cell(name) for name in header])
        writer.writerows([_cell(cell) for cell in row] for row in rows)


def _cell(value: Any) -> Any:
    return safe_cell(value) if isinstance(value, str) else value
