"""`sparsest audit`: what to know about a table before learning from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsest._core.writing import header
from sparsest.cli.folder import spare
from sparsest.cli.table_options import (
    Columns,
    Decimal,
    Exclude,
    Kinds,
    Marks,
    Separator,
    Thousands,
    Transpose,
    column_names,
    kinds_by_name,
    separator_mark,
)
from sparsest.cli.terminal import Json, reporting, tell


def audit(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with one row per observation, as for `sparsest fit`."),
    ],
    json: Json = None,
    columns: Columns = None,
    exclude: Exclude = None,
    kinds: Kinds = None,
    na: Marks = None,
    transpose: Transpose = False,
    separator: Separator = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
) -> None:
    """Examine a table before learning from it: what is wrong with it, and what to do about it.

    Constant, duplicate and dependent columns, identifiers, dates, text and missing values, outliers, heavy
    tails, too few rows, rows that repeat or depend on each other, labels of experiments. The exit
    code is 0 whatever is found.
    """
    with reporting(quiet=True):
        from sparsest.data.audit import audit as examine

        if json is not None:
            spare(file, json, "--json")
        found = examine(
            file,
            columns=column_names(columns),
            exclude=column_names(exclude),
            kinds=kinds_by_name(kinds),
            na=column_names(na),
            transpose=transpose,
            separator=separator_mark(separator),
            decimal=decimal,
            thousands=thousands,
        )
    tell(str(found), {**header("sparsest-audit", 1), **found.to_dict()}, json)
