"""`sparsest convert`: a graph from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, tell


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM",
            help="A graph: a folder or file that sparsest wrote, CSV of edges or of a matrix, DOT, DAGitty, "
            "Tetrad text, caugi JSON, GraphML or GML.",
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TO",
            help="File to write; its ending decides the format: .dot .dagitty .txt (Tetrad) .caugi.json "
            ".graphml .gml .tex (TikZ) .lavaan .json .csv (a matrix), or .png .svg .pdf for a picture.",
        ),
    ],
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format, where the ending does not say.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="dag or cpdag, where a file holds both.  [default: what it is about]")
    ] = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Convert a graph between formats, without loss.

    With --json, its edges and classes as plain values, too.

    Examples: sparsest convert result graph.dagitty; sparsest convert truth.csv truth.svg
    """
    from sparsest.export.graphs import graph_file
    from sparsest.graph import read
    from sparsest.graph.files import graph_tree
    from sparsest.plot.picture import SUFFIXES

    Targets({"TO": target, "--json": json}, source=graph_file(source), force=force)
    graph = read(source, kind)
    if to is None and target.suffix.lower() in SUFFIXES:
        graph.plot(target)
    else:
        graph.write(target, to)
    about = {"converted": {"from": str(source), "to": str(target)}}
    tell(f"wrote {target}", graph_tree(graph, about), json, quiet=quiet)
