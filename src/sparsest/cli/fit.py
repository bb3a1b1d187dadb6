"""`sparsest fit`: from a file to a graph in a folder."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Folder
from sparsest.cli.terminal import ascii_only, reporting, say

_FILES = ("result.json", "graph.png", "edges.csv")


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Table: .csv, .tsv, .parquet or .feather, one row an observation."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.  [default: FILE-sparsest]"),
    ] = None,
    solver: Annotated[str, typer.Option(help="auto, exact, order or logll-dagma.")] = "auto",
    penalty: Annotated[str, typer.Option(help="Cost of an edge: auto, bic, ebic or a number.")] = "auto",
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Columns to use.  [default: all]")
    ] = None,
    drop_constant: Annotated[
        bool, typer.Option("--drop-constant", help="Leave constant columns out.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop then with the best graph so far.")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(help="The most parents a column may have.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="For logll-dagma: keep weights above this, instead of pruning by score."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides random starts.")] = 0,
    standardize: Annotated[
        bool | None,
        typer.Option(
            "--standardize/--no-standardize", help="Unit variances for the solver.  [default: its own]"
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Only warnings, errors and files.")] = False,
) -> None:
    """Learn a graph from a table.

    Writes result.json, graph.png and edges.csv to a folder and prints a summary. Ctrl-C stops the search and
    takes the best graph so far.
    """
    folder = Folder(Path(f"{file.stem}-sparsest") if output is None else output, _FILES, source=file)
    with reporting(quiet=quiet) as progress:
        from sparsest import learn

        result = learn.fit(
            file,
            solver=solver,
            penalty=_word_or_number(penalty),
            standardize="auto" if standardize is None else standardize,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            columns=None if columns is None else next(csv.reader([columns])),
            drop_constant=drop_constant,
            max_parents=max_parents,
            threshold=threshold,
        )
    from sparsest.export.csv import write_edges
    from sparsest.export.json import write_json
    from sparsest.export.text import summary
    from sparsest.report.figure import draw

    folder.write("result.json", lambda path: write_json(result, path))
    folder.write("edges.csv", lambda path: write_edges(result, path))
    folder.write(
        "graph.png",
        lambda path: draw(result.cpdag, result.weights, path, noise_variances=result.noise_variances),
    )
    if not quiet:
        say(summary(result, ascii=ascii_only(sys.stdout)))
        say(f"wrote {folder}")


def _word_or_number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
