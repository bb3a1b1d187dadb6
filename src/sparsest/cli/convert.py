"""`sparsest convert`: a graph from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Force, spare_existing
from sparsest.cli.terminal import say


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
    force: Force = False,
) -> None:
    """Convert a graph between formats, without loss.

    Examples: sparsest convert result graph.dagitty; sparsest convert truth.csv truth.svg
    """
    from sparsest.graph import read
    from sparsest.plot.picture import SUFFIXES

    spare_existing(target, force)
    graph = read(source, kind)
    if to is None and target.suffix.lower() in SUFFIXES:
        graph.plot(target)
    else:
        graph.write(target, to)
    say(f"wrote {target}")
