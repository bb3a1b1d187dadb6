"""Compiled loops of the order search.

Parents are chosen by grow–shrink. Growing is a pivoted Cholesky factorisation of the candidates' covariance
that stops when no candidate pays its cost: `toward[t]` and `left[t]` are the covariance with the target and
the variance of candidate t, both given the parents so far, and each step costs O(candidates · parents).
Shrinking removes, one by one, parents that no longer pay, with the inverse of the parents' covariance kept.
"""

import math

import numpy as np

from sparsest._jit import kernel
from sparsest.scores.gaussian import RESIDUAL_FLOOR

# A candidate with less than this share of its variance left is collinear with the parents.
_COLLINEAR = 1e-9
# Improvements below this are rounding.
_TIE = 1e-10


@kernel
def _grow(covariance, target, candidates, count, cost, limit, toward, left, rows, parents):
    """Add the best candidate while it pays; returns (parents, as positions in candidates; variance left)."""
    variance = covariance[target, target]
    floor = RESIDUAL_FLOOR * variance
    pays = 1.0 - math.exp(-2.0 * (cost + _TIE))
    for t in range(count):
        node = candidates[t]
        toward[t] = covariance[node, target]
        left[t] = covariance[node, node]
    size = 0
    while size < limit and size < count:
        best, arg = 0.0, -1
        for t in range(count):
            gain = toward[t] * toward[t] / left[t]
            if gain > best:
                best, arg = gain, t
        if arg < 0 or min(best, variance - floor) <= pays * variance:
            break
        node = candidates[arg]
        scale = 1.0 / math.sqrt(left[arg])
        for t in range(count):
            rows[size, t] = covariance[node, candidates[t]]
        for above in range(size):
            pivot = rows[above, arg]
            for t in range(count):
                rows[size, t] -= pivot * rows[above, t]
        slope = toward[arg] * scale
        for t in range(count):
            value = rows[size, t] * scale
            rows[size, t] = value
            toward[t] -= slope * value
            left[t] -= value * value
            own = covariance[candidates[t], candidates[t]]
            if left[t] < _COLLINEAR * own:
                toward[t], left[t] = 0.0, own  # a gain of zero from now on
        variance = max(variance - best, floor)
        parents[size] = arg
        size += 1
    return size, variance


@kernel
def _shrink(covariance, target, candidates, size, variance, cost, rows, parents, inverse, slopes):
    """Remove parents that do not pay; returns (parents left, residual variance)."""
    for i in range(size):  # inverse of the triangular factor rows[j, parents[i]], j <= i, by columns
        for j in range(i, size):
            value = 1.0 if i == j else 0.0
            for k in range(i, j):
                value -= rows[k, parents[j]] * slopes[k]
            slopes[j] = value / rows[j, parents[j]]
        for j in range(i, size):
            inverse[j, i] = slopes[j]
    for i in range(size):
        for j in range(i + 1):
            value = 0.0
            for k in range(i, size):
                value += inverse[k, i] * inverse[k, j]
            inverse[j, i] = value if j < i else inverse[j, i]
            if i == j:
                slopes[i] = value
    for i in range(size):
        inverse[i, i] = slopes[i]
        for j in range(i):
            inverse[i, j] = inverse[j, i]
    for i in range(size):
        value = 0.0
        for j in range(size):
            value += inverse[i, j] * covariance[candidates[parents[j]], target]
        slopes[i] = value
    while size > 0:
        best, arg = math.inf, -1
        for i in range(size):
            loss = slopes[i] * slopes[i] / inverse[i, i]
            if loss < best:
                best, arg = loss, i
        if 0.5 * math.log((variance + best) / variance) >= cost:
            break
        variance += best
        ratio = slopes[arg] / inverse[arg, arg]
        for i in range(size):
            if i != arg:
                slopes[i] -= inverse[i, arg] * ratio
                for j in range(size):
                    if j != arg:
                        inverse[i, j] -= inverse[i, arg] * inverse[arg, j] / inverse[arg, arg]
        last = size - 1  # the last parent takes the place of the removed one
        parents[arg], slopes[arg] = parents[last], slopes[last]
        for i in range(last):
            if i != arg:
                inverse[i, arg] = inverse[i, last]
                inverse[arg, i] = inverse[last, i]
        inverse[arg, arg] = inverse[last, last]
        size = last
    return size, variance


@kernel
def _local(covariance, target, candidates, count, cost, limit, toward, left, rows, parents, inverse, slopes):
    """The score of a node that may choose its parents among the candidates: (score, number of parents)."""
    size, left_over = _grow(covariance, target, candidates, count, cost, limit, toward, left, rows, parents)
    size, variance = _shrink(
        covariance, target, candidates, size, left_over, cost, rows, parents, inverse, slopes
    )
    return 0.5 * math.log(variance) + cost * size, size


@kernel
def _workspace(p, limit):
    """Scratch memory for `_local`, made once a kernel call."""
    return (
        np.empty(p),
        np.empty(p),
        np.empty((limit + 1, p)),
        np.empty(limit + 1, dtype=np.int64),
        np.empty((limit + 1, limit + 1)),
        np.empty(limit + 1),
    )


@kernel
def score_order(covariance, allowed, cost, limit, order):
    """Local scores (p,) and the DAG (p, p) of an order."""
    p = len(order)
    scores = np.empty(p)
    dag = np.zeros((p, p), dtype=np.bool_)
    candidates = np.empty(p, dtype=np.int64)
    toward, left, rows, parents, inverse, slopes = _workspace(p, limit)
    for place in range(p):
        node = order[place]
        count = 0
        for before in range(place):
            if allowed[order[before], node]:
                candidates[count] = order[before]
                count += 1
        scores[node], size = _local(
            covariance, node, candidates, count, cost, limit, toward, left, rows, parents, inverse, slopes
        )
        for i in range(size):
            dag[candidates[parents[i]], node] = True
    return scores, dag


@kernel
def _insert(covariance, allowed, cost, limit, order, scores, moving, work):
    """Move one node to its best place; True where that improves the score."""
    p = len(order)
    toward, left, rows, parents, inverse, slopes = work
    rest = np.empty(p - 1, dtype=np.int64)
    place = 0
    for i in range(p):
        if order[i] == moving:
            place = i
    for i in range(p - 1):
        rest[i] = order[i] if i < place else order[i + 1]
    # For each of the other nodes: its score without and with `moving` before it. One of them is known.
    without, with_it = np.empty(p - 1), np.empty(p - 1)
    own = np.empty(p)
    candidates = np.empty(p, dtype=np.int64)
    for i in range(p):
        count = 0
        for before in range(i):
            if allowed[rest[before], moving]:
                candidates[count] = rest[before]
                count += 1
        if i == place:
            own[i] = scores[moving]
        else:
            own[i], _ = _local(
                covariance,
                moving,
                candidates,
                count,
                cost,
                limit,
                toward,
                left,
                rows,
                parents,
                inverse,
                slopes,
            )
    for i in range(p - 1):
        node = rest[i]
        without[i] = with_it[i] = scores[node]
        if not allowed[moving, node]:
            continue
        count = 0
        for before in range(i):
            if allowed[rest[before], node]:
                candidates[count] = rest[before]
                count += 1
        if i < place:
            candidates[count] = moving
            count += 1
        value, _ = _local(
            covariance, node, candidates, count, cost, limit, toward, left, rows, parents, inverse, slopes
        )
        if i < place:
            with_it[i] = value
        else:
            without[i] = value
    total = own[0]
    for i in range(p - 1):
        total += with_it[i]
    best, arg, current = math.inf, 0, 0.0
    for i in range(p):
        if i > 0:
            total += without[i - 1] - with_it[i - 1] + own[i] - own[i - 1]
        if i == place:
            current = total
        if total < best - _TIE:  # equal up to rounding: the first place, whatever the units
            best, arg = total, i
    if best >= current - _TIE:
        return False
    for i in range(p - 1):
        scores[rest[i]] = without[i] if i < arg else with_it[i]
        order[i if i < arg else i + 1] = rest[i]
    order[arg] = moving
    scores[moving] = own[arg]
    return True


@kernel
def insert_nodes(covariance, allowed, cost, limit, order, scores, nodes):
    """Give each of `nodes` its best place in turn, changing `order` and `scores`; how many moved."""
    work = _workspace(len(order), limit)
    moved = 0
    for node in nodes:
        if _insert(covariance, allowed, cost, limit, order, scores, node, work):
            moved += 1
    return moved


def compile_all() -> None:
    """Compile, or load from the cache, everything a search will call."""
    covariance, allowed = np.eye(2), ~np.eye(2, dtype=bool)
    order = np.arange(2)
    scores, _ = score_order(covariance, allowed, 1.0, 1, order)
    insert_nodes(covariance, allowed, 1.0, 1, order, scores, order.copy())
