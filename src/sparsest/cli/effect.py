"""`sparsest effect`: what happens to one column if another is changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.folder import spare
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

if TYPE_CHECKING:
    from sparsest.effects import Effect


def effect(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Table, as for `sparsest fit`, or a result that it wrote (result.sparsest)."
        ),
    ],
    cause: Annotated[
        str,
        typer.Option(metavar="A", help="Column that is changed; several with commas between."),
    ],
    outcome: Annotated[str, typer.Option(metavar="B", help="Column that responds.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Draw it to this .png, .svg or .pdf file."),
    ] = None,
    interval: Annotated[
        str, typer.Option(help="What the interval accounts for: auto, resampled, split or naive.")
    ] = "auto",
    level: Annotated[float, typer.Option(help="Coverage of the interval.")] = 0.95,
    change: Annotated[
        str | None,
        typer.Option(metavar="LOW,HIGH", help="Values that the cause is changed from and to."),
    ] = None,
    category: Annotated[
        str | None, typer.Option(help="Category of the outcome whose probability is meant.")
    ] = None,
    refute: Annotated[bool, typer.Option("--refute", help="Also print counter-checks.")] = False,
    hidden: Annotated[
        float | None,
        typer.Option(metavar="STRENGTH", help="With --refute: a hidden common cause of this strength."),
    ] = None,
    resamples: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Resamples that the interval rests on.")
    ] = None,
    model: Annotated[str, typer.Option(help="Likelihood, as for `sparsest fit`.")] = "auto",
    penalty: Annotated[str, typer.Option(help="Cost of an edge: auto, bic, ebic or a number.")] = "auto",
    knowledge: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Background knowledge about edges.")
    ] = None,
    columns: Columns = None,
    transpose: Transpose = False,
    separator: Separator = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    jobs: Annotated[int | None, typer.Option(metavar="COUNT", help="Processes for the resamples.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random starts and the resamples.")] = 0,
    json: Json = None,
) -> None:
    """Say what happens to the outcome if the cause is changed, over all graphs that explain the table.

    Prints the possible effects with the graphs they come from, an interval, and what to adjust for.
    """
    if output is not None:
        spare(file, output, "-o")
    with reporting() as progress:
        from sparsest import fit
        from sparsest.cli.fit import word_or_number
        from sparsest.export.archive import load

        if file.suffix == ".sparsest":
            result = load(file)
        else:
            result = fit(
                file,
                model=model,
                penalty=word_or_number(penalty),
                knowledge=knowledge,
                columns=column_names(columns),
                transpose=transpose,
                separator=separator_mark(separator),
                decimal=decimal,
                thousands=thousands,
                resamples=resamples,
                n_jobs=jobs,
                seed=seed,
                progress=progress,
            )
        causes = [cause] if cause in result.names else column_names(cause) or [cause]
        found = result.effect(
            causes if len(causes) > 1 else causes[0],
            outcome,
            interval=interval,
            level=level,
            change=None if change is None else tuple(map(word_or_number, column_names(change) or ())),
            category=category,
        )
        if output is not None:
            found.plot(output)
        said = [str(found), str(found.refute(seed, hidden))] if refute else [str(found)]
    tell("\n".join(said), _tree(found), json)
    if output is not None:
        say(f"wrote {output}")


def _tree(found: Effect) -> dict[str, Any]:
    cases = [
        {"value": one.value, "share": one.share, "parents": one.parents, "interval": one.interval}
        for one in found.cases
    ]
    return {
        **header("sparsest-effect", 1), "causes": found.causes, "outcome": found.outcome,
        "identified": found.identified, "cases": cases, "bounds": found.bounds, "interval": found.interval,
        "level": found.level, "how": found.how, "adjustment_set": found.adjustment_set,
        "change": found.change, "unit": found.unit,
    }  # fmt: skip
