"""A methods paragraph for a paper, with the citation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparsest._core.progress import Status
from sparsest._core.version import __version__
from sparsest._core.words import count
from sparsest.models.offers import Offers
from sparsest.models.registry import SOLVERS, model_paragraph

if TYPE_CHECKING:
    from sparsest.result import Result

CITATION = (
    "Deng, C., Bello, K., Ravikumar, P., & Aragam, B. (2024). Markov Equivalence and Consistency in "
    "Differentiable Structure Learning. Advances in Neural Information Processing Systems."
)
_EXTENDED = "the extended Bayesian information criterion with γ = 1/2 (Foygel & Drton, 2010)"
_PENALTIES = {
    "auto": _EXTENDED,
    "ebic": _EXTENDED,
    "bic": "the Bayesian information criterion",
    "stars": "stability over subsamples (StARS; Liu, Roeder & Wasserman, 2010)",
    "cv": "cross-validation",
    "cv-1se": "cross-validation with the rule of one standard error",
}
_ENDED = {
    Status.OPTIMAL: "The graph is proved to minimise this score",
    Status.CONVERGED: "The search ended at a graph that no small change improves, which is not proved to be "
    "the global minimum",
    Status.MAX_STEPS: "The search stopped after the allowed number of steps",
    Status.TIME_LIMIT: "The search was stopped by a time limit",
    Status.INTERRUPTED: "The search was interrupted before it ended",
    Status.WORKERS_LOST: "The search ended early because its workers were lost",
}
_CAVEAT = (
    "Reading edges as causal effects assumes that there are no hidden common causes, no selection and no "
    "feedback, and that no effects cancel exactly."
)


def methods(result: Result) -> str:
    """A methods paragraph about a result, followed by the paper to cite."""
    sentences = [_data(result), _score(result), _solver(result), _ended(result), _directions(result), _CAVEAT]
    return f"{' '.join(sentence for sentence in sentences if sentence)}\n\n{CITATION}"


def _data(result: Result) -> str:
    rows = "the population covariance" if math.isinf(result.n) else count(result.n, "observation")
    version = result.settings.get("sparsest", __version__)
    return (
        f"A directed acyclic graph was learned from {rows} of {len(result.names)} variables with sparsest "
        f"{version}{_versions(result.settings)}, following Deng et al. (2024)."
    )


def _versions(settings: Mapping[str, Any]) -> str:
    named = (("python", "Python"), ("numpy", "NumPy"), ("scipy", "SciPy"))
    found = [f"{name} {settings[key]}" for key, name in named if key in settings]
    return f" ({', '.join(found)})" if found else ""


def _score(result: Result) -> str:
    what = model_paragraph(result.model)
    criterion = _PENALTIES.get(str(result.settings.get("penalty")))
    by = f", as set by {criterion}" if criterion else ""
    return (
        "Among the acyclic graphs, one was sought that minimises the negative log-likelihood of a "
        f"structural equation model with {what}, plus a cost of {result.cost:.3g} per parameter of an edge "
        f"(in units of the log-likelihood of one observation){by}."
    )


def _solver(result: Result) -> str:
    gaussian = result.traits.gaussian
    how = _how(result.solver, gaussian)
    parts = [f"The minimisation was done {how.format(seed=result.settings.get('seed', 0))}"]
    if gaussian:
        standardised = "on standardised variables, so that the result does not depend on their units"
        parts.append(standardised if result.evidence.standardized else "on the variables as measured")
    if result.evidence.graph_from == "threshold":
        parts.append(f"and weights of size up to {result.settings.get('threshold')} were set to zero")
    elif result.evidence.graph_from == "score":
        parts.append("and edges that did not pay for their cost were removed")
    return f"{', '.join(parts)}."


def _how(solver: str, gaussian: bool) -> str:
    """How the solver of a result works; one name may stand for different solvers in different models."""
    told = [each for each in SOLVERS if each.name == solver]
    fitting = [each for each in told if (each.needs is Offers.COVARIANCE) == gaussian]
    return (fitting or told)[0].paragraph if told else f"with the solver {solver!r}"


def _ended(result: Result) -> str:
    edges = len(result.dag.edges)
    return f"{_ENDED[result.status]} (score {result.objective:.6g}, {edges} edge{'s' * (edges != 1)})."


def _directions(result: Result) -> str:
    """What is known about the directions of the edges."""
    known, unknown = len(result.cpdag.directed_edges), len(result.cpdag.undirected_edges)
    if not known + unknown:
        return ""
    members = "every graph that is Markov equivalent to it"
    if result.cpdag.kind == "mpdag":
        members += " and agrees with the background knowledge that was given"
    if not unknown:
        return f"All edges have the same direction in {members}."
    if not known and result.identifies == "class":
        return "No edge has the same direction in all graphs that are Markov equivalent to it."
    beyond = (
        "is not identified" if result.identifies == "class" else "follows from the form of the model alone"
    )
    has = "has" if known == 1 else "have"
    return (
        f"Of its edges, {known} {has} the same direction in {members}; the direction of the other {unknown} "
        f"{beyond}."
    )
