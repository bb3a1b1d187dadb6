"""Samples under an intervention: from the learned DAG, or from all members of its class.

Members with the same parents of the columns that are set agree on what follows, so it is enough to draw an
orientation of the edges at these columns, with the share of members that have it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.notices import tell
from sparsest._core.progress import Watch
from sparsest._core.words import quoted
from sparsest.effects.affected import open_outcomes
from sparsest.effects.estimating import MOST_REFITS, fitted_of, is_linear
from sparsest.effects.linear import implied_covariance
from sparsest.effects.orientations import MOST_ORIENTATIONS, orientations, shares_of
from sparsest.fitted.base import Fitted, Node, held_columns
from sparsest.fitted.new_rows import sample as sample_one
from sparsest.scores.families import centre_and_scale
from sparsest.scores.gaussian import refit

if TYPE_CHECKING:
    import polars

    from sparsest.result import Result

Array = NDArray[np.float64]
Pattern = NDArray[np.bool_]


def sample(
    result: Result, n: int, rng: np.random.Generator, do: Mapping[str, Any] | None, member: str | None
) -> polars.DataFrame:
    """Random rows of the learned DAG, or of all members, with labels; `Result.sample` says more."""
    return labelled(fitted_of(result), sampled(result, n, rng, do, member))


def labelled(fitted: Fitted, values: Array) -> polars.DataFrame:
    """Rows of codes and numbers as a data frame, with the words that codes stand for."""
    import polars

    columns: dict[str, Any] = {}
    for j, (name, words) in enumerate(zip(fitted.names, fitted.levels, strict=True)):
        column = values[:, j]
        if words is not None:  # ordered words are numbers to the model: the nearest one is said
            codes = np.clip(np.rint(column), 0, len(words) - 1).astype(np.intp)
            columns[name] = [words[code] for code in codes]
        elif fitted.columns[j].family.name == "poisson":
            columns[name] = column.astype(np.int64)
        else:
            columns[name] = column
    return polars.DataFrame(columns)


def sampled(
    result: Result, n: int, rng: np.random.Generator, do: Mapping[str, Any] | None, member: str | None
) -> Array:
    """The same as codes and numbers, (n, p)."""
    if member not in (None, "dag", "all"):
        raise OptionError(f"member must be 'dag' or 'all', not {member!r}")
    fitted = fitted_of(result)
    held = held_columns(fitted, do)
    if member == "all" and held:
        sample_one(fitted, 0, rng)  # refuses what is no generator
        return fitted.backward(_mixed(result, operator.index(n), rng, held))
    if member is None and result.identifies == "class":
        _warn(result, list(held))
    return sample_one(fitted, n, rng, do)


def _warn(result: Result, held: list[int]) -> None:
    unsure = open_outcomes(result.cpdag, held) if held else np.zeros(0, dtype=bool)
    if unsure.any():
        names = [result.names[k] for k in np.flatnonzero(unsure)]
        tell(
            [
                "these rows are from the learned DAG, one of several graphs that explain the data equally "
                f"well, and they differ in what setting {quoted([result.names[k] for k in held])} does to "
                f"{quoted(names)}: pass member='all' to mix over them, or member='dag' if this one is meant; "
                "result.effect has the bounds"
            ]
        )


def _mixed(result: Result, n: int, rng: np.random.Generator, held: dict[int, float]) -> Array:
    linear = is_linear(result)
    found = orientations(result.cpdag, list(held), MOST_ORIENTATIONS if linear else MOST_REFITS)
    counts = found.counts(result.cpdag)
    shares = [1 / len(found.patterns)] * len(found.patterns) if counts is None else shares_of(counts)
    times = rng.multinomial(n, np.array(shares) / sum(shares))
    parts = [
        member_model(result, found.member(k)).sample(int(size), rng, held)
        for k, size in enumerate(times)
        if size
    ]
    rows = np.concatenate([np.zeros((0, len(result.names))), *parts])
    return rows[rng.permutation(n)]


def member_model(result: Result, member: Pattern) -> Fitted:
    """The fitted model of a member of the class."""
    if not is_linear(result):
        if result.inquiry is None:
            raise OptionError(
                "other members of the class have to be refitted, which needs the rows, and a saved result "
                "has none: pass member='dag', or learn it again"
            )
        model: Fitted = result.inquiry.prepared.refit(member, None, Watch()).fitted
        return model
    fitted = fitted_of(result)
    weights, variances = refit(implied_covariance(result.weights, result.noise_variances), member)
    scales = np.array([centre_and_scale(column.basis)[1] for column in fitted.columns])
    nodes = []
    for j in range(len(scales)):
        parents = np.flatnonzero(member[:, j])
        slopes = weights[parents, j] * scales[parents] / scales[j]
        nodes.append(Node(tuple(map(int, parents)), np.zeros(1), slopes[:, None], float(variances[j])))
    return replace(fitted, nodes=tuple(nodes))
