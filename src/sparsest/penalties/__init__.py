"""Penalties: the cost of an edge, softly or exactly counted (Section 4.3, Appendix C.5)."""

from sparsest.penalties.base import Penalty, SoftPenalty
from sparsest.penalties.l0 import L0
from sparsest.penalties.l1 import L1
from sparsest.penalties.quasi_mcp import MCP, QuasiMCP
from sparsest.penalties.scad import SCAD

__all__ = ["L0", "L1", "MCP", "SCAD", "Penalty", "QuasiMCP", "SoftPenalty"]
