"""The options of `fit` where another function passes them on, and the table prepared as they say."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.errors import DataError
from sparsest._core.progress import Step, Watch
from sparsest.data import Source, TableOptions
from sparsest.data.read.interpret import kept_rows
from sparsest.data.read.sheets import positions
from sparsest.fit import Inquiry, answered, fit, inquire
from sparsest.models.choosing import Choices
from sparsest.result import Result

#: Options of `fit` that a function that calls it has itself, or that make no sense there.
HANDLED = ("time_limit", "progress", "check", "resamples")


def given_options(caller: str, fit_options: Mapping[str, Any], handled: Sequence[str]) -> dict[str, Any]:
    """All options of `fit`, as given or at their defaults."""
    known = {name: one.default for name, one in inspect.signature(fit).parameters.items() if name != "data"}
    for name in fit_options:
        if name not in known or name in handled:
            raise TypeError(f"{caller}() got an unexpected option {name!r}")
    return known | dict(fit_options)


def inquired(data: Any, given: Mapping[str, Any], watch: Watch) -> Inquiry:
    """The table, read and prepared under the model that is given."""
    choices = Choices(**{one.name: given[one.name] for one in fields(Choices)})
    options = TableOptions(**{one.name: given[one.name] for one in fields(TableOptions)})
    return inquire(data, given["model"], choices, options, given["knowledge"], watch)


@usual_arithmetic
def fit_if(
    check: Callable[[Inquiry], object],
    data: Any,
    fit_options: Mapping[str, Any],
    *,
    resamples: int | None = None,
    progress: Callable[[Step], object] | bool | None = None,
) -> Result:
    """`fit`, unless `check` raises: it sees the prepared table before anything is learned."""
    options = dict(fit_options)
    watch = Watch.checked(options.pop("time_limit", None), progress)
    inquiry = inquired(data, given_options("fit", options, HANDLED), watch)
    check(inquiry)
    return answered(inquiry, watch, resamples=resamples)


def grouped(
    data: Any, given: Mapping[str, Any], name: str, watch: Watch
) -> tuple[Any, dict[str, Any], ArrayLike]:
    """A table without the column that holds the labels of groups, the options for it, and the labels.

    Labels of rows that will be dropped are left out.
    """
    options = TableOptions(**{one.name: given[one.name] for one in fields(TableOptions)})
    source = Source(data, replace(options, columns=None), watch)
    if source.given is not None or source.streamed:
        return data, dict(given), name  # has no rows in memory: refused where rows are drawn
    sheet = source.sheet
    (place,) = positions([name], sheet.names)
    column = sheet.column(place)
    labels = np.array(column.to_list() if hasattr(column, "to_list") else column.tolist(), dtype=object)
    others = [j for j, _ in enumerate(sheet.names) if j != place]
    if not others:
        raise DataError(f"column {name!r} holds the groups, and there is no other column")
    columns = None if options.columns is None else [one for one in options.columns if one != name]
    read = {"separator": None, "decimal": None, "thousands": None, "transpose": False}  # it was read already
    rest = sheet.picked(others)
    changed: dict[str, Any] = {**read, "columns": columns}
    return rest, {**given, **changed}, labels[kept_rows(rest, replace(options, **changed))]
