"""An effect in each class that was learned from resamples: how much it depends on the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sparsest._core.errors import OptionError
from sparsest.effects.estimating import effect, is_linear
from sparsest.graph.extension import cpdag_to_dag
from sparsest.scores.gaussian import refit

if TYPE_CHECKING:
    import polars

    from sparsest.effects.effect import Effect
    from sparsest.graph.types import Cpdag
    from sparsest.result import Result


def over_resamples(found: Effect) -> polars.DataFrame:
    """One row per class of the resamples; `Effect.over_resamples` says more."""
    import polars

    result = found.result
    if result is None or not is_linear(result) or result.moments is None:
        raise OptionError("effects over the resamples are for linear models: the interval rests on them, too")
    if result.confidence is None or not result.confidence.classes():
        raise OptionError("this result has no resamples: learn it again with fit(..., resamples=50)")
    rows = [_row(result, found, graph) | {"resamples": n} for graph, n in result.confidence.classes()]
    return polars.DataFrame(rows)


def _row(result: Result, found: Effect, graph: Cpdag) -> dict[str, Any]:
    assert result.moments is not None
    dag = cpdag_to_dag(graph)
    weights, variances = refit(result.moments.covariance, dag.pattern)
    there = replace(result, dag=dag, cpdag=graph, weights=weights, noise_variances=variances)
    again = effect(there, list(found.causes), found.outcome, interval=None, change=_change(found))
    low, high = again.bounds
    return {"low": low, "high": high, "identified": again.identified, "values": len(again.cases)}


def _change(found: Effect) -> Any:
    if found.levels is None or len(found.causes) == 1:
        return found.levels
    return tuple(zip(*found.levels, strict=True))
