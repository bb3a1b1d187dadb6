"""What an edge should cost: answers over a range of costs, and rules that choose one."""

from sparsest.costs.over_costs import path
from sparsest.costs.points import Path, Point

__all__ = ["Path", "Point", "path"]
