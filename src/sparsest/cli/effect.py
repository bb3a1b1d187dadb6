"""`sparsest effect`: what happens to one column if another is changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.fit_options import learning, word_or_number
from sparsest.cli.folder import Force, Targets
from sparsest.cli.table_options import column_names
from sparsest.cli.terminal import Json, Quiet, reporting, tell

if TYPE_CHECKING:
    from sparsest.effects import Effect
    from sparsest.effects.refuting import Refutation
    from sparsest.fit import Inquiry


@learning()
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
    jobs: Annotated[int | None, typer.Option(metavar="COUNT", help="Processes for the resamples.")] = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Say what happens to the outcome if the cause is changed, over all graphs that explain the table.

    Prints the possible effects with the graphs they come from, an interval, and what to adjust for.

    Example: sparsest effect table.csv --cause dose --outcome pressure --resamples 100
    """
    targets = Targets({"-o": output, "--json": json}, source=file, force=force)
    with reporting(quiet=quiet) as progress:
        from sparsest.confidence.asking import fit_if
        from sparsest.effects.asked import columns_among
        from sparsest.export.archive import load

        def check(inquiry: Inquiry) -> None:
            names = inquiry.prepared.names
            columns_among(names, inquiry.account, _causes(cause, names), outcome)

        if file.suffix == ".sparsest":
            result = load(file)
        else:
            options["n_jobs"] = jobs
            result = fit_if(check, file, options, resamples=resamples, progress=progress)
        causes = _causes(cause, result.names)
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
        checks = found.refute(options["seed"], hidden) if refute else None
    said = str(found) if checks is None else f"{found}\n{checks}"
    tell(said, _tree(found, checks), json, quiet=quiet)
    targets.say(quiet or json is not None)


def _causes(given: str, names: Sequence[str]) -> list[str]:
    """The causes in `--cause a,b`, where no column has that name itself."""
    return [given] if given in names else column_names(given) or [given]


def _tree(found: Effect, checks: Refutation | None) -> dict[str, Any]:
    cases = [
        {"value": one.value, "share": one.share, "parents": one.parents, "interval": one.interval}
        for one in found.cases
    ]
    return {
        **header("sparsest-effect", 1), "causes": found.causes, "outcome": found.outcome,
        "identified": found.identified, "cases": cases, "bounds": found.bounds, "interval": found.interval,
        "level": found.level, "how": found.how, "adjustment_set": found.adjustment_set,
        "change": found.change, "unit": found.unit,
        "checks": None if checks is None else [vars(one) for one in checks.checks],
    }  # fmt: skip
