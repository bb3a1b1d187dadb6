"""Graphs in CSV or TSV files: one line per edge, or a square matrix.

- A list of edges: the header names a source and a target (or from and to, cause and effect), and perhaps a
  mark (->, <-, --). Without marks all edges are arrows, and the graph is a DAG; with marks it is a class.
- A matrix: the header names the nodes, and a non-zero entry in row i and column j means i -> j. A first
  column may name the rows, in any order.

In both, a -> b together with b -> a is an undirected edge.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsest._core.budget import require_modest
from sparsest._core.cells import text_of_cell

_MARKS = {"->": (1, 0), "<-": (0, 1), "--": (1, 1)}
ENDS = (("source", "target"), ("from", "to"), ("cause", "effect"))

_PER_PAIR = 5  # bytes of all matrices together, for each pair of nodes

Line = tuple[int, list[str]]
Edge = tuple[str, str, str]


class UnreadableError(Exception):
    """What is wrong with a file, worded to follow its name."""


@dataclass(frozen=True)
class Marked:
    """Nodes and marks; a "dag" has only arrows. If `open`, nodes without edges may be missing."""

    names: tuple[str, ...]
    matrix: NDArray[np.int8]
    kind: Literal["dag", "pdag"]
    open: bool


def parse_graph(text: str) -> Marked:
    """The graph in the text of a file."""
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        lines = [(reader.line_num, [text_of_cell(cell.strip()) for cell in line]) for line in reader]
    except csv.Error as error:
        raise UnreadableError(f"is not CSV: {error}") from None
    lines = [(number, cells) for number, cells in lines if any(cells)]
    if not lines:
        raise UnreadableError("is empty")
    header = [name.lower() for name in lines[0][1]]
    for source, target in ENDS:
        if source in header and target in header:
            mark = header.index("mark") if "mark" in header else None
            return _edge_list(lines[1:], header.index(source), header.index(target), mark)
    return _square(lines[0][1], lines[1:])


def marks(names: Sequence[str], edges: Iterable[Edge]) -> NDArray[np.int8]:
    """The matrix of some edges; KeyError for an unknown node or mark."""
    require_nodes(len(names))
    place = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    for a, mark, b in edges:
        there, back = _MARKS[mark]
        matrix[place[a], place[b]] |= there
        matrix[place[b], place[a]] |= back
    return matrix


def require_nodes(count: int) -> None:
    """Refuse a file of so many nodes that the square matrices of its graph would be too large."""
    require_modest(_PER_PAIR * count**2, 0, f"a graph of {count} nodes", "leave nodes without edges out")


def _separator(text: str) -> str:
    """The separator that splits the first line into most cells; a comma if none splits it."""
    return max(
        ",;\t", key=lambda mark: len(next(csv.reader(io.StringIO(text, newline=""), delimiter=mark), []))
    )


def _edge_list(lines: Sequence[Line], source: int, target: int, mark: int | None) -> Marked:
    told: dict[tuple[str, str], tuple[str, int]] = {}  # the first mark of each pair, and its line
    edges: list[Edge] = []
    for number, cells in lines:
        if len(cells) <= max(source, target, -1 if mark is None else mark):
            raise UnreadableError(f"has too few cells in line {number}: {', '.join(cells)}")
        a, b, sign = cells[source], cells[target], "->" if mark is None else cells[mark]
        if not (a and b):
            raise UnreadableError(f"has an edge without a source or a target in line {number}")
        if a == b:
            raise UnreadableError(f"has an edge from {a!r} to itself in line {number}: leave that line out")
        if sign not in _MARKS:
            raise UnreadableError(f"has the mark {sign!r} in line {number}; marks are {', '.join(_MARKS)}")
        before, where = told.setdefault((min(a, b), max(a, b)), (sign, number))
        if (before == "--") != (sign == "--"):
            raise UnreadableError(
                f"has a directed and an undirected edge between {a!r} and {b!r}, in lines {where} "
                f"and {number}"
            )
        edges.append((a, sign, b))
    names = tuple(dict.fromkeys(name for a, _, b in edges for name in (a, b)))
    matrix = marks(names, edges)
    lines_too = bool((matrix & matrix.T).any())
    return Marked(names, matrix, "pdag" if lines_too or mark is not None else "dag", open=True)


def _square(header: Sequence[str], lines: Sequence[Line]) -> Marked:
    rows = [cells for _, cells in lines]
    widths = {len(row) for row in rows}
    corner = len(header) == len(rows) + 1  # above the names of the rows
    names = tuple(header[1:] if corner else header)
    named = widths == {len(names) + 1}
    if len(rows) != len(names) or not (named or widths == {len(names)}):
        raise UnreadableError(
            "is neither a list of edges, whose first line would name a source and a target, nor a square "
            f"matrix: its first line names {len(header)} nodes, and {len(rows)} lines follow"
        )
    if named:
        rows = _in_order(names, rows)
    try:
        weights: NDArray[Any] = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise UnreadableError(f"has a cell in its matrix that is not a number: {error}") from None
    if not np.isfinite(weights).all():
        i, j = np.argwhere(~np.isfinite(weights))[0]
        raise UnreadableError(
            f"has {weights[i, j]} in row {names[i]!r} and column {names[j]!r} of its matrix"
        )
    matrix = (weights != 0).astype(np.int8)
    return Marked(names, matrix, "pdag" if (matrix & matrix.T).any() else "dag", open=False)


def _in_order(names: Sequence[str], rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows of a matrix with row names, in the order of the columns and without the names."""
    found = {row[0]: row[1:] for row in rows}
    if set(found) != set(names):
        unknown = sorted(set(found) - set(names)) or sorted(set(names) - set(found))
        raise UnreadableError(
            f"has different names for its rows and its columns: {unknown[0]!r} is in only one of them"
        )
    return [found[name] for name in names]
