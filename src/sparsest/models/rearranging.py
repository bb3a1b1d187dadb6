"""The same table with its columns in other units and another order, for `fit(check=True)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest.models.base import Prepared

if TYPE_CHECKING:
    from sparsest.result import Result

_TIE = 1e-7  # likelihoods closer than this are equal: about what the ridge of separated fits moves them by


class Rearranged(NamedTuple):
    """The other table, the order of its columns, and the amount by which its units raise every NLL."""

    prepared: Prepared
    order: NDArray[np.intp]
    shift: float


def rearranged(prepared: Prepared, seed: int) -> Rearranged:
    """The columns in random order and, where they have units, in random units.

    Columns that the model does not treat as Gaussian, such as counts, keep their units.
    """
    rng = np.random.default_rng([seed, prepared.p])
    order = rng.permutation(prepared.p)
    units = 10.0 ** rng.uniform(-3, 3, prepared.p)
    units = np.where(prepared.has_units[order], units, 1.0)
    return Rearranged(prepared.rearranged(order, units), order, float(np.log(units).sum()))


def same_answer(result: Result, again: Result, order: NDArray[np.intp], shift: float) -> bool:
    """Whether two results agree, the second learned from the columns in another order.

    Where the model identifies the class, the classes must be equal. Where it identifies the DAG, the DAGs
    must be equal, or belong to one class and have the same objective: for two binary columns both directions
    fit equally well. `shift` is the amount by which the other units raise every NLL.
    """
    among = np.ix_(order, order)
    if not np.array_equal(again.cpdag.to_numpy(), result.cpdag.to_numpy()[among]):
        return False
    if result.identifies == "class" or np.array_equal(again.dag.to_numpy(), result.dag.to_numpy()[among]):
        return True
    return abs(again.objective - shift - result.objective) < _TIE
