"""What a penalty offers to a solver."""

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError

Array = NDArray[np.float64]


class Penalty(Protocol):
    """A symmetric penalty p(t), zero at 0: the price of an edge with weight t."""

    @property
    def cost(self) -> float:
        """The value far from zero, the cost per edge `c`; infinite where the penalty never levels off."""

    def value(self, t: Array) -> Array:
        """p(t), entry by entry."""

    def prox(self, t: Array, step: float) -> Array:
        """A minimiser z of `½(z − t)² + step · p(z)`, entry by entry."""


@runtime_checkable
class SoftPenalty(Penalty, Protocol):
    """A penalty that is differentiable but for a kink at zero: `slope · |t| + remainder(t)`.

    The kink is what makes entries exactly zero, and the remainder is C¹. A solver that treats |t| at zero
    properly needs the two apart.
    """

    @property
    def slope(self) -> float:
        """The derivative at 0+: the weight of the kink |t|."""

    def derivative(self, t: Array) -> Array:
        """p′(t), entry by entry; 0 at t = 0."""

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """`p(t) − slope · |t|` and its derivative, entry by entry: the smooth part."""


def positive(owner: str, **parameters: float) -> None:
    """Refuse parameters that are not positive, finite numbers."""
    for name, value in parameters.items():
        if not (isinstance(value, (int, float, np.number)) and math.isfinite(value) and value > 0):
            raise OptionError(f"{owner} needs {name} > 0, but {name} = {value!r}")
