"""`sparsest path`: answers over a range of costs of an edge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest.cli.fit import word_or_number
from sparsest.cli.folder import spare, write_frame
from sparsest.cli.table_options import (
    Columns,
    Decimal,
    Separator,
    Thousands,
    Transpose,
    column_names,
    separator_mark,
)
from sparsest.cli.terminal import reporting, say


def path(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with one row per observation, as for `sparsest fit`."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the table of costs to this CSV file."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the curves into this file: .png, .pdf or .svg."),
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write from which to which cost each edge is there (CSV)."),
    ] = None,
    model: Annotated[str, typer.Option(help="Likelihood, as for `sparsest fit`.")] = "auto",
    solver: Annotated[str, typer.Option(help="Solver, as for `sparsest fit`.")] = "auto",
    costs: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Costs of an edge.  [default: chosen for the table]"),
    ] = None,
    points: Annotated[int, typer.Option(metavar="COUNT", help="How many costs to choose.")] = 20,
    folds: Annotated[int, typer.Option(metavar="COUNT", help="Folds of the cross-validation; 0: none.")] = 5,
    subsamples: Annotated[
        int, typer.Option(metavar="COUNT", help="Subsamples for the stability (StARS); 0: none.")
    ] = 20,
    blocks: Annotated[
        int | None,
        typer.Option(metavar="ROWS", help="Keep blocks of so many consecutive rows together, as in time."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="COUNT", help="Processes to use.")] = None,
    knowledge: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Background knowledge about edges.")
    ] = None,
    columns: Columns = None,
    transpose: Transpose = False,
    separator: Separator = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after this time with what is finished.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of searches, folds and subsamples.")] = 0,
) -> None:
    """Learn at many costs of an edge and say how many edges each keeps, predicts with and finds again.

    Prints a table with a row per cost, and what each rule chooses. Ctrl-C keeps what is finished.
    """
    for target, option in ((output, "-o"), (picture, "--picture"), (edges, "--edges")):
        if target is not None:
            spare(file, target, option)
    with reporting() as progress:
        from sparsest.costs import path as over_costs
        from sparsest.export.cost_table import lines

        found = over_costs(
            file,
            costs=None if costs is None else numbers(costs),
            points=points,
            folds=folds,
            subsamples=subsamples,
            blocks=blocks,
            n_jobs=jobs,
            time_limit=time_limit,
            progress=progress,
            model=model,
            solver=solver,
            knowledge=knowledge,
            columns=column_names(columns),
            transpose=transpose,
            separator=separator_mark(separator),
            decimal=decimal,
            thousands=thousands,
            seed=seed,
        )
        if output is not None:
            write_frame(found.table(), output)
        if edges is not None:
            write_frame(found.edges(), edges)
        if picture is not None:
            found.plot(picture)
    say("\n".join([*lines(found), str(found)]))
    for written in (output, edges, picture):
        if written is not None:
            say(f"wrote {written}")


def numbers(words: str) -> list[Any]:
    """The numbers of a list with commas; what is none stays a word, which is refused by name."""
    return [word_or_number(word) for word in words.split(",")]
