"""How far variances, or shares of explained variance, reveal the learned order.

Reisach, Seiler & Weichwald (2021, "Beware of the simulated DAG!") and Reisach, Tami, Seiler, Chambaz &
Weichwald (2023, "A scale-invariant sorting criterion to find a causal order in additive noise models"): the
share of directed paths along which the variance, or the share R² of it that the other columns explain,
increases. Ties count half. Both are properties of a table *and a graph*: a table alone has no order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.graph.alignment import alignment

if TYPE_CHECKING:
    from sparsest.result import Result


@dataclass(frozen=True)
class Sortability:
    """Varsortability and R²-sortability relative to the learned DAG; it prints as text.

    Attributes
    ----------
    variance : float or None
        The share of directed paths along which the variance increases; None for a graph without edges.
    r2 : float or None
        The same for the share of variance that the other columns explain; None also if there are no more
        rows than columns.
    """

    variance: float | None
    r2: float | None

    def __str__(self) -> str:
        if self.variance is None:
            return "the learned graph has no edges, so there is no order to compare with"
        r2 = "" if self.r2 is None else f", and R² along {self.r2:.0%}"
        return (
            f"along {self.variance:.0%} of the paths of the learned graph the variance increases{r2}. Near "
            "0% or 100% these numbers alone would reveal the order. For variances that is a matter of units: "
            "the default solvers do not see them, but methods that run on the data as given may mistake them "
            "for causal order. R² does not depend on units; interpret it with care if directions are not "
            "identified"
        )


def sortability(result: Result) -> Sortability:
    """Varsortability and R²-sortability of the data along the learned DAG."""
    if result.moments is None:
        raise OptionError(
            "this result has no covariance, which sortability needs: fit a Gaussian model to the table"
        )
    dag = result.dag.pattern
    variances = np.diag(result.moments.covariance)
    explained = None
    if result.moments.n > len(variances):
        try:
            explained = 1 - 1 / np.diag(np.linalg.inv(result.moments.correlation()))
        except np.linalg.LinAlgError:
            explained = None
    return Sortability(alignment(dag, variances), None if explained is None else alignment(dag, explained))
