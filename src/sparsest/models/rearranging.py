"""The same table with its columns in other units and another order, for `fit(check=True)`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest.models.base import Prepared


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
