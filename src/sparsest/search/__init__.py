"""Discrete search: the same score, minimised over graphs instead of weights."""

from sparsest.search.cam import CAM
from sparsest.search.enumerate import (
    Models,
    equivalence_class,
    exact_baseline,
    minimal_class,
    minimal_edges,
)
from sparsest.search.equivalence import GES
from sparsest.search.exact import ExactSearch
from sparsest.search.limits import Limits, theory_limits
from sparsest.search.local_exact import LocalExactSearch
from sparsest.search.local_order import LocalOrderSearch
from sparsest.search.networks import NetworkSearch
from sparsest.search.order import OrderSearch

__all__ = [
    "CAM",
    "GES",
    "ExactSearch",
    "Limits",
    "LocalExactSearch",
    "LocalOrderSearch",
    "Models",
    "NetworkSearch",
    "OrderSearch",
    "equivalence_class",
    "exact_baseline",
    "minimal_class",
    "minimal_edges",
    "theory_limits",
]
