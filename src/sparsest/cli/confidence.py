"""`sparsest confidence`: how often each edge comes again, over resamples and models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.fit_options import learning
from sparsest.cli.folder import Force, Targets
from sparsest.cli.table_options import column_names
from sparsest.cli.terminal import Json, Quiet, plain, reporting, tell


@learning()
def confidence(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with one row per observation, as for `sparsest fit`."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the shares of all pairs to this CSV file."
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(metavar="COUNT", help="Resamples per model.")] = 100,
    models: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Models to learn under, or all.  [default: the one for the table]"),
    ] = None,
    how: Annotated[str, typer.Option(help="half (of the rows) or bootstrap.")] = "half",
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of labels: rows with the same label stay together. It is left out of the model.",
        ),
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(metavar="ROWS", help="Keep blocks of so many consecutive rows together, as in time."),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep finished resamples here; the same command continues."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="COUNT", help="Processes to use.")] = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Learn again from resamples of the rows and say how often each edge comes again.

    Prints the edges of the answer with their shares, sure ones apart from the others. Ctrl-C keeps the
    resamples so far.

    Example: sparsest confidence table.csv --models all -o shares.csv
    """
    targets = Targets({"-o": output, "--json": json}, source=file, force=force)
    with reporting(quiet=quiet) as progress:
        from sparsest import confidence as resample
        from sparsest.export.csv import write_frame

        found = resample(
            file,
            resamples=resamples,
            models=models if models in (None, "all") else column_names(models),
            how=how,
            groups=groups,
            blocks=blocks,
            store=store,
            n_jobs=jobs,
            progress=progress,
            **options,
        )
        if output is not None:
            write_frame(found.edges(), output)
    pairs = {"resamples": found.resamples, "how": found.how, "pairs": found.edges().to_dicts()}
    tell(str(found), plain({**header("sparsest-confidence", 1), **pairs}), json, quiet=quiet)
    targets.say(quiet or json is not None)
