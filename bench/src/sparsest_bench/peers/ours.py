"""Our own methods, and published ones built from our parts, run like the peers.

- `@0.3`: the graph is read off the weights by a threshold, as published, instead of by the score.
- `our-`: our implementation of a method whose name a peer has.
- `order1`: one descent of the order search from a random order, without restarts.
- `ges-2-phases`, `ges-3-phases`: forward and backward, and turning, each once; `ges` repeats them.
- `@bic`: an edge costs log(n) / 2n, as in the packages `ges` and causal-learn.
- `-adam`: the inner solver is Adam, as in the package `dagma` or in the paper on standardised data.
- `-population`: learned from the true covariance, the paper's reference; needs an explicit cost.
- `-raw-start`: Algorithm 1 starts from least squares + ℓ1 on the columns as they were simulated, its rounds
  see those of the table; `-zero-start`: it starts from the empty graph. Otherwise it starts from the table.
- `-no-det`: the score of its rounds lacks log det(I − B), which is 0 on DAGs.
- `logll-notears-`: the paper's nonlinear arms, its augmented Lagrangian with quasi-MCP on another likelihood.
  For networks that is one solution and the ℓ2 term of nonlinear NOTEARS, whose settings the paper keeps, with
  λ and δ that it does not print; `-40` and `-30` are hidden units, those of its own method and its baseline.
  `-equal`: one noise variance for all columns, which are taken as given. `our-notears-mlp`: least squares and
  ℓ1 on the norms of the weights, on the same path.
- `exact-search`: the paper's baseline, all sparsest models of a covariance taken as it is (Appendix D).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

REQUIREMENTS = None
COMPILES = True  # numba compiles what a table of this size needs, the first time on a machine

_POPULATION = 0.01  # the cost per edge on a population covariance, where a sample size gives none
_RIDGE = 0.01  # the weight of the ℓ2 term in nonlinear NOTEARS
_EQUAL = {"noise": "equal", "solver": "logll-notears-once", "threshold": 0.3}

METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "exact": {"solver": "exact"},
    "order": {"solver": "order"},
    "order1": {"solver": "one-descent"},
    "ges": {"solver": "ges"},
    "ges@bic": {"solver": "ges", "penalty": "bic"},
    "ges-2-phases@bic": {"solver": "ges-2-phases", "penalty": "bic"},
    "ges-3-phases@bic": {"solver": "ges-3-phases", "penalty": "bic"},
    "differentiable": {"solver": "differentiable"},
    "logll-dagma": {"solver": "logll-dagma"},
    "logll-dagma@0.3": {"solver": "logll-dagma", "threshold": 0.3},
    "logll-dagma@0.1": {"solver": "logll-dagma", "threshold": 0.1},
    "logll-dagma-adam@0.3": {"solver": "logll-dagma-adam", "threshold": 0.3},
    "logll-dagma-raw-start": {"solver": "logll-dagma", "start": "raw"},
    "logll-dagma-raw-start@0.3": {"solver": "logll-dagma", "start": "raw", "threshold": 0.3},
    "logll-dagma-raw-start@0.1": {"solver": "logll-dagma", "start": "raw", "threshold": 0.1},
    "logll-dagma-adam-raw-start@0.3": {"solver": "logll-dagma-adam", "start": "raw", "threshold": 0.3},
    "logll-dagma-zero-start@0.3": {"solver": "logll-dagma", "start": "zero", "threshold": 0.3},
    "logll-dagma-no-det@0.3": {"solver": "logll-dagma", "determinant": False, "threshold": 0.3},
    "logll-dagma-raw-start-no-det@0.3": {
        "solver": "logll-dagma",
        "start": "raw",
        "determinant": False,
        "threshold": 0.3,
    },
    "logll-notears@0.3": {"solver": "logll-notears", "threshold": 0.3},
    "logll-notears-adam@0.3": {"solver": "logll-notears-adam", "threshold": 0.3},
    "logll-notears-raw-start@0.3": {"solver": "logll-notears", "start": "raw", "threshold": 0.3},
    "logll-notears-adam-raw-start@0.3": {"solver": "logll-notears-adam", "start": "raw", "threshold": 0.3},
    "our-notears@0.3": {"solver": "notears", "threshold": 0.3},
    "our-dagma": {"solver": "dagma"},
    "our-dagma@0.3": {"solver": "dagma", "threshold": 0.3},
    "golem-ev@0.3": {"solver": "golem-ev", "threshold": 0.3},
    "golem-nv@0.3": {"solver": "golem-nv", "threshold": 0.3},
    "auto-population": {"population": True},
    "logll-dagma-population@0.3": {"solver": "logll-dagma", "threshold": 0.3, "population": True},
    "logll-dagma-population-raw-start@0.3": {
        "solver": "logll-dagma",
        "start": "raw",
        "threshold": 0.3,
        "population": True,
    },
    "logll-notears-population@0.3": {"solver": "logll-notears", "threshold": 0.3, "population": True},
    "exact-search": {"every_sparsest": True},
    "exact-search-population": {"every_sparsest": True, "population": True},
    "gaussian": {"model": "gaussian"},
    "logistic": {"model": "logistic"},
    "logistic-order": {"model": "logistic", "solver": "order"},
    "logll-notears-logistic": {"model": "logistic", "solver": "logll-notears"},
    "logll-notears-logistic@0.3": {"model": "logistic", "solver": "logll-notears", "threshold": 0.3},
    "our-notears-logistic@0.3": {"model": "logistic", "solver": "notears-once-0.1", "threshold": 0.3},
    "mixed": {"model": "mixed"},
    "mlp": {"model": "mlp"},
    "mlp-differentiable": {"model": "mlp", "solver": "differentiable"},
    "logll-notears-mlp@0.3": {"hidden": 10, "solver": "logll-notears-once", "threshold": 0.3},
    "logll-notears-mlp-30@0.3": {"hidden": 30, "solver": "logll-notears-once", "threshold": 0.3},
    "logll-notears-mlp-40@0.3": {"hidden": 40, "solver": "logll-notears-once", "threshold": 0.3},
    "logll-notears-mlp-equal@0.3": _EQUAL | {"hidden": 10},
    "logll-notears-mlp-40-equal@0.3": _EQUAL | {"hidden": 40},
    "our-notears-mlp@0.3": {"hidden": 30, "noise": "unit", "solver": "notears-once", "threshold": 0.3},
    "additive": {"model": "additive"},
    "additive-order": {"model": "additive", "solver": "order"},
    "cam": {"model": "additive", "solver": "cam"},
}
# Our own methods, and references that know the true covariance; the others are published methods.
NOT_RIVALS = (
    "auto", "exact", "order", "order1", "ges", "differentiable", "gaussian", "logistic", "mixed", "mlp",
    "additive",
    *(name for name, options in METHODS.items() if options.get("population")),
)  # fmt: skip
# How tasks of these methods are described: fixed, because stored rows are found by it.
_ONCE = (
    "Homotopy(name='logll-notears', path=AugmentedLagrangian(constraint=TraceExponential(), "
    "inner=OWLQN(max_steps=300, memory=10, tolerance=1e-05, progress=1e-05, patience=5), tolerance=1e-08, "
    "rho_max=1e+16, max_rounds=100), first=None, penalty=QuasiMCP(lam={}, delta={}), gamma=0.8, rounds=1)"
)
_MLP = "MLP(hidden={}, ridge=0.01, seed=None, rows=None, columns=None)"
_MLP_NOISE = "MLP(hidden={}, ridge=0.01, seed=None, noise='{}')"
_ONE_DESCENT = "OrderSearch(max_parents=None, seed=0, patience=0, chains=1, n_jobs=1, start='random')"
DESCRIBED = {
    "order1": f'{{"solver": "{_ONE_DESCENT}"}}',
} | {
    name: f'{{"model": "{model}", "solver": "{_ONCE.format(lam, delta)}", "threshold": 0.3}}'
    for name, model, lam, delta in (
        ("logll-notears-mlp@0.3", _MLP.format(10), 0.05, 1.0),
        ("logll-notears-mlp-30@0.3", _MLP.format(30), 0.05, 1.0),
        ("logll-notears-mlp-40@0.3", _MLP.format(40), 0.05, 1.0),
        ("logll-notears-mlp-equal@0.3", _MLP_NOISE.format(10, "equal"), 0.05, 1.0),
        ("logll-notears-mlp-40-equal@0.3", _MLP_NOISE.format(40, "equal"), 0.05, 1.0),
        ("our-notears-mlp@0.3", _MLP_NOISE.format(30, "unit"), 0.01, 1e6),
    )
}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "auto": ("#0072B2", "o", "-"),
    "exact": ("#0072B2", "o", "-"),
    "order": ("#0072B2", "s", "-"),
    "ges": ("#44AA99", "d", "-"),
    "differentiable": ("#56B4E9", "D", "-"),
    "logll-dagma": ("#56B4E9", "^", "-"),
    "logll-dagma@0.3": ("#56B4E9", "^", "--"),
    "logll-dagma-raw-start": ("#009E73", "^", "-"),
    "logll-dagma-raw-start@0.3": ("#009E73", "^", "--"),
    "logll-dagma-raw-start@0.1": ("#009E73", "^", ":"),
    "logll-dagma-zero-start@0.3": ("#117733", "v", "--"),
    "logll-dagma-no-det@0.3": ("#999933", "x", "--"),
    "logll-dagma-adam@0.3": ("#0072B2", "^", ":"),
    "logll-notears-adam@0.3": ("#CC79A7", "v", ":"),
    "logll-notears@0.3": ("#88CCEE", "v", "--"),
    "our-notears@0.3": ("#E69F00", "+", "--"),
    "our-dagma@0.3": ("#D55E00", "x", "--"),
    "golem-ev@0.3": ("#CC79A7", "<", "--"),
    "golem-nv@0.3": ("#882255", ">", "--"),
    "auto-population": ("#332288", "o", ":"),
    "logll-dagma-population@0.3": ("#332288", "^", ":"),
    "gaussian": ("#332288", "s", "-"),
    "logistic": ("#0072B2", "o", "-"),
    "logll-notears-logistic": ("#88CCEE", "v", "-"),
    "logll-notears-logistic@0.3": ("#88CCEE", "v", "--"),
    "mixed": ("#0072B2", "o", "-"),
    "mlp": ("#0072B2", "o", "-"),
    "logll-notears-mlp-40@0.3": ("#88CCEE", "v", "--"),
    "logll-notears-mlp-40-equal@0.3": ("#88CCEE", "v", "-"),
    "our-notears-mlp@0.3": ("#E69F00", "+", ":"),
    "additive": ("#56B4E9", "D", "-"),
    "cam": ("#999933", "X", "-"),
}


def fit(
    arrays: dict[str, Any],
    population: bool = False,
    every_sparsest: bool = False,
    hidden: int | None = None,
    noise: str = "own",
    solver: str = "auto",
    start: str = "table",
    determinant: bool = True,
    **options: Any,
) -> tuple[str, Any]:
    """sp.fit with the options of a method, and defaults otherwise."""
    import sparsest as sp

    if every_sparsest:
        return _exact_search(
            arrays["covariance"] if population else np.cov(arrays["X"], rowvar=False, bias=True)
        )
    data: Any = arrays["X"]
    if population:
        data = sp.Moments(arrays["covariance"], n=math.inf)
        options["penalty"] = _POPULATION if "threshold" not in options else sp.QuasiMCP(0.4, 0.2)
    if hidden is not None:
        options["model"] = sp.models.MLP(hidden, _RIDGE, noise=noise)
    chosen = _solver(solver)
    if start != "table" or not determinant:
        chosen = _read_otherwise(solver, chosen, start, determinant, arrays["units"])
    return "dag", sp.fit(data, solver=chosen, **options).dag.to_numpy()


def _solver(name: str) -> Any:
    """A solver by the name that `fit` knows, or one of those that are made here."""
    made: dict[str, Callable[[], Any]] = {
        "one-descent": _one_descent,
        "ges-2-phases": lambda: _ges("forward", "backward"),
        "ges-3-phases": lambda: _ges("forward", "backward", "turning"),
        "logll-dagma-adam": _dagma_with_adam,
        "logll-notears-adam": _notears_with_adam,
        "logll-notears-once": lambda: _notears_once(0.05, 1.0),
        "notears-once": lambda: _notears_once(0.01, 1e6),  # λ as published; so far out δ leaves ℓ1
        "notears-once-0.1": lambda: _notears_once(0.1, 1e6),
    }
    return made[name]() if name in made else name


def _read_otherwise(name: str, solver: Any, start: str, determinant: bool, units: Any) -> Any:
    """Algorithm 1 from another start, or without the determinant in its score."""
    from sparsest.scores import GaussianWithoutDeterminant
    from sparsest.solvers import METHODS as PUBLISHED
    from sparsest.solvers import InUnits

    method: Any = PUBLISHED[name] if isinstance(solver, str) else solver
    if start == "raw":
        method = replace(method, first=InUnits(method.first, units))
    elif start == "zero":
        method = replace(method, first=None)
    return method if determinant else replace(method, score=GaussianWithoutDeterminant)


def _one_descent() -> Any:
    from sparsest.search import OrderSearch

    return OrderSearch(patience=0, chains=1, start="random")


def _ges(*phases: str) -> Any:
    from sparsest.search import GES

    return GES(phases=phases, iterate=False)


def _notears_with_adam() -> Any:
    from sparsest.solvers import Adam
    from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
    from sparsest.solvers.published import LOGLL_NOTEARS

    return replace(LOGLL_NOTEARS, path=AugmentedLagrangian(inner=Adam()))


def _dagma_with_adam() -> Any:
    """The inner solver of the package `dagma` at its published settings.

    Its last stop may take 60 000 steps; here it has 30 000 like the others.
    """
    from sparsest.solvers import Adam, CentralPath
    from sparsest.solvers.published import DAGMA, LOGLL_DAGMA

    adam = Adam(rate=3e-4, max_steps=30_000, betas=(0.99, 0.999), progress=1e-6, patience=1000)
    central = CentralPath(inner=adam)
    return replace(LOGLL_DAGMA, path=central, first=replace(DAGMA, path=central))


def _notears_once(lam: float, delta: float) -> Any:
    from sparsest.penalties import QuasiMCP
    from sparsest.solvers.general import GENERAL_METHODS

    return replace(GENERAL_METHODS["logll-notears"], penalty=QuasiMCP(lam, delta), rounds=1)


def _exact_search(covariance: Any) -> tuple[str, Any]:
    """The classes of all sparsest models. On a sample all complete DAGs are, and they are one class."""
    from sparsest.graph import dag_to_cpdag
    from sparsest.theory import exact_baseline, minimal_edges

    p = len(covariance)
    if minimal_edges(covariance) == p * (p - 1) // 2:
        return "cpdag", 1 - np.eye(p)
    classes = [np.asarray(dag_to_cpdag(dag)) for dag in exact_baseline(covariance)]
    return "cpdags", np.array(classes)
