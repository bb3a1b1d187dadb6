"""Discrete search: the same score, minimised over graphs instead of weights.

`ExactSearch`, `OrderSearch` and `GES` are compiled for Gaussian scores; `LocalExactSearch` and
`LocalOrderSearch` take any local score; `GreedySearch` is for neural networks and `CAM` for additive models.
The masks, the prices and the limit on parents are those of the problem.
"""

from typing import TYPE_CHECKING

from sparsest._core.lazy import lazy_names

if TYPE_CHECKING:
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

# Each is imported when it is used: the compiled ones take a while to import even if they are not.
__getattr__, __dir__ = lazy_names(
    globals(),
    {
        "CAM": "sparsest.search.cam:CAM",
        "GES": "sparsest.search.ges:GES",
        "ExactSearch": "sparsest.search.exact:ExactSearch",
        "GreedySearch": "sparsest.search.greedy:GreedySearch",
        "LocalExactSearch": "sparsest.search.local_exact:LocalExactSearch",
        "LocalOrderSearch": "sparsest.search.local_order:LocalOrderSearch",
        "OrderSearch": "sparsest.search.order:OrderSearch",
    },
)
