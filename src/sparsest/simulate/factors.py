"""The factors of a design, what each may be, and which of them do not go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from sparsest._core.allowed import Check, between, integer, one_of
from sparsest._core.errors import OptionError
from sparsest.simulate.designs import DATA, MODELS, NOISES, WEIGHTS, Design, parse_graph


def _graph(value: Any) -> str | None:
    try:
        parse_graph(value)
    except (OptionError, TypeError):
        return "ER or SF and the edges per node, such as 'ER2'"
    return None


# In the order of a design's fields, by the names that they have in a file of an experiment.
FACTORS: dict[str, Check] = {
    "graphs": _graph,
    "p": integer(2),
    "n": integer(2),
    "model": one_of(MODELS),
    "noise": one_of(NOISES),
    "hidden": integer(0),
    "r2sortability": between(0, 1),
    "data": one_of(DATA),
    "weights": one_of(WEIGHTS),
}
DEFAULTS: dict[str, Any] = {
    "n": 1000,
    "model": "linear",
    "noise": "gaussian",
    "hidden": 0,
    "r2sortability": None,
    "data": "raw",
    "weights": "strong",
}
_SHELL = {"graphs": "graph", "p": "columns", "n": "rows"}  # what a shell calls them, where it differs


def ignored(factors: Mapping[str, Any]) -> tuple[str, str] | None:
    """A factor that would have no effect, given the lists of values of all factors, and the reason."""
    linear = ("noise", "weights", "r2sortability")
    asked = [factor for factor in linear if factors[factor] != [DEFAULTS[factor]]]
    others = [model for model in factors["model"] if model != "linear"]
    if asked and others:
        return asked[0], f"is for linear models, not for {others[0]!r}: leave it out"
    if len(asked) > 1 and "r2sortability" in asked:
        return asked[0], "does not go with r2sortability, which chooses weights of its own: leave it out"
    return None


def checked(design: Design) -> Design:
    """The design, if every factor is allowed.

    Raises
    ------
    OptionError
        If one is not, or would have no effect.

    Examples
    --------
    >>> checked(Design("ER2", 10, 100)).p
    10
    """
    parse_graph(design.graph)
    factors = dict(zip(FACTORS, astuple(design), strict=True))
    for factor, value in factors.items():
        if value is not None and (words := FACTORS[factor](value)) is not None:
            raise OptionError(f"{_SHELL.get(factor, factor)} must be {words}, not {value!r}")
    if (found := ignored({factor: [value] for factor, value in factors.items()})) is not None:
        raise OptionError(" ".join(found))
    return design
