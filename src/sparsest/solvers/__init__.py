"""Continuous solvers: they know functions and constraints, not statistics."""

from sparsest.solvers.adam import Adam
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.central_path import CentralPath
from sparsest.solvers.general import GENERAL_METHODS, REFIT
from sparsest.solvers.lbfgsb import LBFGSB
from sparsest.solvers.owlqn import OWLQN
from sparsest.solvers.portfolio import Portfolio
from sparsest.solvers.published import METHODS, Homotopy, Method
from sparsest.solvers.soft_constraint import SoftConstraint
from sparsest.solvers.units import InUnits

__all__ = [
    "GENERAL_METHODS",
    "LBFGSB",
    "METHODS",
    "OWLQN",
    "REFIT",
    "Adam",
    "AugmentedLagrangian",
    "CentralPath",
    "Homotopy",
    "InUnits",
    "Method",
    "Portfolio",
    "SoftConstraint",
]
