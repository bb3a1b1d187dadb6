"""`sparsest posterior`: how probable each edge is, over all DAGs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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


def posterior(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with one row per observation, as for `sparsest fit`."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the probabilities of all pairs to this CSV file."
        ),
    ] = None,
    score: Annotated[
        str, typer.Option(help="What a DAG is weighed by: bic, or bge, its marginal likelihood.")
    ] = "bic",
    samples: Annotated[
        int, typer.Option(metavar="COUNT", help="DAGs to draw where there are more than 5 columns.")
    ] = 4000,
    model: Annotated[str, typer.Option(help="Model of each column, as for `sparsest fit`.")] = "auto",
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
        float | None, typer.Option(metavar="SECONDS", help="Give up after this time.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
) -> None:
    """Add up over all DAGs, each weighted by how well it explains the table, for up to 20 columns.

    Prints the edges of the answer with their probabilities, sure ones apart from the others.
    """
    if output is not None:
        spare(file, output, "-o")
    with reporting() as progress:
        from sparsest.cli.fit import word_or_number
        from sparsest.confidence.probabilities import posterior as average

        found = average(
            file,
            score=score,
            samples=samples,
            model=model,
            penalty=word_or_number(penalty),
            knowledge=knowledge,
            columns=column_names(columns),
            transpose=transpose,
            separator=separator_mark(separator),
            decimal=decimal,
            thousands=thousands,
            time_limit=time_limit,
            progress=progress,
            seed=seed,
        )
        if output is not None:
            write_frame(found.edges(), output)
    say(str(found))
    if output is not None:
        say(f"wrote {output}")
