"""How many DAGs are in a Markov equivalence class: exactly, in polynomial time.

The members of a class are the ways to orient each connected undirected part of its CPDAG, a chordal graph,
without cycles and v-structures. Clique-Picking (Wienöbst, Bannach & Liśkiewicz, 2021 and 2023,
"Polynomial-time algorithms for counting and sampling Markov equivalent DAGs") counts them by a clique K that
comes first:

    count(G) = Σ_K  φ(K) · Π_H count(H),

H over the parts that stay undirected once K has come first. So that no orientation is counted twice, φ(K)
counts only the orders of K that begin with none of certain separators: those that lie inside K and on the way
to it from a fixed root of the clique tree.

The paper finds the parts H anew for each K. Here their product is carried along the clique tree instead. Take
a separator S of two neighbouring cliques. The cliques that contain S fall into *flowers*: those that hang
together through separators larger than S. The parts H are flowers, less their S. When K is first, a flower of
S is a candidate if the way from K enters it by a separator equal to S; the parts are the candidates that lie
in no other. If K' is a neighbour of K, then between K first and K' first one candidate changes: their
separator's flower around K' gives way to its flower F around K. What lay in the one comes to light, what lies
in the other is covered:

    product(K') = product(K) / count(F') · product_F'(K') · count(F) / product_F(K),

where product_F is the same product within the flower F. Each flower is solved once, large separators first.
For n cliques that is at most 2n - 1 flowers.

Arrows from knowledge inside an undirected part make counting #P-hard (Wienöbst et al., 2021). Such a part,
and only such, is counted by its first node: a sum over the nodes that may be, each with a product over the
smaller parts it leaves, which are remembered. The time is exponential in the size of its cliques at worst.
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
    """The number of DAGs in the Markov equivalence class of a DAG or CPDAG, as an exact int.

    Of an Mpdag, the members that agree with its arrows.
    """
    essential, _ = class_of(graph)
    parts, lines = buckets(essential)
    constrained = _Constrained(lines, row_masks((essential & ~essential.T).T))
    return math.prod(constrained.count(part) for part in parts)


class _Constrained:
    """Counts orientations of connected chordal graphs that agree with some arrows."""

    def __init__(self, lines: list[int], parents: list[int]):
        self._lines, self._parents = lines, parents
        self._known: dict[int, int] = {}

    def count(self, part: int) -> int:
        """Orientations of one part."""
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
    """Cliques that contain `separator` and hang together through larger ones, and what is known of them.

    `walk` leads from `root` through the others, as (clique, the one before, the separator between).
    """

    separator: int
    root: int
    walk: list[tuple[int, int, int]]
    count: int = 0
    product: dict[int, int] = field(default_factory=dict)


def _count(tree: CliqueTree) -> int:
    """Orientations of a connected chordal graph without cycles and v-structures."""
    flowers: dict[tuple[int, int], _Flower] = {}
    whole = _gather(tree, 0, 0, flowers)  # the flower of the empty separator
    distinct = [whole]
    for clique, links in enumerate(tree.links):
        for _, separator in links:
            if (separator, clique) not in flowers:
                distinct.append(_gather(tree, separator, clique, flowers))
    # A flower's product is made of flowers inside it, whose separators are larger.
    for flower in sorted(distinct, key=lambda flower: -flower.separator.bit_count()):
        flower.product = _products(flower, flowers)
        orders = _first_orders(flower, tree.cliques)
        flower.count = sum(orders[clique] * product for clique, product in flower.product.items())
    return whole.count


def _gather(tree: CliqueTree, separator: int, root: int, flowers: dict[tuple[int, int], _Flower]) -> _Flower:
    """The flower of a separator around a clique, entered in `flowers` under each of its cliques."""
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
    """For each clique K of a flower, the product of count(H) over the parts H left when K comes first."""
    product = {flower.root: 1}
    cover = {flower.root: -1}  # separator of the part a clique lies in; -1, every node, for none
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
    """For each clique K of a flower, φ(K): its orders that begin with no separator on the way to it.

    The separators on the way that lie inside K form a chain. Each is kept as (set, size, orders of the set
    that begin with no smaller one): an order of K that is not allowed has a smallest forbidden beginning.
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
