"""How resamples are searched: what differs from the search for the answer from all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sparsest.graph.acyclicity import order_near
from sparsest.models.base import Prepared
from sparsest.models.choosing import Choices, penalty_of
from sparsest.penalties import L0

Mask = NDArray[np.bool_]

#: Half of the 95 % quantile of χ² with one degree of freedom: what a parameter must gain to be significant.
LENIENT = 1.92


def in_resamples(prepared: Prepared, choices: Choices, answer: Mask) -> Choices:
    """The choices for resamples: one thread each, and a head start where an order search is our choice.

    The first chain starts at the answer from all rows; others, from anywhere, follow where its closer looks
    find something. That takes a fraction of the time of a search from scratch and finds graphs as good, which
    are no nearer to the answer than the best ones known (bench's `warm-starts`).
    """
    choices = replace(choices, n_jobs=None)
    ours = choices.solver == "auto" and prepared.default_solver == "order"
    if not ours or prepared.moments is None:
        return choices
    from sparsest.search import OrderSearch
    from sparsest.search.order import canonical_order, usual_patience

    start = tuple(order_near(canonical_order(prepared.moments.covariance).tolist(), answer))
    patience = usual_patience(len(answer)) / 2
    return replace(choices, solver=OrderSearch(choices.seed, patience=patience, start=start, alone=True))


def dearer(choices: Choices, prepared: Prepared) -> Choices:
    """Edges cost 1/(2n) more per parameter in a bootstrap sample.

    Resampling adds as much noise as there is: twice the log-likelihood that a superfluous parameter gains, 1
    on average, becomes 2 (Steck & Jaakkola, 2003).
    """
    price = penalty_of(choices.penalty, prepared)
    return replace(choices, penalty=L0(price.cost + 0.5 / prepared.n)) if isinstance(price, L0) else choices


def cheaper(choices: Choices, prepared: Prepared) -> Choices | None:
    """Edges cost no more than a test at the 5 % level asks of them; None where they are as cheap already.

    A criterion that charges more leaves out edges that the rows speak for, if not loudly. Whether they are
    there decides on arrows elsewhere, and the same half-truth may come up in every resample.
    """
    price = penalty_of(choices.penalty, prepared)
    cost = LENIENT / prepared.n
    if not isinstance(price, L0) or price.cost <= cost:
        return None
    return replace(choices, penalty=L0(cost))
