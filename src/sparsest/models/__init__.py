"""Likelihoods for `scores/general.py`: the protocol, and the Gaussian network (Section 5, Appendix D)."""

from sparsest.models.base import Model
from sparsest.models.mlp import MLP

__all__ = ["MLP", "Model"]
