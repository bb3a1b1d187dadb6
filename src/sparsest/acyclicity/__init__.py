"""Acyclicity constraints: functions h of the squared weights S = B∘B that are zero exactly on DAGs."""

from sparsest.acyclicity.base import Constraint
from sparsest.acyclicity.logdet import LogDet
from sparsest.acyclicity.polynomial import Polynomial
from sparsest.acyclicity.trace_exponential import TraceExponential

__all__ = ["Constraint", "LogDet", "Polynomial", "TraceExponential"]
