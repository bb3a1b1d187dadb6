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
        Path, typer.Argument(metavar="FILE", help="Table, one row an observation: as for `sparsest fit`.")
    ],
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the findings to this file, too.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Columns to look at.  [default: all]")
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Variables are in rows, observations in columns.")
    ] = False,
    separator: Annotated[
        str | None, typer.Option(metavar="MARK", help="Between columns of a text file.  [default: found]")
    ] = None,
    decimal: Annotated[
        str | None, typer.Option(metavar="MARK", help="Decimal mark of a text file.  [default: found]")
    ] = None,
    thousands: Annotated[
        str | None, typer.Option(metavar="MARK", help="Mark between thousands.  [default: found]")
    ] = None,
) -> None:
    """Look a table over before learning from it, and say in plain words what was found and what to do.

    Constant, duplicate and dependent columns, identifiers, dates, text and missing values, outliers, heavy
    tails, too few rows, rows that repeat or depend on each other, labels of experiments. Ends with code 0
    whatever is found.
    """
    with reporting(quiet=True):
        from sparsest.data.audit import audit as look
        from sparsest.export.json import write_audit

        if json is not None:
            spare(file, json, "--json")
        found = look(
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
