"""Compiled loops of the order search.

A node chooses its parents among the nodes before it by grow–shrink. Growing is a pivoted Cholesky
factorisation that always takes the candidate with the largest gain and stops when none pays its cost; the
chosen nodes, in the order of their choice, are the node's *path*. Shrinking then removes parents that no
longer pay. For every node the state keeps its path, the triangular `factor` of the path's covariance, and the
`shares`: the node's covariance with each step of the path given the steps before.

One more candidate changes a path only if it beats a choice made on it, or pays at its end; that takes
O(path²) to see (`_would_enter`). One candidate less changes it only if it lies on it. So moving a node in the
order regrows only the nodes that it touches.

Required parents are the first steps of a path, in a fixed order, and are never shrunk away or exchanged:
`required[j, 0]` says how many node j has, `required[j, 1:]` which. A node moves only between its required
parents and those that require it, so that an order which obeys goes on obeying.
"""

import math

import numpy as np

from sparsest._jit import kernel
from sparsest.scores.gaussian import RESIDUAL_FLOOR

# A candidate with less than this share of its variance left is collinear with the parents.
_COLLINEAR = 1e-9
# Improvements below this are rounding.
TIE = 1e-10


@kernel
def _share_that_pays(cost):
    """The least share of a variance that an edge must explain to be worth its cost."""
    return 1.0 - math.exp(-2.0 * (cost + TIE))


@kernel
def _grow(
    covariance, required, target, candidates, count, cost, limit, path, factor, shares, toward, left, rows
):
    """Fill path, factor and shares of `target`; returns (steps, variance left, whether there was room)."""
    variance = covariance[target, target]
    floor = RESIDUAL_FLOOR * variance
    pays = _share_that_pays(cost)
    room = len(path)
    for t in range(count):
        node = candidates[t]
        toward[t] = covariance[node, target]
        left[t] = covariance[node, node]
    steps = 0
    while steps < count and steps < limit:
        best, arg = 0.0, -1
        if steps < required[target, 0]:  # a collinear one has toward 0 and left its own: it changes nothing
            for t in range(count):
                if candidates[t] == required[target, 1 + steps]:
                    best, arg = toward[t] * toward[t] / left[t], t
        else:
            for t in range(count):
                gain = toward[t] * toward[t] / left[t]
                if gain > best:
                    best, arg = gain, t
            if arg < 0 or min(best, variance - floor) <= pays * variance:
                break
        if steps == room:
            return steps, variance, False
        node = candidates[arg]
        scale = 1.0 / math.sqrt(left[arg])
        for above in range(steps):
            factor[steps, above] = rows[above, arg]
        factor[steps, steps] = 1.0 / scale
        path[steps] = node
        share = toward[arg] * scale
        shares[steps] = share
        for t in range(count):
            rows[steps, t] = covariance[node, candidates[t]]
        for above in range(steps):
            pivot = rows[above, arg]
            for t in range(count):
                rows[steps, t] -= pivot * rows[above, t]
        for t in range(count):
            value = rows[steps, t] * scale
            rows[steps, t] = value
            toward[t] -= share * value
            left[t] -= value * value
            own = covariance[candidates[t], candidates[t]]
            if left[t] < _COLLINEAR * own:
                toward[t], left[t] = 0.0, own  # a gain of zero from now on
        variance = max(variance - best, floor)
        steps += 1
    return steps, variance, True


@kernel
def _shrink(steps, fixed, variance, cost, factor, shares, inverse, slopes, kept):
    """Remove steps of a path that do not pay; returns (parents, variance), the parents being kept[:parents].

    The first `fixed` steps, the required parents, stay where they are.
    `inverse` becomes the inverse of the path's covariance and `slopes` the regression coefficients; both are
    downdated when a step goes.
    """
    for i in range(steps):  # column i of the inverse of the triangular factor, below the diagonal
        for j in range(i, steps):
            value = 1.0 if i == j else 0.0
            for k in range(i, j):
                value -= factor[j, k] * slopes[k]
            slopes[j] = value / factor[j, j]
        for j in range(i, steps):
            inverse[j, i] = slopes[j]
    for i in range(steps):  # slopes = factor^-T shares; the upper triangle becomes factor^-T factor^-1
        value = 0.0
        for k in range(i, steps):
            value += inverse[k, i] * shares[k]
        slopes[i] = value
        kept[i] = i
    for i in range(steps):
        for j in range(i, steps):
            value = 0.0
            for k in range(j, steps):
                value += inverse[k, i] * inverse[k, j]
            inverse[i, j] = value  # column i is read no more from here on, but for its part below j
    for i in range(steps):
        for j in range(i):
            inverse[i, j] = inverse[j, i]
    size = steps
    while size > fixed:
        best, arg = math.inf, -1
        for i in range(fixed, size):
            loss = slopes[i] * slopes[i] / inverse[i, i]
            if loss < best:
                best, arg = loss, i
        if 0.5 * math.log((variance + best) / variance) >= cost:
            break
        variance += best
        pivot = inverse[arg, arg]
        ratio = slopes[arg] / pivot
        for i in range(size):
            if i != arg:
                slopes[i] -= inverse[i, arg] * ratio
                for j in range(size):
                    if j != arg:
                        inverse[i, j] -= inverse[i, arg] * inverse[arg, j] / pivot
        last = size - 1  # the last parent takes the place of the removed one
        kept[arg], slopes[arg] = kept[last], slopes[last]
        for i in range(last):
            if i != arg:
                inverse[i, arg] = inverse[i, last]
                inverse[arg, i] = inverse[last, i]
        inverse[arg, arg] = inverse[last, last]
        size = last
    return size, variance


@kernel
def _would_enter(covariance, required, newcomer, target, steps, cost, limit, path, factor, shares, along):
    """Whether one more candidate would change a path: it beats a choice made, or pays at the end."""
    own = left = covariance[newcomer, newcomer]
    variance = covariance[target, target]
    floor = RESIDUAL_FLOOR * variance
    toward = covariance[newcomer, target]
    for step in range(steps):
        share = shares[step]
        if toward * toward > share * share * left and step >= required[target, 0]:
            return True
        value = covariance[newcomer, path[step]]
        for above in range(step):
            value -= along[above] * factor[step, above]
        value /= factor[step, step]
        along[step] = value
        toward -= value * share
        left -= value * value
        if left < _COLLINEAR * own:
            return False
        variance = max(variance - share * share, floor)
    gain = min(toward * toward / left, variance - floor)
    return steps < limit and gain > _share_that_pays(cost) * variance


@kernel
def _before(order, allowed, place, target, candidates):
    """Collect who may be a parent of `target` among the first `place` nodes of the order."""
    count = 0
    for i in range(place):
        node = order[i]
        if allowed[node, target]:
            candidates[count] = node
            count += 1
    return count


@kernel
def _local(covariance, required, target, candidates, count, cost, limit, path, factor, shares, work):
    """Grow and shrink one node: (score, steps of its path, whether there was room)."""
    _, toward, left, rows, inverse, slopes, kept, _ = work
    steps, variance, fits = _grow(
        covariance, required, target, candidates, count, cost, limit, path, factor, shares, toward, left, rows
    )
    fixed = min(steps, required[target, 0])
    size, variance = _shrink(steps, fixed, variance, cost, factor, shares, inverse, slopes, kept)
    return 0.5 * math.log(variance) + cost * size, steps, fits


@kernel
def _workspace(p, room):
    """Scratch memory, made once a kernel call."""
    return (
        np.empty(p, dtype=np.int64),  # candidates
        np.empty(p),  # toward
        np.empty(p),  # left
        np.empty((room, p)),  # rows
        np.empty((room, room)),  # inverse
        np.empty(room),  # slopes
        np.empty(room, dtype=np.int64),  # kept
        np.empty(room),  # along
    )


@kernel
def score_order(covariance, allowed, required, cost, limit, order, state):
    """Fill the state of an order (see `empty_state`); returns whether there was room."""
    scores, steps, paths, factors, shares = state
    work = _workspace(len(order), paths.shape[1])
    candidates = work[0]
    for place in range(len(order)):
        node = order[place]
        count = _before(order, allowed, place, node, candidates)
        scores[node], steps[node], fits = _local(
            covariance, required, node, candidates, count, cost, limit, paths[node], factors[node],
            shares[node], work,
        )  # fmt: skip
        if not fits:
            return False
    return True


@kernel
def _span(rest, required, moving):
    """The first and the last place in `rest` where a node may go: (after its needs, before who needs it)."""
    first, last = 0, len(rest) - 1
    for i in range(len(rest) - 1):
        for k in range(required[moving, 0]):
            if required[moving, 1 + k] == rest[i]:
                first = i + 1
    for i in range(len(rest) - 2, -1, -1):
        for k in range(required[rest[i], 0]):
            if required[rest[i], 1 + k] == moving:
                last = i
    return first, last


@kernel
def _insert(covariance, allowed, required, cost, limit, order, state, moving, work, spare):
    """Move one node to its best place; returns (whether it moved, whether there was room)."""
    scores, steps, paths, factors, shares = state
    candidates, along = work[0], work[7]
    path, factor, share = spare
    p = len(order)
    rest, own, others = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p)
    touched = np.zeros(p, dtype=np.bool_)  # whose path the moving node would change
    place = 0
    for i in range(p):
        if order[i] == moving:
            place = i
    for i in range(p - 1):
        rest[i] = order[i] if i < place else order[i + 1]
    first, last = _span(rest, required, moving)
    # own[i]: the score of the moving node before rest[i].
    own[first], used = 0.5 * math.log(covariance[moving, moving]), place * 0
    if first > 0:
        count = _before(rest, allowed, first, moving, candidates)
        own[first], used, fits = _local(
            covariance, required, moving, candidates, count, cost, limit, path, factor, share, work
        )
        if not fits:
            return False, False
    for i in range(first + 1, last + 1):
        own[i] = own[i - 1]
        node = rest[i - 1]
        if allowed[node, moving] and _would_enter(
            covariance, required, node, moving, used, cost, limit, path, factor, share, along
        ):
            count = _before(rest, allowed, i, moving, candidates)
            own[i], used, fits = _local(
                covariance, required, moving, candidates, count, cost, limit, path, factor, share, work
            )
            if not fits:
                return False, False
    # others[i]: what it costs rest[i] to have the moving node before it, instead of behind.
    for i in range(first, last):
        node = rest[i]
        others[i] = 0.0
        if not allowed[moving, node]:
            continue
        if i < place:
            if _would_enter(
                covariance,
                required,
                moving,
                node,
                steps[node],
                cost,
                limit,
                paths[node],
                factors[node],
                shares[node],
                along,
            ):
                count = _before(rest, allowed, i, node, candidates)
                candidates[count] = moving
                value, _, fits = _local(
                    covariance, required, node, candidates, count + 1, cost, limit, path, factor, share, work
                )
                if not fits:
                    return False, False
                others[i], touched[i] = value - scores[node], True
        elif moving in paths[node, : steps[node]]:
            count = _before(rest, allowed, i, node, candidates)
            value, _, fits = _local(
                covariance, required, node, candidates, count, cost, limit, path, factor, share, work
            )
            if not fits:
                return False, False
            others[i], touched[i] = scores[node] - value, True
    # The total at place i, against the total at the first place.
    total, best, arg, current = own[first], own[first], first, own[first]
    for i in range(first + 1, last + 1):
        total += own[i] - own[i - 1] - others[i - 1]
        if i == place:
            current = total
        if total < best - TIE:  # equal up to rounding: the first place, whatever the units
            best, arg = total, i
    if best >= current - TIE:
        return False, True
    for i in range(p - 1):
        order[i if i < arg else i + 1] = rest[i]
    order[arg] = moving
    for i in range(min(place, arg), max(place, arg) + 1):
        node = order[i]
        among = i - 1 if i > arg else i  # its index in rest
        if node == moving or touched[among]:
            count = _before(order, allowed, i, node, candidates)
            scores[node], steps[node], fits = _local(
                covariance, required, node, candidates, count, cost, limit, paths[node], factors[node],
                shares[node], work,
            )  # fmt: skip
            if not fits:
                return True, False
    return True, True


@kernel
def _best_addition(covariance, target, candidates, count, parents, size, skip, toward, left, rows):
    """What explains most beside the parents but for parents[skip]: (candidate, gain, variance before)."""
    variance = covariance[target, target]
    floor = RESIDUAL_FLOOR * variance
    for t in range(count):
        toward[t] = covariance[candidates[t], target]
        left[t] = covariance[candidates[t], candidates[t]]
    step = 0
    for i in range(size):
        arg = parents[i]
        if i == skip or left[arg] < _COLLINEAR * covariance[candidates[arg], candidates[arg]]:
            continue
        scale = 1.0 / math.sqrt(left[arg])
        for t in range(count):
            rows[step, t] = covariance[candidates[arg], candidates[t]]
        for above in range(step):
            pivot = rows[above, arg]
            for t in range(count):
                rows[step, t] -= pivot * rows[above, t]
        share = toward[arg] * scale
        for t in range(count):
            rows[step, t] *= scale
            toward[t] -= share * rows[step, t]
            left[t] -= rows[step, t] ** 2
        variance = max(variance - share * share, floor)
        step += 1
    best, arg = 0.0, -1
    for t in range(count):
        if left[t] > _COLLINEAR * covariance[candidates[t], candidates[t]]:
            gain = toward[t] * toward[t] / left[t]
            if gain > best:
                best, arg = gain, t
    return arg, min(best, variance - floor), variance


@kernel
def _exchange(
    covariance, target, candidates, count, cost, limit, parents, size, fixed, score, toward, left, rows
):
    """Add, remove or replace a parent, but for the first `fixed`, while that pays: (score, parents)."""
    while size < len(parents):
        lowest, place, newcomer = score - TIE, -1, -1
        for skip in range(fixed, size + 1):  # the last round leaves no parent out: a plain addition
            more = 1 if skip == size else 0
            arg, gain, variance = _best_addition(
                covariance, target, candidates, count, parents, size, skip, toward, left, rows
            )
            if not more and 0.5 * math.log(variance) + cost * (size - 1) < lowest:
                lowest, place, newcomer = 0.5 * math.log(variance) + cost * (size - 1), skip, -1
            if arg >= 0 and size + more <= limit:
                value = 0.5 * math.log(variance - gain) + cost * (size + more)
                if value < lowest:
                    lowest, place, newcomer = value, skip, arg
        if place < 0:
            break
        score = lowest
        if newcomer < 0:
            parents[place] = parents[size - 1]
            size -= 1
        else:
            parents[place] = newcomer
            size = max(size, place + 1)
    return score, size


@kernel
def refine_order(
    covariance, allowed, required, cost, limit, order, state, room, first, last, exchanges, scores, dag
):
    """Fill in scores and DAG for the places from `first` to `last` of an order, with or without exchanges.

    The state must be that of the order. Exchanges find what growing one by one cannot: two parents that
    explain little alone and much together.
    """
    _, steps, paths, factors, shares = state
    p = len(order)
    candidates, toward, left, rows, inverse, slopes, kept, _ = _workspace(p, room)
    parents = np.empty(room, dtype=np.int64)
    for place in range(first, last):
        node = order[place]
        count = _before(order, allowed, place, node, candidates)
        floor = RESIDUAL_FLOOR * covariance[node, node]
        variance = covariance[node, node]
        for step in range(steps[node]):
            variance = max(variance - shares[node, step] ** 2, floor)
        fixed = required[node, 0]
        size, variance = _shrink(
            steps[node], fixed, variance, cost, factors[node], shares[node], inverse, slopes, kept
        )
        for i in range(size):
            for t in range(count):
                if candidates[t] == paths[node, kept[i]]:
                    parents[i] = t
        scores[node] = 0.5 * math.log(variance) + cost * size
        if exchanges:
            scores[node], size = _exchange(
                covariance, node, candidates, count, cost, limit, parents, size, fixed, scores[node], toward,
                left, rows,
            )  # fmt: skip
        for i in range(size):
            dag[candidates[parents[i]], node] = True


@kernel
def _backward(covariance, required, target, candidates, count, cost, parents, scratch):
    """Eliminate parents from all candidates: (score, parents), or an infinite score where it cannot be done.

    It keeps parents that explain little until others are in, which growing never gets to see.
    """
    path, factor, shares, inverse, slopes, kept = scratch
    fixed = required[target, 0]
    size = 0
    for i in range(fixed):  # required parents come first, where they stay
        for t in range(count):
            if candidates[t] == required[target, 1 + i]:
                path[size] = t
                size += 1
    for t in range(count):
        new = True
        for i in range(fixed):
            new = new and path[i] != t
        if new:
            path[size] = t
            size += 1
    variance = covariance[target, target]
    floor = RESIDUAL_FLOOR * variance
    for i in range(count):
        node = candidates[path[i]]
        for j in range(i + 1):
            value = covariance[node, candidates[path[j]]]
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            if j < i:
                factor[i, j] = value / factor[j, j]
            elif value < _COLLINEAR * covariance[node, node]:
                return math.inf, 0
            else:
                factor[i, i] = math.sqrt(value)
        share = covariance[node, target]
        for k in range(i):
            share -= factor[i, k] * shares[k]
        shares[i] = share / factor[i, i]
        variance -= shares[i] ** 2
    if variance < floor:
        return math.inf, 0
    size, variance = _shrink(count, fixed, variance, cost, factor, shares, inverse, slopes, kept)
    if size >= len(parents):
        return math.inf, 0
    for i in range(size):
        parents[i] = path[kept[i]]
    return 0.5 * math.log(variance) + cost * size, size


@kernel
def eliminate_order(covariance, allowed, required, cost, limit, order, room, first, last, scores, dag):
    """Where eliminating from all candidates and exchanging gives a better score, take those parents.

    For the places from `first` to `last` of an order; places with more candidates than `room` stay as is.
    """
    p = len(order)
    candidates, toward, left = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p)
    rows, parents = np.empty((room + 1, p)), np.empty(room + 1, dtype=np.int64)
    scratch = (
        np.empty(room, dtype=np.int64), np.empty((room, room)), np.empty(room),
        np.empty((room, room)), np.empty(room), np.empty(room, dtype=np.int64),
    )  # fmt: skip
    for place in range(first, last):
        node = order[place]
        count = _before(order, allowed, place, node, candidates)
        if count > room:
            continue
        score, size = _backward(covariance, required, node, candidates, count, cost, parents, scratch)
        if size > limit or score == math.inf:
            continue
        score, size = _exchange(
            covariance, node, candidates, count, cost, limit, parents, size, required[node, 0], score,
            toward, left, rows,
        )  # fmt: skip
        if score < scores[node] - TIE:
            scores[node] = score
            dag[:, node] = False
            for i in range(size):
                dag[candidates[parents[i]], node] = True


@kernel
def insert_nodes(covariance, allowed, required, cost, limit, order, state, nodes):
    """Give each of `nodes` its best place in turn; (how many moved, how many had room)."""
    room = state[2].shape[1]
    work = _workspace(len(order), room)
    spare = (np.empty(room, dtype=np.int64), np.empty((room, room)), np.empty(room))
    moved = 0
    for done in range(len(nodes)):
        changed, fits = _insert(
            covariance, allowed, required, cost, limit, order, state, nodes[done], work, spare
        )
        if changed:
            moved += 1
        if not fits:
            return moved, done
    return moved, len(nodes)


def empty_state(p: int, room: int) -> tuple[np.ndarray, ...]:
    """Memory for the state of an order: scores, steps, paths, factors, shares."""
    return (
        np.empty(p),
        np.zeros(p, dtype=np.int64),
        np.zeros((p, room), dtype=np.int64),
        np.zeros((p, room, room)),
        np.zeros((p, room)),
    )


def required_parents(required: np.ndarray) -> np.ndarray:
    """A row a node: how many parents it must have, and which."""
    counts = required.sum(axis=0)
    rows = np.zeros((len(required), 1 + int(counts.max(initial=0))), dtype=np.int64)
    rows[:, 0] = counts
    for node in np.flatnonzero(counts):
        rows[node, 1 : 1 + counts[node]] = np.flatnonzero(required[:, node])
    return rows


def compile_all() -> None:
    """Compile, or load from the cache, everything a search will call."""
    given = (np.eye(2), ~np.eye(2, dtype=bool), required_parents(np.zeros((2, 2), dtype=bool)), 1.0, 1)
    order, state = np.arange(2), empty_state(2, 1)
    score_order(*given, order, state)
    insert_nodes(*given, order, state, order.copy())
    refine_order(*given, order, state, 2, 0, 2, True, np.empty(2), np.zeros((2, 2), dtype=bool))
    eliminate_order(*given, order, 2, 0, 2, np.zeros(2), np.zeros((2, 2), dtype=bool))
