"""Knowledge about the columns of one table, as the matrices that solvers obey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError

Mask = NDArray[np.bool_]


class Masks(NamedTuple):
    """Where an edge i → j may be, and where it must be, both (p, p)."""

    allowed: Mask
    required: Mask

    @property
    def say_nothing(self) -> bool:
        """Whether every edge may be and none must."""
        return not self.required.any() and bool(self.allowed.sum() == self.allowed.size - len(self.allowed))

    def in_order(self, order: NDArray[np.intp]) -> Masks:
        """The same about the columns in another order."""
        return Masks(self.allowed[np.ix_(order, order)], self.required[np.ix_(order, order)])

    def limit_at_least(self, limit: int, asked: int | None, names: Sequence[str]) -> int:
        """A limit on parents raised to what is required; refused where that is beyond what was asked for."""
        counts = self.required.sum(axis=0)
        most = int(counts.max(initial=0))
        if asked is not None and most > asked:
            node = int(np.argmax(counts))
            causes = ", ".join(repr(names[k]) for k in np.flatnonzero(self.required[:, node]).tolist())
            raise OptionError(
                f"{names[node]!r} has {most} required parents ({causes}), but max_parents = {asked}: raise "
                "it, or require fewer edges"
            )
        return max(limit, most)

    def refuse_violation(self, graph: Mask, names: Sequence[str], solver: str) -> None:
        """OptionError that names the edge, where a graph contradicts the knowledge."""
        for wrong, words in ((graph & ~self.allowed, "has"), (self.required & ~graph, "lacks")):
            if wrong.any():
                i, j = np.argwhere(wrong)[0]
                raise OptionError(
                    f"solver {solver!r} does not obey the knowledge: its graph {words} {names[i]!r} -> "
                    f"{names[j]!r}; a solver must keep to `problem.allowed` and `problem.required`"
                )
