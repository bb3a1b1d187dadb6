"""CAM, causal additive models (Bühlmann, Peters & Ernest, 2014), a method of the literature.

Three steps: preliminary neighbourhoods of at most `neighbours` candidates per node; then edges are added,
always the one that raises the likelihood most without closing a cycle, until no candidate is left; then each
node is regressed on all its parents, and those whose F test is not significant at `level` are removed. The
original uses penalised splines and boosting; here both steps use the spline features of the additive score.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Stopped, Watch
from sparsest.graph.acyclicity import reach_matrix
from sparsest.problem import Mask, Problem, Solution, Stage
from sparsest.rounding.grow_shrink import is_ready
from sparsest.scores.regression import RegressionScore
from sparsest.search.common import nothing_more


@dataclass(frozen=True)
class CAM:
    """Greedy addition of edges under an additive score, then pruning by F tests.

    Parameters
    ----------
    neighbours : int
        The largest number of candidate parents per node.
    level : float
        The level of the F tests, between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.uniform(-2, 2, size=300)
    >>> table = np.column_stack([cause, np.sin(2 * cause) + 0.2 * rng.normal(size=300)])
    >>> sp.fit(table, model="additive", solver=CAM(level=0.01)).dag.edges
    [('x0', 'x1')]
    """

    neighbours: int = 10
    level: float = 0.001

    standardizes = True
    returns_dag = True

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise OptionError(f"level must be between 0 and 1, but level = {self.level!r}")

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The pruned graph, with the usual objective, which CAM itself does not minimise."""
        score = problem.score
        if not isinstance(score, RegressionScore) or not score.is_gaussian:
            raise OptionError("solver 'cam' is for additive models: pass model='additive'")
        began, required = watch.seconds, problem.required
        if not is_ready(score, watch):
            return nothing_more(problem, score, watch, began)
        dag = self._grown(score, problem, watch)
        middle, added = watch.seconds, int((dag & ~required).sum())
        pruned = self._pruned(score, dag, problem, watch)
        objective = _objective(problem, score, pruned)
        stages = (
            Stage("edges added", _objective(problem, score, dag), added, middle - began),
            Stage("pruned", objective, 1, watch.seconds - middle),
        )
        status = watch.stop or Status.CONVERGED
        return Solution(pruned.astype(float), objective, status, added, watch.seconds - began, stages)

    def _candidates(self, score: RegressionScore, watch: Watch) -> Mask:
        """For each node, the columns that forward selection takes first; none where time runs out."""
        open_to = np.ones((score.p, score.p), dtype=bool)
        if score.p - 1 > self.neighbours:
            open_to[:] = False
            for node in range(score.p):
                chosen: list[int] = []
                while len(chosen) < self.neighbours and watch.stop is None:
                    chosen.append(int(np.argmax(score.gains(node, chosen)[0])))
                open_to[chosen, node] = True
        np.fill_diagonal(open_to, False)
        return open_to

    def _grown(self, score: RegressionScore, problem: Problem, watch: Watch) -> Mask:
        """The graph after adding, best first, all edges that close no cycle, or those that time allows."""
        p, dag, added = score.p, problem.required.copy(), 0
        reach, gains = reach_matrix(dag), np.empty((p, p))
        with suppress(Stopped):
            open_to = self._candidates(score, watch.for_a_start()) & problem.allowed | problem.required
            for node in range(p):
                watch.check()
                gains[:, node] = score.gains(node, np.flatnonzero(dag[:, node]))[0]
            while True:
                watch.check()
                may = open_to & ~dag & ~reach.T & (dag.sum(axis=0) < problem.max_parents)
                source, target = np.unravel_index(np.argmax(np.where(may, gains, -np.inf)), (p, p))
                if not may[source, target]:
                    break
                dag[source, target] = True
                reach |= np.outer(reach[:, source], reach[target])
                gains[:, target] = score.gains(int(target), np.flatnonzero(dag[:, target]))[0]
                added += 1
                watch.report("cam", added, float("nan"))
        return dag

    def _pruned(self, score: RegressionScore, dag: Mask, problem: Problem, watch: Watch) -> Mask:
        """The graph with the parents whose F test is significant.

        Without time for the tests, a node keeps its parents if they are worth their price together.
        """
        pruned = problem.required.copy()
        for node in range(score.p):
            try:
                pruned[:, node] |= self._significant(score, dag[:, node], node, watch)
            except Stopped:
                must, parents = (np.flatnonzero(graph[:, node]) for graph in (pruned, dag))
                gain = score.local(node, must) - score.local(node, parents)
                if gain > problem.prices[parents, node].sum() - problem.prices[must, node].sum():
                    pruned[:, node] = dag[:, node]
        return pruned

    def _significant(self, score: RegressionScore, given: Mask, node: int, watch: Watch) -> Mask:
        """The parents of a node whose F test is significant."""
        parents, kept = np.flatnonzero(given), np.zeros(score.p, dtype=bool)
        widths = score.edge_parameters[:, node]
        full = np.exp(2 * score.local(node, parents))
        freedom = score.n - 1 - widths[parents].sum()
        for parent in parents:
            watch.check()
            without = np.exp(2 * score.local(node, parents[parents != parent]))
            ratio = (without - full) / widths[parent] / (full / freedom) if freedom > 0 else 0.0
            kept[parent] = fdtrc(widths[parent], max(freedom, 1), max(ratio, 0.0)) < self.level
        return kept


def _objective(problem: Problem, score: RegressionScore, dag: Mask) -> float:
    nll = sum(score.local(node, np.flatnonzero(dag[:, node])) for node in range(score.p))
    return nll + problem.price(dag)
