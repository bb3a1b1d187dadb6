"""`read`: the graph in any file."""

from __future__ import annotations

import os

from sparsest.graph.files import checked_graph
from sparsest.graph.types import Cpdag, Dag


def read(path: str | os.PathLike[str], kind: str | None = None) -> Dag | Cpdag:
    """Graph in a file of sparsest or of another program.

    Parameters
    ----------
    path : str or path
        A result.json, truth.json, .sparsest file or a folder with one of the first two; CSV or TSV with a
        list of edges or a matrix; DOT, DAGitty, Tetrad text, caugi JSON, GraphML or GML. The format is
        recognised by how the file begins, then by its ending.
    kind : {"dag", "cpdag"}, optional
        The DAG, or the class. By default the DAG where the file holds arrows only and does not say that
        they are of a class; for results the class.

    Returns
    -------
    Dag, Cpdag or Mpdag

    Raises
    ------
    DataError
        If the file does not exist or cannot be read.
    GraphError
        If it holds neither a DAG nor a class, with the cycle or the edge that is in the way.

    Examples
    --------
    >>> import sparsest as sp
    >>> sp.Dag.from_edges(["rain -> wet", "wet -> slippery"]).write("wet.dot")
    >>> sp.graph.read("wet.dot")
    Dag(3 nodes, 2 edges: rain -> wet, wet -> slippery)
    """
    from sparsest.export.graphs import read_graph

    return checked_graph(read_graph(path), kind)
