"""`sparsest fit`: from a file to a graph in a folder."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Folder
from sparsest.cli.terminal import ascii_only, reporting, say
from sparsest.models.registry import MODELS, solver_names

_FILES = ("result.json", "graph.png", "edges.csv", "result.sparsest")
# Columns up to which a picture is drawn: a larger one takes long and cannot be read.
_READABLE, _QUICKLY_DRAWN = 150, 30


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table, one row an observation: .csv, .tsv, .txt, .xlsx, .parquet, .feather, .arrow, "
            "perhaps compressed, or a folder of parts.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.  [default: FILE-sparsest]"),
    ] = None,
    model: Annotated[str, typer.Option(help=f"Likelihood: {', '.join(MODELS)}.")] = "auto",
    solver: Annotated[str, typer.Option(help=f"{', '.join(solver_names())}.")] = "auto",
    penalty: Annotated[str, typer.Option(help="Cost of an edge: auto, bic, ebic or a number.")] = "auto",
    knowledge: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What is known about edges: TOML, or Tetrad's knowledge file."),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Columns to use.  [default: all]")
    ] = None,
    drop_constant: Annotated[
        bool, typer.Option("--drop-constant", help="Leave constant columns out.")
    ] = False,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="NAME=KIND",
            help="What a column is: continuous, binary, count, categorical, ordinal, identifier or date; or "
            "the words of an ordinal one, low<middle<high. May be repeated.",
        ),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Missing values: error, drop (their rows), pairwise or em.")
    ] = "error",
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that says how much a row counts.")
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Variables are in rows, observations in columns.")
    ] = False,
    separator: Annotated[
        str | None,
        typer.Option(metavar="CHARACTER", help="Between columns of a text file.  [default: found]"),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="Decimal mark, . or ,  [default: found]")
    ] = None,
    thousands: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="Mark between thousands.  [default: found]")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop then with the best graph so far.")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(help="The most parents a column may have.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="For solvers with soft weights: keep those above this, instead of pruning by score."
        ),
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

    Writes result.json, graph.png, edges.csv and result.sparsest (for sparsest.load in Python) to a folder and
    prints a summary. Ctrl-C stops the search and takes the best graph so far.
    """
    folder = Folder(Path(f"{file.stem}-sparsest") if output is None else output, _FILES, source=file)
    with reporting(quiet=quiet) as progress:
        from sparsest import fit as learn

        result = learn(
            file,
            model=model,
            solver=solver,
            penalty=_word_or_number(penalty),
            knowledge=knowledge,
            standardize="auto" if standardize is None else standardize,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            columns=None if columns is None else next(csv.reader([columns])),
            drop_constant=drop_constant,
            kinds=_kinds(kinds),
            missing=missing,
            weights=weights,
            transpose=transpose,
            separator="\t" if separator == "\\t" else separator,  # as typed in a shell
            decimal=decimal,
            thousands=thousands,
            max_parents=max_parents,
            threshold=threshold,
        )
    from sparsest._core.progress import Status
    from sparsest.export.csv import write_edges
    from sparsest.export.json import write_json
    from sparsest.export.text import summary

    folder.write("result.json", lambda path: write_json(result, path))
    folder.write("edges.csv", lambda path: write_edges(result, path))
    folder.write("result.sparsest", result.save)
    drawn = len(result.names) <= (_QUICKLY_DRAWN if result.status is Status.INTERRUPTED else _READABLE)
    if drawn:
        from sparsest.plot.figure import draw

        folder.write(
            "graph.png",
            lambda path: draw(result.cpdag, result.weights, path, noise_variances=result.noise_variances),
        )
    else:
        folder.leave_out("graph.png")
    if not quiet:
        say(summary(result, ascii=ascii_only(sys.stdout)))
        if not drawn:
            say(f"no picture of so many columns ({len(result.names)}): the edges are in edges.csv")
        say(f"wrote {folder}")


def _word_or_number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _kinds(given: list[str] | None) -> dict[str, str | list[str]]:
    """What `--kind` said, by column; the words of an ordinal column are joined by <."""
    pairs = [word.rpartition("=") for word in given or ()]
    return {name: kind.split("<") if "<" in kind else kind for name, _, kind in pairs}
