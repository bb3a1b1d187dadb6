"""Acyclicity: functions h of the squared adjacency S = B∘B that are zero exactly on DAGs."""

from sparsest.acyclicity.base import Constraint
from sparsest.acyclicity.logdet import LogDet

__all__ = ["Constraint", "LogDet"]
