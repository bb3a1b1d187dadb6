"""Explanations of a result: pairs of columns, directions of edges, and sortability."""

from sparsest.explain.pair import Alternative, PairExplanation, explain
from sparsest.explain.reasons import Reason
from sparsest.explain.sortability import Sortability, sortability

__all__ = ["Alternative", "PairExplanation", "Reason", "Sortability", "explain", "sortability"]
