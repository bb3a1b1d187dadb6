"""Compiled loops of the order search.

A node chooses its parents among the nodes before it by grow–shrink. Growing is a pivoted Cholesky
factorisation that always takes the candidate with the largest gain and stops when none pays its cost; the
chosen nodes, in the order of their choice, are the node's *path*. Shrinking then removes parents that no
longer pay.

What growing meets is kept in a *tree* (the grow–shrink trees of Andrews et al., 2023). A place in it is a
path, place j the empty one of node j; it knows who would pay there, and leads on to the places that were
visited from it. Each of those knows who would have been chosen instead of its own last step. Growing among
some candidates is then a walk: on to the place whose last step is a candidate, and nobody who would have been
chosen instead is, until no candidate pays. Only steps that nobody has made yet are computed, for all nodes at
once, in `growth`, which holds the last path. Whoever would have been chosen instead on the way, or pays at
its end, changes the path by becoming a candidate (it *enters*); only who is on the path changes it by
leaving. So moving a node in the order lets only those walk again whom it touches. Sets of nodes are bits.

Required parents are the first steps of a path, in a fixed order, and are never shrunk away or exchanged:
`required[j, 0]` says how many node j has, `required[j, 1:]` which. A node moves only between its required
parents and those that require it, so that an order which obeys goes on obeying.

`allowed[j, i]` says whether i may be a parent of j.
"""

import math

import numpy as np

from sparsest._jit import kernel
from sparsest.scores.gaussian import RESIDUAL_FLOOR

# A candidate with less than this share of its variance left is collinear with the parents.
_COLLINEAR = 1e-9
# Improvements below this are rounding.
TIE = 1e-10
# What the tree holds of a place: its path's last step, from where and who; its length; a place that it leads
# to, and the next to which the one before it leads; then two sets, who pays, and who would have been chosen.
_ABOVE, _VIA, _DEPTH, _ONWARD, _BESIDE, _PAYERS = range(6)
# Why a walk broke off: `growth` has no room for so long a path, or the tree for one more place.
WALKED, LONG_PATH, FULL_TREE = 0, -1, -2


@kernel
def _share_that_pays(cost):
    """The least share of a variance that an edge must explain to be worth its cost."""
    return 1.0 - math.exp(-2.0 * (cost + TIE))


@kernel
def _has(members, node):
    """Whether a node is in a set."""
    return (members[node >> 6] >> (node & 63)) & 1 == 1


@kernel
def _add(members, node):
    """Put a node into a set."""
    members[node >> 6] |= 1 << (node & 63)


@kernel
def _meet(some, others):
    """Whether two sets have a node in common."""
    for word in range(len(some)):  # noqa: SIM110, any() of a generator is not compiled
        if some[word] & others[word] != 0:
            return True
    return False


@kernel
def _add_larger(members, values, least):
    """Put those into a set whose values are larger than `least`."""
    for word in range((len(values) + 63) >> 6):
        bits = 0
        for t in range(word << 6, min(len(values), (word + 1) << 6)):
            bits |= (1 if values[t] > least else 0) << (t & 63)
        members[word] |= bits


@kernel
def _largest(values, some, others):
    """Who has the largest value of those in both sets, of equals the lowest node."""
    most, arg = -1.0, -1
    for word in range((len(values) + 63) >> 6):
        both = some[word] & others[word]
        for t in range(word << 6, min(len(values), (word + 1) << 6)):
            value = values[t] if (both >> (t & 63)) & 1 else -1.0
            if value > most:
                most, arg = value, t
    return arg


@kernel
def _step(covariance, target, node, depth, growth):
    """Let `node` join a path of `depth` steps: what is left of every node, and of its share in the target."""
    rows, toward, left, gains, variances, owns, _ = growth
    row = rows[depth]
    row[:] = covariance[node]
    for above in range(depth):
        pivot, other = rows[above, node], rows[above]
        for t in range(len(row)):
            row[t] -= pivot * other[t]
    scale = 1.0 / math.sqrt(left[depth, node])
    share = toward[depth, node] * scale
    for t in range(len(row)):
        value = row[t] * scale
        row[t] = value
        rest = left[depth, t] - value * value
        collinear = rest < _COLLINEAR * owns[t]  # a gain of zero from now on
        toward[depth + 1, t] = 0.0 if collinear else toward[depth, t] - share * value
        left[depth + 1, t] = owns[t] if collinear else rest
    for t in range(len(row)):
        gains[depth + 1, t] = toward[depth + 1, t] * toward[depth + 1, t] / left[depth + 1, t]
    variances[depth + 1] = max(variances[depth] - share * share, RESIDUAL_FLOOR * owns[target])


@kernel
def _recall(problem, places, target, place, growth):
    """Bring `growth` to a place; of the path that it holds, the part that both share is not computed anew."""
    covariance, allowed, _, _, _ = problem
    _, toward, left, gains, variances, owns, held = growth
    if held[0] != target:
        for t in range(len(owns)):  # who may not be a parent has endless variance, and gains nothing
            toward[0, t], left[0, t] = covariance[target, t], owns[t] if allowed[target, t] else math.inf
            gains[0, t] = toward[0, t] * toward[0, t] / left[0, t]
        variances[0] = owns[target]
        held[0] = target
        held[1:] = -1
    depth, shared = places[place, _DEPTH], place
    while held[places[shared, _DEPTH]] != shared:
        shared = places[shared, _ABOVE]
    if shared == place:
        return
    at = place
    for step in range(depth, places[shared, _DEPTH], -1):
        held[step] = at
        at = places[at, _ABOVE]
    held[depth + 1 :] = -1
    for step in range(places[shared, _DEPTH], depth):
        _step(covariance, target, places[held[step + 1], _VIA], step, growth)


@kernel
def _make_place(problem, tree, target, above, via, growth):
    """Make the place one step from another (above, via), and see who pays there; returns it."""
    _, _, required, cost, limit = problem
    places, scores, used = tree
    _, _, _, gains, variances, owns, _ = growth
    place, depth = used[0], 0 if above < 0 else places[above, _DEPTH] + 1
    used[0] += 1
    row = places[place]
    row[:] = 0
    row[_ABOVE], row[_VIA], row[_DEPTH], row[_ONWARD], row[_BESIDE] = above, via, depth, -1, -1
    scores[place] = math.nan
    _recall(problem, places, target, place, growth)
    pays = _share_that_pays(cost) * variances[depth]
    payers = row[_PAYERS:]
    if depth < required[target, 0]:
        _add(payers, required[target, 1 + depth])
    elif depth < limit and variances[depth] - RESIDUAL_FLOOR * owns[target] > pays:
        _add_larger(payers, gains[depth], pays)
    return place


@kernel
def _go_on(problem, tree, target, place, candidates, growth):
    """Take the best step from a place that nobody has taken yet; returns where it leads."""
    required = problem[2]
    places = tree[0]
    words = len(candidates)
    gains = growth[3][places[place, _DEPTH]]
    _recall(problem, places, target, place, growth)
    payers = places[place, _PAYERS:]
    via = _largest(gains, payers, candidates)
    onward = _make_place(problem, tree, target, place, via, growth)
    instead = places[onward, _PAYERS + words :]
    if places[place, _DEPTH] >= required[target, 0]:
        _add_larger(instead, gains, gains[via])  # so did nobody who may not be a parent, or does not pay
        for t in range(via):
            if gains[t] == gains[via]:
                _add(instead, t)
    places[onward, _BESIDE], places[place, _ONWARD] = places[place, _ONWARD], onward
    return onward


@kernel
def _settle(problem, places, target, place, growth, shrinking):
    """Shrink the path of a place: (parents, variance), the parents being the path's steps kept[:parents]."""
    _, _, required, cost, _ = problem
    _recall(problem, places, target, place, growth)
    rows, toward, left, _, variances, _, held = growth
    factor, shares, inverse, slopes, kept = shrinking
    steps = places[place, _DEPTH]
    for step in range(steps):
        node = places[held[step + 1], _VIA]
        for above in range(step):
            factor[step, above] = rows[above, node]
        factor[step, step] = math.sqrt(left[step, node])
        shares[step] = toward[step, node] / factor[step, step]
    fixed = min(steps, required[target, 0])
    return _shrink(steps, fixed, variances[steps], cost, factor, shares, inverse, slopes, kept)


@kernel
def _walk(problem, tree, target, candidates, growth, shrinking):
    """Where growing ends for `target` among some candidates, or why it broke off."""
    places, scores, used = tree
    chosen_instead = _PAYERS + len(candidates)
    place = target
    while _meet(candidates, places[place, _PAYERS:]):
        onward = places[place, _ONWARD]
        while onward >= 0 and not (
            _has(candidates, places[onward, _VIA]) and not _meet(candidates, places[onward, chosen_instead:])
        ):
            onward = places[onward, _BESIDE]
        if onward < 0:
            if places[place, _DEPTH] + 1 >= len(growth[6]):
                return LONG_PATH
            if used[0] == len(places):
                return FULL_TREE
            onward = _go_on(problem, tree, target, place, candidates, growth)
        place = onward
    if math.isnan(scores[place]):
        size, variance = _settle(problem, places, target, place, growth, shrinking)
        scores[place] = 0.5 * math.log(variance) + problem[3] * size
    return place


@kernel
def _relate(places, place, enters, path):
    """Collect who would change the path of a place by becoming a candidate, and who is on it."""
    words = len(path)
    enters[:], path[:] = places[place, _PAYERS : _PAYERS + words], 0
    while places[place, _ABOVE] >= 0:
        for word in range(words):
            enters[word] |= places[place, _PAYERS + words + word]
        _add(path, places[place, _VIA])
        place = places[place, _ABOVE]


@kernel
def plant(problem, tree, growth):
    """Make an empty tree: one place for every node, where its paths begin."""
    tree[2][0] = 0
    growth[6][:] = -1
    for target in range(len(problem[0])):
        _make_place(problem, tree, target, -1, -1, growth)


@kernel
def _shrink(steps, fixed, variance, cost, factor, shares, inverse, slopes, kept):
    """Remove steps of a path that do not pay; returns (parents, variance), the parents being kept[:parents].

    The first `fixed` steps, the required parents, stay where they are.
    `inverse` becomes the inverse of the path's covariance and `slopes` the regression coefficients; both are
    downdated when a step goes. `factor` is replaced by its own inverse.
    """
    slopes[:steps] = 0.0
    inverse[:steps, :steps] = 0.0
    for k in range(steps):
        row, scale = factor[k], 1.0 / factor[k, k]
        for above in range(k):
            weight, other = row[above] * scale, factor[above]
            row[above] = 0.0
            for i in range(above + 1):
                row[i] -= weight * other[i]
        row[k] = scale
        kept[k] = k
        for i in range(k + 1):
            slopes[i] += shares[k] * row[i]
            value, other = row[i], inverse[i]
            for j in range(k + 1):
                other[j] += value * row[j]
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
def _shrinking(growth):
    """Scratch memory for shrinking, made once a call."""
    room = len(growth[6])
    return (
        np.empty((room, room)),  # factor
        np.empty(room),  # shares
        np.empty((room, room)),  # inverse
        np.empty(room),  # slopes
        np.empty(room, dtype=np.int64),  # kept
    )


@kernel
def score_order(problem, tree, growth, order, state):
    """Fill the state of an order (see `empty_state`), unless there is no room."""
    scores, ends, enters, paths = state
    shrinking = _shrinking(growth)
    before = np.zeros(paths.shape[1], dtype=np.int64)
    for i in range(len(order)):
        node = order[i]
        end = _walk(problem, tree, node, before, growth, shrinking)
        if end < 0:
            return end
        scores[node], ends[node] = tree[1][end], end
        _relate(tree[0], end, enters[node], paths[node])
        _add(before, node)
    return WALKED


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
def _insert(problem, tree, growth, order, state, moving, shrinking):
    """Move one node to its best place in the order; (whether it moved, why there was no room)."""
    scores, ends, enters, paths = state
    places, values, _ = tree
    p, words = len(order), paths.shape[1]
    rest, own, others = np.empty(p, dtype=np.int64), np.empty(p), np.zeros(p)
    own_ends, other_ends = np.empty(p, dtype=np.int64), np.full(p, -1)
    before = np.zeros(words, dtype=np.int64)
    entering, path = np.empty(words, dtype=np.int64), np.empty(words, dtype=np.int64)
    place = 0
    for i in range(p):
        if order[i] == moving:
            place = i
    for i in range(p - 1):
        rest[i] = order[i] if i < place else order[i + 1]
    first, last = _span(rest, problem[2], moving)
    for i in range(first):
        _add(before, rest[i])
    # own[i]: the score of the moving node before rest[i].
    for i in range(first, last + 1):
        if i > first:
            _add(before, rest[i - 1])
        if i == first or _has(entering, rest[i - 1]):
            end = _walk(problem, tree, moving, before, growth, shrinking)
            if end < 0:
                return False, end
            _relate(places, end, entering, path)
        own[i], own_ends[i] = values[end], end
    # others[i]: what it costs rest[i] to have the moving node before it, instead of behind.
    before[:] = 0
    for i in range(last):
        node = rest[i]
        if i == place:  # from here on the moving node is before them now
            before[moving >> 6] &= ~(1 << (moving & 63))
        elif i == 0:
            _add(before, moving)
        if i >= first and _has(enters[node] if i < place else paths[node], moving):
            end = _walk(problem, tree, node, before, growth, shrinking)
            if end < 0:
                return False, end
            other_ends[i] = end
            others[i] = values[end] - scores[node] if i < place else scores[node] - values[end]
        _add(before, node)
    # The total at place i, against the total at the first place.
    total, best, arg, current = own[first], own[first], first, own[first]
    for i in range(first + 1, last + 1):
        total += own[i] - own[i - 1] - others[i - 1]
        if i == place:
            current = total
        if total < best - TIE:  # equal up to rounding: the first place, whatever the units
            best, arg = total, i
    if best >= current - TIE:
        return False, WALKED
    for i in range(p - 1):
        order[i if i < arg else i + 1] = rest[i]
    order[arg] = moving
    scores[moving], ends[moving] = own[arg], own_ends[arg]
    _relate(places, own_ends[arg], enters[moving], paths[moving])
    for i in range(min(place, arg), max(place, arg)):
        if other_ends[i] >= 0:
            node, end = rest[i], other_ends[i]
            scores[node], ends[node] = values[end], end
            _relate(places, end, enters[node], paths[node])
    return True, WALKED


@kernel
def insert_nodes(problem, tree, growth, order, state, nodes):
    """Give each of `nodes` its best place in turn; (how many moved, how many had room, why no more)."""
    shrinking = _shrinking(growth)
    moved = 0
    for done in range(len(nodes)):
        changed, why = _insert(problem, tree, growth, order, state, nodes[done], shrinking)
        if changed:
            moved += 1
        if why != WALKED:
            return moved, done, why
    return moved, len(nodes), WALKED


@kernel
def _before(order, allowed, place, target, candidates):
    """Collect who may be a parent of `target` among the first `place` nodes of the order."""
    count = 0
    for i in range(place):
        node = order[i]
        if allowed[target, node]:
            candidates[count] = node
            count += 1
    return count


@kernel
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
        if left[arg] < _COLLINEAR * covariance[candidates[arg], candidates[arg]]:
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


@kernel
def _best_addition(covariance, target, candidates, count, step, end, variance, exchanging):
    """What explains most beside the parents, but for that of `step`: (candidate, gain, variance before).

    From what `_explain` found for all parents: without one of them, whatever goes through it comes back.
    With a step below 0 none is left out.
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
        if variation > _COLLINEAR * covariance[candidates[t], candidates[t]]:
            shared = toward[t] + rest * through[t] * slope
            gain = shared * shared / variation
            if gain > best:
                best, arg = gain, t
    variance += rest * slope * slope
    return arg, min(best, variance - RESIDUAL_FLOOR * covariance[target, target]), variance


@kernel
def _exchange(covariance, target, candidates, count, cost, limit, parents, size, fixed, exchanging):
    """Add, remove or replace a parent, but for the first `fixed`, while that pays: (score, parents)."""
    steps = exchanging[5]
    score, place, former, former_size = math.inf, -1, -1, size
    while True:
        variance, end = _explain(covariance, target, candidates, count, parents, size, exchanging)
        now = 0.5 * math.log(variance) + cost * size
        if now >= score - 0.5 * TIE:  # what looked like a gain was rounding
            parents[place] = former
            return score, former_size
        score, former_size = now, size
        if size == len(parents):
            return score, size
        lowest, place, newcomer = score - TIE, -1, -1
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


@kernel
def _exchanging(p, room):
    """Scratch memory for exchanging among at most p candidates, with less than `room` parents."""
    return (
        np.empty((room, p)),  # rows of the Cholesky factor
        np.empty(p),  # toward: covariance with the target given the parents
        np.empty(p),  # left: variance given the parents
        np.empty(room),  # slopes of the target
        np.empty((room, room)),  # inverse of the factor
        np.empty(room, dtype=np.int64),  # steps: which row is a parent's
        np.empty(p),  # through: coefficients of one parent
    )


@kernel
def refine_order(problem, tree, growth, order, state, first, last, exchanges, scores, dag):
    """Fill in scores and DAG for the places from `first` to `last` of an order, with or without exchanges.

    The state must be that of the order. Exchanges find what growing one by one cannot: two parents that
    explain little alone and much together.
    """
    covariance, allowed, required, cost, limit = problem
    p = len(order)
    shrinking = _shrinking(growth)
    kept = shrinking[4]
    exchanging = _exchanging(p, 2 * len(kept))
    candidates, parents = np.empty(p, dtype=np.int64), np.empty(2 * len(kept), dtype=np.int64)
    for place in range(first, last):
        node = order[place]
        count = _before(order, allowed, place, node, candidates)
        size, variance = _settle(problem, tree[0], node, state[1][node], growth, shrinking)
        for i in range(size):
            parent = tree[0][growth[6][kept[i] + 1], _VIA]
            for t in range(count):
                if candidates[t] == parent:
                    parents[i] = t
        scores[node] = 0.5 * math.log(variance) + cost * size
        if exchanges:
            scores[node], size = _exchange(
                covariance, node, candidates, count, cost, limit, parents, size, required[node, 0], exchanging
            )
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
def eliminate_order(problem, order, room, first, last, scores, dag):
    """Where eliminating from all candidates and exchanging gives a better score, take those parents.

    For the places from `first` to `last` of an order; places with more candidates than `room` stay as is.
    """
    covariance, allowed, required, cost, limit = problem
    p = len(order)
    candidates, parents = np.empty(p, dtype=np.int64), np.empty(room + 1, dtype=np.int64)
    exchanging = _exchanging(p, room + 1)
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
            covariance, node, candidates, count, cost, limit, parents, size, required[node, 0], exchanging
        )
        if score < scores[node] - TIE:
            scores[node] = score
            dag[:, node] = False
            for i in range(size):
                dag[candidates[parents[i]], node] = True


def empty_tree(p: int, places: int) -> tuple[np.ndarray, ...]:
    """Memory for a tree: the places, their scores, and how many there are."""
    return (
        np.empty((places, _PAYERS + 2 * _words(p)), dtype=np.int64),
        np.empty(places),  # nan until a walk ends there
        np.zeros(1, dtype=np.int64),
    )


def larger_tree(tree: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """A tree with the same places, and twice the room."""
    places, scores, used = tree
    larger = np.empty((2 * len(places), places.shape[1]), dtype=np.int64), np.empty(2 * len(places)), used
    larger[0][: len(places)], larger[1][: len(places)] = places, scores
    return larger


def empty_growth(covariance: np.ndarray, room: int) -> tuple[np.ndarray, ...]:
    """Memory for a path of less than `room` steps, and what each step leaves of all nodes."""
    p = len(covariance)
    return (
        np.empty((room, p)),  # rows of the Cholesky factor
        np.empty((room, p)),  # toward: covariance with the target given the steps before
        np.empty((room, p)),  # left: variance given the steps before
        np.empty((room, p)),  # gains: what each would explain of the target's variance
        np.empty(room),  # variances of the target
        np.ascontiguousarray(covariance.diagonal()),  # owns
        np.full(room, -1, dtype=np.int64),  # held: the places of the path
    )


def empty_state(p: int) -> tuple[np.ndarray, ...]:
    """Memory for the state of an order: a node's score, its path's end, who enters it, who is on it."""
    enters, paths = np.empty((2, p, _words(p)), dtype=np.int64)
    return np.empty(p), np.empty(p, dtype=np.int64), enters, paths


def _words(p: int) -> int:
    """How many integers hold a set of p nodes."""
    return (p + 63) // 64


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
    covariance = np.eye(2)
    problem = (covariance, ~np.eye(2, dtype=bool), required_parents(np.zeros((2, 2), dtype=bool)), 1.0, 1)
    given = problem, empty_tree(2, 4), empty_growth(covariance, 2)
    order, state = np.arange(2), empty_state(2)
    plant(*given)
    score_order(*given, order, state)
    insert_nodes(*given, order, state, order.copy())
    refine_order(*given, order, state, 0, 2, True, np.empty(2), np.zeros((2, 2), dtype=bool))
    eliminate_order(problem, order, 2, 0, 2, np.zeros(2), np.zeros((2, 2), dtype=bool))
