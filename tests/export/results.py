"""Results to export: made by hand, so that no solver is needed."""

import math

import numpy as np

from sparsest._core.progress import Status
from sparsest.graph.types import Dag
from sparsest.problem import Stage
from sparsest.result import Evidence, Result


def make(weights, names=None, *, n=1000, status=Status.OPTIMAL, warnings=(), h=0.0, variances=None):
    """A result with these weights."""
    weights = np.array(weights, dtype=float)
    dag = Dag((weights != 0).astype(int), names)
    edges, cost, nll = len(dag.edges), 0.005, -1.25
    variances = np.ones(len(weights)) if variances is None else np.array(variances, dtype=float)
    stage = Stage("exact search", -1.2, 16, 0.01)
    evidence = Evidence((stage,), 16, -1.2, 1, h, math.inf, True, "search", tuple(warnings))
    return Result(
        dag=dag,
        cpdag=dag.to_cpdag(),
        weights=weights,
        noise_variances=variances,
        objective=nll + cost * edges,
        nll=nll,
        cost=cost,
        n=n,
        solver="exact",
        status=status,
        evidence=evidence,
        seconds=0.5,
    )


NAMES = ("rain", "sprinkler", "wet", "slippery", "season")
# rain -> wet <- sprinkler and wet -> slippery are identified, season -- rain is not
WEIGHTS = [[0, 0, 0.8, 0, 0], [0, 0, -2, 0, 0], [0, 0, 0, 1.5, 0], [0, 0, 0, 0, 0], [0.25, 0, 0, 0, 0]]
GARDEN = make(WEIGHTS, NAMES)
