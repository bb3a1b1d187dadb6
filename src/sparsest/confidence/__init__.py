"""How sure each edge is: shares over resamples of the rows, over models, and posterior probabilities."""

from sparsest.confidence.probabilities import posterior
from sparsest.confidence.resampling import confidence
from sparsest.confidence.shares import Confidence

__all__ = ["Confidence", "confidence", "posterior"]
