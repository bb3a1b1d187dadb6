"""DAGs drawn independently, each as often as its weight says, layer by layer of their sources.

The sources of a DAG are the nodes without parents. Taken off, they leave others as sources, and so on: every
DAG has one such sequence of layers, and each node of a layer has a parent in the one before. Sums over all
DAGs, each counted once, follow from inclusion and exclusion over the sources, in 3^p steps; layers are then
drawn one after the other, and parents given the layers (Talvitie, Vuoksenmaa & Koivisto, 2020; layers as in
Kuipers & Moffa, 2017). There is no order of the nodes in it, so that no DAG counts more than once.

Every term of the signed sums is a sum over some of the DAGs, so at most the whole. Rounding errors of each
set's sum enter the whole times the probability of that set: at most 3^p of the last digit, 1e-6 for 20 nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Watch
from sparsest.averaging import _source_kernels as kernels
from sparsest.averaging import _subset_kernels as subsets
from sparsest.averaging.family_weights import poll
from sparsest.averaging.set_sizes import set_sizes

Array = NDArray[np.float64]
Bits = NDArray[np.int64]  # sets of nodes

_TERMS = 1 << 24  # of sums, per call of a kernel
_STEPS = 1 << 21  # sets of sources, per call of a kernel


class SourceProgram:
    """The sums over the DAGs of the nodes outside each set, and draws from them.

    Parameters
    ----------
    weights, sums : (p, 2^(p − 1)) array
        Log-weights of all sets of parents, and the logarithms of their sums over all subsets of each set.
    watch : Watch
        Polled between steps of a fraction of a second.
    """

    def __init__(self, weights: Array, sums: Array, watch: Watch):
        self._weights, self._sums, self._watch, self._p = weights, sums, watch, len(weights)
        self._numbers = np.empty(2**self._p)
        self._exponents = np.empty(2**self._p, dtype=np.int64)
        for first, last in _spans(self._p):
            poll(watch, "sums over DAGs", 2**self._p - last)
            kernels.sum_after(sums, self._numbers, self._exponents, first, last)

    @property
    def log_total(self) -> float:
        """The logarithm of the sum of the weights of all DAGs."""
        return float(np.log(self._numbers[0]) + self._exponents[0] * np.log(2.0))

    def draw(self, samples: int, rng: np.random.Generator) -> Bits:
        """Independent DAGs, (samples, p): the parents of each node as bits."""
        before, latest = self._layers(samples, rng)
        parents = np.empty_like(before)
        layers = np.empty_like(self._weights)
        for node in range(self._p):
            poll(self._watch, "parents", node)
            subsets.subset_layers(self._weights[node], layers)
            uniforms = rng.random((samples, self._p))
            kernels.draw_parents(layers, node, before[node], latest[node], uniforms, parents[node])
        return np.ascontiguousarray(parents.T)

    def _layers(self, samples: int, rng: np.random.Generator) -> tuple[Bits, Bits]:
        """(p, samples): the nodes in the layers before that of each node, and those in the latest of them.

        A draw that rounding led to where nothing follows starts again.
        """
        before, latest = np.empty((2, self._p, samples), dtype=np.int64)
        used, last = np.zeros((2, samples), dtype=np.int64)
        left = np.arange(samples)
        while len(left):
            left = left[np.lexsort((last[left], used[left], -set_sizes(used[left])))][::-1]
            drawn = self._sources(used[left], last[left], rng)
            for node in range(self._p):
                here = left[drawn >> node & 1 == 1]
                before[node, here], latest[node, here] = used[here], last[here]
            used[left] = np.where(drawn == 0, 0, used[left] | drawn)
            last[left] = drawn
            left = left[used[left] != 2**self._p - 1]
        return before, latest

    def _sources(self, used: Bits, last: Bits, rng: np.random.Generator) -> Bits:
        """The next layer of each draw; those that have the fewest nodes so far come first."""
        drawn = np.empty_like(used)
        steps = np.cumsum(2.0 ** (self._p - set_sizes(used)) * np.append(True, np.diff(used) != 0))
        ends = np.flatnonzero(np.diff(steps // _STEPS)) + 1
        for span in np.split(np.arange(len(used)), ends):
            poll(self._watch, "layers", int(span[0]))
            here = slice(span[0], span[-1] + 1)
            tables = (self._sums, self._numbers, self._exponents)
            kernels.draw_sources(*tables, used[here], last[here], rng.random(len(span)), drawn[here])
        return drawn


def _spans(p: int) -> list[tuple[int, int]]:
    """Spans of sets, from the largest down, that have about as many terms each."""
    sizes = set_sizes(np.arange(2**p))
    terms = np.cumsum((2.0 ** (p - sizes))[::-1])
    parts = (terms // _TERMS).astype(np.int64)
    ends = 2**p - np.append(np.flatnonzero(np.diff(parts)) + 1, 2**p)
    return list(zip(ends.tolist(), [2**p, *ends[:-1].tolist()], strict=True))
