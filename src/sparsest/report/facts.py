"""What the page tells on a click: about columns, edges, and the pairs worth a word, as plain values."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from sparsest._core.words import percent
from sparsest.explain.pair import Groundwork, explain
from sparsest.export.edges import weighted_edges
from sparsest.report.scene import Scene
from sparsest.result import Result

_MOST_EXPLAINED = 400  # edges first, then the pairs that come closest to being joined
_MOST_TERMS = 12


def facts_of(result: Result, scene: Scene) -> dict[str, Any]:
    """Names, edges in the order of the scene, equations, and explanations by pair."""
    return {
        "names": list(result.names),
        "kind": result.cpdag.kind,
        "resampled": result.confidence is not None,
        "measure": "" if result.confidence is None else result.confidence.measure,
        "edges": _edges(result, scene),
        "equations": [equation(result, k) for k in range(len(result.names))],
        "explained": _explained(result),
    }


def as_json(facts: dict[str, Any]) -> str:
    """JSON that no HTML parser takes for markup, wherever it stands."""
    dumped = json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        dumped = dumped.replace(letter, f"\\u{ord(letter):04x}")
    return dumped


def _edges(result: Result, scene: Scene) -> list[dict[str, Any]]:
    weights = {edge.place: edge.weight for edge in weighted_edges(result)}
    found_again = result.confidence
    joined = None if found_again is None else found_again.adjacency
    probable = None if found_again is None or not found_again.calibrates else found_again.calibrated.adjacency
    found = []
    for edge in scene.edges:
        place = (edge.tail, edge.head)
        dag = place if place in weights else place[::-1]
        one: dict[str, Any] = {
            "a": edge.tail, "b": edge.head, "d": edge.directed, "t": dag[0],
            "w": _plain(weights[dag]), "e": _plain(edge.effect),
        }  # fmt: skip
        if edge.share is not None:
            one["s"] = round(edge.share, 4)
        for key, shares in (("j", joined), ("q", probable)):
            if shares is not None:
                one[key] = round(float(shares[place]), 4)
        found.append(one)
    return found


def equation(result: Result, node: int) -> str:
    """How a column follows from its parents in the learned DAG, which is said where other graphs differ."""
    others = result.cpdag.pattern[node] & result.cpdag.pattern[:, node]
    where = " (in one graph of the class: others have other causes here)" if others.any() else ""
    parents = np.flatnonzero(result.dag.pattern[:, node])
    name, noise = result.names[node], float(result.noise_variances[node])
    left = ""
    if math.isfinite(noise):
        rest = "noise" if result.traits.gaussian else "residuals"  # two values and counts have no noise
        left = f", {rest} with standard deviation {math.sqrt(max(noise, 0)):.3g}"
    if not parents.size:
        return f"{name}: no causes{left}{where}"
    strongest = sorted(parents.tolist(), key=lambda k: -abs(result.weights[k, node]))
    terms = [f"{result.weights[k, node]:+.3g} × {result.names[k]}" for k in strongest[:_MOST_TERMS]]
    more = f" and {len(strongest) - _MOST_TERMS} more" if len(strongest) > _MOST_TERMS else ""
    what = "=" if result.traits.gaussian else "depends on"
    return f"{name} {what} {' '.join(terms)}{more}{left}{where}"


def _explained(result: Result) -> dict[str, str]:
    """Texts by "i,j", i < j; empty for models whose pairs cannot be explained."""
    if not result.traits.gaussian or result.moments is None:
        return {}
    p = len(result.names)
    joined = result.cpdag.pattern | result.cpdag.pattern.T
    deviations = np.sqrt(np.maximum(result.moments.covariance.diagonal(), 1e-300))
    correlation = np.abs(result.moments.covariance) / deviations[:, None] / deviations
    rank = np.triu(np.where(joined, 2.0, correlation), 1)
    order = np.argsort(-rank, axis=None, kind="stable")[: min(_MOST_EXPLAINED, p * (p - 1) // 2)]
    found, groundwork = {}, Groundwork(result)
    for i, j in zip(*np.unravel_index(order, rank.shape), strict=True):
        found[f"{i},{j}"] = str(explain(result, int(i), int(j), groundwork))
    return found


def _plain(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")


def share_words(share: float | None) -> str:
    """A share in per cent; a dash where there is none."""
    return "–" if share is None else percent(share)
