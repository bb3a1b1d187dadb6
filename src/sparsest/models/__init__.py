"""Models: likelihoods as objects that prepare a table for any solver (Section 5, Appendix D).

`fit(model="logistic")` selects a model by name; an object such as `Logistic(intercept=False)` sets its
options. A user-defined likelihood is an object with `init`, `nll` and `adjacency` (`Likelihood`).

Examples
--------
>>> import numpy as np
>>> import sparsest as sp
>>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
>>> sp.fit(coins, model=sp.models.Logistic(intercept=False)).model
'logistic'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsest._core.lazy import lazy_names

if TYPE_CHECKING:
    from sparsest.models.auto import Auto
    from sparsest.models.base import Model, Prepared
    from sparsest.models.gaussian import Gaussian
    from sparsest.models.network import MLP
    from sparsest.models.rank import Rank
    from sparsest.models.regression import Additive, Logistic, Mixed, Poisson
    from sparsest.scores.autodiff import Likelihood

_HOMES = {
    "MLP": "sparsest.models.network:MLP",
    "Additive": "sparsest.models.regression:Additive",
    "Auto": "sparsest.models.auto:Auto",
    "Gaussian": "sparsest.models.gaussian:Gaussian",
    "Likelihood": "sparsest.scores.autodiff:Likelihood",
    "Logistic": "sparsest.models.regression:Logistic",
    "Mixed": "sparsest.models.regression:Mixed",
    "Model": "sparsest.models.base:Model",
    "Poisson": "sparsest.models.regression:Poisson",
    "Prepared": "sparsest.models.base:Prepared",
    "Rank": "sparsest.models.rank:Rank",
}

__all__ = [
    "MLP",
    "Additive",
    "Auto",
    "Gaussian",
    "Likelihood",
    "Logistic",
    "Mixed",
    "Model",
    "Poisson",
    "Prepared",
    "Rank",
]

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
