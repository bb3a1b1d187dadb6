"""`sparsest compare`: how graphs differ from a reference graph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import spare
from sparsest.cli.terminal import ascii_only, say


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
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the comparison to this file.")
    ] = None,
) -> None:
    """Compare graphs with a reference graph, such as the truth.

    Distances between the classes, precision and recall of adjacencies and arrows, and the pairs that differ.
    Nodes are matched by name.
    """
    from sparsest.export.comparison import compared, comparison_words, write_comparisons
    from sparsest.export.graphs import graph_file, read_graph

    for source in (truth, *estimates):
        if json is not None:
            spare(graph_file(source), json, "--json")
    first = read_graph(truth)
    found = {str(file): compared(first, read_graph(file)) for file in estimates}
    if json is not None:
        write_comparisons(str(truth), found, json)
    for file, one in found.items():
        words = comparison_words(one, None if every else 10, ascii=ascii_only(sys.stdout))
        say(f"{truth} and {file}: {words}")
    if json is not None:
        say(f"wrote {json}")
