"""Continuous solvers: they know functions and constraints, and nothing of statistics."""

from sparsest.solvers.central_path import CentralPath
from sparsest.solvers.homotopy import LogLLDagma
from sparsest.solvers.owlqn import OWLQN

__all__ = ["OWLQN", "CentralPath", "LogLLDagma"]
