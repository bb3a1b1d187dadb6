"""The protocols for penalties."""

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError

Array = NDArray[np.float64]


class Penalty(Protocol):
    """Protocol for penalties: a symmetric function p(t), zero at 0, the price of an edge with weight t.

    Examples
    --------
    Any object with a `cost` can price the edges of a discrete search:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import sparsest as sp
    >>> @dataclass(frozen=True)
    ... class Stepwise:
    ...     cost: float
    ...
    ...     def value(self, t):
    ...         return self.cost * (t != 0)
    >>> table = np.random.default_rng(0).normal(size=(200, 3))
    >>> sp.fit(table, penalty=Stepwise(0.05)).cost
    0.05
    """

    @property
    def cost(self) -> float:
        """The value far from zero, the cost per edge c; infinite where the penalty never levels off."""

    def value(self, t: Array) -> Array:
        """p(t), entry by entry."""


@runtime_checkable
class SoftPenalty(Penalty, Protocol):
    """Protocol for penalties that are differentiable except at zero: ``slope · |t| + remainder(t)``.

    The kink is what makes entries exactly zero; the remainder is continuously differentiable. Solvers that
    treat |t| properly at zero need the two apart. Where an edge owns a group of parameters, t is the norm of
    the group.
    """

    @property
    def slope(self) -> float:
        """The derivative at 0+: the weight of the kink |t|."""

    def remainder(self, t: Array) -> tuple[Array, Array]:
        """``p(t) − slope · |t|`` and its derivative, entry by entry: the smooth part."""


def positive(owner: str, **parameters: float) -> None:
    """Refuse parameters that are not positive, finite numbers."""
    for name, value in parameters.items():
        if not (isinstance(value, (int, float, np.number)) and math.isfinite(value) and value > 0):
            raise OptionError(f"{owner} needs {name} > 0, but {name} = {value!r}")
