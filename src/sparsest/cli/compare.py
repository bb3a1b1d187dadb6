"""`sparsest compare`: how graphs differ from a reference graph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, ascii_only, tell


def compare(
    truth: Annotated[
        Path,
        typer.Argument(
            metavar="TRUTH",
            help="A graph: result.json, truth.json or a folder with one of them, a .sparsest file, or CSV "
            "with one line per edge (source, target and optionally mark: ->, <- or --) or a square matrix.",
        ),
    ],
    estimates: Annotated[
        list[Path], typer.Argument(metavar="GRAPH...", help="Graphs to compare with TRUTH.")
    ],
    every: Annotated[
        bool, typer.Option("--all", help="List all pairs that differ, not just the first ten.")
    ] = False,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Compare graphs with a reference graph, such as the truth.

    Distances between the classes, precision and recall of adjacencies and arrows, and the pairs that differ.
    Nodes are matched by name.

    Example: sparsest compare truth.csv answer other.dot
    """
    from sparsest.export.comparison import compared, comparison_tree, comparison_words
    from sparsest.export.graphs import graph_file, read_graph

    for source in (truth, *estimates):
        Targets({"--json": json}, source=graph_file(source), force=force)
    first = read_graph(truth)
    found = {str(file): compared(first, read_graph(file)) for file in estimates}
    words = [
        f"{truth} and {file}: {comparison_words(one, None if every else 10, ascii=ascii_only(sys.stdout))}"
        for file, one in found.items()
    ]
    tell("\n".join(words), comparison_tree(str(truth), found), json, quiet=quiet)
