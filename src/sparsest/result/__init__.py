"""What the user gets: a graph, its class, the fitted model, and the evidence behind them."""

from sparsest.result.evidence import Evidence
from sparsest.result.learned import Result

__all__ = ["Evidence", "Result"]
