"""The options of `fit` as commands take them: one word and one help text for all commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sparsest.cli.table_options import (
    Columns,
    Decimal,
    Exclude,
    Kinds,
    Marks,
    Scales,
    Separator,
    Thousands,
    Transpose,
    column_names,
    kinds_by_name,
    scales,
    separator_mark,
)


class _Option(NamedTuple):
    """What a shell gives, its default, and how it becomes the argument of `fit`."""

    annotation: Any
    default: Any
    translate: Callable[[Any], Any] = lambda value: value


def word_or_number(text: str) -> str | float:
    """A number where the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def _standardize(given: bool | None) -> bool | str:
    return "auto" if given is None else given


def _rows(given: int | None) -> int | str | None:
    return "auto" if given is None else given or None


Seconds = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Stop after this time with what was found so far.")
]
_READING = {
    "columns": _Option(Columns, None, column_names),
    "exclude": _Option(Exclude, None, column_names),
    "kinds": _Option(Kinds, None, kinds_by_name),
    "na": _Option(Marks, None, column_names),
    "transpose": _Option(Transpose, False),
    "separator": _Option(Separator, None, separator_mark),
    "decimal": _Option(Decimal, None),
    "thousands": _Option(Thousands, None),
}
_PREPARING = {
    "drop_constant": _Option(
        Annotated[bool, typer.Option("--drop-constant", help="With --strict, leave constant columns out.")],
        False,
    ),
    "missing": _Option(
        Annotated[
            str,
            typer.Option(help="Missing values: auto (use all known), error, drop (rows), pairwise or em."),
        ],
        "auto",
    ),
    "strict": _Option(
        Annotated[
            bool, typer.Option("--strict", help="Refuse what cannot be modelled instead of leaving it out.")
        ],
        False,
    ),
    "transform": _Option(Scales, None, scales),
    "weights": _Option(
        Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with the weights of the rows.")],
        None,
    ),
}
_LEARNING = {
    "model": _Option(
        Annotated[str, typer.Option(help="Likelihood: a name that `sparsest fit --help` lists.")], "auto"
    ),
    "solver": _Option(
        Annotated[str, typer.Option(help="Solver: a name that `sparsest fit --help` lists.")], "auto"
    ),
    "penalty": _Option(
        Annotated[
            str,
            typer.Option(
                help="Cost of an edge: auto, bic, ebic, a number, or stars, cv, cv-1se (chosen from a path)."
            ),
        ],
        "auto",
        word_or_number,
    ),
    "knowledge": _Option(
        Annotated[
            Path | None,
            typer.Option(
                metavar="FILE", help="Background knowledge about edges: TOML, or a Tetrad knowledge file."
            ),
        ],
        None,
    ),
    "max_parents": _Option(
        Annotated[int | None, typer.Option(help="Maximum number of parents of a column.")], None
    ),
    "threshold": _Option(
        Annotated[
            float | None,
            typer.Option(
                help="For solvers with soft weights: keep weights above this, instead of pruning by score."
            ),
        ],
        None,
    ),
    "search_rows": _Option(
        Annotated[
            int | None,
            typer.Option(
                metavar="COUNT",
                help="Search on a sample of so many rows and refit on all; 0 searches on all rows.  "
                "[default: 100000, networks 20000, Gaussian models all]",
            ),
        ],
        None,
        _rows,
    ),
    "standardize": _Option(
        Annotated[
            bool | None,
            typer.Option(
                "--standardize/--no-standardize",
                help="Standardise the columns for the solver.  [default: the solver decides]",
            ),
        ],
        None,
        _standardize,
    ),
    "time_limit": _Option(Seconds, None),
    "seed": _Option(Annotated[int, typer.Option(help="Seed of all that is random.")], 0),
}
OPTIONS = _READING | _PREPARING | _LEARNING


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how a table is read; it gets them as `options`."""
    return _taking(_READING, command)


def learning(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command all options of `fit` but some; it gets them as `options`, in the words of Python."""
    taken = {name: option for name, option in OPTIONS.items() if name not in without}
    return functools.partial(_taking, taken)


def _taking(taken: dict[str, _Option], command: Callable[..., None]) -> Callable[..., None]:
    own = inspect.signature(command, eval_str=True).parameters
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.annotation)
        for name, option in taken.items()
    ]
    # Options of the command itself first; "quiet", "json" and "force" close the list, as in all commands.
    last = [one for name, one in own.items() if name in ("jobs", "quiet", "json", "force")]
    first = [one for one in own.values() if one not in last and one.name != "options"]
    shown = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*first, *added, *last)]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        options = {name: option.translate(given.pop(name)) for name, option in taken.items()}
        command(**given, options=options)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run
