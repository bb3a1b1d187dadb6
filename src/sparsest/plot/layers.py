"""Assignment of nodes to the rows of a layered drawing (Sugiyama, Tagawa & Toda 1981, first step)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Pattern = npt.NDArray[np.bool_]


def widest_layer(nodes: int) -> int:
    """The most nodes in a layer: drawings of sparse graphs are then not much wider than they are high."""
    return max(3, math.ceil(1.7 * math.sqrt(nodes)))


def assign_layers(dag: Pattern, order: list[int], sizes: Sequence[int] | None = None) -> dict[int, int]:
    """Layer of each node in the topological `order`: by longest paths, then moved to shorten edges.

    A node may stand for several, side by side: `sizes` says for how many.
    """
    size = {node: 1 if sizes is None else sizes[node] for node in order}
    most = widest_layer(sum(size.values()))
    parents = {node: np.flatnonzero(dag[:, node]).tolist() for node in order}
    children = {node: np.flatnonzero(dag[node]).tolist() for node in order}
    layers: dict[int, int] = {}
    filled: Counter[int] = Counter()
    for node in order:
        layer = max((layers[parent] + 1 for parent in parents[node]), default=0)
        while filled[layer] and filled[layer] + size[node] > most:
            layer += 1
        layers[node] = layer
        filled[layer] += size[node]
    for _ in range(8):
        moves = [
            _tighten(node, layers, parents[node], children[node], filled, most, size[node])
            for node in (*reversed(order), *order)
        ]
        if not any(moves):
            break
    rank = {layer: k for k, layer in enumerate(sorted(set(layers.values())))}
    return {node: rank[layer] for node, layer in layers.items()}


def _tighten(
    node: int,
    layers: dict[int, int],
    parents: list[int],
    children: list[int],
    filled: Counter[int],
    most: int,
    size: int,
) -> bool:
    """Move a node towards the side with more of its edges, as far as neighbours and full layers allow."""
    now = layers[node]
    if len(children) > len(parents):
        places = range(min(layers[child] for child in children) - 1, now, -1)
    elif len(parents) > len(children):
        places = range(max(layers[parent] for parent in parents) + 1, now)
    else:
        return False
    for layer in places:
        if filled[layer] + size <= most:
            filled[now] -= size
            filled[layer] += size
            layers[node] = layer
            return True
    return False
