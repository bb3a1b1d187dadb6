"""Compiled loops over sets of sources: sums over all DAGs, each counted once, and draws from them.

Sets and tables are as in `_subset_kernels`. Sums over DAGs are a number in [½, 1) times a power of two, since
they may be far beyond what a float can hold, and signed sums of them must not lose digits.
"""

import math

import numpy as np

from sparsest._core.jit import inlined, kernel, part

NOTHING = -(1 << 40)  # the exponent of 0
_LN2 = math.log(2.0)
_LOWEST = 100  # bits below the largest term, under which terms are lost


@inlined
def _drop(subset, node):
    """The set without the bit of `node`, which must not be in it, squeezed together."""
    low = subset & ((1 << node) - 1)
    return low | ((subset >> (node + 1)) << node)


@inlined
def _lift(place, node):
    """The set without `node` at a place of its row: the opposite of `_drop`."""
    return ((place >> node) << (node + 1)) | (place & ((1 << node) - 1))


@inlined
def _bit(parent, node):
    """Where the bit of a parent is in a set without the bit of the node."""
    return parent if parent < node else parent - 1


@inlined
def _share_with(sums, place, bit):
    """The share of the sets of parents at a place that have the parent with a bit."""
    return -math.expm1(sums[place ^ (1 << bit)] - sums[place])


@part
def _outside(table, subset, nodes, factors, powers):
    """The nodes that can have all parents in a set, and the sums over these, as numbers and powers of two."""
    count = 0
    for node in range(len(table)):
        if not (subset >> node) & 1:
            logarithm = table[node, _drop(subset, node)]
            if logarithm > -math.inf:
                power = math.floor(logarithm / _LN2)
                nodes[count] = node
                powers[count] = int(power)
                factors[count] = math.exp(logarithm - power * _LN2)
                count += 1
    return count


@part
def _highest(subset, nodes, powers, exponents, count):
    """The largest exponent of the terms with one source: no other term is larger."""
    highest = NOTHING
    for k in range(count):
        highest = max(highest, powers[k] + exponents[subset | (1 << nodes[k])])
    return highest


@part
def _walk(nodes, factors, powers, count, numbers, exponents, highest, stack, products, values):
    """The signed sum over the sets of sources; unsigned terms go into `values`, if it is not empty.

    Sets are counted through as the bits of an integer. The stack has, for each bit, the nodes down to it and
    the power of two of the product of their factors. A term is the weight of the DAGs in which at least these
    nodes are sources, so where one is lost, all sets that have more nodes are lost too.
    """
    total = 0.0
    products[count], stack[count, 1] = -1.0, 0
    code, end = 1, 1 << count
    while code < end:
        bit = 0
        while not (code >> bit) & 1:
            bit += 1
        upper = bit + 1
        while upper < count and not (code >> upper) & 1:
            upper += 1
        here = stack[upper, 0] | (1 << nodes[bit])
        power = stack[upper, 1] + powers[bit]
        product = -products[upper] * factors[bit]
        stack[bit, 0], stack[bit, 1], products[bit] = here, power, product
        scale = power + exponents[here] - highest
        if scale < -_LOWEST:
            code += 1 << bit
            continue
        term = product * math.ldexp(numbers[here], scale)
        total += term
        if len(values) > 0:
            values[code] = abs(term)
        code += 1
    return total


@kernel
def sum_after(table, numbers, exponents, first, last):
    """For the sets from `last` down to `first`: the sum over the DAGs of the other nodes, given the set.

    Others may have parents in the set. By inclusion and exclusion over the nodes that have all parents there,
    of which there is at least one (Robinson, 1973; Tian & He, 2009). `table` has the sums over sets of
    parents among each set. Every term is at most the sum, so that few digits are lost.
    """
    p = len(table)
    nodes, powers = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64)
    factors, products, values = np.empty(p), np.empty(p + 1), np.empty(0)
    stack = np.empty((p + 1, 2), dtype=np.int64)
    for subset in range(last - 1, first - 1, -1):
        if subset == (1 << p) - 1:
            numbers[subset], exponents[subset] = 0.5, 1
            continue
        count = _outside(table, subset, nodes, factors, powers)
        highest = _highest(subset, nodes, powers, exponents, count)
        numbers[subset], exponents[subset] = 0.0, NOTHING
        if highest > NOTHING // 2:
            stack[count, 0] = subset
            total = _walk(nodes, factors, powers, count, numbers, exponents, highest, stack, products, values)
            number, power = math.frexp(total)
            numbers[subset], exponents[subset] = number, power + highest


@part
def _sources_after(table, numbers, exponents, subset, memory, values):
    """Weights of all sets of sources among the nodes outside a set, those with all parents in it.

    Fills in the nodes and, by the bits of their places, the weight of the DAGs in which just these are the
    sources; returns how many nodes there are.
    """
    nodes, powers, stack, factors, products = memory
    count = _outside(table, subset, nodes, factors, powers)
    highest = _highest(subset, nodes, powers, exponents, count)
    for code in range(1 << count):
        values[code] = 0.0
    stack[count, 0] = subset
    _walk(nodes, factors, powers, count, numbers, exponents, highest, stack, products, values)
    for k in range(count):  # from "at least these" to "just these"
        bit = 1 << k
        for code in range(1 << count):
            if not code & bit:
                values[code] -= values[code | bit]
    values[0] = 0.0
    return count


@part
def _add_up(table, subset, latest, nodes, count, values, running):
    """Fill in running sums over the sets of sources, each of which must have one of the latest as a parent.

    The weight of a set is then its value times, for each of its nodes, the share of sets of parents with one.
    """
    running[0] = 1.0
    for k in range(count):
        share, node = 1.0, nodes[k]
        if subset:
            without = table[node, _drop(subset & ~latest, node)]
            share = -math.expm1(without - table[node, _drop(subset, node)])
        for code in range(1 << k):
            running[code | (1 << k)] = running[code] * share
    total = 0.0
    for code in range(1 << count):
        total += running[code] * max(values[code], 0.0)
        running[code] = total


@part
def _drawn(nodes, count, running, uniform):
    """A set of sources drawn from running sums; none if all are 0."""
    low, high = 0, (1 << count) - 1
    wanted = uniform * running[high]
    while low < high:
        middle = (low + high) // 2
        if running[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    found = 0
    for k in range(count):
        if (low >> k) & 1 and running[low] > 0.0:
            found |= 1 << nodes[k]
    return found


@kernel
def draw_sources(table, numbers, exponents, subsets, latest, uniforms, drawn):
    """Draw the next layer of many DAGs, given the nodes of all so far and of the latest; 0 is a failure.

    Equal sets should stand side by side: weights are computed once for all of them.
    """
    p = len(table)
    nodes, powers = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64)
    memory = (nodes, powers, np.empty((p + 1, 2), dtype=np.int64), np.empty(p), np.empty(p + 1))
    outside = p
    for node in range(p):
        if (subsets[0] >> node) & 1:
            outside -= 1
    values, running = np.empty(1 << outside), np.empty(1 << outside)
    count = 0
    for i in range(len(subsets)):
        moved = i == 0 or subsets[i] != subsets[i - 1]
        if moved:
            count = _sources_after(table, numbers, exponents, subsets[i], memory, values)
        if moved or latest[i] != latest[i - 1]:
            _add_up(table, subsets[i], latest[i], nodes, count, values, running)
        drawn[i] = _drawn(nodes, count, running, uniforms[i])


@part
def _one_of_latest(sums, before, latest, node, uniform):
    """The place of a parent's bit, drawn as the first of the latest nodes that is a parent; and what is left.

    What is left are the nodes before without those that are no parents.
    """
    left = before
    without = sums[_drop(before & ~latest, node)] - sums[_drop(before, node)]
    wanted = -uniform * math.expm1(without)
    found, kept = -1, before
    for parent in range(64):
        if not latest >> parent:
            break
        if (latest >> parent) & 1:
            place, bit = _drop(left, node), _bit(parent, node)
            share = _share_with(sums, place, bit)
            if share > 0.0:
                found, kept = bit, left
                wanted -= share * math.exp(sums[place] - sums[_drop(before, node)])
                if wanted < 0.0:
                    break
            left &= ~(1 << parent)
    return found, kept


@kernel
def draw_parents(layers, node, before, latest, uniforms, parents):
    """Draw parents of a node, as bits, with their weights among the nodes before it, one of the latest there.

    Whether a node is a parent is decided for one node after the other, from the last to the first. The last
    of each row of `uniforms` decides which of the latest is a parent for sure.
    """
    for k in range(len(before)):
        parents[k] = 0
        if not before[k]:
            continue
        needed, left = _one_of_latest(layers[-1], before[k], latest[k], node, uniforms[k, -1])
        place = _drop(left, node)
        for bit in range(len(layers) - 2, -1, -1):
            if (place >> bit) & 1 and bit != needed:
                without = place ^ (1 << bit)
                share = math.exp(layers[bit, without] - layers[bit + 1, place])
                if needed < bit:
                    share *= _share_with(layers[bit], without, needed)
                    share /= _share_with(layers[bit + 1], place, needed)
                if uniforms[k, bit] < share:
                    place = without
        parents[k] = _lift(place, node)


def compile_all() -> None:
    """Compile, or load from the cache, everything that is called."""
    table, numbers = np.zeros((2, 2)), np.zeros(4)
    exponents, none = np.zeros(4, dtype=np.int64), np.zeros(1, dtype=np.int64)
    sum_after(table, numbers, exponents, 0, 4)
    draw_sources(table, numbers, exponents, none, none, np.zeros(1), none.copy())
    draw_parents(table, 0, none, none, np.zeros((1, 2)), none.copy())
