"""Why the answer is what it is: pairs of columns, directions, and how much the variances give away."""

from sparsest.explain.pair import Alternative, PairExplanation, explain
from sparsest.explain.reasons import Reason
from sparsest.explain.sortability import Sortability, sortability

__all__ = ["Alternative", "PairExplanation", "Reason", "Sortability", "explain", "sortability"]
