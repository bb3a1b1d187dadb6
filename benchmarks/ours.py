"""Our own methods, run as the peers are: in a process of their own, by the Python that runs the benchmark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.worker import serve
from sparsest.search import OrderSearch
from sparsest.solvers import Adam, CentralPath
from sparsest.solvers.methods import DAGMA, LOGLL_DAGMA

# The inner solver of the package `dagma` at its published settings; only the last stop may take 60 000 steps
# there, and has 30 000 here as the others do.
ADAM = CentralPath(inner=Adam(rate=3e-4, max_steps=30_000, betas=(0.99, 0.999), progress=1e-6, patience=1000))
LOGLL_DAGMA_ADAM = replace(LOGLL_DAGMA, path=ADAM, first=replace(DAGMA, path=ADAM))

REQUIREMENTS = None  # the current Python has what we need
METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "exact": {"solver": "exact"},
    "order": {"solver": "order"},
    "order1": {"solver": OrderSearch(patience=0, chains=1)},  # one descent
    "ges": {"solver": "ges"},
    "differentiable": {"solver": "differentiable"},
    "logll-dagma": {"solver": "logll-dagma"},
    "our-dagma": {"solver": "dagma"},
    # @0.3: the graph by threshold, as published, instead of by the score.
    "logll-dagma@0.3": {"solver": "logll-dagma", "threshold": 0.3},
    "logll-dagma-adam@0.3": {"solver": LOGLL_DAGMA_ADAM, "threshold": 0.3},
    "logll-notears@0.3": {"solver": "logll-notears", "threshold": 0.3},
    "our-dagma@0.3": {"solver": "dagma", "threshold": 0.3},
    "our-notears@0.3": {"solver": "notears", "threshold": 0.3},
    "golem-ev@0.3": {"solver": "golem-ev", "threshold": 0.3},
    "golem-nv@0.3": {"solver": "golem-nv", "threshold": 0.3},
    "gaussian": {"model": "gaussian"},
    "logistic": {"model": "logistic"},
    "logistic-order": {"model": "logistic", "solver": "order"},
    "additive": {"model": "additive"},
    "additive-order": {"model": "additive", "solver": "order"},
    "cam": {"model": "additive", "solver": "cam"},
    "mixed": {"model": "mixed"},
    "mlp": {"model": "mlp"},
    "mlp-differentiable": {"model": "mlp", "solver": "differentiable"},
}


def fit(X: Any, **options: Any) -> tuple[str, Any]:
    """sp.fit with the options of a method; all else as it comes."""
    import sparsest as sp

    return "dag", sp.fit(X, **options).dag.to_numpy()


if __name__ == "__main__":
    serve(fit, METHODS)
