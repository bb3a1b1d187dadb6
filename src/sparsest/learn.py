"""fit(): from a table to a Result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._linalg import sensible_threads
from sparsest.choose import Choices, Task, choose
from sparsest.data import Moments, collinear, read_table, require_usable
from sparsest.errors import DataWarning, OptionError
from sparsest.graph import dag_to_cpdag
from sparsest.graph.types import Dag
from sparsest.penalties import Penalty
from sparsest.progress import Step, Watch
from sparsest.result import Evidence, Result
from sparsest.scores.gaussian import refit
from sparsest.solution import Solution, Solver
from sparsest.solvers.rounding import graph_by_score, strongest_dag


def fit(
    data: Any,
    *,
    model: str = "auto",
    solver: str | Solver = "auto",
    penalty: str | float | Penalty = "auto",
    standardize: bool | str = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Step], None] | None = None,
    columns: Sequence[str] | None = None,
    drop_constant: bool = False,
    max_parents: int | None = None,
    threshold: float | None = None,
    check: bool = False,
) -> Result:
    """Learn the sparsest DAG that explains a table, and its Markov equivalence class.

    Args:
        data: A NumPy array, a data frame (pandas, Polars, PyArrow, ...), the path of a file, or `Moments`.
        model: "gaussian" (linear with Gaussian noise of unequal variances), which is also "auto" for now.
        solver: "auto" (exact for up to 19 columns, else order search); "exact", "order", "ges" (discrete);
            "differentiable" (our best of that kind); a published method at its published settings on the
            data as given ("notears", "golem-ev", "golem-nv", "dagma", "logll-notears", "logll-dagma"); or a
            solver object.
        penalty: The cost of an edge. A criterion ("auto", "bic", "ebic"), a number c, or a penalty object:
            `QuasiMCP`, `MCP`, `SCAD` cost their plateau. A published method takes a penalty object in the
            place of its own; `L1` is for these only.
        standardize: Whether the solver sees columns of unit variance. "auto" leaves it to the solver: the
            discrete ones standardise, the published ones run on the data as given.
        seed: Decides the random starts; the same seed gives the same answer.
        n_jobs: Threads to use: None is 1, -1 all cores. The answer does not depend on it.
        time_limit: Seconds after which the best graph so far is returned, marked by its status.
        progress: Called with a `Step` now and then.
        columns: Names of the columns to use; all by default.
        drop_constant: Leave constant columns out instead of refusing them.
        max_parents: The most parents a node may have.
        threshold: Turn soft weights into a graph by keeping |weight| > threshold (on the scale on which the
            solver worked), as the published methods do, instead of by the score.
        check: Learn once more from the columns in other units and another order, and say in
            `result.evidence.same_when_rescaled` whether the class was the same.

    Returns:
        A `Result`. Ctrl-C returns the best graph so far, marked by its status.
    """
    watch = Watch(_time_limit(time_limit), progress)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        moments = _moments(data, columns, drop_constant)
        limit = _parent_limit(moments, max_parents)
    for warning in caught:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    with watch.listening():  # only now: libraries that read files may set handlers of their own
        choices = Choices(model, solver, penalty, standardize, seed, n_jobs, limit)
        words = tuple(str(warning.message) for warning in caught)
        result = _learn(moments, choices, threshold, watch, words)
        if check and not result.status.stopped_early:
            result = _checked(result, moments, choices, threshold, watch)
        return result


def _learn(
    moments: Moments, choices: Choices, threshold: float | None, watch: Watch, words: tuple[str, ...] = ()
) -> Result:
    task = choose(choices, moments)
    with sensible_threads(moments.p):
        solution = task.solver.solve(task.problem, watch)
    dag, graph_from = _graph(solution, task, choices.max_parents, threshold)
    return _result(moments, task, dag, graph_from, solution, watch, words)


def _checked(
    result: Result, moments: Moments, choices: Choices, threshold: float | None, watch: Watch
) -> Result:
    """The result, with whether other units and another order of the columns lead to the same class."""
    rng = np.random.default_rng([choices.seed, moments.p])
    order = rng.permutation(moments.p)
    units = 10.0 ** rng.uniform(-3, 3, moments.p)
    covariance = (moments.covariance * np.outer(units, units))[np.ix_(order, order)]
    other = Moments(covariance, moments.n, names=[moments.names[k] for k in order])
    again = _learn(other, choices, threshold, watch)
    if again.status.stopped_early:
        return result
    same = np.array_equal(again.cpdag.to_numpy(), result.cpdag.to_numpy()[np.ix_(order, order)])
    evidence = replace(result.evidence, same_when_rescaled=same)
    return replace(result, evidence=evidence, seconds=watch.seconds)


def _moments(data: Any, columns: Sequence[str] | None, drop_constant: bool) -> Moments:
    if isinstance(data, Moments):
        if columns is not None or drop_constant:
            raise OptionError("columns and drop_constant apply to tables: select from the covariance instead")
        moments = data
    else:
        table = read_table(data, columns=columns, drop_constant=drop_constant)
        moments = Moments.from_array(table.values, table.names)
    require_usable(moments)
    return moments


def _parent_limit(moments: Moments, max_parents: int | None) -> int:
    """The most parents a node may have, lowered where there are fewer rows than columns.

    With n ≤ p the likelihood has no minimum: enough parents explain any column perfectly. Two rules keep the
    answer meaningful: a floor on residual variances, and at most n/4 parents.
    """
    n, p = moments.n, moments.p
    limit = p - 1 if max_parents is None else max_parents
    if limit < 0 or limit != int(limit):
        raise OptionError(f"max_parents must be a whole number from 0 on, not {max_parents!r}")
    if n <= p:
        limit = min(limit, max(1, int(n) // 4))
        warnings.warn(
            f"{int(n)} rows are too few for {p} columns: the likelihood is unbounded, so no node gets more "
            f"than {limit} parents; more rows or fewer columns give a firmer answer",
            DataWarning,
            stacklevel=2,
        )
    else:
        for group in collinear(moments):
            warnings.warn(
                f"columns {', '.join(map(repr, group))} are linearly dependent: edges among them are "
                "arbitrary; leave one of them out",
                DataWarning,
                stacklevel=2,
            )
    return min(limit, p - 1)


def _graph(
    solution: Solution, task: Task, limit: int, threshold: float | None
) -> tuple[NDArray[np.bool_], str]:
    if task.solver.returns_dag:
        if threshold is not None:
            raise OptionError(f"solver {task.name!r} returns a graph, not soft weights: leave threshold out")
        return solution.adjacency != 0, "search"
    if threshold is not None:
        if not threshold >= 0:
            raise OptionError(f"threshold must not be negative, but threshold = {threshold!r}")
        return strongest_dag(solution.adjacency, threshold), "threshold"
    problem = task.problem
    thorough = not solution.status.stopped_early
    graph, _ = graph_by_score(
        task.covariance, solution.adjacency, problem.cost, limit, problem.allowed, thorough
    )
    return graph, "score"


def _result(
    moments: Moments,
    task: Task,
    matrix: NDArray[np.bool_],
    graph_from: str,
    solution: Solution,
    watch: Watch,
    words: tuple[str, ...],
) -> Result:
    weights, variances = refit(moments.covariance, matrix)
    nll, cost = 0.5 * float(np.log(variances).sum()), task.problem.cost
    dag = Dag(matrix.astype(int), moments.names)
    return Result(
        dag=dag,
        cpdag=dag_to_cpdag(dag),
        weights=weights,
        noise_variances=variances,
        objective=nll + cost * int(matrix.sum()),
        nll=nll,
        cost=cost,
        n=moments.n,
        solver=task.name,
        status=solution.status,
        evidence=Evidence(
            stages=solution.stages,
            steps=solution.steps,
            solver_objective=solution.objective,
            agreed=solution.agreed,
            h=solution.h,
            violation=solution.violation,
            standardized=task.standardized,
            graph_from=graph_from,
            warnings=words,
        ),
        seconds=watch.seconds,
    )


def _time_limit(seconds: float | None) -> float | None:
    if seconds is not None and not (seconds >= 0 and not math.isnan(seconds)):
        raise OptionError(f"time_limit must be a number of seconds from 0 on, not {seconds!r}")
    return seconds
