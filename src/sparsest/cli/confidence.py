"""`sparsest confidence`: how often each edge comes again, over resamples and models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsest._core.writing import header
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
from sparsest.cli.terminal import Json, reporting, say, tell


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
    penalty: Annotated[str, typer.Option(help="Cost of an edge: auto, bic, ebic or a number.")] = "auto",
    knowledge: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Background knowledge about edges.")
    ] = None,
    columns: Columns = None,
    transpose: Transpose = False,
    separator: Separator = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after this time with the shares so far.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    json: Json = None,
) -> None:
    """Learn again from resamples of the rows and say how often each edge comes again.

    Prints the edges of the answer with their shares, sure ones apart from the others. Ctrl-C keeps the
    resamples so far.
    """
    if output is not None:
        spare(file, output, "-o")
    with reporting() as progress:
        from sparsest import confidence as resample
        from sparsest.cli.fit import word_or_number

        found = resample(
            file,
            resamples=resamples,
            models=models if models in (None, "all") else column_names(models),
            how=how,
            groups=groups,
            blocks=blocks,
            store=store,
            n_jobs=jobs,
            time_limit=time_limit,
            progress=progress,
            penalty=word_or_number(penalty),
            knowledge=knowledge,
            columns=column_names(columns),
            transpose=transpose,
            separator=separator_mark(separator),
            decimal=decimal,
            thousands=thousands,
            seed=seed,
        )
        if output is not None:
            write_frame(found.edges(), output)
    pairs = {"resamples": found.resamples, "how": found.how, "pairs": found.edges().to_dicts()}
    tell(str(found), {**header("sparsest-confidence", 1), **pairs}, json)
    if output is not None:
        say(f"wrote {output}")
