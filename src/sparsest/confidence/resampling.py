"""`confidence`: learn again from resamples of the rows, under one or several models; count what comes again.

Every resample is a fit of its own, from its own start: nothing of the answer from all rows is handed on, as
that would make it look more stable than it is. Resamples are independent tasks and go through joblib, so that
a surrounding `joblib.parallel_config` may send them to a cluster. Their rows depend on the seed and on their
number alone, so the shares do not depend on who computes them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsest._core.errors import DataError, OptionError, SparsestError
from sparsest._core.notices import tell
from sparsest._core.progress import Status, Step, Watch
from sparsest._core.validation import whole
from sparsest.confidence.asking import HANDLED, given_options, inquired
from sparsest.confidence.drawing import HOWS, Drawing, units_of
from sparsest.confidence.keeping import Keeper, digest_of
from sparsest.confidence.shares import Confidence
from sparsest.confidence.simulated import Simulated
from sparsest.fit import Inquiry
from sparsest.models.base import Prepared
from sparsest.models.choosing import Choices, penalty_of, settings_of
from sparsest.penalties import L0
from sparsest.result import Result

#: The models that `models="all"` tries, in order: those that the columns do not fit are left out.
ALL_MODELS = ("gaussian", "rank", "mixed", "additive")

Mask = NDArray[np.bool_]


def confidence(
    data: Any,
    *,
    resamples: int = 100,
    models: Sequence[str] | str | None = None,
    how: str = "half",
    groups: ArrayLike | None = None,
    blocks: int | None = None,
    store: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Step], None] | None = None,
    **fit_options: Any,
) -> Confidence:
    """How sure each edge is: learn again from resamples of the rows and count what comes again.

    Parameters
    ----------
    data : array, data frame, path or Moments
        As for `fit`. For `Moments`, which have no rows, covariances are simulated.
    resamples : int
        How many resamples to learn from, per model.
    models : list of str or "all", optional
        Models to learn under in place of one `model`; "all" are those among gaussian, rank, mixed and
        additive that the columns fit. An edge that comes again under all of them rests on less.
    how : {"half", "bootstrap"}
        "half": half of the rows without replacement, in complementary pairs (stability selection). An edge
        must then be visible in half of the data. "bootstrap": as many rows as there are, with replacement;
        as repeated rows make edges look stronger, each costs 1/(2n) more (Steck & Jaakkola, 2003).
    groups : array of shape (n,), optional
        A label per row; rows with the same label, such as those of one patient, stay together.
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
    watch = Watch.checked(time_limit, progress)
    asked = given_options("confidence", fit_options, ("n_jobs", *HANDLED))
    plan = _Plan(wanted, how, groups, blocks, n_jobs)
    inquiries = list(_inquiries(data, models, asked, watch))
    with watch.listening(), _kept(store) as keeper:
        found = [_over_resamples(inquiry, plan, keeper, watch) for inquiry in inquiries]
    return found[0] if len(found) == 1 else _together(found)


@dataclass(frozen=True, eq=False)
class _Plan:
    """How many resamples of which kind, and by how many workers."""

    resamples: int
    how: str
    groups: ArrayLike | None
    blocks: int | None
    n_jobs: int | None


class Learned(NamedTuple):
    """What a resample led to: the class, how often rows were drawn again, and whether it was cut short."""

    number: int
    essential: Mask
    redrawn: int
    status: Status


def _inquiries(
    data: Any, models: Sequence[str] | str | None, given: Mapping[str, Any], watch: Watch
) -> Iterator[Inquiry]:
    """The table prepared under each model."""
    if models is None:
        yield inquired(data, given, watch)
        return
    if given["model"] != "auto":
        raise OptionError("pass either model or models, not both")
    if not models or (isinstance(models, str) and models != "all"):
        raise OptionError(
            f"models must be 'all' or a list of names such as ['gaussian', 'rank'], not {models!r}"
        )
    refusals = []
    for model in ALL_MODELS if models == "all" else models:
        try:
            yield inquired(data, {**given, "model": model}, watch)
        except SparsestError as error:
            if models != "all":
                raise
            refusals.append(f"{model}: {error}")
    if len(refusals) == len(ALL_MODELS):
        raise DataError("no model fits these columns: " + "; ".join(refusals))


def _over_resamples(inquiry: Inquiry, plan: _Plan, keeper: Keeper, watch: Watch) -> Confidence:
    """The shares under one model."""
    tell(inquiry.notices)
    return _shares(inquiry, inquiry.answer(watch), plan, keeper, watch)


def resampled(result: Result, inquiry: Inquiry, resamples: int, n_jobs: int | None, watch: Watch) -> Result:
    """A result of `fit`, with the shares of halves of its rows."""
    plan = _Plan(whole("resamples", resamples, least=1), "half", None, None, n_jobs)
    found = _shares(inquiry, result, plan, Keeper(None), watch)
    return replace(result, confidence=replace(found, result=None), seconds=watch.seconds)


def _shares(inquiry: Inquiry, result: Result, plan: _Plan, keeper: Keeper, watch: Watch) -> Confidence:
    """How often each mark comes again, beside the result of all rows."""
    draws = _draws(inquiry.prepared, plan, inquiry.choices.seed)
    worker = _Worker(_single_threaded(inquiry), draws)
    done = keeper.begin(worker.identity(plan), plan.resamples)
    for learned in _learned(worker, [k for k in range(plan.resamples) if k not in done], plan.n_jobs, watch):
        if learned.status in (Status.TIME_LIMIT, Status.INTERRUPTED):
            continue
        done[learned.number] = learned
        keeper.keep(learned)
        watch.report(f"resamples of {plan.resamples}", len(done), math.nan)
    every = [done[k] for k in sorted(done)]
    essentials = np.array([one.essential for one in every]).reshape(-1, *result.cpdag.matrix.shape)
    backward = essentials.transpose(0, 2, 1)
    return Confidence(
        arrows=(essentials & ~backward).sum(axis=0),
        lines=(essentials & backward).sum(axis=0),
        resamples=len(every),
        asked=plan.resamples,
        how=draws.how,
        answer=result.cpdag,
        redrawn=sum(one.redrawn for one in every),
        status=(watch.stop or Status.INTERRUPTED) if len(every) < plan.resamples else Status.CONVERGED,
        knowledge=result.knowledge,
        result=result,
    )


@dataclass(frozen=True, eq=False)
class _Worker:
    """Learns from one resample after the other; what a task needs, handed to each process once."""

    inquiry: Inquiry
    draws: Drawing | Simulated

    def __call__(self, number: int, watch: Watch | None = None) -> Learned:
        """Draw a resample and learn from it."""
        prepared, redrawn = self.draws.resample(self.inquiry.prepared, number)
        choices = _dearer(self.inquiry.choices, prepared) if self.draws.how == "bootstrap" else None
        result = self.inquiry.learn(prepared, Watch() if watch is None else watch, choices)
        return Learned(number, result.cpdag.matrix != 0, redrawn, result.status)

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


def _single_threaded(inquiry: Inquiry) -> Inquiry:
    return replace(inquiry, choices=replace(inquiry.choices, n_jobs=None))


def _dearer(choices: Choices, prepared: Prepared) -> Choices:
    """Edges cost 1/(2n) more per parameter in a bootstrap sample.

    Resampling adds as much noise as there is: twice the log-likelihood that a superfluous parameter gains, 1
    on average, becomes 2 (Steck & Jaakkola, 2003).
    """
    price = penalty_of(choices.penalty, prepared)
    return replace(choices, penalty=L0(price.cost + 0.5 / prepared.n)) if isinstance(price, L0) else choices


def _draws(prepared: Prepared, plan: _Plan, seed: int) -> Drawing | Simulated:
    if prepared.audited is None:
        return Simulated.checked(prepared, plan.how, plan.groups, plan.blocks, seed)
    units = units_of(len(prepared.audited.values), plan.groups, plan.blocks)
    return Drawing(plan.how, units, seed)


def _learned(worker: _Worker, numbers: Sequence[int], n_jobs: int | None, watch: Watch) -> Iterator[Learned]:
    """Each resample when it is finished, until it is time to stop."""
    if _workers(n_jobs) == 1:
        for number in numbers:
            if watch.stop is not None:
                return
            yield worker(number, watch.silent())
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    found = parallel(delayed(worker)(number) for number in numbers)
    try:
        for learned in found:
            yield learned
            if watch.stop is not None:
                return
    finally:
        found.close()  # tasks that have not begun are dropped


def _workers(n_jobs: int | None) -> int:
    """How many workers joblib would use."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(-1 if n_jobs is None and _surrounded() else 1 if n_jobs is None else n_jobs))


def _surrounded() -> bool:
    """Whether a surrounding `joblib.parallel_config` asks for more than one worker."""
    from joblib.parallel import get_active_backend

    return bool(get_active_backend()[1] not in (1, None))


def _kept(store: str | os.PathLike[str] | None) -> AbstractContextManager[Keeper]:
    return nullcontext(Keeper(None)) if store is None else Keeper.opened(Path(store))


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
    )
