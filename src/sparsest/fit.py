"""fit(): from a table to a Result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import OptionError
from sparsest._core.linalg import sensible_threads
from sparsest._core.progress import Step, Watch
from sparsest._core.validation import number, whole
from sparsest.again import agree, rearranged, refuse_unchangeable
from sparsest.choose import Choices, Task, choose, settings_of
from sparsest.data import (
    Kind,
    Moments,
    TableOptions,
    checked_table,
    peek,
    require_usable,
    table_moments,
    tell,
)
from sparsest.data.audit import Audit, audit_moments, audit_table, parent_limit
from sparsest.data.moments.from_table import gaussian_source
from sparsest.fitted.base import Fitted, fitted_gaussian, fitted_rows
from sparsest.fitted.network import FittedOwn, fitted_model
from sparsest.graph import refine
from sparsest.graph.types import Dag
from sparsest.knowledge import Knowledge, Masks
from sparsest.likelihoods import ROW_MODELS, Rows, chosen_model, rows_of
from sparsest.modelled import ModelRows, is_model, model_rows
from sparsest.models import Model, Regressions
from sparsest.penalties import Penalty
from sparsest.problem import Solution, Solver
from sparsest.result import Evidence, Result
from sparsest.rounding import graph_by_parents, graph_by_refit, graph_by_score, soft_graph, strongest_dag
from sparsest.scores.no_intercept import OriginScore
from sparsest.scores.regression import MixedScore
from sparsest.solvers.general import REFIT
from sparsest.solvers.published import parameters


def fit(
    data: Any,
    *,
    model: str | Model | Regressions = "auto",
    solver: str | Solver = "auto",
    penalty: str | float | Penalty = "auto",
    knowledge: Knowledge | str | os.PathLike[str] | None = None,
    standardize: bool | str = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Step], None] | None = None,
    columns: Sequence[str] | None = None,
    drop_constant: bool = False,
    kinds: Mapping[str, str | Sequence[str]] | None = None,
    missing: str = "error",
    weights: str | ArrayLike | None = None,
    transpose: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    max_parents: int | None = None,
    threshold: float | None = None,
    check: bool = False,
) -> Result:
    """Learn the sparsest DAG that explains a table, and its Markov equivalence class.

    Args:
        data: A NumPy array, a data frame (pandas, Polars, PyArrow, ...), the path of a file, or `Moments`.
        model: "gaussian" (linear with Gaussian noise of unequal variances), "logistic" (all columns binary),
            "poisson" (all counts), "additive" (splines of the parents plus Gaussian noise), "mixed" (each
            column by its kind: numbers Gaussian, two values logistic, counts Poisson, categories softmax),
            "mlp" (a small sigmoid network of the parents plus Gaussian noise), an object for a model with
            options (`sparsest.models.Logistic(intercept=False)`, `Poisson(...)`, `MLP(...)`), or one of your
            own with `init`, `nll` and `adjacency` (docs/own_likelihood.md). "auto" is "gaussian" where all
            columns are continuous, "logistic" where all are binary, and else "mixed"; `result.model` and
            `result.evidence.model_because` say which, and why.
        solver: "auto" (exact for up to 20 columns, 8 or 10 where the model is not Gaussian, else order
            search); "exact", "order", "ges" (discrete); "cam" (causal additive models, additive only);
            "differentiable" (our best of that kind); a published method at its published settings on the
            data as given ("notears", "golem-ev", "golem-nv", "dagma", "logll-notears", "logll-dagma"); or a
            solver object.
        penalty: The cost of an edge. A criterion ("auto", "bic", "ebic"), a number c, or a penalty object:
            `QuasiMCP`, `MCP`, `SCAD` cost their plateau. A published method takes a penalty object in the
            place of its own; `L1` is for these only.
        knowledge: What is known about the edges beforehand: a `Knowledge`, or a file of it (TOML, Tetrad's).
            Every solver obeys it, and the class is refined by it: `result.cpdag` is then an `Mpdag`.
        standardize: Whether the solver sees columns of unit variance. "auto" leaves it to the solver: the
            discrete ones standardise, the published ones run on the data as given.
        seed: Decides the random starts; the same seed gives the same answer.
        n_jobs: Threads to use: None is 1, -1 all cores. The answer does not depend on it. Only the order
            search of the Gaussian model uses more than one; the other solvers run on one thread.
        time_limit: Seconds after which the best graph so far is returned, marked by its status.
        progress: Called with a `Step` now and then.
        columns: Names of the columns to use; all by default.
        drop_constant: Leave constant columns out instead of refusing them.
        kinds: What columns are where the guess is wrong, by name: "continuous", "binary", "count",
            "categorical", "ordinal", "identifier", "date", or the words of an ordinal column, low to high.
        missing: What to do about missing values: "error" refuses them, "drop" leaves out rows that have some;
            for Gaussian models also "em" (greatest likelihood given what is known) and "pairwise"
            (covariances of pairs, made positive definite). `data/moments/from_table.py` says
            which n then counts.
        weights: The name of a column, or one number a row: how much each row counts. The number of rows is
            then (sum of weights)² / (sum of squared weights).
        transpose: The variables are in rows, such as genes, and the observations in columns.
        separator: What stands between the columns of a text file; found by itself.
        decimal: The decimal mark of a text file, "." or ","; found by itself where it is plain.
        thousands: The mark between thousands in a text file; found by itself where it is plain.
        max_parents: The most parents a node may have.
        threshold: Turn soft weights into a graph by keeping |weight| > threshold (on the scale on which the
            solver worked), as the published methods do, instead of by the score.
        check: Learn once more from the columns in another order, continuous ones in other units, and say in
            `result.evidence.same_when_rescaled` whether the answer was the same: the class, or where
            `result.identifies` is "dag" the DAG, if it is not one of several that fit equally well. Not for a
            model of your own, which may depend on the order and the units.

    Returns:
        A `Result`. Ctrl-C returns the best graph so far, marked by its status.
    """
    watch = _watch(time_limit, progress)
    if threshold is not None:
        threshold = number("threshold", threshold)
    options = TableOptions(
        columns, kinds, drop_constant, missing, weights, transpose, separator, decimal, thousands
    )
    notices: list[str] = []
    wanted = "additive" if solver == "cam" and model == "auto" else model
    source, audit = _source(data, wanted, options, notices, watch)
    if check:
        refuse_unchangeable(source)
    notices += map(str, audit.serious)
    known = _known(knowledge, source.names)
    limit = _parent_limit(source, max_parents)
    if known is not None:
        limit = known.limit_at_least(limit, max_parents, source.names)
    tell(notices)
    with watch.listening():  # only now: libraries that read files may set handlers of their own
        choices = Choices(model, solver, penalty, standardize, seed, n_jobs, limit, known)
        result = _learn(source, choices, threshold, watch, tuple(notices))
        tell(result.evidence.warnings[len(notices) :])
        result = replace(
            result, audit=audit, settings=settings_of(choices, threshold, missing), knowledge=known
        )
        if check and not result.status.stopped_early:
            result = _checked(result, source, choices, threshold, watch)
        return result


def _learn(
    source: Moments | Rows | ModelRows,
    choices: Choices,
    threshold: float | None,
    watch: Watch,
    words: tuple[str, ...] = (),
) -> Result:
    task = choose(choices, source)
    with sensible_threads(source.p):
        solution = task.solver.solve(task.problem, watch)
    dag, graph_from = _graph(solution, task, threshold, watch)
    if choices.knowledge is not None:
        choices.knowledge.refuse_violation(dag, source.names, task.name)
    return _result(source, task, dag, graph_from, solution, choices.seed, watch, words)


def _checked(
    result: Result,
    source: Moments | Rows | ModelRows,
    choices: Choices,
    threshold: float | None,
    watch: Watch,
) -> Result:
    """The result, with whether other units and another order of the columns lead to the same answer."""
    other, order, shift = rearranged(source, np.random.default_rng([choices.seed, source.p]))
    known = None if choices.knowledge is None else choices.knowledge.in_order(order)
    again = _learn(other, replace(choices, knowledge=known), threshold, watch)
    if again.status.stopped_early:
        return result
    evidence = replace(result.evidence, same_when_rescaled=agree(result, again, order, shift))
    return replace(result, evidence=evidence, seconds=watch.seconds)


def _source(
    data: Any, model: str | Model | Regressions, options: TableOptions, notices: list[str], watch: Watch
) -> tuple[Moments | Rows | ModelRows, Audit]:
    """What the model is learned from, moments or rows, and what there is to say about the table."""
    if isinstance(model, Regressions):
        source, audit = _source(data, model.name, options, notices, watch)
        if isinstance(source, Rows) and not model.intercept:
            source = source.without_intercept()
        return source, audit
    if is_model(model):
        if isinstance(data, Moments):
            raise OptionError(
                "this model is learned from the rows of a table, not from moments: pass the table"
            )
        table = checked_table(data, options, notices)
        return model_rows(model, table), audit_table(table, None)
    if isinstance(data, Moments) or model not in ("auto", *ROW_MODELS):
        if model in ROW_MODELS:
            raise OptionError(
                f"model {model!r} is learned from the rows of a table, not from moments: pass the table"
            )
        moments, read = gaussian_source(data, options, notices, watch)
        require_usable(moments)
        return moments, audit_moments(moments) if read is None else audit_table(read, moments)
    first = peek(data, options) if model == "auto" else None  # at a file too large to be read for its kinds
    if first is not None and chosen_model(model, first)[0] not in ROW_MODELS:
        return _source(data, "gaussian", options, notices, watch)
    table = checked_table(data, options, words := list(notices), numbers_only=False)
    name, why = chosen_model(model, table)
    if name not in ROW_MODELS:
        if any(table.levels) or Kind.DATE in table.kinds:  # a Gaussian model wants numbers as they are
            return _source(data, "gaussian", options, notices, watch)
        notices[:] = words
        moments = table_moments(table, options.missing, notices)
        require_usable(moments)
        return moments, audit_table(table, moments)
    if np.isnan(table.values).any():
        raise OptionError(
            f"missing={options.missing!r} is for Gaussian models, and the model here is {name!r}: pass "
            "missing='drop'"
        )
    notices[:] = words
    return rows_of(name, table, why), audit_table(table, None)


def _known(knowledge: Knowledge | str | os.PathLike[str] | None, names: Sequence[str]) -> Masks | None:
    if isinstance(knowledge, str | os.PathLike):
        try:
            return _known(Knowledge.read(knowledge), names)
        except OptionError as error:
            place = repr(os.fspath(knowledge))
            raise error if str(error).startswith(place) else OptionError(f"{place}: {error}") from error
    if knowledge is not None and not isinstance(knowledge, Knowledge):
        raise OptionError(f"knowledge must be a Knowledge or a file, not {type(knowledge).__name__}")
    masks = None if knowledge is None else knowledge.masks(names)
    return None if masks is None or masks.say_nothing else masks


def _parent_limit(moments: Moments | Rows | ModelRows, max_parents: int | None) -> int:
    """The most parents a node may have, lowered where there are no more rows than columns."""
    n, p = moments.n, moments.p
    limit = p - 1 if max_parents is None else whole("max_parents", max_parents)
    if n <= p:
        limit = min(limit, parent_limit(n))
    return min(limit, p - 1)


def _graph(
    solution: Solution, task: Task, threshold: float | None, watch: Watch
) -> tuple[NDArray[np.bool_], str]:
    if task.solver.returns_dag:
        if threshold is not None:
            raise OptionError(f"solver {task.name!r} returns a graph, not soft weights: leave threshold out")
        return solution.adjacency != 0, "search"
    if threshold is not None:
        weights = solution.adjacency * task.problem.allowed
        return strongest_dag(weights, task.problem.required, threshold), "threshold"
    problem = task.problem
    if isinstance(problem.score, (MixedScore, OriginScore)):
        return graph_by_parents(problem, solution.adjacency, watch), "score"
    if task.refine is not None:
        return task.refine(soft_graph(problem, parameters(solution)), watch), "score"
    if task.covariance is None:
        return graph_by_refit(problem, parameters(solution), REFIT, watch).graph, "score"
    thorough = not solution.status.stopped_early
    return graph_by_score(problem, solution.adjacency, thorough)[0], "score"


def _result(
    source: Moments | Rows | ModelRows,
    task: Task,
    matrix: NDArray[np.bool_],
    graph_from: str,
    solution: Solution,
    seed: int,
    watch: Watch,
    words: tuple[str, ...],
) -> Result:
    score: Any = task.problem.score
    cost = task.problem.cost
    notices: list[str] = []
    fitted: Fitted | FittedOwn
    if isinstance(source, Rows):
        fitted, nll = fitted_rows(source, score, matrix, notices)
        price = cost * int(score.edge_parameters[matrix].sum())
    elif isinstance(source, ModelRows):
        fitted, nll = fitted_model(source, task.problem, matrix, solution, seed, watch)
        price = cost * float(score.edge_parameters[matrix].sum())
    elif isinstance(source, Moments):
        fitted, nll = fitted_gaussian(source, matrix)
        price = cost * int(matrix.sum())
    dag = Dag(matrix.astype(int), source.names)
    return Result(
        dag=dag,
        cpdag=refine(dag, task.problem.allowed, task.problem.required),
        weights=fitted.weights,
        noise_variances=fitted.noise_variances,
        objective=nll + price,
        nll=nll,
        cost=cost,
        n=source.n,
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
            warnings=(*words, *notices),
            model_because=source.why if isinstance(source, Rows) else "",
        ),
        seconds=watch.seconds,
        moments=source if isinstance(source, Moments) else None,
        model=source.name
        if isinstance(source, ModelRows)
        else source.model
        if isinstance(source, Rows)
        else "gaussian",
        fitted=fitted if isinstance(fitted, Fitted) else None,
    )


def _watch(time_limit: float | None, progress: Callable[[Step], None] | None) -> Watch:
    if progress is not None and not callable(progress):
        raise OptionError(f"progress must be a function that takes a Step, not {progress!r}")
    if time_limit is not None:
        time_limit = number("time_limit", time_limit, "a number of seconds from 0 on")
    return Watch(time_limit, progress)
