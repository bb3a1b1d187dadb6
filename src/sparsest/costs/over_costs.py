"""`path`: learn at every cost of a range, hold rows out, draw subsamples; `fit` chooses a cost from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.errors import OptionError
from sparsest._core.notices import tell
from sparsest._core.progress import Status, Step, Watch
from sparsest._core.spreading import WorkersLostError, spread
from sparsest._core.validation import whole
from sparsest.confidence.asking import HANDLED, given_options, inquired
from sparsest.costs.grid import POINTS, checked_costs, default_costs
from sparsest.costs.in_words import reason
from sparsest.costs.judging import (
    HeldOut,
    Joined,
    Judge,
    all_held_out,
    held_out_refusal,
    instabilities,
    stability_refusal,
)
from sparsest.costs.points import Path, Point
from sparsest.costs.splits import splits_of
from sparsest.costs.walking import Answer, refuse_uncounted, walk
from sparsest.fit import Inquiry, reported
from sparsest.models.base import Prepared
from sparsest.models.choosing import Plan, plan
from sparsest.penalties.criteria import cost_per_edge
from sparsest.result import Result

FOLDS = 5
SUBSAMPLES = 20


@usual_arithmetic
def path(
    data: Any,
    *,
    costs: Sequence[float] | None = None,
    points: int = POINTS,
    folds: int = FOLDS,
    subsamples: int = SUBSAMPLES,
    groups: ArrayLike | None = None,
    blocks: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Step], object] | None = None,
    **fit_options: Any,
) -> Path:
    """Answers over a range of costs of an edge, how well each predicts, and how far it comes again.

    The costs go from high to low, and a search over orders starts from its neighbour's order. At every cost
    the best of all graphs found along the way is kept, so that edges never become more as they become dearer.

    Parameters
    ----------
    data : array, data frame, path or Moments
        As for `fit`.
    costs : list of float, optional
        The costs of an edge, in units of the log-likelihood of a row. By default they are evenly spaced in
        logarithms from where the graph is empty, or nearly so, to a quarter of the BIC's, with those of the
        BIC and the extended BIC in between.
    points : int
        How many costs to take by default, these two not counted.
    folds : int
        Into how many folds the rows are divided for cross-validation; 0 leaves it out.
    subsamples : int
        How many subsamples of ⌊10√n⌋ rows (0.8 n up to 144 rows) are drawn for StARS; 0 leaves it out. For
        `Moments`, which have no rows, their covariances are simulated.
    groups : array of shape (n,), optional
        A label per row; rows with the same label stay together in folds and subsamples.
    blocks : int, optional
        The length of blocks of consecutive rows that stay together, for rows in the order of time.
    n_jobs : int, optional
        How many processes to use for folds and subsamples; the numbers do not depend on it. By default one,
        or what a surrounding `joblib.parallel_config` says.
    time_limit : float, optional
        Seconds after which what is finished is returned, marked by its status.
    progress : callable, optional
        Called with a `Step` after every cost, fold and subsample.
    **fit_options
        All other options of `fit`, but for `penalty`, whose place the costs take.

    Returns
    -------
    Path
        Ctrl-C also returns what is finished, marked by its status.

    Raises
    ------
    DataError, OptionError
        Where `fit` would raise them; if costs are not positive, or fewer than two; if there are too few rows
        for the folds; and for solvers with a penalty of their own.

    Notes
    -----
    That takes (1 + folds + subsamples) · costs fits, by default more than 500. Where the solver is left to
    `fit`, folds and subsamples are learned by a shorter search. The costs are the same on fewer rows.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 300))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=300)
    >>> found = sp.path(np.column_stack([rain, sprinkler, wet]), points=6)
    >>> found.table()["edges"].to_list()
    [0, 2, 2, 2, 2, 2, 2, 2]
    >>> found.choose("stars").cost < found.choose("ebic").cost
    True
    """
    asked = given_options("path", fit_options, ("n_jobs", *HANDLED))
    if asked["penalty"] != "auto":
        raise OptionError("a path goes over costs: leave penalty out, and pass costs=[...] to set them")
    wanted = _Wanted(
        checked_costs(costs), points, _several("folds", folds), _several("subsamples", subsamples),
        groups, blocks, n_jobs,
    )  # fmt: skip
    watch = Watch.checked(time_limit, progress)
    inquiry = inquired(data, asked, watch)
    tell(inquiry.notices)
    with watch.listening():
        return over_costs(inquiry, wanted, watch)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Which costs, folds and subsamples, and by how many workers."""

    costs: tuple[float, ...] | None = None
    points: int = POINTS
    folds: int = FOLDS
    subsamples: int = SUBSAMPLES
    groups: ArrayLike | None = None
    blocks: int | None = None
    n_jobs: int | None = None


def chosen(inquiry: Inquiry, rule: str, n_jobs: int | None, watch: Watch) -> Result:
    """The result of `fit(penalty=rule)`; by the extended BIC if there was no time for the rule."""
    if math.isinf(inquiry.prepared.n):
        raise OptionError(
            f"penalty={rule!r} looks at how answers vary between samples, and a population covariance (n = "
            "inf) does not vary: pass the cost per edge as a number, for example penalty=0.01"
        )
    by_folds = rule.startswith("cv")
    wanted = _Wanted(folds=FOLDS if by_folds else 0, subsamples=0 if by_folds else SUBSAMPLES, n_jobs=n_jobs)
    found = over_costs(inquiry, wanted, watch)
    if rule not in found.rules and not found.status.stopped_early:
        raise OptionError(f"penalty={rule!r} cannot be followed: {'; '.join(found.notes)}")
    used = rule if rule in found.rules else "ebic"
    point = found.choose(used)
    because = f"chosen by {used} from {len(found.points)} costs: {reason(found, used, point)}"
    if used != rule:
        because = f"{because} (stopped before there was anything to choose by {rule})"
    result = point.result
    return replace(
        result,
        evidence=replace(result.evidence, penalty_because=because),
        settings={**result.settings, "penalty": rule},
        status=found.status if found.status.stopped_early else result.status,
        seconds=watch.seconds,
    )


def over_costs(inquiry: Inquiry, wanted: _Wanted, watch: Watch) -> Path:
    """The path of a prepared table."""
    alone = replace(inquiry, choices=replace(inquiry.choices, n_jobs=None))
    prepared = inquiry.prepared
    planned = plan(prepared, replace(alone.choices, penalty=1.0), inquiry.known)
    refuse_uncounted(planned)
    costs = wanted.costs or default_costs(
        wanted.points, planned.problem, prepared.n, partial(_is_empty, prepared, planned, watch)
    )
    no_folds, no_subsamples = held_out_refusal(prepared), stability_refusal(prepared)
    folds = 0 if no_folds else wanted.folds
    subsamples = 0 if no_subsamples else wanted.subsamples
    splits = splits_of(prepared, wanted.groups, wanted.blocks, folds, inquiry.choices.seed)
    answers = walk(prepared, planned, costs, watch)
    judge = Judge(alone, splits, folds, tuple(one.cost for one in answers))
    held_out, joined, stop = _judged(judge, folds + subsamples, wanted.n_jobs, watch)
    missing = [no_folds] * bool(wanted.folds) + [no_subsamples] * bool(wanted.subsamples)
    done = len(answers) == len(costs) and len(held_out) == folds and len(joined) == subsamples
    return Path(
        points=_points(alone, answers, held_out, joined, watch),
        folds=len(held_out),
        subsamples=len(joined),
        asked=(len(costs), folds, subsamples),
        notes=tuple(note for note in missing if note),
        status=Status.CONVERGED if done else stop,
        seconds=watch.seconds,
    )


def _is_empty(prepared: Prepared, planned: Plan, watch: Watch, cost: float) -> bool:
    """Whether no edge is left at a cost but those that must be; also when it is time to stop."""
    (answer,) = walk(prepared, planned, [cost], watch.silent())
    return watch.stop is not None or bool((answer.found.graph == planned.problem.required).all())


def _judged(
    judge: Judge, tasks: int, n_jobs: int | None, watch: Watch
) -> tuple[list[HeldOut], list[Joined], Status]:
    """What folds and subsamples led to, in the order of their numbers, and why that was all."""
    done: dict[int, HeldOut | Joined] = {}
    stop = None
    try:
        for number, found in spread(judge, range(tasks), n_jobs, watch):
            if found is not None:
                done[number] = found
            watch.report(f"folds and subsamples of {tasks}", len(done), math.nan)
    except WorkersLostError as error:
        tell((f"{error}: {len(done)} of {tasks} folds and subsamples are finished, the path is of these",))
        stop = Status.WORKERS_LOST
    every = [done[number] for number in sorted(done)]
    held_out = [one for one in every if isinstance(one, HeldOut)]
    joined = [one for one in every if isinstance(one, Joined)]
    return held_out, joined, stop or watch.stop or Status.INTERRUPTED


def _points(
    inquiry: Inquiry,
    answers: Sequence[Answer],
    held_out: Sequence[HeldOut],
    joined: Sequence[Joined],
    watch: Watch,
) -> tuple[Point, ...]:
    prepared = inquiry.prepared
    points = []
    for one in answers:
        bare = reported(prepared, one.planned, one.found, one.refit, watch)
        result = inquiry.costing(one.cost).completed(bare, one.planned)
        points.append(Point(result, one.parameters, *_criteria(one, prepared.n, prepared.p)))
    if (all_rows := all_held_out(held_out)) is not None:
        points = [replace(point, **said) for point, said in zip(points, _predicted(all_rows), strict=True)]
    if len(joined) > 1:
        unstable = instabilities([one.pairs for one in joined])
        points = [replace(p, instability=float(u)) for p, u in zip(points, unstable, strict=True)]
    return tuple(points)


def _criteria(one: Answer, n: float, p: int) -> tuple[float | None, float | None]:
    if math.isinf(n):
        return None, None
    bic, ebic = (one.at(cost_per_edge(criterion, n, p)) for criterion in ("bic", "ebic"))
    return bic, ebic


def _predicted(rows: HeldOut) -> list[dict[str, Any]]:
    """The held-out likelihood at each cost, and how far it is behind the best, with standard errors."""
    best, variance = int(np.argmax(rows.mean)), rows.covariance
    apart = variance.diagonal() + variance[best, best] - 2 * variance[best]
    return [
        {
            "held_out": float(rows.mean[k]),
            "held_out_error": math.sqrt(variance[k, k]),
            "behind": float(rows.mean[best] - rows.mean[k]),
            "behind_error": math.sqrt(max(apart[k], 0.0)),
        }
        for k in range(len(rows.mean))
    ]


def _several(name: str, value: int) -> int:
    """0, or at least 2."""
    if whole(name, value) == 1:
        raise OptionError(f"{name} must be at least 2, or 0 to leave it out, not 1")
    return whole(name, value)
