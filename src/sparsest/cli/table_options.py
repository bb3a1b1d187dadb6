"""Options that say how a table is read, shared by the commands that read one."""

from __future__ import annotations

import csv
from typing import Annotated

import typer

Columns = Annotated[
    str | None, typer.Option(metavar="A,B,C", help="Columns to use; wildcards: gene*.  [default: all]")
]
Exclude = Annotated[str | None, typer.Option(metavar="A,B,C", help="Columns to leave out, as above.")]
Marks = Annotated[
    str | None,
    typer.Option("--na", metavar="A,B,C", help="Marks of missing values.  [default: found]"),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="NAME=KIND",
        help="Kind of a column: continuous, binary, count, categorical, ordinal, date (as days) or "
        "identifier (left out); or the levels of an ordinal one, low<middle<high. May be repeated.",
    ),
]
Scales = Annotated[
    list[str] | None,
    typer.Option(
        "--transform",
        metavar="[NAME=]SCALE",
        help="Scale of columns of numbers: auto, log or rank, for all or by name. May be repeated.",
    ),
]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="Variables are in rows, observations in columns.")
]
Separator = Annotated[
    str | None,
    typer.Option(metavar="MARK", help="Mark between columns of a text file.  [default: detected]"),
]
Decimal = Annotated[
    str | None, typer.Option(metavar="MARK", help="Decimal mark of a text file.  [default: detected]")
]
Thousands = Annotated[
    str | None, typer.Option(metavar="MARK", help="Mark between thousands.  [default: detected]")
]


def column_names(columns: str | None) -> list[str] | None:
    """The names in `--columns a,b,c`; one with a comma is quoted, as in CSV."""
    return None if columns is None else next(csv.reader([columns]))


def separator_mark(separator: str | None) -> str | None:
    r"""The separator; `\t`, as typed in a shell, stands for a tab."""
    return "\t" if separator == "\\t" else separator


def scales(given: list[str] | None) -> str | dict[str, str] | None:
    """The values of `--transform`: one word for all columns, or words by column."""
    if given and len(given) == 1 and "=" not in given[0]:
        return given[0]
    pairs = [word.rpartition("=") for word in given or ()]
    return {name or "*": scale for name, _, scale in pairs} or None


def kinds_by_name(given: list[str] | None) -> dict[str, str | list[str]]:
    """The values of `--kind` by column; the levels of an ordinal column are joined by <."""
    pairs = [word.rpartition("=") for word in given or ()]
    return {name: kind.split("<") if "<" in kind else kind for name, _, kind in pairs}
