"""The same table in other units and another order of its columns: what `check=True` learns from again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest.models.base import Prepared


class Rearranged(NamedTuple):
    """The other table, the order of its columns, and by how much its units raise every NLL."""

    prepared: Prepared
    order: NDArray[np.intp]
    shift: float


def rearranged(prepared: Prepared, seed: int) -> Rearranged:
    """Columns in a random order; those that have units come in random units.

    Columns that the model does not take as Gaussian, such as counts, keep theirs.
    """
    rng = np.random.default_rng([seed, prepared.p])
    order = rng.permutation(prepared.p)
    units = 10.0 ** rng.uniform(-3, 3, prepared.p)
    units = np.where(prepared.has_units[order], units, 1.0)
    return Rearranged(prepared.rearranged(order, units), order, float(np.log(units).sum()))
