"""CAM, causal additive models (Bühlmann, Peters & Ernest, 2014), a method of the literature.

Three steps: preliminary neighbourhoods of at most `neighbours` candidates per node; then edges are added,
always the one that raises the likelihood most without closing a cycle, until no candidate is left; then each
node is regressed on all its parents, and those whose F test is not significant at `level` are removed. The
original uses penalised splines and boosting; here both steps use the spline features of the additive score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as f_distribution

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.graph.acyclicity import reach_matrix
from sparsest.problem import Problem, Solution, Stage
from sparsest.scores.regression import RegressionScore


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
        open_to = self._candidates(score, watch) & problem.allowed | required
        dag, added = self._grown(score, open_to, required, problem.max_parents, watch)
        middle = watch.seconds
        pruned = np.column_stack([self._pruned(score, dag, required, node) for node in range(score.p)])
        objective = _objective(problem, score, pruned)
        stages = (
            Stage("edges added", _objective(problem, score, dag), added, middle - began),
            Stage("pruned", objective, 1, watch.seconds - middle),
        )
        status = watch.stop or Status.CONVERGED
        return Solution(pruned.astype(float), objective, status, added, watch.seconds - began, stages)

    def _candidates(self, score: RegressionScore, watch: Watch) -> NDArray[np.bool_]:
        """For each node, the columns that forward selection takes first."""
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

    def _grown(
        self,
        score: RegressionScore,
        open_to: NDArray[np.bool_],
        required: NDArray[np.bool_],
        limit: int,
        watch: Watch,
    ) -> tuple[NDArray[np.bool_], int]:
        """The graph after adding, best first, all edges that close no cycle; and how many were added."""
        p, dag, added = score.p, required.copy(), 0
        reach = reach_matrix(dag)
        gains = np.column_stack([score.gains(node, np.flatnonzero(dag[:, node]))[0] for node in range(p)])
        while watch.stop is None:
            may = open_to & ~dag & ~reach.T & (dag.sum(axis=0) < limit)
            source, target = np.unravel_index(np.argmax(np.where(may, gains, -np.inf)), (p, p))
            if not may[source, target]:
                break
            dag[source, target] = True
            reach |= np.outer(reach[:, source], reach[target])
            gains[:, target] = score.gains(int(target), np.flatnonzero(dag[:, target]))[0]
            added += 1
            watch.report("cam", added, float("nan"))
        return dag, added

    def _pruned(
        self, score: RegressionScore, dag: NDArray[np.bool_], required: NDArray[np.bool_], node: int
    ) -> NDArray[np.bool_]:
        """The parents of a node whose F test is significant."""
        parents = np.flatnonzero(dag[:, node])
        widths = score.edge_parameters[:, node]
        full = np.exp(2 * score.local(node, parents))
        freedom = score.n - 1 - widths[parents].sum()
        kept = required[:, node].copy()
        for parent in parents:
            without = np.exp(2 * score.local(node, parents[parents != parent]))
            ratio = (without - full) / widths[parent] / (full / freedom) if freedom > 0 else 0.0
            if f_distribution.sf(ratio, widths[parent], max(freedom, 1)) < self.level:
                kept[parent] = True
        return kept


def _objective(problem: Problem, score: RegressionScore, dag: NDArray[np.bool_]) -> float:
    nll = sum(score.local(node, np.flatnonzero(dag[:, node])) for node in range(score.p))
    return nll + problem.price(dag)
