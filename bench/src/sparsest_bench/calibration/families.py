"""What a family of simulated tables is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table and the DAG behind its columns."""

    X: Array
    dag: Mask


@dataclass(frozen=True)
class Family:
    """A kind of tables.

    Parameters
    ----------
    name : str
        What is wrong with the model there, or "linear".
    well : bool
        Whether the linear Gaussian model is right.
    draw : callable
        Draws a table.
    """

    name: str
    well: bool
    draw: Callable[[np.random.Generator], Drawn]
