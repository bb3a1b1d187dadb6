"""What is known beforehand: edges that cannot be, edges that must be, and the order of causes in time."""

from sparsest.knowledge.masks import Masks
from sparsest.knowledge.statement import Knowledge, Tier

__all__ = ["Knowledge", "Masks", "Tier"]
