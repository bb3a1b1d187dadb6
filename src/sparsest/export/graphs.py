"""Graphs as files: JSON of our own, and the lists of edges and the matrices that other programs write."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparsest._version import __version__
from sparsest.errors import DataError, GraphError
from sparsest.export.json import FORMAT as RESULT
from sparsest.export.writing import written_whole
from sparsest.graph.types import Cpdag, Dag, Graph, Mpdag

FORMAT, VERSION = "sparsest-graph", 1
_IN_FOLDERS = ("result.json", "truth.json")  # what the commands write
_MARKS = {"->": (1, 0), "<-": (0, 1), "--": (1, 1)}
_ENDS = (("source", "target"), ("from", "to"), ("cause", "effect"))


@dataclass(frozen=True)
class Read:
    """A graph from a file: the class, and the DAG where the file has one.

    A list of edges does not say which nodes have none: it is `open`, other nodes may be added to it.
    """

    graph: Cpdag
    dag: Dag | None
    open: bool = False

    def with_nodes(self, names: Iterable[str]) -> Read:
        """The same with nodes that have no edge, where the file leaves that open."""
        known = self.graph.names
        new = [name for name in names if name not in known]
        if not (self.open and new):
            return self
        everyone = (*known, *new)
        dag = None if self.dag is None else Dag(_padded(self.dag, len(everyone)), everyone)
        return replace(self, graph=type(self.graph)(_padded(self.graph, len(everyone)), everyone), dag=dag)


def write_graph(dag: Dag, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
    """A DAG and its class as JSON; `about` says in plain values where it comes from."""
    tree = {
        "format": FORMAT,
        "version": VERSION,
        "sparsest": __version__,
        "about": dict(about),
        "names": list(dag.names),
        "dag": [{"source": a, "target": b} for a, b in dag.edges],
        "cpdag": [{"source": a, "mark": mark, "target": b} for a, mark, b in dag.to_cpdag().edges],
    }
    text = json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)
    with written_whole(path) as draft:
        draft.write_text(text + "\n", encoding="utf-8", newline="\n")


def read_graph(path: str | os.PathLike[str]) -> Read:
    """The graph in a file or in a folder that a command wrote.

    Our JSON and saved results; CSV or TSV, which is a list of edges if its first line names a source and a
    target (and perhaps a mark: ->, <-, --), and else a square matrix whose first line names the nodes and
    whose entry in line i and column j is not 0 for i -> j.
    """
    file = Path(path).expanduser()
    if file.is_dir():
        inside = [file / name for name in _IN_FOLDERS if (file / name).is_file()]
        if len(inside) != 1:
            found = "both" if inside else "neither"
            raise DataError(
                f"the folder {str(file)!r} has {found} of {' and '.join(_IN_FOLDERS)}: name a file"
            )
        file = inside[0]
    if not file.is_file():
        raise DataError(f"there is no file {str(file)!r}: check the path")
    if file.suffix == ".sparsest":
        from sparsest.export.archive import load

        result = load(file)
        return Read(result.cpdag, result.dag)
    try:
        text = file.read_text(encoding="utf-8-sig")
        return _from_json(text) if file.suffix == ".json" else _from_table(text)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {str(file)!r}: {error}") from None
    except GraphError as error:
        raise GraphError(f"{str(file)!r}: {error}") from None
    except _UnreadableError as error:
        raise DataError(f"{str(file)!r} {error}") from None


class _UnreadableError(Exception):
    """What is wrong with a file, in words that follow its name."""


def _from_json(text: str) -> Read:
    try:
        tree = json.loads(text)
        kind = tree["format"]
        names = [str(name) for name in tree["names"]]
        arrows = [(edge["source"], "->", edge["target"]) for edge in tree["dag"]]
        marks = [(edge["source"], edge["mark"], edge["target"]) for edge in tree["cpdag"]]
    except (ValueError, KeyError, TypeError):
        kind = None
    if kind not in (RESULT, FORMAT):
        raise _UnreadableError(
            "is not a graph that sparsest wrote: give a result.json, a truth.json, a .sparsest file, or CSV "
            "of edges or of a matrix"
        )
    made = Mpdag if tree.get("cpdag_kind") == "mpdag" else Cpdag
    return Read(made(_matrix(names, marks), names), Dag(_matrix(names, arrows), names))


def _from_table(text: str) -> Read:
    lines = [line for line in csv.reader(text.splitlines(), delimiter=_separator(text)) if any(line)]
    if not lines:
        raise _UnreadableError("is empty: where is the graph?")
    header = [name.strip() for name in lines[0]]
    lower = [name.lower() for name in header]
    for source, target in _ENDS:
        if source in lower and target in lower:
            mark = lower.index("mark") if "mark" in lower else None
            return _from_edges(lines[1:], lower.index(source), lower.index(target), mark)
    return _from_matrix(header, lines[1:])


def _separator(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return max("\t;,", key=first.count)


def _from_edges(lines: Sequence[Sequence[str]], source: int, target: int, mark: int | None) -> Read:
    """Arrows alone are a DAG; with lines among them they are a class."""
    edges = []
    for number, line in enumerate(lines, start=2):
        try:
            told = "->" if mark is None else line[mark].strip()
            edges.append((line[source].strip(), told, line[target].strip()))
        except IndexError:
            raise _UnreadableError(f"has too few cells in line {number}: {line!r}") from None
        if told not in _MARKS:
            raise _UnreadableError(f"has the mark {told!r} in line {number}; marks are {', '.join(_MARKS)}")
    names = list(dict.fromkeys(name for a, _, b in edges for name in (a, b)))
    if not names:
        raise _UnreadableError("has no edges, and so does not say what the nodes are")
    if all(told != "--" for _, told, _ in edges):
        dag = Dag(_matrix(names, edges), names)
        return Read(dag.to_cpdag(), dag, open=True)
    return Read(_partly_directed(_matrix(names, edges), names), None, open=True)


def _from_matrix(header: Sequence[str], lines: Sequence[Sequence[str]]) -> Read:
    named = len(lines) > 0 and len(lines[0]) == len(header) and header[0] == "" and len(header) > 1
    names = list(header[1:] if named else header)
    cells = [line[1:] if named else line for line in lines]
    if [len(line) for line in cells] != [len(names)] * len(names):
        raise _UnreadableError(
            "is neither a list of edges, whose first line would name a source and a target, nor a square "
            f"matrix: its first line names {len(names)} nodes, and {len(cells)} lines follow"
        )
    try:
        matrix = (np.array(cells, dtype=float) != 0).astype(int)
    except ValueError as error:
        raise _UnreadableError(f"has a cell in its matrix that is no number: {error}") from None
    if not (matrix & matrix.T).any():
        dag = Dag(matrix, names)
        return Read(dag.to_cpdag(), dag)
    return Read(_partly_directed(matrix, names), None)


def _partly_directed(matrix: Any, names: Sequence[str]) -> Cpdag:
    """A class, or what knowledge has left of one."""
    try:
        return Cpdag(matrix, names)
    except GraphError:
        return Mpdag(matrix, names)


def _matrix(names: Sequence[str], edges: Iterable[tuple[str, str, str]]) -> Any:
    place = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)), dtype=int)
    for a, mark, b in edges:
        there, back = _MARKS[mark]
        matrix[place[a], place[b]] |= there
        matrix[place[b], place[a]] |= back
    return matrix


def _padded(graph: Graph, size: int) -> Any:
    return np.pad(graph.to_numpy(), (0, size - len(graph)))
