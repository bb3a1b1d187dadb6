"""Is what was loaded a result? Its types, its shapes, and whether its parts agree with each other.

A file may be damaged in a way that no checksum shows, or written by hand: a result that contradicts itself is
no ground for a decision.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np

from sparsest.graph.types import Dag, Mpdag
from sparsest.knowledge.masks import Masks

if typing.TYPE_CHECKING:
    from sparsest.confidence import Confidence
    from sparsest.result import Result

_hints: dict[type, dict[str, Any]] = {}  # of each dataclass, once
_MOST_LEVELS = 10_000
_CLOSE = 1e-6  # relative: the weights are computed anew from the fitted model


def require_fields(made: Any, known: Mapping[str, type]) -> None:
    """Refuse an object of a dataclass whose fields are not of their types; `known` are types by name."""
    kind: type = type(made)
    if kind not in _hints:
        names = {each.name for each in dataclasses.fields(made)}
        hints = typing.get_type_hints(kind, localns=dict(known))
        _hints[kind] = {name: hint for name, hint in hints.items() if name in names}
    for name, hint in _hints[kind].items():
        if not _fits(getattr(made, name), hint):
            raise ValueError(f"the {name} of its {type(made).__name__} is of the wrong type")


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type; an integer counts as a float, a truth value as no number."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is typing.Literal:
        return value in parts
    if origin is tuple:
        kinds = parts[:1] * len(value) if isinstance(value, tuple) and parts[-1] is ... else parts
        return isinstance(value, tuple) and len(kinds) == len(value) and all(map(_fits, value, kinds))
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    if origin is not None:  # mappings
        return isinstance(value, origin)
    if hint in (int, float):
        number = (int, np.integer) if hint is int else (int, float, np.integer, np.floating)
        return isinstance(value, number) and not isinstance(value, bool)
    return isinstance(value, hint if isinstance(hint, type) else object)


def require_whole(result: Result) -> None:
    """Refuse a result whose parts are about different columns, not finite, or contradict each other."""
    p, names = len(result.dag), result.names
    if result.cpdag.names != names:
        raise ValueError("its parts are about different columns")
    if result.weights.shape != (p, p) or result.noise_variances.shape != (p,):
        raise ValueError("its parts are about different numbers of columns")
    _require_numbers(result)
    _require_class(result)
    if result.moments is not None and result.moments.names != names:
        raise ValueError("its moments are about other columns")
    if result.knowledge is not None:
        _require_masks(result.knowledge, p, result.dag)
    if result.fitted is not None:
        _require_fitted(result.fitted, result)
    if result.confidence is not None:
        _require_shares(result.confidence, p)


def _require_numbers(result: Result) -> None:
    if not np.isfinite(result.weights).all():
        raise ValueError("its weights are not finite")
    if result.weights[~result.dag.pattern].any():
        raise ValueError("it has weights where its DAG has no edge")
    if np.isinf(result.noise_variances).any() or (result.noise_variances < 0).any():
        raise ValueError("its noise variances are negative or infinite")
    if not (result.n > 0 and result.seconds >= 0 and result.cost >= 0):
        raise ValueError("its number of rows, its time or its cost is impossible")
    if math.isnan(result.objective) or math.isnan(result.nll):
        raise ValueError("its objective is not a number")


def _require_class(result: Result) -> None:
    """The class must be that of the DAG, or have the DAG among its members."""
    dag, cpdag = result.dag.pattern, result.cpdag.pattern
    if isinstance(result.cpdag, Mpdag):
        same = ((dag | dag.T) == (cpdag | cpdag.T)).all()
        fits = bool(same) and not (dag & ~cpdag).any()
    else:
        fits = bool((result.dag.to_cpdag().pattern == cpdag).all())
    if not fits:
        raise ValueError("its class is not that of its DAG")


def _require_masks(masks: Masks, p: int, dag: Dag | None = None) -> None:
    for mask in masks:
        if not (isinstance(mask, np.ndarray) and mask.shape == (p, p) and mask.dtype == bool):
            raise ValueError("its knowledge is about other columns")
    if dag is not None and ((masks.required & ~dag.pattern) | (dag.pattern & ~masks.allowed)).any():
        raise ValueError("its DAG contradicts its knowledge")


def _require_fitted(fitted: Any, result: Result) -> None:
    """The fitted model must be of this DAG, and give its weights and finite predictions."""
    p = len(result.dag)
    if not (fitted.names == result.names and len(fitted.nodes) == len(fitted.levels) == p):
        raise ValueError("its fitted model is about other columns")
    for column, words in zip(fitted.columns, fitted.levels, strict=True):
        numbers = [getattr(column.basis, name, 1.0) for name in ("centre", "scale")]
        plain = isinstance(column.name, str) and isinstance(column.levels, int)
        plain = plain and words != ()
        plain &= all(isinstance(each, (int, float)) and math.isfinite(each) for each in numbers)
        plain &= 0 <= column.levels <= _MOST_LEVELS and (
            not (words and column.levels) or len(words) == column.levels
        )
        if (
            not plain
            or numbers[1] <= 0
            or (words is not None and not all(isinstance(word, str) for word in words))
        ):
            raise ValueError("its fitted model has columns of the wrong type")
    for j, node in enumerate(fitted.nodes):
        if sorted(node.parents) != np.flatnonzero(result.dag.pattern[:, j]).tolist():
            raise ValueError("its fitted model is of another DAG")
        if not (isinstance(node.variance, (int, float)) and not node.variance < 0):
            raise ValueError("its fitted model has an impossible variance")
        width = sum(fitted.columns[parent].basis.width for parent in node.parents)
        if node.coefficients.shape != (width, len(node.intercepts)):
            raise ValueError("its fitted model has coefficients that do not fit")
    with np.errstate(all="ignore"):
        told, means = fitted.weights, fitted.means(np.zeros((1, p)))
    if not np.allclose(told, result.weights, rtol=_CLOSE, atol=_CLOSE * (1 + np.abs(told).max(initial=0))):
        raise ValueError("its weights are not those of its fitted model")
    shapes = [((1,), (1, column.levels)) for column in fitted.columns]
    if any(mean.shape not in allowed for mean, allowed in zip(means, shapes, strict=True)):
        raise ValueError("its fitted model predicts numbers of the wrong shape")
    if not all(np.isfinite(mean).all() for mean in means):
        raise ValueError("its fitted model is not finite")


def _require_shares(found: Confidence, p: int) -> None:
    """Shares of resamples: square, and no more than all of them."""
    if len(found.answer) != p or found.resamples < 0:
        raise ValueError("its confidence is about other columns")
    for counts in (
        found.arrows,
        found.lines,
        found.edge,
        found.ancestor,
        found.edge_probability,
        found.error,
    ):
        if counts is not None and (
            counts.shape != (p, p) or not np.isfinite(counts).all() or (counts < 0).any()
        ):
            raise ValueError("its confidence has impossible shares")
    if (found.arrows + found.arrows.T + found.lines > max(1, found.resamples) * (1 + _CLOSE)).any():
        raise ValueError("its confidence counts more graphs than there were")
    for each in found.by_model.values():
        if type(each) is not type(found):
            raise ValueError("its confidence by model is none")
        _require_shares(each, p)
    if found.knowledge is not None:
        _require_masks(found.knowledge, p)
