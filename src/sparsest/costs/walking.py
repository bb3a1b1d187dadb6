"""The answers for one table over costs from high to low, each started from its neighbour where it can be.

At every cost the best of all graphs found along the way is kept. Then the number of parameters never rises
with the cost, whatever the solver: if G is best at c among some graphs and G' at c' > c among the same ones,
adding nll(G) + c·k ≤ nll(G') + c·k' and nll(G') + c'·k' ≤ nll(G) + c'·k gives (c' − c)(k' − k) ≤ 0. For exact
solutions the graphs are all DAGs, and nothing is exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.fit import Solved, solved
from sparsest.graph import topological_order
from sparsest.models.base import Mask, Prepared, Refit
from sparsest.models.choosing import Choices, Plan
from sparsest.models.offers import Offers
from sparsest.penalties import L0
from sparsest.problem import SAME_OBJECTIVE

_EXACT_COLUMNS = 12  # with more, folds and subsamples are searched over orders: tens of times faster
_PATIENCE = 3  # of these searches, which start from their neighbours


@dataclass(frozen=True, eq=False)
class Answer:
    """The graph at one cost, and the model refitted on it; `parameters` are those of its edges."""

    planned: Plan
    found: Solved
    refit: Refit
    parameters: int

    @property
    def cost(self) -> float:
        """The cost of an edge, per parameter."""
        return self.planned.problem.cost

    def at(self, cost: float) -> float:
        """The objective that this graph has at another cost."""
        return self.refit.nll + cost * self.parameters


def walk(prepared: Prepared, planned: Plan, costs: Sequence[float], watch: Watch) -> list[Answer]:
    """An answer per cost; fewer if it is time to stop, but at least one."""
    answers: list[Answer] = []
    for cost in costs:
        before = answers[-1].found.graph if answers else None
        here = _costing(planned, cost, before)
        found = solved(prepared, here, watch.silent())
        if answers and found.solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED):
            break
        refit = prepared.refit(found.graph, found.parameters, watch)
        answers.append(Answer(here, found, refit, round(here.problem.price(found.graph) / cost)))
        watch.report(f"costs of {len(costs)}", len(answers), answers[-1].at(cost))
        if watch.stop is not None:
            break
    return best_of_all(answers)


def best_of_all(answers: Sequence[Answer]) -> list[Answer]:
    """At every cost the best of all graphs: its own, unless another is better."""
    return [_best_at(own, answers) for own in answers]


def _best_at(own: Answer, answers: Sequence[Answer]) -> Answer:
    best = min(answers, key=lambda one: one.at(own.cost))
    if best.at(own.cost) > own.at(own.cost) - SAME_OBJECTIVE:
        return own
    solution = replace(best.found.solution, status=own.found.solution.status)
    return replace(best, planned=own.planned, found=replace(best.found, solution=solution))


def _costing(planned: Plan, cost: float, before: Mask | None) -> Plan:
    """The same plan at another cost, started from a neighbour's graph."""
    problem = planned.problem.with_score(planned.problem.score, L0(cost))
    return replace(planned, problem=problem, solver=_warmed(planned.solver, before))


def _warmed(solver: Any, before: Mask | None) -> Any:
    from sparsest.search import GreedySearch, LocalOrderSearch, OrderSearch

    if before is None:
        return solver
    if isinstance(solver, (OrderSearch, LocalOrderSearch)):
        solver = replace(solver, start=tuple(int(node) for node in topological_order(before)))
        return replace(solver, alone=True) if isinstance(solver, OrderSearch) else solver
    return replace(solver, start=before) if isinstance(solver, GreedySearch) else solver


def brief(prepared: Prepared, choices: Choices) -> Choices:
    """The choices for folds and subsamples: a shorter search, where the choice of the solver is ours."""
    from sparsest.search import GreedySearch, LocalOrderSearch, OrderSearch

    if choices.solver not in ("auto", "order"):
        return choices
    exact = choices.solver == "auto" and prepared.default_solver == "exact"
    offers, solver = prepared.offers, choices.solver
    if Offers.COVARIANCE in offers and not (exact and prepared.p <= _EXACT_COLUMNS):
        return replace(choices, solver=OrderSearch(choices.seed, patience=_PATIENCE, chains=1))
    if Offers.NETWORK in offers and solver == "auto":
        return replace(choices, solver=GreedySearch(starts=0, patience=0))
    if Offers.LOCAL in offers and not exact:
        return replace(choices, solver=LocalOrderSearch(choices.seed, patience=1))
    return choices


def refuse_uncounted(planned: Plan) -> None:
    """Refuse solvers whose answer does not follow the cost of an edge."""
    from sparsest.search import CAM

    counts = planned.solver.returns_dag or planned.name in ("differentiable", "Portfolio")
    if isinstance(planned.solver, CAM) or not counts:
        raise OptionError(
            f"solver {planned.name!r} has a penalty of its own, which does not count edges, so that it has "
            "no path over costs: use 'auto', 'exact', 'order', 'ges', 'greedy' or 'differentiable'"
        )


def skeletons(answers: Sequence[Answer]) -> Mask:
    """(costs, p, p): which pairs are joined."""
    graphs = np.array([one.found.graph for one in answers])
    joined: Mask = graphs | graphs.transpose(0, 2, 1)
    return joined
