"""fit(): from a table to a Result, one call per step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.notices import tell
from sparsest._core.progress import Step, Watch
from sparsest._core.words import listed
from sparsest.data import Source, TableOptions
from sparsest.data.audit import Audit, audit_of
from sparsest.data.columns.account import Account
from sparsest.fitted.base import Fitted
from sparsest.graph import refine
from sparsest.graph.types import Dag
from sparsest.knowledge import Knowledge, Masks
from sparsest.knowledge.given import masks_of
from sparsest.models.base import Array, Mask, Model, Prepared, Refit
from sparsest.models.choosing import Choices, Plan, chosen_model, modelled, plan, settings_of
from sparsest.models.data_order import sorted_by_data
from sparsest.models.rearranging import Rearranged, rearranged, same_answer
from sparsest.models.sample_of_rows import sampling_notice, searched
from sparsest.models.traits import Traits
from sparsest.penalties import Penalty
from sparsest.penalties.criteria import FROM_A_PATH
from sparsest.problem import Solution, Solver
from sparsest.result import Evidence, Result
from sparsest.scores.autodiff import Likelihood


@usual_arithmetic
def fit(
    data: Any,
    *,
    model: str | Model | Likelihood = "auto",
    solver: str | Solver = "auto",
    penalty: str | float | Penalty = "auto",
    knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    standardize: bool | str = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Step], object] | bool | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    drop_constant: bool = False,
    kinds: Mapping[str, str | Sequence[str]] | None = None,
    missing: str = "auto",
    na: Any = None,
    strict: bool = False,
    weights: str | ArrayLike | None = None,
    transpose: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    connection: Any = None,
    transform: str | Mapping[str, str | None] | None = None,
    max_parents: int | None = None,
    threshold: float | None = None,
    search_rows: int | str | None = "auto",
    check: bool = False,
    resamples: int | None = None,
) -> Result:
    """Learn the sparsest DAG that explains a table, and its Markov equivalence class.

    Parameters
    ----------
    data : array, data frame, path or Moments
        A NumPy array, a data frame (pandas, Polars, PyArrow, ...), the path of a file, or `Moments`. Of a
        Dask data frame or a PyArrow dataset the Gaussian model takes the moments piece by piece, where the
        pieces lie; the other models collect the rows.
    model : str or object
        The likelihood. "gaussian" (linear with Gaussian noise of unequal variances), "rank" (the same on
        normal scores of ranks: a Gaussian copula), "logistic" (all columns binary), "poisson" (all counts),
        "additive" (splines of the parents plus Gaussian noise), "mixed" (each column by its kind: numbers
        Gaussian, two values logistic, counts Poisson, categories softmax), "mlp" (a small sigmoid network of
        the parents plus Gaussian noise), a model object with options (`sparsest.models`), or a user-defined
        likelihood with `init`, `nll` and `adjacency`. "auto" is "gaussian" where all columns are continuous,
        "logistic" where all are binary, and "mixed" otherwise; `result.model` and
        `result.evidence.model_because` say which, and why.
    solver : str or Solver
        "auto" (exact for up to 20 columns, 8 to 10 for regressions, otherwise order search; "greedy" for
        networks, "differentiable" for user-defined likelihoods);
        "exact", "order", "ges" (discrete); "greedy" (networks only); "cam" (causal additive models, additive
        only); "differentiable" (our best of that kind); a published method at its published settings on the
        data as given ("notears", "golem-ev", "golem-nv", "dagma", "logll-notears", "logll-dagma"); or a
        solver object.
    penalty : str, float or Penalty
        The cost of an edge: a criterion ("auto", "bic", "ebic"), a number c, a penalty object, or a rule that
        chooses it from a path over costs ("stars", "cv", "cv-1se": see `sparsest.path`), which learns some
        hundred times. `QuasiMCP`, `MCP` and `SCAD` cost their plateau. A published method takes a penalty
        object in place of its own; `L1` is for these only.
    knowledge : Knowledge, dict or path, optional
        What is known about the edges beforehand, such as ``{"roots": ["age", "sex"]}``, or a file of it (TOML
        or Tetrad's). Every solver obeys it,
        and the class is refined by it: `result.cpdag` is then an `Mpdag`.
    standardize : bool or "auto"
        For Gaussian models, whether the solver sees columns of unit variance. "auto" leaves it to the solver:
        the discrete ones standardise, the published ones run on the data as given.
    seed : int
        Decides the random starts; the same seed gives the same answer.
    n_jobs : int, optional
        Threads to use: None is 1, -1 all cores. The answer does not depend on it. Order search, exact search
        of the models other than the Gaussian one, and greedy search use them; the other solvers run on one.
    time_limit : float, optional
        Seconds after which the best graph so far is returned, marked by its status.
    progress : callable or True, optional
        Called with a `Step` periodically; if it returns True, the work stops with the best so far, as on
        Ctrl-C. `progress=True` shows a line with the stage, the best so far and the time.
    columns : list of str, optional
        The columns to use; all by default. Wildcards such as "gene*" stand for all columns that they match.
    exclude : list of str, optional
        Columns to leave out, also with wildcards.
    drop_constant : bool
        With ``strict=True``, leave constant columns out instead of refusing them.
    kinds : dict, optional
        What columns are where the guess is wrong, by name: "continuous", "binary", "count", "categorical",
        "ordinal", "identifier" (leaves the column out), "date" (takes it as days), or the words of an ordinal
        column from low to high. A kind given here is never overruled.
    missing : str
        What to do about missing values: "auto" uses what is known, by the best rule for the model, and says
        how; "error" refuses them, "drop" leaves out the rows that have some. For Gaussian models also "em"
        (maximum likelihood given what is known) and "pairwise" (covariances of pairs, made positive
        definite).
    na : str, number, list or dict, optional
        Marks that stand for a missing value, such as ``["?", -999]``, for all columns or by name. By default
        the usual ones are found and said.
    strict : bool
        Refuse what cannot be modelled (identifiers, text, constant columns, dates) instead of leaving it out
        with a notice, and missing values unless `missing` says otherwise. Without it `result.columns` has the
        account of all columns.
    weights : str or array, optional
        The name of a column, or one weight per row: how much each row counts. The number of rows is then
        (sum of weights)² / (sum of squared weights).
    transpose : bool
        The variables are in rows, such as genes, and the observations in columns.
    separator, decimal, thousands : str, optional
        The marks of a text file; detected automatically where they are unambiguous.
    connection : object, optional
        A connection to a database (DB-API, SQLAlchemy, DuckDB): `data` is then a query.
    transform : str or dict, optional
        The scale on which columns of numbers are modelled, for all or by name, also with wildcards: "log",
        "rank" (normal scores of ranks), or "auto", which takes the logarithm of skewed columns and ranks
        where there are heavy tails that it does not mend, and says so. By default columns stay as they are.
    max_parents : int, optional
        The largest number of parents a column may have.
    threshold : float, optional
        Turn soft weights into a graph by keeping |weight| > threshold (on the scale on which the solver
        worked), as the published methods do, instead of by the score.
    search_rows : int, None or "auto"
        The most rows that the search goes through, for models that fit the rows again and again: of a longer
        table it sees a random sample, chosen by `seed`, and the graph it finds is then fitted on all rows.
        "auto" is 100 000 for logistic, Poisson and mixed models and 20 000 for networks; None is all rows.
        A criterion such as "bic" counts the rows of the sample. `result.evidence.searched_rows` says how many
        they were.
    check : bool
        Learn once more from the columns in another order, continuous ones in other units, and say in
        `result.evidence.same_when_rescaled` whether the answer was the same: the class, or, where
        `result.identifies` is "dag", the DAG if it is not one of several that fit equally well. Not for
        user-defined likelihoods, which may depend on the order and the units.
    resamples : int, optional
        Also learn from this many random halves of the rows, on `n_jobs` processes, and say in
        `result.confidence` how often each edge comes again. `sparsest.confidence` does the same with more
        options, and over several models.

    Returns
    -------
    Result
        Ctrl-C also returns the best graph so far, marked by its status.

    Raises
    ------
    DataError, OptionError
        Where the table or an option cannot be used: the message names the column, row or option and the way
        out. Both are ValueErrors.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 500))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
    >>> result = sp.fit(np.column_stack([rain, sprinkler, wet]))
    >>> result.cpdag.edges
    [('x0', '->', 'x2'), ('x1', '->', 'x2')]
    """
    watch = Watch.checked(time_limit, progress)
    choices = Choices(solver, penalty, standardize, seed, n_jobs, max_parents, threshold, search_rows)
    options = TableOptions(
        columns=columns, exclude=exclude, kinds=kinds, drop_constant=drop_constant, missing=missing, na=na,
        strict=strict, weights=weights, transpose=transpose, separator=separator, decimal=decimal,
        thousands=thousands, connection=connection, transform=transform,
    )  # fmt: skip
    inquiry = inquire(data, model, choices, options, knowledge, watch)
    return answered(inquiry, watch, check=check, resamples=resamples)


def answered(inquiry: Inquiry, watch: Watch, *, check: bool = False, resamples: int | None = None) -> Result:
    """What `fit` does once the table is prepared."""
    choices = inquiry.choices
    moved = rearranged(inquiry.searched, choices.seed) if check else None  # refused now, not after the search
    tell(inquiry.notices)
    with watch.listening():  # only now: libraries that read files may set their own handlers
        if isinstance(choices.penalty, str) and choices.penalty in FROM_A_PATH:
            from sparsest.costs.over_costs import chosen

            result = chosen(inquiry, choices.penalty, choices.n_jobs, watch)
            inquiry = inquiry.costing(result.cost)
        else:
            result = inquiry.answer(watch)
        tell(result.evidence.warnings[len(inquiry.notices) :])
        if moved is not None and not result.status.stopped_early:
            result = _checked(result, moved, inquiry, watch)
        if resamples is not None and not result.status.stopped_early:
            from sparsest.confidence.resampling import resampled

            result = resampled(result, inquiry, resamples, choices.n_jobs, watch)
    return result


@dataclass(frozen=True, eq=False)
class Inquiry:
    """What `fit` was asked, with the table prepared and examined: what it takes to learn from other rows.

    Parameters
    ----------
    prepared : Prepared
        The table under the model.
    choices : Choices
        Solver, penalty and their options.
    known : Masks
        The background knowledge.
    audit : Audit
        What was found in the data.
    settings : mapping
        The model and the treatment of missing values as they were asked for.
    source : Source, optional
        The data, for rows that are not in memory.
    account : Account
        What was done with each column of the table.
    """

    prepared: Prepared
    choices: Choices
    known: Masks
    audit: Audit
    settings: Mapping[str, Any]
    source: Source | None = None
    account: Account = Account()

    @property
    def notices(self) -> tuple[str, ...]:
        """What there is to say before anything is learned."""
        return (*self.prepared.notices, *map(str, self.audit.serious))

    @cached_property
    def searched(self) -> Prepared:
        """The rows that the search sees."""
        return searched(self.prepared, self.choices)

    def answer(self, watch: Watch) -> Result:
        """The result for the table itself."""
        planned = plan(self.searched, self.choices, self.known)
        return self.completed(_learn(self.prepared, self.searched, planned, watch), planned)

    def completed(self, result: Result, planned: Plan) -> Result:
        """A bare result for the table itself, with everything known besides."""
        evidence = replace(result.evidence, warnings=(*self.notices, *result.evidence.warnings))
        settings = settings_of(choices=self.choices, max_parents=planned.problem.max_parents, **self.settings)
        known = None if self.known.say_nothing else self.known
        return replace(
            result,
            audit=self.audit,
            evidence=evidence,
            settings=settings,
            knowledge=known,
            inquiry=self,
            account=self.account,
        )

    def costing(self, cost: float) -> Inquiry:
        """The same question at another cost of an edge."""
        return replace(self, choices=replace(self.choices, penalty=cost))

    def learn(self, prepared: Prepared, watch: Watch, choices: Choices | None = None) -> Result:
        """The bare result for other rows of the table, prepared."""
        chosen = choices or self.choices
        sample = searched(prepared, chosen)
        return _learn(prepared, sample, plan(sample, chosen, self.known), watch)


def inquire(
    data: Any,
    model: str | Model | Likelihood,
    choices: Choices,
    options: TableOptions,
    knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None,
    watch: Watch,
) -> Inquiry:
    """Read, prepare and examine the data."""
    source = Source(data, options, watch)
    prepared = chosen_model(model, choices.solver).prepare(source, choices.seed)
    return Inquiry(
        prepared,
        choices,
        masks_of(knowledge, prepared.names, [note.name for note in source.account.left_out]),
        audit_of(prepared.audited, prepared.moments),
        {"model": model, "options": options},
        source,
        source.account.with_models(modelled(prepared)),
    )


def _learn(prepared: Prepared, sample: Prepared, planned: Plan, watch: Watch) -> Result:
    """Solve on a sample of the rows, or on all of them, make it a DAG, refit on all rows, report."""
    found = solved(sample, planned, watch)
    rows = sample if watch.stop is not None else prepared  # a refit on all rows may take longer than is left
    refit = refitted(rows, sample, found, watch)
    result = reported(rows, planned, found, refit, watch)
    if sample is prepared:
        return result
    warnings = (*sampling_notice(prepared, sample, rows), *result.evidence.warnings)
    evidence = replace(result.evidence, warnings=warnings, searched_rows=int(sample.n))
    return replace(result, evidence=evidence, n=prepared.n)


@dataclass(frozen=True, eq=False)
class Solved:
    """The DAG of a plan, where the solver stopped, and how the DAG was obtained."""

    graph: Mask
    solution: Solution
    graph_from: str

    @property
    def parameters(self) -> Array:
        """Parameters from which a refit may start."""
        return self.solution.parameters


def solved(prepared: Prepared, planned: Plan, watch: Watch) -> Solved:
    """Run the solver and make a DAG of its solution."""
    in_order = sorted_by_data(prepared, planned)
    solution = planned.solve(watch) if in_order is None else in_order.solve(watch)
    matrix, graph_from = planned.to_dag(prepared, solution, watch)
    planned.problem.refuse_violation(matrix, planned.name)
    return Solved(matrix, solution, graph_from)


def refitted(rows: Prepared, sample: Prepared, found: Solved, watch: Watch) -> Refit:
    """The model fitted on a DAG, from what was fitted on a sample of the rows where that is a help."""
    if rows is not sample and hasattr(rows, "starting_from"):
        rows = rows.starting_from(sample)
    return rows.refit(found.graph, found.parameters, watch)


def reported(prepared: Prepared, planned: Plan, found: Solved, refit: Refit, watch: Watch) -> Result:
    """The bare result: a DAG, its class, and the model refitted on it."""
    problem, dag = planned.problem, Dag(found.graph.astype(int), prepared.names)
    solution, objective = found.solution, refit.nll + problem.price(found.graph)
    return Result(
        dag=dag,
        cpdag=refine(dag, problem.allowed, problem.required),
        weights=refit.weights,
        noise_variances=refit.noise_variances,
        objective=objective,
        nll=refit.nll,
        cost=problem.cost,
        n=prepared.n,
        solver=planned.name,
        status=solution.status,
        evidence=Evidence(
            stages=solution.stages,
            steps=solution.steps,
            solver_objective=solution.objective,
            agreed=solution.agreed,
            h=solution.h,
            violation=solution.violation,
            standardized=planned.standardized,
            graph_from=found.graph_from,
            warnings=refit.notices,
            model_because=prepared.because,
            compile_seconds=watch.compiling,
            bound=None if solution.bound is None else objective - (solution.objective - solution.bound),
        ),
        seconds=watch.seconds - watch.compiling,
        moments=prepared.moments,
        model=prepared.model,
        traits=_in_units(prepared),
        fitted=_on_scales(refit.fitted, prepared),
    )


def _on_scales(fitted: Fitted | None, prepared: Prepared) -> Fitted | None:
    """The fitted model with the scales of its columns, so that it answers in the user's units."""
    table = prepared.table
    if fitted is None or table is None or not table.transforms:
        return fitted
    return replace(fitted, transforms=table.transforms)


def _in_units(prepared: Prepared) -> Traits:
    """The traits, with the columns that are on another scale in the words for units."""
    table = prepared.table
    if table is None or not table.transforms:
        return prepared.traits
    scales = listed(list(table.scale_words.values()))
    return replace(prepared.traits, units=f"{prepared.traits.units}, and {scales}")


def _checked(result: Result, moved: Rearranged, inquiry: Inquiry, watch: Watch) -> Result:
    """The result, with whether other units and another order of the columns lead to the same answer."""
    other = replace(inquiry, known=inquiry.known.in_order(moved.order)).learn(moved.prepared, watch)
    if other.status.stopped_early:
        return result
    mine = result
    if inquiry.searched is not inquiry.prepared:  # the other answer is from the sample alone
        nll = inquiry.searched.refit(result.dag.to_numpy() != 0, None, watch).nll
        mine = replace(result, objective=result.objective - result.nll + nll)
    same = same_answer(mine, other, moved.order, moved.shift)
    seconds = watch.seconds - watch.compiling
    return replace(result, evidence=replace(result.evidence, same_when_rescaled=same), seconds=seconds)
