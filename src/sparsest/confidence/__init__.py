"""How sure each edge is: shares over resamples of the rows, over models."""

from sparsest.confidence.resampling import confidence
from sparsest.confidence.shares import Confidence

__all__ = ["Confidence", "confidence"]
