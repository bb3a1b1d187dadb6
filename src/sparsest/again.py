"""The same table in other units and another order of its columns: what a check learns from once more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest.data import Moments
from sparsest.likelihoods import Rows
from sparsest.modelled import ModelRows
from sparsest.models import MLP
from sparsest.result import Result

_TIE = 1e-7  # likelihoods closer than this are equal: about what the ridge of separated fits moves them by


def refuse_unchangeable(source: Moments | Rows | ModelRows) -> None:
    """Refuse a model of the user's own: only its author knows what may be done to its columns."""
    if isinstance(source, ModelRows) and not isinstance(source.model, MLP):
        raise OptionError(
            "check=True learns again from columns in other units and another order, and model "
            f"{source.name} may depend on both: leave check out"
        )


def rearranged(
    source: Moments | Rows | ModelRows, rng: np.random.Generator
) -> tuple[Moments | Rows | ModelRows, NDArray[np.intp], float]:
    """The other table, the order of its columns, and by how much its units raise every NLL.

    Only columns that the model takes as Gaussian come in other units. Others, such as counts, keep theirs.
    """
    order = rng.permutation(source.p)
    units = 10.0 ** rng.uniform(-3, 3, source.p)
    if isinstance(source, Moments):
        covariance = source.covariance[np.ix_(order, order)] * np.outer(units, units)
        names = [source.names[k] for k in order]
        return Moments(covariance, source.n, names=names), order, float(np.log(units).sum())
    units = np.where(source.has_units[order], units, 1.0)
    return source.rearranged(order, units), order, float(np.log(units).sum())


def agree(result: Result, again: Result, order: NDArray[np.intp], shift: float) -> bool:
    """Whether two results say the same, the second learned from the columns in another order.

    Where the model identifies the class, they must have the same class. Where it identifies the DAG, the same
    DAG, or two of one class and the same objective: for two binary columns both directions fit equally well.
    """
    among = np.ix_(order, order)
    if not np.array_equal(again.cpdag.to_numpy(), result.cpdag.to_numpy()[among]):
        return False
    if result.identifies == "class" or np.array_equal(again.dag.to_numpy(), result.dag.to_numpy()[among]):
        return True
    return abs(again.objective - shift - result.objective) < _TIE
