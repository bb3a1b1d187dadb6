"""Exact search: the DAG of least NLL + c · edges, or a bound on how far above it the best known DAG is.

Up to 22 columns by dynamic programming over all subsets (`dynamic_program.py`). Beyond, an order search finds
a graph, and groups of columns between which no edge can ever be worth its cost are solved one by one: up to
26 columns by dynamic programming, too, and more by branch and bound over orders (`bounded.py`), which proves
that there is no better graph, or finds it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.correlation import correlation_of
from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest._core.words import duration
from sparsest.graph import cpdag_to_dag, dag_to_cpdag, topological_order
from sparsest.problem import SAME_OBJECTIVE, Mask, Problem, Solution, Stage
from sparsest.rounding.by_score import gaussian_objective, graph_along
from sparsest.search import bounded
from sparsest.search.bounded import OrderLattice, Proof, can_bound
from sparsest.search.common import gaussian_covariance
from sparsest.search.dynamic_program import SubsetProgram, compilation, memory_needed, seconds_needed
from sparsest.search.order import OrderSearch

#: Bytes that tables may take.
MEMORY = 4 * 2**30

_FEW = 22  # columns up to which a dynamic program takes less than a second: nothing else is looked at
_SOME = 26  # columns up to which it takes ten seconds and 2 GiB, less than most branches and bounds
_WHY = {"memory": ", ended by lack of memory", "dense": ", given up: too dense", "time": ", stopped"}


@dataclass(frozen=True)
class ExactSearch:
    """The global minimum, for Gaussian scores.

    Up to 22 columns it takes at most a second, up to 26 some seconds. With more, how long it takes depends on
    the table: sparse graphs of 30 columns take minutes. Where time or memory do not suffice,
    `Solution.bound` says how far above the minimum the graph may be.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.problem import Problem
    >>> from sparsest.scores import GaussianScore
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> problem = Problem(GaussianScore(correlation), L0(0.05))
    >>> found = ExactSearch().solve(problem, Watch())
    >>> found.adjacency.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    >>> found.status
    <Status.OPTIMAL: 'optimal'>
    >>> found.bound == found.objective
    True
    """

    standardizes = True
    returns_dag = True

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """The minimum; or, if the watch says stop first, the best graph so far and the bound so far.

        For few columns that is a quick guess, for many the answer of the order search.
        """
        p, _ = problem.p, problem.single_cost("ExactSearch")  # refused before any work is done
        if p > _FEW and can_bound(problem):
            return _bounded(problem, watch)
        if memory_needed(p, clear=False) > MEMORY:
            raise OptionError(_too_large(p))
        return _programmed(problem, watch)


def _too_large(p: int) -> str:
    gigabytes = memory_needed(p, clear=False) / 2**30
    few = "too many columns" if p > bounded.MOST_COLUMNS else "some are nearly collinear"
    return (
        f"exact search over {p} columns needs {gigabytes:.3g} GiB of memory (at most "
        f"{MEMORY // 2**30} GiB are used) and {duration(seconds_needed(p))}, and no bound can shorten it "
        f"({few}): select fewer columns or use solver='order'"
    )


def _programmed(problem: Problem, watch: Watch) -> Solution:
    """By dynamic programming alone."""
    p = problem.p
    found = _searched(problem, watch) if seconds_needed(p) >= 1 else None
    if not watch.wait_for(compilation(problem)):
        return _stopped(found or _quick(problem, watch), watch)
    began = watch.seconds
    program = _computed(problem, watch, found.objective if found else np.nan)
    if program is None:
        return _stopped(found or _quick(problem, watch), watch)
    minimum, seconds = program.minimum, watch.seconds - began
    adjacency = _member(problem, program.dag(), minimum).astype(float)
    stages = (*(found.stages if found else ()), Stage("dynamic programming", minimum, 2**p, seconds))
    seconds = sum(stage.seconds for stage in stages)
    return Solution(adjacency, minimum, Status.OPTIMAL, 2**p, seconds, stages, bound=minimum)


def _computed(problem: Problem, watch: Watch, objective: float) -> SubsetProgram | None:
    """The dynamic program; None if the watch says stop."""
    stage = f"exact search by dynamic programming, {duration(seconds_needed(problem.p))}"
    watch.report(stage, 0, objective)
    program = SubsetProgram(problem)
    for done, part in enumerate(program.parts()):
        if watch.stop is not None:
            return None
        part()
        watch.report(stage, done, objective)
    return program


def _bounded(problem: Problem, watch: Watch) -> Solution:
    """Group by group of columns: small ones by dynamic programming, large ones by branch and bound."""
    found = OrderSearch().solve(problem, watch)
    first = Stage("order search", found.objective, found.steps, found.seconds)
    watch.report("exact search by groups of columns: compiling", 0, found.objective)
    if watch.stop is not None or not watch.wait_for(bounded.compile_all):
        return replace(_stopped(found, watch), stages=(first,))
    began = watch.seconds
    dag = found.adjacency != 0
    lattice = OrderLattice(problem, dag, found.objective, watch)
    groups = _groups(lattice.parts(watch), dag)
    proofs = [_proved(problem.among(nodes), dag[np.ix_(nodes, nodes)], watch) for nodes in groups]
    dag = np.zeros_like(dag)
    for nodes, proof in zip(groups, proofs, strict=True):
        dag[np.ix_(nodes, nodes)] = proof.dag
    objective = gaussian_objective(problem, dag)
    complete, states = all(proof.complete for proof in proofs), sum(proof.states for proof in proofs)
    why = next((proof.because for proof in proofs if proof.because), "")
    how = "dynamic programming" if max(map(len, groups)) <= _SOME else "branch and bound"
    stage = Stage(f"{how}{_WHY.get(why, '')}", objective, states, watch.seconds - began)
    bound = objective if complete else min(max(sum(p.bound for p in proofs), lattice.bound), objective)
    status = Status.OPTIMAL if complete else watch.stop or Status.CONVERGED
    if complete:
        dag = _member(problem, dag, objective)
    return Solution(
        dag.astype(float), objective, status, states, first.seconds + stage.seconds, (first, stage),
        agreed=found.agreed, bound=bound,
    )  # fmt: skip


def _groups(labels: NDArray[np.int64], dag: Mask) -> list[NDArray[np.intp]]:
    """The nodes of each label, in the order of a good graph: states then have much in common."""
    order = np.array(topological_order(dag))
    return [order[labels[order] == label] for label in np.unique(labels)]


def _proved(problem: Problem, dag: Mask, watch: Watch) -> Proof:
    """The best graph of one group of columns."""
    objective, p = gaussian_objective(problem, dag), problem.p
    if p == 1:
        return Proof(objective, True, dag, 1)
    lattice = OrderLattice(problem, dag, objective, watch)
    proof = lattice.search(watch, MEMORY) if p > _SOME else lattice.none_yet("")
    if proof.complete or memory_needed(p) > MEMORY:
        return proof
    if watch.stop is None and watch.wait_for(compilation(problem)):
        program = _computed(problem, watch, objective)
        if program is not None:
            best = program.dag() if program.minimum < objective - SAME_OBJECTIVE else dag
            return Proof(program.minimum, True, best, proof.states + 2**p)
    return replace(proof, because="time")


def _stopped(solution: Solution, watch: Watch) -> Solution:
    return replace(solution, status=watch.stop or Status.TIME_LIMIT)


def _quick(problem: Problem, watch: Watch) -> Solution:
    """A quick guess: columns that others explain well come last, and edges that do not pay are pruned."""
    began, covariance = watch.seconds, gaussian_covariance(problem, "ExactSearch")
    precision = np.linalg.pinv(correlation_of(covariance), hermitian=True)
    order = np.argsort(precision.diagonal(), kind="stable").tolist()
    dag, objective = graph_along(problem, order)
    seconds = watch.seconds - began
    stages = (Stage("sorted and pruned", objective, 1, seconds),)
    return Solution(dag.astype(float), objective, Status.CONVERGED, 1, seconds, stages)


def _searched(problem: Problem, watch: Watch) -> Solution:
    found = OrderSearch(chains=1).solve(problem, watch)
    return replace(found, stages=(Stage("order search", found.objective, found.steps, found.seconds),))


def _member(problem: Problem, dag: Mask, least: float) -> Mask:
    """The same member of the DAG's class every time, so that neither rounding nor units decide.

    Only where all members are allowed, and this one is as good: where columns are collinear, some are not.
    """
    if problem.constrained:
        return dag
    member = np.asarray(cpdag_to_dag(dag_to_cpdag(dag.astype(int)))) != 0
    as_good = gaussian_objective(problem, member) <= least + SAME_OBJECTIVE
    return member if as_good and member.sum(axis=0).max(initial=0) <= problem.max_parents else dag
