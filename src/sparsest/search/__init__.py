"""Discrete search: the same score, minimised over graphs instead of weights.

`ExactSearch`, `OrderSearch` and `GES` are compiled for Gaussian scores; `LocalExactSearch` and
`LocalOrderSearch` take any local score; `GreedySearch` is for neural networks and `CAM` for additive models.
The masks, the prices and the limit on parents are those of the problem.
"""

from sparsest.search.cam import CAM
from sparsest.search.exact import ExactSearch
from sparsest.search.ges import GES
from sparsest.search.greedy import GreedySearch
from sparsest.search.local_exact import LocalExactSearch
from sparsest.search.local_order import LocalOrderSearch
from sparsest.search.order import OrderSearch

__all__ = [
    "CAM",
    "GES",
    "ExactSearch",
    "GreedySearch",
    "LocalExactSearch",
    "LocalOrderSearch",
    "OrderSearch",
]
