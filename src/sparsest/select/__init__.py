"""The cost per edge: how much better a graph must explain the data to earn one more edge."""

from sparsest.select.criteria import cost_per_edge

__all__ = ["cost_per_edge"]
