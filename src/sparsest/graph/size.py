"""Size of a Markov equivalence class: exact, in polynomial time.

The members of a class are the ways to orient each connected undirected part of its CPDAG, a chordal graph,
without cycles and v-structures. Clique-Picking (Wienöbst, Bannach & Liśkiewicz, 2021 and 2023,
"Polynomial-time algorithms for counting and sampling Markov equivalent DAGs") counts them by a clique K that
comes first:

    count(G) = Σ_K  φ(K) · Π_H count(H),

where H runs over the parts that stay undirected once K has come first. To count no orientation twice, φ(K)
counts only the orders of K that do not begin with certain separators: those inside K on the path to it from a
fixed root of the clique tree.

The paper computes the parts H anew for each K. Here their product is carried along the clique tree instead.
Consider a separator S of two neighbouring cliques. The cliques that contain S fall into *flowers*: sets that
are connected through separators strictly larger than S. The parts H are flowers minus their S. When K is
first, a flower of S is a candidate if the path from K enters it through a separator equal to S; the parts are
the candidates that lie in no other candidate. For neighbours K and K', one candidate changes when K' comes
first instead of K: the separator's flower F' around K' is replaced by its flower F around K. The parts inside
F' are uncovered and those inside F are covered:

    product(K') = product(K) / count(F') · product_F'(K') · count(F) / product_F(K),

where product_F is the same product within the flower F. Each flower is solved once, large separators first;
n cliques have at most 2n - 1 flowers.

Arrows from knowledge inside an undirected part make counting #P-hard (Wienöbst et al., 2021). Only such parts
are counted by their first node: a sum over the nodes that can come first, each with a product over the
smaller parts that it leaves, with memoisation. In the worst case the time is exponential in the clique size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sparsest.graph._bits import bits, is_subset, row_masks
from sparsest.graph._matrix import Matrix
from sparsest.graph.chordal import CliqueTree, buckets, clique_tree, roots_first
from sparsest.graph.recognition import class_of
from sparsest.graph.types import Cpdag, Dag


def mec_size(graph: Dag | Cpdag | Matrix) -> int:
    """Number of DAGs in a Markov equivalence class, exactly.

    Parameters
    ----------
    graph : Dag, Cpdag, Mpdag or (p, p) matrix
        An equivalence class; a DAG stands for its class. Of an Mpdag, only the members that agree with its
        arrows are counted.

    Returns
    -------
    int
        The size of the class.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.graph import mec_size
    >>> complete = np.triu(np.ones((5, 5), dtype=int), 1)
    >>> mec_size(complete)  # 5! orders of the nodes
    120
    """
    essential, _ = class_of(graph)
    parts, lines = buckets(essential)
    constrained = _Constrained(lines, row_masks((essential & ~essential.T).T))
    return math.prod(constrained.count(part) for part in parts)


class _Constrained:
    """Counts the orientations of connected chordal graphs that agree with given arrows."""

    def __init__(self, lines: list[int], parents: list[int]):
        self._lines, self._parents = lines, parents
        self._known: dict[int, int] = {}

    def count(self, part: int) -> int:
        """Number of orientations of one part."""
        if part & (part - 1) == 0:
            return 1
        if part not in self._known:
            if any(self._parents[node] & part for node in bits(part)):
                firsts = (node for node in bits(part) if not self._parents[node] & part)
                self._known[part] = sum(self._with_first(part, node) for node in firsts)
            else:
                self._known[part] = _count(clique_tree(self._lines, part))
        return self._known[part]

    def _with_first(self, part: int, first: int) -> int:
        parts = roots_first(self._lines, part, first)
        later = part
        for smaller in parts:
            later &= ~smaller
            if any(self._parents[node] & later for node in bits(smaller)):
                return 0
        return math.prod(self.count(smaller) for smaller in parts)


@dataclass
class _Flower:
    """Cliques that contain `separator` and are connected through larger separators, and their counts.

    `walk` leads from `root` through the other cliques, as (clique, previous clique, separator between them).
    """

    separator: int
    root: int
    walk: list[tuple[int, int, int]]
    count: int = 0
    product: dict[int, int] = field(default_factory=dict)


def _count(tree: CliqueTree) -> int:
    """Number of orientations of a connected chordal graph without cycles and v-structures."""
    flowers: dict[tuple[int, int], _Flower] = {}
    whole = _gather(tree, 0, 0, flowers)  # the flower of the empty separator
    distinct = [whole]
    for clique, links in enumerate(tree.links):
        for _, separator in links:
            if (separator, clique) not in flowers:
                distinct.append(_gather(tree, separator, clique, flowers))
    # A flower's product depends only on flowers inside it, whose separators are larger.
    for flower in sorted(distinct, key=lambda flower: -flower.separator.bit_count()):
        flower.product = _products(flower, flowers)
        orders = _first_orders(flower, tree.cliques)
        flower.count = sum(orders[clique] * product for clique, product in flower.product.items())
    return whole.count


def _gather(tree: CliqueTree, separator: int, root: int, flowers: dict[tuple[int, int], _Flower]) -> _Flower:
    """Flower of a separator around a clique, stored in `flowers` under each of its cliques."""
    flower = _Flower(separator, root, [])
    flowers[separator, root] = flower
    reached = [root]
    for clique in reached:
        for other, between in tree.links[clique]:
            if (separator, other) not in flowers and separator != between and is_subset(separator, between):
                flowers[separator, other] = flower
                flower.walk.append((other, clique, between))
                reached.append(other)
    return flower


def _products(flower: _Flower, flowers: dict[tuple[int, int], _Flower]) -> dict[int, int]:
    """For each clique K of a flower, the product of count(H) over the parts H that remain if K is first."""
    product = {flower.root: 1}
    cover = {flower.root: -1}  # separator of the part that contains a clique; -1 (all nodes) if none does
    for clique, before, between in flower.walk:
        around = cover[before]
        if around != between and is_subset(around, between):
            cover[clique] = around
        else:
            cover[clique] = between
            product[flower.root] *= flowers[between, clique].count
    for clique, before, between in flower.walk:
        here, there = flowers[between, clique], flowers[between, before]
        shared = product[before] // (here.count * there.product[before])
        product[clique] = shared * here.product[clique] * there.count
    return product


def _first_orders(flower: _Flower, cliques: list[int]) -> dict[int, int]:
    """For each clique K of a flower, φ(K): its orders that do not begin with a separator on the path to it.

    The separators on the path that lie inside K form a chain. Each is stored as (set, size, number of orders
    of the set that do not begin with a smaller one): every forbidden order of K has a smallest forbidden
    beginning.
    """
    less = flower.separator.bit_count()
    chains: dict[int, list[tuple[int, int, int]]] = {flower.root: []}
    orders = {flower.root: _allowed(cliques[flower.root].bit_count() - less, [])}
    for clique, before, between in flower.walk:
        chain = [link for link in chains[before] if is_subset(link[0], between)]
        if not chain or chain[-1][0] != between:
            size = between.bit_count() - less
            chain.append((between, size, _allowed(size, chain)))
        chains[clique] = chain
        orders[clique] = _allowed(cliques[clique].bit_count() - less, chain)
    return orders


def _allowed(size: int, chain: list[tuple[int, int, int]]) -> int:
    forbidden = sum(allowed * math.factorial(size - smaller) for _, smaller, allowed in chain)
    return math.factorial(size) - forbidden
