"""Words become parts: what `fit` was asked for, as a solver and a problem. Done once, here."""

from sparsest.choose.common import SOLVERS, Choices, Task
from sparsest.choose.settings import settings_of
from sparsest.choose.task import choose

__all__ = ["SOLVERS", "Choices", "Task", "choose", "settings_of"]
