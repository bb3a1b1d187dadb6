"""`result.effects`: the effects of all columns on each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.effects.affected import open_outcomes, reached
from sparsest.effects.estimating import effect, fitted_of, is_linear, scale_of
from sparsest.effects.linear import effects_on_all, implied_covariance
from sparsest.effects.orientations import orientations
from sparsest.graph.types import Mpdag

if TYPE_CHECKING:
    import polars

    from sparsest.result import Result

_SCHEMA = {
    "cause": str, "outcome": str, "low": float, "high": float, "identified": bool, "values": int,
    "low_per_sd": float, "high_per_sd": float, "change": str,
}  # fmt: skip
_INTERVAL = {"interval_low": float, "interval_high": float, "how": str}


def effects(result: Result, interval: str | None, level: float) -> polars.DataFrame:
    """A table of all effects that are not zero by the graph, strongest first; `Result.effects` says more."""
    import polars

    fitted_of(result)
    quick = is_linear(result) and interval is None
    rows = list(_linear_rows(result) if quick else _rows(result, interval, level))
    units = {name: scale_of(result, node) for node, name in enumerate(result.names)}
    rows.sort(key=partial(_strength, units=units), reverse=True)
    schema: Any = _SCHEMA if interval is None else _SCHEMA | _INTERVAL
    return polars.DataFrame(rows, schema=schema)


def _strength(row: dict[str, Any], units: Mapping[str, float]) -> float:
    """The larger end of the bounds, in standard deviations of the outcome where it has units."""
    if row["low_per_sd"] is not None:
        return float(max(abs(row["low_per_sd"]), abs(row["high_per_sd"])))
    return float(max(abs(row["low"]), abs(row["high"]))) / units[row["outcome"]]


def _linear_rows(result: Result) -> Iterator[dict[str, Any]]:
    """All outcomes of a cause at once."""
    covariance = implied_covariance(result.weights, result.noise_variances)
    scales, names = np.sqrt(covariance.diagonal()), result.names
    fitted, units = fitted_of(result), f" (in {result.traits.units})" if result.model == "rank" else ""
    for cause in range(len(names)):
        graph = result.cpdag
        affected, unsure = reached(graph, [cause]), open_outcomes(graph, [cause])
        if not affected.any():
            continue
        found = []
        for pattern in orientations(graph, [cause]).patterns:
            refined = Mpdag._trusted(pattern, names)
            values = effects_on_all(covariance, cause, np.flatnonzero(pattern[:, cause]).tolist())
            found.append(np.where(reached(refined, [cause]), values, 0.0))
        every = np.array(found)
        for outcome in np.flatnonzero(affected):
            values = every[:, outcome] if unsure[outcome] else every[:1, outcome]
            unit = scales[cause] / scales[outcome]
            low, high = float(values.min()), float(values.max())
            yield {
                "cause": names[cause], "outcome": names[outcome], "low": low, "high": high,
                "identified": not unsure[outcome], "values": _distinct(values * unit),
                "low_per_sd": low * unit, "high_per_sd": high * unit,
                "change": f"raising {fitted.scale(cause)} by 1{units}",
            }  # fmt: skip


def _distinct(values: Any) -> int:
    ordered = np.sort(values)
    return 1 + int((np.diff(ordered) > 1e-9).sum())


def _rows(result: Result, interval: str | None, level: float) -> Iterator[dict[str, Any]]:
    for cause in range(len(result.names)):
        for outcome in np.flatnonzero(reached(result.cpdag, [cause])):
            try:
                found = effect(result, cause, int(outcome), interval=interval, level=level)
            except OptionError as error:
                if "category=" in str(error):  # an outcome with categories has no single effect
                    continue
                raise
            (low, high), scaled = found.bounds, found.values_per_sd
            row = {
                "cause": found.causes[0], "outcome": found.outcome, "low": low, "high": high,
                "identified": found.identified, "values": len(found.cases),
                "low_per_sd": None if scaled is None else float(scaled.min()),
                "high_per_sd": None if scaled is None else float(scaled.max()), "change": found.change,
            }  # fmt: skip
            if interval is not None:
                ends = found.interval or (None, None)
                row |= {"interval_low": ends[0], "interval_high": ends[1], "how": found.how}
            yield row
