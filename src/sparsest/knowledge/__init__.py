"""Background knowledge: forbidden and required edges, and the order of causes in time."""

from sparsest.knowledge.masks import Masks
from sparsest.knowledge.statement import Knowledge, Tier

__all__ = ["Knowledge", "Masks", "Tier"]
