"""Compiled loops of partition MCMC.

`layer[j]` is the place of node j in the ordered partition. The nodes of layer 0 have no parents; any other
node has at least one in the layer before its own, and the rest in earlier ones: so every DAG has one
partition. Parents are among a few candidates per node, and sets of them are bits.
"""

import math

import numpy as np

from sparsest._core.jit import kernel, part

_CLOSE = 1e-6  # logarithms nearer than this cannot be subtracted


@kernel
def log_weights(correlation, candidates, n, price, least, logs):
    """The log-weight of each set of candidates as the parents of each node: −n · (NLL + price · edges)."""
    most = candidates.shape[1]
    factor, given = np.empty((most, most)), np.empty(most)
    chosen = np.empty(most, dtype=np.int64)
    for node in range(len(candidates)):
        for bits in range(1 << most):
            size = 0
            for k in range(most):
                if (bits >> k) & 1:
                    chosen[size] = candidates[node, k]
                    size += 1
            variance = 1.0
            for row in range(size):
                for column in range(row + 1):
                    total = correlation[chosen[row], chosen[column]]
                    for k in range(column):
                        total -= factor[row, k] * factor[column, k]
                    if column < row:
                        factor[row, column] = total / factor[column, column]
                    else:
                        factor[row, row] = math.sqrt(max(total, least))
                total = correlation[chosen[row], node]
                for k in range(row):
                    total -= factor[row, k] * given[k]
                given[row] = total / factor[row, row]
                variance -= given[row] * given[row]
            logs[node, bits] = -n * (0.5 * math.log(max(variance, least)) + price * size)


@part
def _added(a, b):
    """log(exp a + exp b)."""
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + math.log1p(math.exp(low - high))


@kernel
def sums_over_subsets(logs, sums):
    """The logarithm of the sum over all subsets of each set, bit by bit."""
    sums[:] = logs
    for node in range(len(logs)):
        bit = 1
        while bit < logs.shape[1]:
            for bits in range(logs.shape[1]):
                if bits & bit:
                    sums[node, bits] = _added(sums[node, bits], sums[node, bits ^ bit])
            bit <<= 1


@part
def _masks(node, layer, candidates):
    """The candidates in earlier layers, and those in the layer just before."""
    below = near = 0
    for k in range(candidates.shape[1]):
        place = layer[candidates[node, k]]
        if place < layer[node]:
            below |= 1 << k
            if place == layer[node] - 1:
                near |= 1 << k
    return below, near


@part
def _node(node, layer, candidates, logs, sums):
    """The log of the summed weights of the sets of parents that a partition leaves to a node."""
    if layer[node] == 0:
        return logs[node, 0]
    below, near = _masks(node, layer, candidates)
    if near == 0:
        return -np.inf
    every, without = sums[node, below], sums[node, below ^ near]
    if every - without > _CLOSE:
        return every + math.log1p(-math.exp(without - every))
    total, bits = -np.inf, below
    while bits > 0:
        if bits & near:
            total = _added(total, logs[node, bits])
        bits = (bits - 1) & below
    return total


@part
def _score(layer, candidates, logs, sums):
    total = 0.0
    for node in range(len(layer)):
        total += _node(node, layer, candidates, logs, sums)
        if total == -np.inf:
            break
    return total


@part
def _relocated(layer, node, shift, anywhere, proposed):
    """Take a node out and put it into another layer, or into one of its own between two; False if it cannot.

    Without the node, the gaps and layers are numbered in turn, gap 0, layer 0, gap 1 and so on. The way back
    is as probable as the way there, since it starts from the same layers.
    """
    here, layers, alone = layer[node], 0, True
    for other in range(len(layer)):
        layers = max(layers, layer[other] + 1)
        alone = alone and (other == node or layer[other] != here)
    layers -= int(alone)
    now = 2 * here + (0 if alone else 1)
    there = int(anywhere * (2 * layers + 1)) if shift == 0 else now + shift
    if there < 0 or there > 2 * layers or there == now:
        return False
    for other in range(len(layer)):
        place = layer[other]
        if alone and place > here:
            place -= 1
        if there % 2 == 0 and place >= there // 2:
            place += 1
        proposed[other] = place
    proposed[node] = there // 2
    return True


@kernel
def walk(layer, candidates, logs, sums, chances, every, kept):
    """Metropolis' algorithm over partitions, one step per row of chances; keeps some; how many were taken."""
    p, taken, count = len(layer), 0, 0
    proposed = np.empty_like(layer)
    score = _score(layer, candidates, logs, sums)
    for step in range(len(chances)):
        kind, first, second, luck = chances[step]
        node, usable = int(first * p), True
        if kind < 0.3:
            other = int(second * p)
            proposed[:] = layer
            proposed[node], proposed[other] = layer[other], layer[node]
            usable = layer[node] != layer[other]
        elif kind < 0.6:
            usable = _relocated(layer, node, 0, second, proposed)
        else:
            shift = 1 + int(second * 8) % 4
            usable = _relocated(layer, node, shift if second < 0.5 else -shift, 0.0, proposed)
        if usable:
            other_score = _score(proposed, candidates, logs, sums)
            if math.log(luck) < other_score - score:
                layer[:] = proposed
                score = other_score
                taken += 1
        if (step + 1) % every == 0:
            kept[count] = layer
            count += 1
    return taken


@kernel
def draw_parents(layer, candidates, logs, sums, luck, parents):
    """A DAG of each partition: the parents of each node as bits of nodes, as often as their weight says."""
    for one in range(len(layer)):
        for node in range(layer.shape[1]):
            parents[one, node] = 0
            if layer[one, node] == 0:
                continue
            below, near = _masks(node, layer[one], candidates)
            total = _node(node, layer[one], candidates, logs, sums)
            left, bits, chosen = luck[one, node], below, 0
            while bits > 0:
                if bits & near:
                    chosen = bits
                    left -= math.exp(logs[node, bits] - total)
                    if left <= 0:
                        break
                bits = (bits - 1) & below
            for k in range(candidates.shape[1]):
                if (chosen >> k) & 1:
                    parents[one, node] |= 1 << candidates[node, k]
