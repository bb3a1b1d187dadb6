"""The names of models and solvers, read by `fit`, the command line and the methods paragraph.

Tests hold the tables of docs/reference/models.md and docs/reference/methods.md to the sentences here.

A home is written as "module:name" and imported only when needed, which keeps help and error messages fast.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparsest.models.offers import Offers

if TYPE_CHECKING:
    from sparsest.fitted.base import Fitted


@dataclass(frozen=True)
class ModelEntry:
    """Name and home of a model, and how it is described.

    `sentence` is for help and docs; `paragraph` completes "a structural equation model with ...". `fitted` is
    the class of its fitted models, and `short` says what a column is to it, in the account of columns.
    """

    name: str
    home: str
    sentence: str
    paragraph: str
    fitted: str = "sparsest.fitted.base:Fitted"
    short: str = "a number with Gaussian noise"


@dataclass(frozen=True)
class SolverEntry:
    """Name and home of a solver, what it needs from a model, and how it is described.

    `home` is a class, which takes the `options` of `fit` by name, or a solver object. `sentence` is for help
    and docs; `paragraph` completes "The minimisation was done ..."; `refusal` completes "solver ..." if a
    model does not offer what it needs.
    """

    name: str
    home: str
    needs: Offers
    sentence: str
    paragraph: str
    refusal: str
    options: tuple[str, ...] = ()
    implies: str = ""

    def make(self, given: dict[str, Any]) -> Any:
        """Create the solver with the options that it takes."""
        found = imported(self.home)
        return found(**{name: given[name] for name in self.options}) if isinstance(found, type) else found


_MODELS = (
    ModelEntry(
        "auto",
        "sparsest.models.auto:Auto",
        "gaussian if all columns are continuous, logistic if all are binary, otherwise mixed",
        "a likelihood chosen by the kinds of the variables",
    ),
    ModelEntry(
        "gaussian",
        "sparsest.models.gaussian:Gaussian",
        "linear effects and Gaussian noise of unequal variances",
        "linear effects and Gaussian noise of unequal variances",
    ),
    ModelEntry(
        "rank",
        "sparsest.models.rank:Rank",
        "the Gaussian model on normal scores of ranks (a Gaussian copula)",
        "linear effects and Gaussian noise on the normal scores of ranks (a Gaussian copula)",
        fitted="sparsest.models.rank:FittedRank",
        short="the normal score of its rank",
    ),
    ModelEntry(
        "logistic",
        "sparsest.models.regression:Logistic",
        "binary columns, with log-odds linear in the parents",
        "a logistic regression of each variable on its parents",
    ),
    ModelEntry(
        "poisson",
        "sparsest.models.regression:Poisson",
        "counts, with log-rates linear in the parents",
        "a Poisson regression of each variable on its parents",
    ),
    ModelEntry(
        "additive",
        "sparsest.models.regression:Additive",
        "smooth functions (splines) of the parents plus Gaussian noise",
        "smooth additive effects (splines) and Gaussian noise",
    ),
    ModelEntry(
        "mixed",
        "sparsest.models.regression:Mixed",
        "continuous and ordinal columns Gaussian, binary logistic, counts Poisson, categories softmax",
        "a generalised linear regression of each variable on its parents, by its kind",
    ),
    ModelEntry(
        "mlp",
        "sparsest.models.network:MLP",
        "a small sigmoid network of the parents plus Gaussian noise",
        "smooth effects (neural networks of the parents) and Gaussian noise",
        fitted="sparsest.fitted.networks:FittedNetworks",
    ),
)

#: Every model by name, in the order of the docs. A new model is a new file and an entry above.
MODELS: dict[str, ModelEntry] = {entry.name: entry for entry in _MODELS}

_EXACT = "exactly, by dynamic programming over subsets of the variables"
_BOUNDED = (
    "exactly, by dynamic programming over subsets of the variables or branch and bound over their orders"
)
_ORDER = "by an iterated local search over orders of the variables (seed {seed})"
_ALGORITHM_1 = "with a differentiable solver (Algorithm 1 of Deng et al., 2024)"
_GAUSSIAN_ONLY = "is for Gaussian models"
_BY_COLUMN = "needs a score for each column, and this model has one likelihood for all of them"


def _published(name: str, sentence: str, paragraph: str) -> SolverEntry:
    home = f"sparsest.solvers.published:METHODS:{name}"
    return SolverEntry(name, home, Offers.COVARIANCE, sentence, paragraph, _GAUSSIAN_ONLY)


def _general(name: str, sentence: str, paragraph: str) -> SolverEntry:
    home = f"sparsest.solvers.general:GENERAL_METHODS:{name}"
    return SolverEntry(name, home, Offers.GRADIENT, sentence, paragraph, _GAUSSIAN_ONLY)


#: Every solver, in the order of the docs. A new solver is a new file and an entry here. A name has several
#: entries if models that offer different things need different solvers.
SOLVERS: tuple[SolverEntry, ...] = (
    SolverEntry(
        "exact",
        "sparsest.search:ExactSearch",
        Offers.COVARIANCE,
        "the global minimum, by dynamic programming or branch and bound",
        _BOUNDED,
        _BY_COLUMN,
    ),
    SolverEntry(
        "exact",
        "sparsest.search:LocalExactSearch",
        Offers.LOCAL,
        "the global minimum, by dynamic programming or branch and bound",
        _EXACT,
        _BY_COLUMN,
        options=("seed", "n_jobs"),
    ),
    SolverEntry(
        "order",
        "sparsest.search:OrderSearch",
        Offers.COVARIANCE,
        "iterated local search over orders of the columns",
        _ORDER,
        _BY_COLUMN,
        options=("seed", "n_jobs"),
    ),
    SolverEntry(
        "order",
        "sparsest.search:LocalOrderSearch",
        Offers.LOCAL,
        "iterated local search over orders of the columns",
        _ORDER,
        _BY_COLUMN,
        options=("seed", "n_jobs"),
    ),
    SolverEntry(
        "ges",
        "sparsest.search:GES",
        Offers.COVARIANCE,
        "greedy equivalence search: insert, delete and turn edges",
        "by greedy equivalence search (Chickering, 2002)",
        "needs a score that is the same for all DAGs of a class (score equivalence)",
    ),
    SolverEntry(
        "greedy",
        "sparsest.search:GreedySearch",
        Offers.NETWORK,
        "networks only: single edges changed greedily, with restarts",
        "by a greedy search over graphs with single insertions, deletions and reversals of edges, restarted "
        "from perturbed orders of the variables (seed {seed})",
        "is for networks (model='mlp')",
        options=("n_jobs",),
        implies="mlp",
    ),
    SolverEntry(
        "cam",
        "sparsest.search:CAM",
        Offers.SPLINES,
        "additive models only: CAM, with splines of our own",
        "with CAM (Bühlmann, Peters & Ernest, 2014)",
        "is for additive models (model='additive')",
        implies="additive",
    ),
    SolverEntry(
        "differentiable",
        "sparsest.solvers:Portfolio",
        Offers.COVARIANCE,
        "our best differentiable solver, based on Algorithm 1",
        "by a portfolio of differentiable solvers, of whose graphs the best was kept",
        _GAUSSIAN_ONLY,
        options=("seed",),
    ),
    _general(
        "differentiable",
        "our best differentiable solver, based on Algorithm 1",
        _ALGORITHM_1,
    ),
    _published("notears", "NOTEARS as published: least squares and l1", "with NOTEARS (Zheng et al., 2018)"),
    _published(
        "golem-ev",
        "GOLEM as published, for Gaussian noise of equal variances",
        "with GOLEM-EV (Ng et al., 2020)",
    ),
    _published(
        "golem-nv",
        "GOLEM as published, for Gaussian noise of unequal variances",
        "with GOLEM-NV (Ng et al., 2020)",
    ),
    _published("dagma", "DAGMA as published: least squares and l1", "with DAGMA (Bello et al., 2022)"),
    _published(
        "logll-notears",
        "the paper's LogLL-NOTEARS: Algorithm 1 on NOTEARS' path",
        "with LogLL-NOTEARS (Deng et al., 2024)",
    ),
    _general(
        "logll-notears",
        "the paper's LogLL-NOTEARS: Algorithm 1 on NOTEARS' path",
        "with LogLL-NOTEARS (Deng et al., 2024)",
    ),
    _published(
        "logll-dagma",
        "the paper's LogLL-DAGMA: Algorithm 1 on DAGMA's path",
        "with LogLL-DAGMA (Deng et al., 2024)",
    ),
    _general(
        "logll-dagma",
        "the paper's LogLL-DAGMA: Algorithm 1 on DAGMA's path",
        "with LogLL-DAGMA (Deng et al., 2024)",
    ),
)


def model_paragraph(model: str) -> str:
    """The words of the methods paragraph about a model; a user-defined one has no entry."""
    return MODELS[model].paragraph if model in MODELS else f"the model {model!r}"


def solver_sentences() -> dict[str, str]:
    """A sentence about every solver by name, "auto" first."""
    auto = {"auto": "exact if that is fast, otherwise order; greedy for mlp"}
    return auto | {entry.name: entry.sentence for entry in SOLVERS}


def solver_names() -> tuple[str, ...]:
    """The names of solvers, "auto" first."""
    return tuple(solver_sentences())


def fitted_types() -> tuple[type[Fitted], ...]:
    """The classes of fitted models, which saved results may contain."""
    return tuple(dict.fromkeys(imported(entry.fitted) for entry in MODELS.values()))


def imported(home: str) -> Any:
    """The object that "module:name" or "module:dictionary:key" refers to."""
    module, name, *key = home.split(":")
    found = getattr(importlib.import_module(module), name)
    return found[key[0]] if key else found
