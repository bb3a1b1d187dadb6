"""`sparsest path`: answers over a range of costs of an edge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.fit_options import learning, word_or_number
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, plain, reporting, tell


@learning("penalty", "threshold")
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
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Learn at many costs of an edge and say how many edges each keeps, predicts with and finds again.

    Prints a table with a row per cost, and what each rule chooses. Ctrl-C keeps what is finished.

    Example: sparsest path table.csv --picture costs.png
    """
    files = {"-o": output, "--edges": edges, "--picture": picture, "--json": json}
    targets = Targets(files, source=file, force=force)
    with reporting(quiet=quiet) as progress:
        from sparsest.costs import path as over_costs
        from sparsest.export.cost_table import lines
        from sparsest.export.csv import write_frame

        found = over_costs(
            file,
            costs=None if costs is None else numbers(costs),
            points=points,
            folds=folds,
            subsamples=subsamples,
            blocks=blocks,
            n_jobs=jobs,
            progress=progress,
            **options,
        )
        if output is not None:
            write_frame(found.table(), output)
        if edges is not None:
            write_frame(found.edges(), edges)
        if picture is not None:
            found.plot(picture)
    tree = {
        **header("sparsest-path", 1), "costs": found.table().to_dicts(), "edges": found.edges().to_dicts(),
        "chosen": {rule: found.choose(rule).cost for rule in found.rules},
    }  # fmt: skip
    tell("\n".join([*lines(found), str(found)]), plain(tree), json, quiet=quiet)
    targets.say(quiet or json is not None)


def numbers(words: str) -> list[Any]:
    """The numbers of a list with commas; what is none stays a word, which is refused by name."""
    return [word_or_number(word) for word in words.split(",")]
