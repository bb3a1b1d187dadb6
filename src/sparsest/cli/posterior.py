"""`sparsest posterior`: how probable each edge is, over all DAGs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.fit_options import learning
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, plain, reporting, tell


@learning("solver", "threshold", "search_rows", "standardize")
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
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Add up over all DAGs, each weighted by how well it explains the table, for up to 20 columns.

    Prints the edges of the answer with their probabilities, sure ones apart from the others.

    Example: sparsest posterior table.csv -o probabilities.csv
    """
    targets = Targets({"-o": output, "--json": json}, source=file, force=force)
    with reporting(quiet=quiet) as progress:
        from sparsest.confidence.probabilities import posterior as average
        from sparsest.export.csv import write_frame

        found = average(
            file,
            score=score,
            samples=samples,
            progress=progress,
            **options,
        )
        if output is not None:
            write_frame(found.edges(), output)
    tree = {**header("sparsest-posterior", 1), "score": score, "pairs": found.edges().to_dicts()}
    tell(str(found), plain(tree), json, quiet=quiet)
    targets.say(quiet or json is not None)
