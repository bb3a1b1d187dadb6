"""Models as objects: the protocol of one's own, the Gaussian network, and regressions with options.

The likelihoods of Section 5 and Appendix D.
"""

from sparsest.models.base import Model
from sparsest.models.mlp import MLP
from sparsest.models.regressions import Logistic, Poisson, Regressions

__all__ = ["MLP", "Logistic", "Model", "Poisson", "Regressions"]
