"""Graphs as files: sparsest's JSON, and the tables that other programs write."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparsest._core.errors import DataError, GraphError
from sparsest._core.writing import header, write_tree
from sparsest.graph.acyclicity import refuse_cycle
from sparsest.graph.tables import Marked, UnreadableError, marks, parse_graph
from sparsest.graph.types import Cpdag, Dag, Graph, Mpdag

FORMAT, VERSION = "sparsest-graph", 1
_NOT_OURS = (
    "is not a graph that sparsest wrote: give a result.json, a truth.json, a .sparsest file, or CSV of edges "
    "or of a matrix"
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
    tree = {
        **header(FORMAT, VERSION),
        "about": dict(about),
        "names": list(dag.names),
        "dag": [{"source": a, "target": b} for a, b in dag.edges],
        "cpdag": marked_edges(dag.to_cpdag()),
    }
    write_tree(tree, path)


def marked_edges(cpdag: Cpdag) -> list[dict[str, str]]:
    """The edges of a class as plain values."""
    return [{"source": a, "mark": mark, "target": b} for a, mark, b in cpdag.edges]


def parse_file(file: Path, others: Mapping[str, int]) -> Read:
    """Read sparsest's JSON, or CSV or TSV with a list of edges or a matrix (`graph/tables.py`).

    `others` are the newest versions of other formats whose JSON has the same `names`, `dag` and `cpdag`.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
        if file.suffix == ".json":
            return _from_json(text, {FORMAT: VERSION, **others})
        return _from_table(parse_graph(text))
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
        return Read(made(marks(names, told), names), Dag(marks(names, arrows), names))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, GraphError):
            raise
        raise UnreadableError(_NOT_OURS) from None


def _from_table(found: Marked) -> Read:
    if found.kind == "dag":
        dag = Dag(found.matrix, found.names)
        return Read(dag.to_cpdag(), dag, found.open)
    for made in (Cpdag, Mpdag):
        try:
            return Read(made(found.matrix, found.names), None, found.open)
        except GraphError:
            continue
    pattern = found.matrix != 0
    refuse_cycle(pattern & ~pattern.T, found.names)
    return Read(Mpdag._trusted(pattern, found.names), None, found.open)


def _padded(graph: Graph, size: int) -> Any:
    return np.pad(graph.pattern, (0, size - len(graph)))
