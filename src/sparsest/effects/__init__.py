"""What follows from a graph: effects over its whole class, with intervals and counter-checks."""

from sparsest.effects.effect import Case, Effect

__all__ = ["Case", "Effect"]
