"""The audit: what a careful analyst would look at in a table before learning from it, in plain words."""

from sparsest.data.audit.auditing import audit, audit_of
from sparsest.data.audit.dependence import parent_limit
from sparsest.data.audit.findings import Audit, Finding, Severity

__all__ = ["Audit", "Finding", "Severity", "audit", "audit_of", "parent_limit"]
