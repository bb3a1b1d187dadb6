"""Compiled loops for the parents of nodes along a fixed order: exchanges, and elimination.

Growing and shrinking (`_order_kernels.py`) considers one candidate at a time. Two parents that explain little
alone and much together are found by exchanging one parent for another, or by starting with all candidates.

The problem is (covariance, allowed, required, cost, limit, generosity), as there. Required parents are never
given up.
"""

import math

import numpy as np

from sparsest._core.jit import kernel, part
from sparsest.problem import ROUNDING
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest.search.common import COLLINEAR


@part
def _before(order, allowed, place, target, candidates):
    """Collect the possible parents of `target` among the first `place` nodes of the order."""
    count = 0
    for i in range(place):
        node = order[i]
        if allowed[node, target]:
            candidates[count] = node
            count += 1
    return count


@part
def _explain(covariance, target, candidates, count, parents, size, exchanging):
    """Regress the target and all candidates on the parents; (the target's variance left, steps).

    A collinear parent has no step, and changes nothing.
    """
    rows, toward, left, slopes, inverse, steps, _ = exchanging
    variance = covariance[target, target]
    floor = RESIDUAL_FLOOR * variance
    for t in range(count):
        toward[t] = covariance[candidates[t], target]
        left[t] = covariance[candidates[t], candidates[t]]
    step = 0
    for i in range(size):
        arg = parents[i]
        steps[i] = -1
        if left[arg] < COLLINEAR * covariance[candidates[arg], candidates[arg]]:
            continue
        scale = 1.0 / math.sqrt(left[arg])
        for t in range(count):
            rows[step, t] = covariance[candidates[arg], candidates[t]]
        inverse[step, :step] = 0.0
        for above in range(step):
            pivot = rows[above, arg]
            for t in range(count):
                rows[step, t] -= pivot * rows[above, t]
            for k in range(above + 1):
                inverse[step, k] -= pivot * scale * inverse[above, k]
        inverse[step, step] = scale
        share = toward[arg] * scale
        for t in range(count):
            rows[step, t] *= scale
            toward[t] -= share * rows[step, t]
            left[t] -= rows[step, t] ** 2
        slopes[step] = 0.0
        for k in range(step + 1):
            slopes[k] += share * inverse[step, k]
        variance = max(variance - share * share, floor)
        steps[i] = step
        step += 1
    return variance, step


@part
def _best_addition(covariance, target, candidates, count, step, end, variance, exchanging):
    """The best addition to the parents without that of `step`: (candidate, gain, variance before).

    It is derived from what `_explain` found for all parents, by undoing the effect of one of them. With a
    negative step none is left out.
    """
    rows, toward, left, slopes, inverse, _, through = exchanging
    through[:count] = 0.0
    slope, rest = 0.0, 1.0  # of the parent left out: its coefficient, and its variance given the others
    if step >= 0:
        own = 0.0
        for above in range(step, end):
            weight = inverse[above, step]
            own += weight * weight
            for t in range(count):
                through[t] += weight * rows[above, t]
        slope, rest = slopes[step], 1.0 / own
    best, arg = 0.0, -1
    for t in range(count):
        variation = left[t] + rest * through[t] * through[t]
        if variation > COLLINEAR * covariance[candidates[t], candidates[t]]:
            shared = toward[t] + rest * through[t] * slope
            gain = shared * shared / variation
            if gain > best:
                best, arg = gain, t
    variance += rest * slope * slope
    return arg, min(best, variance - RESIDUAL_FLOOR * covariance[target, target]), variance


@part
def _exchange(covariance, target, candidates, count, cost, limit, parents, size, fixed, exchanging):
    """Add, remove or replace parents, except the first `fixed`, while that pays: (score, how many)."""
    steps = exchanging[5]
    score, place, former, former_size = math.inf, -1, -1, size
    while True:
        variance, end = _explain(covariance, target, candidates, count, parents, size, exchanging)
        now = 0.5 * math.log(variance) + cost * size
        if now >= score - 0.5 * ROUNDING:  # what looked like a gain was rounding
            parents[place] = former
            return score, former_size
        score, former_size = now, size
        if size == len(parents):
            return score, size
        lowest, place, newcomer = score - ROUNDING, -1, -1
        for skip in range(fixed, size + 1):  # the last round leaves no parent out: a plain addition
            more = 1 if skip == size else 0
            arg, gain, before = _best_addition(
                covariance, target, candidates, count, -1 if more else steps[skip], end, variance, exchanging
            )
            if not more and 0.5 * math.log(before) + cost * (size - 1) < lowest:
                lowest, place, newcomer = 0.5 * math.log(before) + cost * (size - 1), skip, -1
            if arg >= 0 and size + more <= limit:
                value = 0.5 * math.log(before - gain) + cost * (size + more)
                if value < lowest:
                    lowest, place, newcomer = value, skip, arg
        if place < 0:
            return score, size
        former = parents[place]
        if newcomer < 0:
            size -= 1
            parents[place], parents[size] = parents[size], former
            place = size
        else:
            parents[place] = newcomer
            size = max(size, place + 1)


@part
def _exchanging(p, room):
    """Scratch memory for exchanging among at most p candidates, with at most `room` parents."""
    return (
        np.empty((room, p)),  # rows of the Cholesky factor
        np.empty(p),  # toward: covariance with the target given the parents
        np.empty(p),  # left: variance given the parents
        np.empty(room),  # slopes of the target
        np.empty((room, room)),  # inverse of the factor
        np.empty(room, dtype=np.int64),  # steps: which row is a parent's
        np.empty(p),  # through: coefficients of one parent
    )


@part
def _number(required, target, candidates, chosen, count, parents):
    """Number the chosen candidates as parents, required ones first; returns how many."""
    size = 0
    for i in range(required[target, 0]):
        for t in range(count):
            if candidates[t] == required[target, 1 + i]:
                parents[size] = t
                chosen[t] = False
                size += 1
    for t in range(count):
        if chosen[t]:
            parents[size] = t
            size += 1
    return size


@kernel
def exchange_order(problem, order, first, last, scores, dag):
    """Exchange parents where that improves scores, for the places from `first` to `last` of an order."""
    covariance, allowed, required, cost, limit, _ = problem
    p, most = len(order), 0
    for place in range(first, last):
        size = 0
        for node in range(p):
            size += dag[node, order[place]]
        most = max(most, size)
    room = 2 * most + 8
    exchanging = _exchanging(p, room)
    candidates, parents = np.empty(p, dtype=np.int64), np.empty(room, dtype=np.int64)
    chosen = np.empty(p, dtype=np.bool_)
    for place in range(first, last):
        node = order[place]
        count = _before(order, allowed, place, node, candidates)
        for t in range(count):
            chosen[t] = dag[candidates[t], node]
        size = _number(required, node, candidates, chosen, count, parents)
        scores[node], size = _exchange(
            covariance, node, candidates, count, cost, limit, parents, size, required[node, 0], exchanging
        )
        dag[:, node] = False
        for i in range(size):
            dag[candidates[parents[i]], node] = True


@part
def _sweep_in(matrix, k):
    """Take variable k into a regression, by the sweep operator (Goodnight, 1979).

    Of the covariance of some variables it makes minus the inverse where both were swept, coefficients where
    one was, and the covariance that is left where none was.
    """
    pivot = matrix[k, k]
    for i in range(len(matrix)):
        if i != k:
            factor = matrix[k, i] / pivot
            for j in range(len(matrix)):
                matrix[i, j] -= factor * matrix[k, j]
    for i in range(len(matrix)):
        matrix[k, i] /= pivot
        matrix[i, k] = matrix[k, i]
    matrix[k, k] = -1.0 / pivot


@part
def _sweep_out(matrix, size, k, pivots):
    """Take variable k out of a regression again; the last of them takes its place. Returns how many are left.

    Only the lower triangle is used.
    """
    last = size - 1
    for j in range(size):
        pivots[j] = matrix[k, j] if j <= k else matrix[j, k]
    pivot, pivots[k] = pivots[k], pivots[last]
    for j in range(last):
        if j != k:
            matrix[max(j, k), min(j, k)] = matrix[last, j]
    matrix[k, k] = matrix[last, last]
    for i in range(last):
        factor, row = pivots[i] / pivot, matrix[i]
        for j in range(i + 1):
            row[j] -= factor * pivots[j]
    return last


@part
def _requires(required, target, node):
    """Whether a node must be a parent of the target."""
    for i in range(required[target, 0]):  # noqa: SIM110, any() of a generator is not compiled
        if required[target, 1 + i] == node:
            return True
    return False


@part
def _eliminate(problem, variables, matrix, size):
    """Start with all variables and remove, one by one, the one least worth its cost; how many are left.

    The first of them is the target; all others are swept into the matrix. Variables that explain little until
    others are in, which growing never finds, are in from the start. None is left, not even the target, where
    the candidates explain it completely: then it cannot be said which are worth more.
    """
    covariance, allowed, required, cost, _, _ = problem
    target, pivots = variables[0], np.empty(size)
    for k in range(size - 1, 0, -1):
        if not allowed[variables[k], target]:
            size = _sweep_out(matrix, size, k, pivots)
            variables[k] = variables[size]
    if matrix[0, 0] < COLLINEAR * covariance[target, target]:
        return 0
    while True:
        variance, least, arg = matrix[0, 0], math.inf, -len(pivots)
        for k in range(1, size):
            loss = -matrix[k, 0] * matrix[k, 0] / matrix[k, k]
            if loss < least and not _requires(required, target, variables[k]):
                least, arg = loss, k
        if arg < 0 or 0.5 * math.log((variance + least) / variance) >= cost:
            return size
        size = _sweep_out(matrix, size, arg, pivots)
        variables[arg] = variables[size]


@kernel
def eliminate_order(problem, order, swept, inside, first, last, scores, dag):
    """Take the parents found by eliminating from all candidates and exchanging, where their score is better.

    For the places from `first` to `last` of an order. `swept` is the covariance of its nodes, of which those
    before `first` are swept in, as `inside` says, and the others follow. A node collinear with nodes before
    it stays outside and is no candidate, since it explains nothing more.
    """
    covariance, allowed, required, cost, limit, _ = problem
    p = len(order)
    # A literal number passed on to another function would have that compiled twice: hence min(last, 1).
    matrix, variables = np.empty((last, last)), np.empty(last, dtype=np.int64)
    candidates, parents = np.empty(p, dtype=np.int64), np.empty(last + 1, dtype=np.int64)
    exchanging, chosen = _exchanging(p, last + 1), np.empty(p, dtype=np.bool_)
    for place in range(first, last):
        node = order[place]
        variables[0], matrix[0, 0], size = node, swept[place, place], min(last, 1)
        for i in range(place):
            if inside[i]:
                variables[size], matrix[size, 0] = order[i], swept[place, i]
                column = 1
                for j in range(i + 1):
                    if inside[j]:
                        matrix[size, column] = swept[i, j]
                        column += 1
                size += 1
        left = _eliminate(problem, variables, matrix, size)
        inside[place] = swept[place, place] >= COLLINEAR * covariance[node, node]
        if inside[place]:
            _sweep_in(swept, place)
        count = _before(order, allowed, place, node, candidates)
        for t in range(count):
            chosen[t] = False
            for k in range(1, left):
                chosen[t] = chosen[t] or variables[k] == candidates[t]
        size = _number(required, node, candidates, chosen, count, parents)
        if left == 0 or size > limit:
            continue
        score, size = _exchange(
            covariance, node, candidates, count, cost, limit, parents, size, required[node, 0], exchanging
        )
        if score < scores[node] - ROUNDING:
            scores[node] = score
            dag[:, node] = False
            for i in range(size):
                dag[candidates[parents[i]], node] = True


def compile_all() -> None:
    """Compile, or load from the cache, the kernels that improve parents along an order."""
    problem = (np.eye(2), ~np.eye(2, dtype=bool), np.zeros((2, 1), dtype=np.int64), 1.0, 1, 0.5)
    order, scores, dag = np.arange(2), np.zeros(2), np.zeros((2, 2), dtype=bool)
    exchange_order(problem, order, 0, 2, scores, dag)
    eliminate_order(problem, order, np.eye(2), np.zeros(2, dtype=bool), 0, 2, scores, dag)
