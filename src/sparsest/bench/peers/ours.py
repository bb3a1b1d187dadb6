"""Our own methods, and the published ones made of our parts, run as the peers are.

- `@0.3`: the graph is read off the weights by a threshold, as published, instead of by the score.
- `our-`: our implementation where a peer has the name.
- `-population`: learned from the true covariance, the paper's yardstick; needs an explicit cost.
- `exact-search`: the paper's baseline, all sparsest models of a covariance taken as it is (Appendix D).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sparsest.search import OrderSearch
from sparsest.solvers import Adam
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.methods import LOGLL_NOTEARS

REQUIREMENTS = None

_POPULATION = 0.01  # the cost per edge on a population covariance, where a sample size gives none
_ADAM = replace(LOGLL_NOTEARS, path=AugmentedLagrangian(inner=Adam()))

METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "exact": {"solver": "exact"},
    "order": {"solver": "order"},
    "order1": {"solver": OrderSearch(patience=0, chains=1)},  # one descent
    "ges": {"solver": "ges"},
    "differentiable": {"solver": "differentiable"},
    "logll-dagma": {"solver": "logll-dagma"},
    "logll-dagma@0.3": {"solver": "logll-dagma", "threshold": 0.3},
    "logll-notears@0.3": {"solver": "logll-notears", "threshold": 0.3},
    "logll-notears-adam@0.3": {"solver": _ADAM, "threshold": 0.3},
    "our-notears@0.3": {"solver": "notears", "threshold": 0.3},
    "our-dagma@0.3": {"solver": "dagma", "threshold": 0.3},
    "golem-ev@0.3": {"solver": "golem-ev", "threshold": 0.3},
    "golem-nv@0.3": {"solver": "golem-nv", "threshold": 0.3},
    "auto-population": {"population": True},
    "logll-dagma-population@0.3": {"solver": "logll-dagma", "threshold": 0.3, "population": True},
    "exact-search": {"every_sparsest": True},
    "exact-search-population": {"every_sparsest": True, "population": True},
    "gaussian": {"model": "gaussian"},
    "logistic": {"model": "logistic"},
    "mlp": {"model": "mlp"},
    "additive": {"model": "additive"},
    "cam": {"model": "additive", "solver": "cam"},
}


def fit(
    arrays: dict[str, Any], population: bool = False, every_sparsest: bool = False, **options: Any
) -> tuple[str, Any]:
    """sp.fit with the options of a method; all else as it comes."""
    import sparsest as sp

    if every_sparsest:
        return _exact_search(
            arrays["covariance"] if population else np.cov(arrays["X"], rowvar=False, bias=True)
        )
    data: Any = arrays["X"]
    if population:
        data = sp.Moments(arrays["covariance"], n=math.inf)
        options["penalty"] = _POPULATION if "threshold" not in options else sp.QuasiMCP(0.4, 0.2)
    return "dag", sp.fit(data, **options).dag.to_numpy()


def _exact_search(covariance: Any) -> tuple[str, Any]:
    """The classes of all sparsest models. On a sample all complete DAGs are, and they are one class."""
    from sparsest.graph import dag_to_cpdag
    from sparsest.search import exact_baseline, minimal_edges

    p = len(covariance)
    if minimal_edges(covariance) == p * (p - 1) // 2:
        return "cpdag", 1 - np.eye(p)
    classes = [np.asarray(dag_to_cpdag(dag)) for dag in exact_baseline(covariance)]
    return "cpdags", np.array(classes)
