"""A result as JSON that any program can read: versioned and strict.

JSON has neither NaN nor Infinity: `null` stands for a number that does not exist, such as the number of rows
of a population, or the noise variances of a user-defined model.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

from sparsest._core.writing import header, write_tree
from sparsest.export.edges import weighted_edges
from sparsest.graph.files import marked_edges

if TYPE_CHECKING:
    from sparsest.confidence import Confidence
    from sparsest.result import Evidence, Result

FORMAT, VERSION = "sparsest-result", 1


def to_dict(result: Result) -> dict[str, Any]:
    """The result as plain numbers, strings, lists and dictionaries."""
    return {
        **header(FORMAT, VERSION),
        "names": list(result.names),
        "dag": [
            {"source": edge.source, "target": edge.target, "weight": _number(edge.weight)}
            for edge in weighted_edges(result)
        ],
        "cpdag": marked_edges(result.cpdag),
        "cpdag_kind": result.cpdag.kind,
        "arrows_from_knowledge": [{"source": a, "target": b} for a, b in result.arrows_from_knowledge],
        "noise_variances": [_number(variance) for variance in result.noise_variances],
        "objective": _number(result.objective),
        "nll": _number(result.nll),
        "cost": _number(result.cost),
        "n": _number(result.n),
        "model": result.model,
        "identifies": result.identifies,
        "solver": result.solver,
        "status": result.status.value,
        "seconds": _number(result.seconds),
        "settings": {
            key: _number(value) if isinstance(value, float) else value
            for key, value in result.settings.items()
        },
        "audit": None if result.audit is None else result.audit.to_dict(),
        "evidence": _evidence(result.evidence),
        "confidence": None if result.confidence is None else _confidence(result.confidence),
    }


def write_json(result: Result, path: str | os.PathLike[str]) -> None:
    """Write `to_dict(result)` to a file, in UTF-8."""
    write_tree(to_dict(result), path)


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "stages": [
            {
                "name": stage.name,
                "objective": _number(stage.objective),
                "steps": int(stage.steps),
                "seconds": _number(stage.seconds),
            }
            for stage in evidence.stages
        ],
        "steps": int(evidence.steps),
        "solver_objective": _number(evidence.solver_objective),
        "agreed": int(evidence.agreed),
        "bound": None if evidence.bound is None else _number(evidence.bound),
        "h": _number(evidence.h),
        "violation": _number(evidence.violation),
        "standardized": bool(evidence.standardized),
        "graph_from": evidence.graph_from,
        "warnings": list(evidence.warnings),
        "same_when_rescaled": evidence.same_when_rescaled,
        "model_because": evidence.model_because,
        "penalty_because": evidence.penalty_because,
        "compile_seconds": _number(evidence.compile_seconds),
    }


def _confidence(found: Confidence) -> dict[str, Any]:
    return {
        "resamples": found.resamples,
        "asked": found.asked,
        "how": found.how,
        "measure": found.measure,
        "status": found.status.value,
        "agreement": found.agreement,
        "pairs": found.edges().to_dicts(),
    }


def _number(value: float) -> float | int | None:
    """A Python number; integers stay integers, and numbers that are not finite become None."""
    if not math.isfinite(value):
        return None
    return int(value) if isinstance(value, int) else float(value)
