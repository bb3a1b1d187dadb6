"""The paper's objects as numbers: E(Θ), E_min(Θ), and the limits of Theorem 1 (Section 4, Appendix B)."""

from sparsest.theory.equivalence import (
    Models,
    equivalence_class,
    exact_baseline,
    minimal_class,
    minimal_edges,
)
from sparsest.theory.limits import Limits, theory_limits

__all__ = [
    "Limits",
    "Models",
    "equivalence_class",
    "exact_baseline",
    "minimal_class",
    "minimal_edges",
    "theory_limits",
]
