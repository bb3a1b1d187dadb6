"""`sparsest audit`: what to know about a table before learning from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.fit_options import reading
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, reporting, tell


@reading
def audit(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with one row per observation, as for `sparsest fit`."),
    ],
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Examine a table before learning from it: what is wrong with it, and what to do about it.

    Constant, duplicate and dependent columns, identifiers, dates, text and missing values, outliers, heavy
    tails, too few rows, rows that repeat or depend on each other, labels of experiments. The exit
    code is 0 whatever is found.

    Example: sparsest audit table.csv --kind stage=ordinal
    """
    Targets({"--json": json}, source=file, force=force)
    with reporting(quiet=True):
        from sparsest.data.audit import audit as examine

        found = examine(file, **options)
    tell(str(found), {**header("sparsest-audit", 1), **found.to_dict()}, json, quiet=quiet)
