"""Edges and tables as CSV, for spreadsheets and other programs."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from sparsest.result import Result


def write_edges(result: Result, path: str | os.PathLike[str]) -> None:
    """One line an edge: source, target, mark, weight.

    Sources, targets and weights are those of the DAG. The mark is that of the CPDAG: "->" where the direction
    is identified, "--" where it is not and the DAG shows one of the possible ones.
    """
    place = {name: k for k, name in enumerate(result.names)}
    arrows = set(result.cpdag.directed_edges)
    rows = [
        (a, b, "->" if (a, b) in arrows else "--", repr(float(result.weights[place[a], place[b]])))
        for a, b in result.dag.edges
    ]
    _write(path, ("source", "target", "mark", "weight"), rows)


def write_table(values: NDArray[Any], names: Sequence[str], path: str | os.PathLike[str]) -> None:
    """A table with a line of names; numbers are written so that they read back exactly."""
    _write(path, names, values.tolist())


def _write(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
