"""`posterior`: the probability of each edge over all DAGs, weighted by how well they explain the table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.errors import DataError, OptionError
from sparsest._core.notices import tell
from sparsest._core.progress import Status, Step, Stopped, Watch
from sparsest._core.validation import whole
from sparsest.confidence.asking import HANDLED, given_options, inquired
from sparsest.confidence.shares import POSTERIOR, Confidence
from sparsest.fit import Inquiry
from sparsest.models.choosing import plan
from sparsest.models.offers import Offers
from sparsest.result import Result

if TYPE_CHECKING:
    from sparsest.averaging.averages import Averages

_SCORES = ("bic", "bge")


@usual_arithmetic
def posterior(
    data: Any,
    *,
    score: str = "bic",
    samples: int = 4000,
    time_limit: float | None = None,
    progress: Callable[[Step], object] | None = None,
    **fit_options: Any,
) -> Confidence:
    """The probability of each edge and arrow over all DAGs, for up to 20 columns.

    The probability of a DAG is proportional to exp(−n · objective), with the objective of `fit`, its penalty
    included. Under ``penalty="bic"`` that approximates the posterior where all DAGs are equally probable
    beforehand; a higher penalty makes edges less probable beforehand. The most probable DAG is the answer of
    `fit`.

    Parameters
    ----------
    data : array, data frame, path or Moments
        As for `fit`.
    score : {"bic", "bge"}
        What a DAG is weighed by: "bic", the objective of `fit`, as above; or "bge", the marginal likelihood
        of Gaussian models under a normal-Wishart prior on standardised columns (Geiger & Heckerman, 2002;
        Kuipers, Moffa & Heckerman, 2014). What the penalty charges beyond BIC is then the prior of an edge.
        `answer` is that of `fit` in both cases.
    samples : int
        How many DAGs to draw where there are more than 5 columns. For up to 5, all DAGs are listed.
    time_limit : float, optional
        Seconds after which it gives up.
    progress : callable, optional
        Called with a `Step` periodically.
    **fit_options
        All other options of `fit`. The model must score each column given its parents: gaussian and rank for
        up to 20 columns, regressions for up to 16, which takes p · 2^(p − 1) fits.

    Returns
    -------
    Confidence
        `arrow`, `undirected` and `adjacency` are probabilities of the marks of the class, and `edge` and
        `ancestor` of edges and directed paths of the DAG, under a prior uniform over DAGs: exact for up to 5
        columns; beyond, from DAGs drawn independently and exactly (Talvitie, Vuoksenmaa & Koivisto, 2020),
        with the standard `error`.
        `edge_probability` is exact for up to 20 columns, under the order-modular prior (Koivisto & Sood,
        2004). What knowledge rules out has probability 0, and what it requires 1.

    Raises
    ------
    DataError, OptionError
        Where `fit` would raise them, and if there are too many columns or infinitely many rows, the model has
        no local scores, or the time is too short.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 500))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
    >>> found = sp.posterior(np.column_stack([rain, sprinkler, wet]))
    >>> found
    <Confidence: posterior of 3 columns, agreement 92 %>
    >>> found.arrow.round(2)
    array([[0.  , 0.  , 0.92],
           [0.  , 0.  , 0.92],
           [0.  , 0.  , 0.  ]])
    """
    wanted = whole("samples", samples, least=1)
    if score not in _SCORES:
        raise OptionError(f"score must be 'bic' or 'bge', not {score!r}")
    watch = Watch.checked(time_limit, progress)
    inquiry = inquired(data, given_options("posterior", fit_options, HANDLED), watch)
    _refuse(inquiry, score)
    tell(inquiry.notices)
    with watch.listening():
        result = inquiry.answer(watch)
        return _confidence(result, _averages(inquiry, score, wanted, watch))


def _refuse(inquiry: Inquiry, score: str) -> None:
    """Refuse what has no posterior, before any work is done."""
    prepared = inquiry.prepared
    if math.isinf(prepared.n):
        raise DataError("a population (n = inf) leaves nothing uncertain: fit says which class it has")
    if not {Offers.COVARIANCE, Offers.LOCAL} & set(prepared.offers):
        raise OptionError(
            f"the posterior needs a score of each column given its parents, which the model "
            f"{prepared.model!r} does not have: use 'gaussian', 'rank', 'additive' or 'mixed', or resamples "
            "(sparsest.confidence)"
        )
    if score == "bge" and Offers.COVARIANCE not in prepared.offers:
        raise OptionError(
            f"score='bge' is for Gaussian models ('gaussian', 'rank'), not for {prepared.model!r}: use 'bic'"
        )
    from sparsest.averaging.family_weights import refuse_too_many

    refuse_too_many(_problem(inquiry))


def _problem(inquiry: Inquiry) -> Any:
    """The problem that the exact search would solve, whichever solver gives the answer."""
    choices = replace(inquiry.choices, solver="exact", threshold=None)
    return plan(inquiry.prepared, choices, inquiry.known).problem


def _averages(inquiry: Inquiry, score: str, samples: int, watch: Watch) -> Averages:
    from sparsest.averaging.averages import averages

    try:
        return averages(_problem(inquiry), inquiry.prepared.n, samples, inquiry.choices.seed, watch, score)
    except Stopped:
        if watch.stop is Status.INTERRUPTED:
            raise KeyboardInterrupt from None
        raise OptionError(
            "the time limit was reached before the posterior was there, and a part of it would say nothing: "
            "give it more time, or fewer columns or samples"
        ) from None


def _confidence(result: Result, found: Averages) -> Confidence:
    return Confidence(
        arrows=found.arrow,
        lines=found.undirected,
        resamples=0,
        asked=0,
        how=POSTERIOR,
        answer=result.cpdag,
        knowledge=result.knowledge,
        result=result,
        edge=found.edge,
        ancestor=found.ancestor,
        edge_probability=found.order_edge,
        error=found.error,
        graphs=found.graphs,
    )
