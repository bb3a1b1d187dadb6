"""A large graph as its modules: groups of columns with many edges inside, and how many edges join two groups.

Boxes and arrows where few groups are joined, else a matrix of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsest._core.words import count
from sparsest.plot.communities import Ints, communities, share_inside
from sparsest.plot.drawn_edges import Verdict
from sparsest.plot.module_boxes import draw_boxes
from sparsest.plot.module_matrix import draw_numbers
from sparsest.plot.selection import Drawing
from sparsest.plot.style import Theme

_FEWEST_INSIDE, _MOST_MODULES = 0.65, 40
_MOST_PAIRS = 1.5  # joined pairs per module up to which arrows can be followed


@dataclass(frozen=True)
class Modules:
    """Groups of columns, best connected columns first, and the numbers of edges between them.

    `arrows[i, j]` edges lead from group i to group j, `lines[i, j]` edges between them have no direction. On
    the diagonals are the edges inside.
    """

    names: tuple[tuple[str, ...], ...]
    arrows: Ints
    lines: Ints
    apart: str  #: words about what belongs to no group
    notes: tuple[str, ...]

    @property
    def joined(self) -> npt.NDArray[np.bool_]:
        """Which two groups are joined."""
        every = (self.arrows + self.arrows.T + self.lines) > 0
        np.fill_diagonal(every, False)
        return every

    def size(self, k: int) -> str:
        """How many columns and edges a group has."""
        inside = int(self.arrows[k, k] + self.lines[k, k])
        return f"{count(len(self.names[k]), 'column')}, {count(inside, 'edge')}"


def worth_modules(drawing: Drawing) -> bool:
    """Whether modules say more than a matrix of all columns: few of them, and most edges inside."""
    joined = _joined(drawing)
    groups, _ = communities(joined)
    return 1 < len(groups) <= _MOST_MODULES and share_inside(joined, groups) >= _FEWEST_INSIDE


def draw_modules(
    drawing: Drawing,
    theme: Theme,
    title: str | None,
    *,
    axes: Any = None,
    size: tuple[float, float] | None = None,
) -> Any:
    """Draw the modules, in the way that can be read."""
    found = modules_of(drawing)
    followed = np.triu(found.joined).sum() <= _MOST_PAIRS * len(found.names)
    return (draw_boxes if followed else draw_numbers)(found, theme, title, axes=axes, size=size)


def modules_of(drawing: Drawing) -> Modules:
    """Groups by modularity, causes of others first as far as there is such an order."""
    joined = _joined(drawing)
    groups, apart = communities(joined)
    arrows, lines = _numbers(drawing, groups)
    net = (arrows - arrows.T).sum(axis=1) / np.maximum((arrows + arrows.T).sum(axis=1), 1)
    order = np.argsort(-net, kind="stable")
    degree = joined.sum(axis=1)
    names = [tuple(drawing.names[node] for node in _best_first(groups[k], degree)) for k in order]
    among = np.ix_(order, order)
    alone = int((degree[apart] == 0).sum())
    few = len(apart) - alone
    words = [f"{count(alone, 'column')} without an edge"] if alone else []
    words += [f"{count(few, 'column')} in pairs and threes"] if few else []
    return Modules(tuple(names), arrows[among], lines[among], ", ".join(words), drawing.notes)


def _joined(drawing: Drawing) -> npt.NDArray[np.bool_]:
    joined = np.zeros((len(drawing.names),) * 2, dtype=bool)
    for edge in drawing.edges:
        if edge.verdict is not Verdict.MISSING:
            joined[edge.tail, edge.head] = joined[edge.head, edge.tail] = True
    return joined


def _best_first(nodes: Ints, degree: Ints) -> list[int]:
    best: list[int] = nodes[np.argsort(-degree[nodes], kind="stable")].tolist()
    return best


def _numbers(drawing: Drawing, groups: list[Ints]) -> tuple[Ints, Ints]:
    module = {int(node): k for k, nodes in enumerate(groups) for node in nodes}
    arrows, lines = np.zeros((2, len(groups), len(groups)), dtype=np.intp)
    for edge in drawing.edges:
        i, j = module.get(edge.tail), module.get(edge.head)
        if i is None or j is None:
            continue
        if edge.directed:
            arrows[i, j] += 1
        else:
            lines[i, j] += 1
            lines[j, i] += i != j
    return arrows, lines
