"""The options of `fit` where another function passes them on, and the table prepared as they say."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from sparsest._core.progress import Watch
from sparsest.data import TableOptions
from sparsest.fit import Inquiry, fit, inquire
from sparsest.models.choosing import Choices

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
