"""`confidence`: learn again from resamples of the rows, under one or several models; count what comes again.

Every resample is a fit of its own. Of the answer from all rows only an order is handed on, as one start
beside another: measured, it does not make the answer look more stable than it is. Resamples are independent
tasks and go through joblib, so that a surrounding `joblib.parallel_config` may send them to a cluster. Their
rows depend on the seed and on their number alone, so the shares do not depend on who computes them. Those of
all models are one pool of tasks.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.errors import DataError, OptionError, SparsestError
from sparsest._core.linalg import sensible_threads
from sparsest._core.notices import tell
from sparsest._core.paths import given_path
from sparsest._core.progress import Status, Step, Watch
from sparsest._core.spreading import WorkersLostError, spread
from sparsest._core.validation import whole
from sparsest.confidence.asking import HANDLED, given_options, grouped, inquired
from sparsest.confidence.calibration import MODELS as CALIBRATED
from sparsest.confidence.drawing import HOWS, Drawing, units_of
from sparsest.confidence.keeping import Keeper, digest_of
from sparsest.confidence.misfit import Misfit, misfit
from sparsest.confidence.partials import strengths
from sparsest.confidence.searching import cheaper, dearer, in_resamples
from sparsest.confidence.shares import Confidence, packed_classes
from sparsest.confidence.simulated import Simulated
from sparsest.confidence.streamed import Streamed
from sparsest.fit import Inquiry
from sparsest.models.base import Prepared
from sparsest.models.choosing import Choices, settings_of, thread_count
from sparsest.result import Result

#: The models that `models="all"` tries, in order: those that the columns do not fit are left out.
ALL_MODELS = ("gaussian", "rank", "mixed", "additive")

#: The most resamples that are learned from once more with cheap edges, and up to how many columns: among many
#: columns 5 % of the pairs are many edges.
MOST_LENIENT, LENIENT_COLUMNS = 50, 30

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@usual_arithmetic
def confidence(
    data: Any,
    *,
    resamples: int = 100,
    models: Sequence[str] | str | None = None,
    how: str = "half",
    groups: str | ArrayLike | None = None,
    blocks: int | None = None,
    store: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Step], object] | None = None,
    **fit_options: Any,
) -> Confidence:
    """How sure each edge is: learn again from resamples of the rows and count what comes again.

    Parameters
    ----------
    data : array, data frame, path or Moments
        As for `fit`. For `Moments`, which have no rows, covariances are simulated. The halves of a file
        larger than memory are filled in one pass over it; each row falls into either half by a fair coin.
    resamples : int
        How many resamples to learn from, per model.
    models : list of str or "all", optional
        Models to learn under in place of one `model`; "all" are those among gaussian, rank, mixed and
        additive that the columns fit. An edge that comes again under all of them rests on less.
    how : {"half", "bootstrap"}
        "half": half of the rows without replacement, in complementary pairs (stability selection). An edge
        must then be visible in half of the data. "bootstrap": as many rows as there are, with replacement;
        as repeated rows make edges look stronger, each costs 1/(2n) more (Steck & Jaakkola, 2003).
    groups : str or array of shape (n,), optional
        A label per row; rows with the same label, such as those of one patient, stay together. The name of
        a column takes the labels from it, and leaves it out of the model.
    blocks : int, optional
        The length of blocks of consecutive rows that stay together, for rows in the order of time.
    store : path, optional
        A file that keeps every finished resample: the same call continues from it after it was stopped.
    n_jobs : int, optional
        How many processes to use; the shares do not depend on it. By default one, or what a surrounding
        `joblib.parallel_config` says.
    time_limit : float, optional
        Seconds after which the resamples so far are returned, marked by their status.
    progress : callable, optional
        Called with a `Step` after every resample.
    **fit_options
        All other options of `fit`.

    Returns
    -------
    Confidence
        Ctrl-C also returns the resamples so far, marked by their status.

    Raises
    ------
    DataError, OptionError
        Where `fit` would raise them, and if rows cannot be drawn, or the store belongs to other data.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> x = np.random.default_rng(0).normal(size=(200, 3))
    >>> x[:, 2] += x[:, 0] + x[:, 1]
    >>> found = sp.confidence(x, resamples=20, models=["gaussian", "rank"])
    >>> found
    <Confidence: 40 resamples (half) of 3 columns under gaussian, rank, agreement 100 %>
    >>> found.edges()["holds"].to_list()
    ['holds under gaussian and rank', 'holds under gaussian and rank']
    """
    wanted = whole("resamples", resamples, least=1)
    if how not in HOWS:
        raise OptionError(f"how must be 'half' or 'bootstrap', not {how!r}")
    if n_jobs is not None:
        thread_count(n_jobs)  # refuses what is no number of processes
    watch = Watch.checked(time_limit, progress)
    asked = given_options("confidence", fit_options, ("n_jobs", *HANDLED))
    if isinstance(groups, str):
        data, asked, groups = grouped(data, asked, groups, watch)
    plan = _Plan(wanted, how, groups, blocks, n_jobs)
    inquiries = list(_inquiries(data, models, asked, watch))
    with watch.listening(), _kept(store) as keeper:
        found = _shares(inquiries, [_answered(one, watch) for one in inquiries], plan, keeper, watch)
    return found[0] if len(found) == 1 else _together(found)


@dataclass(frozen=True, eq=False)
class _Plan:
    """How many resamples of which kind, and by how many workers."""

    resamples: int
    how: str
    groups: ArrayLike | None
    blocks: int | None
    n_jobs: int | None
    lenient: int = 0  # how many resamples are learned from once more with cheap edges


class Learned(NamedTuple):
    """What a resample led to: the class, how often rows were drawn again, and whether it was cut short.

    `lenient` is the class where edges are cheap, if it was asked for.
    """

    number: int
    essential: Mask
    redrawn: int
    status: Status
    lenient: Mask | None = None


def _inquiries(
    data: Any, models: Sequence[str] | str | None, given: Mapping[str, Any], watch: Watch
) -> Iterator[Inquiry]:
    """The table prepared under each model."""
    if models is None:
        yield inquired(data, given, watch)
        return
    if given["model"] != "auto":
        raise OptionError("pass either model or models, not both")
    if not models or not isinstance(models, str | Sequence) or (isinstance(models, str) and models != "all"):
        raise OptionError(
            f"models must be 'all' or a list of names such as ['gaussian', 'rank'], not {models!r}"
        )
    refusals, names = [], set()
    for model in ALL_MODELS if models == "all" else models:
        try:
            inquiry = inquired(data, {**given, "model": model}, watch)
            if (name := inquiry.prepared.model) in names:
                raise OptionError(f"models names {name!r} twice: name each model once")
            names.add(name)
            yield inquiry
        except SparsestError as error:
            if models != "all":
                raise
            refusals.append(f"{model}: {error}")
    if len(refusals) == len(ALL_MODELS):
        raise DataError("no model fits these columns: " + "; ".join(refusals))


def _answered(inquiry: Inquiry, watch: Watch) -> Result:
    """The answer from all rows under one model."""
    tell(inquiry.notices)
    return inquiry.answer(watch)


def resampled(result: Result, inquiry: Inquiry, resamples: int, n_jobs: int | None, watch: Watch) -> Result:
    """A result of `fit`, with the shares of halves of its rows."""
    wanted = whole("resamples", resamples, least=1)
    lenient = min(wanted, MOST_LENIENT) if inquiry.prepared.p <= LENIENT_COLUMNS else 0
    plan = _Plan(wanted, "half", None, None, n_jobs, lenient)
    (found,) = _shares([inquiry], [result], plan, Keeper(None), watch)
    return replace(result, confidence=replace(found, result=None), seconds=watch.seconds)


def _shares(
    inquiries: Sequence[Inquiry], results: Sequence[Result], plan: _Plan, keeper: Keeper, watch: Watch
) -> list[Confidence]:
    """How often each mark comes again under each model, beside the results of all rows."""
    workers = [
        _Worker(
            replace(one, source=None),  # workers need not have the data as given
            in_resamples(one.prepared, one.choices, result.dag.matrix != 0),
            _draws(one, plan),
            plan.lenient,
        )
        for one, result in zip(inquiries, results, strict=True)
    ]
    kept = [keeper.of(worker.identity(plan)) for worker in workers]
    done = [one.begin(plan.resamples) for one in kept]
    stop = _fill(done, workers, kept, plan, watch)
    return [
        _counted(worker, result, plan, found, stop)
        for worker, result, found in zip(workers, results, done, strict=True)
    ]


def _fill(
    done: Sequence[dict[int, Learned]],
    workers: Sequence[_Worker],
    kept: Sequence[Keeper],
    plan: _Plan,
    watch: Watch,
) -> Status:
    """Learn from the resamples that are left, those of all models in one pool; why it ended."""
    tasks = [(m, k) for k in range(plan.resamples) for m in range(len(workers)) if k not in done[m]]
    began, total = watch.seconds, plan.resamples * len(workers)
    work = _Work(tuple(workers))
    try:
        for count, (task, learned) in enumerate(spread(work, tasks, plan.n_jobs, watch), 1):
            if learned.status in (Status.TIME_LIMIT, Status.INTERRUPTED):
                continue
            done[task[0]][learned.number] = learned
            kept[task[0]].keep(learned)
            left = (watch.seconds - began) / count * (len(tasks) - count)
            watch.report(f"resamples of {total}", sum(map(len, done)), math.nan, left)
    except WorkersLostError as error:
        finished = sum(map(len, done))
        tell((f"{error}: {finished} of {total} resamples are finished, and the shares are of these",))
        return Status.WORKERS_LOST
    return watch.stop or Status.INTERRUPTED


def _counted(
    worker: _Worker, result: Result, plan: _Plan, done: Mapping[int, Learned], stop: Status
) -> Confidence:
    every = [done[k] for k in sorted(done)]
    essentials = np.array([one.essential for one in every], dtype=bool).reshape(
        -1, *result.cpdag.matrix.shape
    )
    backward = essentials.transpose(0, 2, 1)
    packed, repeats = packed_classes(essentials)
    cheap = [one.lenient for one in every if one.lenient is not None]
    lenient, lenient_repeats = packed_classes(np.array(cheap)) if cheap else (None, None)
    return Confidence(
        arrows=(essentials & ~backward).sum(axis=0),
        lines=(essentials & backward).sum(axis=0),
        resamples=len(every),
        asked=plan.resamples,
        how=worker.draws.how,
        answer=result.cpdag,
        redrawn=sum(one.redrawn for one in every),
        status=stop if len(every) < plan.resamples else Status.CONVERGED,
        knowledge=result.knowledge,
        result=result,
        model=result.model,
        n=result.n,
        misfit=_misfit(worker.inquiry.prepared, result),
        strength=_strength(worker.inquiry.prepared, result, essentials),
        packed=packed,
        repeats=repeats,
        lenient=lenient,
        lenient_repeats=lenient_repeats,
    )


def _misfit(prepared: Prepared, result: Result) -> Misfit | None:
    """How far the rows are from a linear Gaussian model, for the models whose shares are calibrated."""
    if result.model not in CALIBRATED or prepared.table is None:
        return None
    return misfit(prepared.table.values, result.dag.matrix != 0)


def _strength(prepared: Prepared, result: Result, essentials: Mask) -> Array | None:
    """How strong the edges are that were ever found, for the models whose shares are calibrated."""
    if result.model not in CALIBRATED or prepared.moments is None:
        return None
    ever = np.logical_or.reduce(essentials, axis=0, initial=False) | (result.cpdag.matrix != 0)
    return strengths(prepared.moments.covariance, result.dag.matrix != 0, ever)


@dataclass(frozen=True, eq=False)
class _Work:
    """Learns from a resample under a model: what all tasks share, handed to each process once."""

    workers: tuple[_Worker, ...]

    def __call__(self, task: tuple[int, int], watch: Watch) -> tuple[tuple[int, int], Learned]:
        """What resample `task[1]` leads to under model `task[0]`."""
        return task, self.workers[task[0]](task[1], watch)


@dataclass(frozen=True, eq=False)
class _Worker:
    """Draws resamples of a table and learns from them under one model."""

    inquiry: Inquiry
    choices: Choices
    draws: Drawing | Simulated | Streamed
    lenient: int = 0

    def __call__(self, number: int, watch: Watch) -> Learned:
        """Draw a resample and learn from it, on one thread throughout: BLAS threads that wait burn a core."""
        with sensible_threads(self.inquiry.prepared.p):
            return self._learned(number, watch)

    def _learned(self, number: int, watch: Watch) -> Learned:
        prepared, redrawn = self.draws.resample(self.inquiry.prepared, number)
        choices = dearer(self.choices, prepared) if self.draws.how == "bootstrap" else self.choices
        result = self.inquiry.learn(prepared, watch, choices)
        essential, status, more = result.cpdag.matrix != 0, result.status, None
        if number < self.lenient and (cheap := cheaper(self.choices, prepared)) is not None:
            other = self.inquiry.learn(prepared, watch, cheap)
            more = other.cpdag.matrix != 0
            status = other.status if other.status.stopped_early else status
        return Learned(number, essential, redrawn, status, more)

    def identity(self, plan: _Plan) -> dict[str, Any]:
        """Everything that the resamples depend on, in plain values."""
        prepared, choices = self.inquiry.prepared, self.inquiry.choices
        settings = settings_of(choices=choices, max_parents=choices.max_parents, **self.inquiry.settings)
        return {
            "outline": {"names": list(prepared.names), "n": float(prepared.n)},
            "table": digest_of(prepared),
            "how": plan.how,
            "units": self.draws.identity(),
            "knowledge": digest_of(self.inquiry.known),
            "settings": {key: str(value) for key, value in settings.items()} | {"model": prepared.model},
        }


def _draws(inquiry: Inquiry, plan: _Plan) -> Drawing | Simulated | Streamed:
    prepared, source, seed = inquiry.prepared, inquiry.source, inquiry.choices.seed
    if prepared.audited is not None:
        units = units_of(len(prepared.audited.values), plan.groups, plan.blocks)
        return Drawing.checked(plan.how, units, seed, prepared.p)
    if source is not None and source.given is None and source.streamed:
        return Streamed.checked(source, plan.how, plan.groups, plan.blocks, plan.resamples, seed)
    return Simulated.checked(prepared, plan.how, plan.groups, plan.blocks, seed)


def _kept(store: str | os.PathLike[str] | None) -> AbstractContextManager[Keeper]:
    return nullcontext(Keeper(None)) if store is None else Keeper.opened(given_path(store))


def _together(found: Sequence[Confidence]) -> Confidence:
    """All models as one: every resample of every model counts the same."""
    first = found[0]
    names = [one.result.model if one.result is not None else "" for one in found]
    return replace(
        first,
        arrows=np.sum([one.arrows for one in found], axis=0),
        lines=np.sum([one.lines for one in found], axis=0),
        resamples=sum(one.resamples for one in found),
        asked=sum(one.asked for one in found),
        by_model=dict(zip(names, found, strict=True)),
        redrawn=sum(one.redrawn for one in found),
        status=next((one.status for one in found if one.status is not Status.CONVERGED), Status.CONVERGED),
        strength=_strongest([one.strength for one in found]),
        packed=np.concatenate([one.packed for one in found if one.packed is not None]),
        repeats=np.concatenate([one.repeats for one in found if one.repeats is not None]),
    )


def _strongest(strengths: Sequence[Array | None]) -> Array | None:
    """The strength under the model where it is largest; a pair has none where it was never joined."""
    known = [one for one in strengths if one is not None]
    return np.maximum.reduce(known) if len(known) == len(strengths) else None
