"""Graphs as files: sparsest's JSON, and the tables that other programs write."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparsest._core.cells import safe_cell
from sparsest._core.errors import DataError, GraphError, OptionError, SparsestError
from sparsest._core.writing import header, write_tree
from sparsest.graph._matrix import check_names, refuse_loops
from sparsest.graph.acyclicity import refuse_cycle
from sparsest.graph.formats.known_formats import FORMATS, format_by_suffix, format_of_text
from sparsest.graph.recognition import refuse_unless_mpdag
from sparsest.graph.tables import Marked, UnreadableError, marks, parse_graph
from sparsest.graph.types import Cpdag, Dag, Graph, Mpdag

FORMAT, VERSION = "sparsest-graph", 1
_NOT_OURS = (
    "is not a graph that sparsest wrote: give a result.json, a truth.json, a .sparsest file, or CSV of edges "
    "or of a matrix, DOT, DAGitty, Tetrad text, caugi JSON, GraphML or GML"
)


@dataclass(frozen=True)
class Read:
    """A graph from a file: its marks, and the DAG if the file has one.

    `graph` is a class, possibly refined by knowledge. A PDAG that is neither, as PC often returns, is an
    unchecked `Mpdag` and is compared mark by mark. A list of edges does not name the nodes without edges: it
    is `open`, and further nodes may be added to it.
    """

    graph: Cpdag
    dag: Dag | None
    open: bool = False
    source: str = "a graph"
    both: bool = False  #: whether it is about the class, and the DAG is one member

    def with_nodes(self, names: Iterable[str]) -> Read:
        """The same graph with further nodes that have no edges, if the graph is `open`."""
        known = self.graph.names
        new = [name for name in names if name not in known]
        if not (self.open and new):
            return self
        everyone = (*known, *new)
        dag = None if self.dag is None else Dag(_padded(self.dag, len(everyone)), everyone)
        graph = type(self.graph)._trusted(_padded(self.graph, len(everyone)), everyone)
        return replace(self, graph=graph, dag=dag)


def write_graph(dag: Dag, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
    """Write a DAG and its class as JSON; `about` holds plain values about its origin."""
    write_tree(graph_tree(dag, about), path)


def graph_tree(graph: Dag | Cpdag, about: Mapping[str, Any]) -> dict[str, Any]:
    """A graph as plain values; a class has a member as its DAG, which is not read back."""
    is_dag = isinstance(graph, Dag)
    dag = graph if isinstance(graph, Dag) else graph.to_dag()
    cpdag = graph.to_cpdag() if isinstance(graph, Dag) else graph
    return {
        **header(FORMAT, VERSION),
        "about": dict(about),
        "kind": "dag" if is_dag else cpdag.kind,
        "names": list(dag.names),
        "dag": [{"source": a, "target": b} for a, b in dag.edges],
        "cpdag": marked_edges(cpdag),
        "cpdag_kind": cpdag.kind,
    }


def marked_edges(cpdag: Cpdag) -> list[dict[str, str]]:
    """The edges of a class as plain values."""
    return [{"source": a, "mark": mark, "target": b} for a, mark, b in cpdag.edges]


def parse_file(file: Path, others: Mapping[str, int]) -> Read:
    """Read sparsest's JSON, or CSV or TSV with a list of edges or a matrix (`graph/tables.py`).

    `others` are the newest versions of other formats whose JSON has the same `names`, `dag` and `cpdag`.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
        known = format_of_text(text) or format_by_suffix(file)
        if known is not None:
            return _from_marks(FORMATS[known].parse(text))
        if file.suffix == ".json":
            return _from_json(text, {FORMAT: VERSION, **others})
        return _from_marks(parse_graph(text))
    except OSError as error:
        raise DataError(f"cannot read {str(file)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise DataError(f"{str(file)!r} is not UTF-8: save it in UTF-8") from None
    except GraphError as error:
        raise GraphError(f"{str(file)!r}: {error}") from None
    except UnreadableError as error:
        raise DataError(f"{str(file)!r} {error}") from None


def _from_json(text: str, newest: Mapping[str, int]) -> Read:
    try:
        tree = json.loads(text)
        if tree["version"] > newest[tree["format"]]:
            raise UnreadableError(
                f"was written by sparsest {tree.get('sparsest')}: update sparsest to read it"
            )
        names = tuple(str(name) for name in tree["names"])
        arrows = [(str(edge["source"]), "->", str(edge["target"])) for edge in tree["dag"]]
        told = [(str(edge["source"]), str(edge["mark"]), str(edge["target"])) for edge in tree["cpdag"]]
        made = Mpdag if tree.get("cpdag_kind") == "mpdag" else Cpdag
        both = tree.get("kind", "cpdag" if tree["format"] != FORMAT else "dag") != "dag"
        return Read(made(marks(names, told), names), Dag(marks(names, arrows), names), both=both)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, SparsestError):
            raise
        raise UnreadableError(_NOT_OURS) from None


def _from_marks(found: Marked) -> Read:
    """The narrowest kind of graph that the marks are; if they are none, an unchecked one to compare with."""
    if found.kind == "dag":
        try:
            dag = Dag(found.matrix, found.names)
            return Read(dag.to_cpdag(), dag, found.open)
        except GraphError:
            if len(set(found.names)) < len(found.names):
                raise
    for made in (Cpdag, Mpdag):
        try:
            return Read(made(found.matrix, found.names), None, found.open)
        except GraphError:
            continue
    names = check_names(found.names, len(found.names))
    refuse_loops(found.matrix != 0, names)
    return Read(Mpdag._trusted(found.matrix != 0, names), None, found.open)


def checked_graph(read: Read, kind: str | None = None) -> Dag | Cpdag:
    """The graph of a file: the DAG if that is all there is, else the class; refused if it is neither."""
    if kind not in (None, "dag", "cpdag"):
        raise OptionError(f"kind is 'dag' or 'cpdag', not {kind!r}")
    pattern, names = read.graph.pattern, read.graph.names
    if read.dag is None:
        try:
            refuse_cycle(pattern & ~pattern.T, names)
            refuse_unless_mpdag(pattern, names)
        except GraphError as error:
            raise GraphError(
                f"{read.source} holds neither a DAG nor a class of DAGs: {error}; sparsest.graph.compare and "
                "`sparsest compare` take it as it is"
            ) from None
    if kind == "dag":
        return read.graph.to_dag() if read.dag is None else read.dag
    return read.graph if kind == "cpdag" or read.dag is None or read.both else read.dag


def write_any(graph: Dag | Cpdag, path: Path, format: str | None) -> str:  # noqa: A002
    """The text of a graph in the format that is asked for, or that the ending of the path stands for."""
    name = format or format_by_suffix(path) or path.suffix.lower()[1:]
    if name in FORMATS:
        return FORMATS[name].write(graph)
    if name in ("tex", "tikz"):
        return graph.to_tikz()
    if name == "lavaan":
        return graph.to_lavaan()
    if name == "json":
        return json.dumps(graph_tree(graph, {}), indent=2, ensure_ascii=False) + "\n"
    if name == "csv":
        return _matrix_text(graph)
    endings = [suffix for one in FORMATS.values() for suffix in one.suffixes]
    raise OptionError(
        f"cannot tell in which format to write {str(path)!r}: use one of the endings "
        f"{', '.join([*endings, '.tex', '.lavaan', '.json', '.csv'])}, or name the format"
    )


def _matrix_text(graph: Dag | Cpdag) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [safe_cell(name) for name in graph.names]
    marked = any(mark in name for name in names for mark in ";\t")  # which could be taken for separators
    (csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n") if marked else writer).writerow(names)
    writer.writerows(graph.to_numpy().tolist())
    return text.getvalue()


def _padded(graph: Graph, size: int) -> Any:
    return np.pad(graph.pattern, (0, size - len(graph)))
