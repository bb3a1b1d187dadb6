"""`sparsest audit`: what to know about a table before learning from it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import spare
from sparsest.cli.terminal import reporting, say


def audit(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with one row per observation, as for `sparsest fit`."),
    ],
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the findings to this file.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Columns to examine.  [default: all]")
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Variables are in rows, observations in columns.")
    ] = False,
    separator: Annotated[
        str | None,
        typer.Option(metavar="MARK", help="Mark between columns.  [default: detected]"),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option(metavar="MARK", help="Decimal mark of a text file.  [default: detected]")
    ] = None,
    thousands: Annotated[
        str | None, typer.Option(metavar="MARK", help="Mark between thousands.  [default: detected]")
    ] = None,
) -> None:
    """Examine a table before learning from it: what is wrong with it, in plain words, and what to do.

    Constant, duplicate and dependent columns, identifiers, dates, text and missing values, outliers, heavy
    tails, too few rows, rows that repeat or depend on each other, labels of experiments. The exit
    code is 0 whatever is found.
    """
    with reporting(quiet=True):
        from sparsest.data.audit import audit as examine
        from sparsest.export.json import write_audit

        if json is not None:
            spare(file, json, "--json")
        found = examine(
            file,
            columns=None if columns is None else next(csv.reader([columns])),
            transpose=transpose,
            separator="\t" if separator == "\\t" else separator,  # as typed in a shell
            decimal=decimal,
            thousands=thousands,
        )
        if json is not None:
            write_audit(found, json)
    say(str(found))
    if json is not None:
        say(f"\nwrote {json}")
