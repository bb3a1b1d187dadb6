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

from sparsest._jit import kernel, part
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


@part
def _share_that_pays(cost):
    """The least share of a variance that an edge must explain to be worth its cost."""
    return 1.0 - math.exp(-2.0 * (cost + TIE))


@part
def _has(members, node):
    """Whether a node is in a set."""
    return (members[node >> 6] >> (node & 63)) & 1 == 1


@part
def _add(members, node):
    """Put a node into a set."""
    members[node >> 6] |= 1 << (node & 63)


@part
def _meet(some, others):
    """Whether two sets have a node in common."""
    for word in range(len(some)):  # noqa: SIM110, any() of a generator is not compiled
        if some[word] & others[word] != 0:
            return True
    return False


@part
def _add_larger(members, values, least):
    """Put those into a set whose values are larger than `least`."""
    for word in range((len(values) + 63) >> 6):
        bits = 0
        for t in range(word << 6, min(len(values), (word + 1) << 6)):
            bits |= (1 if values[t] > least else 0) << (t & 63)
        members[word] |= bits


@part
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


@part
def _step(covariance, target, node, depth, growth):
    """Let `node` join a path of `depth` steps: what is left of every node, and of its share in the target."""
    rows, toward, left, gains, variances, owns, _ = growth
    row = rows[depth]
    for t in range(len(row)):  # a loop compiles in a tenth of the time of copying a slice
        row[t] = covariance[node, t]
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
        collinear = rest < _COLLINEAR * owns[t]  # practically no gain from now on
        toward[depth + 1, t] = 0.0 if collinear else toward[depth, t] - share * value
        left[depth + 1, t] = owns[t] if collinear else rest
    for t in range(len(row)):
        gains[depth + 1, t] = toward[depth + 1, t] * toward[depth + 1, t] / left[depth + 1, t]
    variances[depth + 1] = max(variances[depth] - share * share, RESIDUAL_FLOOR * owns[target])


@part
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


@part
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


@part
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
        _add_larger(instead, gains, gains[via])  # they all pay, and may be parents: others gain less
        for t in range(via):
            if gains[t] == gains[via]:
                _add(instead, t)
    places[onward, _BESIDE], places[place, _ONWARD] = places[place, _ONWARD], onward
    return onward


@part
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


@part
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


@part
def _relate(places, place, enters, path):
    """Collect who would change the path of a place by becoming a candidate, and who is on it."""
    words = len(path)
    for word in range(words):
        enters[word], path[word] = places[place, _PAYERS + word], 0
    while places[place, _ABOVE] >= 0:
        for word in range(words):
            enters[word] |= places[place, _PAYERS + words + word]
        _add(path, places[place, _VIA])
        place = places[place, _ABOVE]


@part
def _plant(problem, tree, growth):
    """Begin a tree: one place for every node, where its paths begin."""
    growth[6][:] = -1
    for target in range(len(problem[0])):
        _make_place(problem, tree, target, -1, -1, growth)


@part
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


@part
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
    """Fill the state of an order (see `empty_state`), unless there is no room. An empty tree is begun."""
    if tree[2][0] == 0:
        _plant(problem, tree, growth)
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


@part
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


@part
def _insert(problem, tree, growth, order, state, moving, shrinking):
    """Move one node to its best place in the order; (whether it moved, why there was no room)."""
    scores, ends, enters, paths = state
    places, values, _ = tree
    p, words = len(order), paths.shape[1]
    rest, own, others = np.empty(p, dtype=np.int64), np.empty(p), np.zeros(p)
    own_ends, other_ends = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64)
    other_ends[:] = -1
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
def shrink_order(problem, tree, growth, order, state, first, last, scores, dag):
    """Fill in scores and parents, as growing and shrinking choose them, from place `first` to `last`.

    The state must be that of the order.
    """
    shrinking = _shrinking(growth)
    kept = shrinking[4]
    for i in range(first, last):
        node = order[i]
        size, variance = _settle(problem, tree[0], node, state[1][node], growth, shrinking)
        for k in range(size):
            dag[tree[0][growth[6][kept[k] + 1], _VIA], node] = True
        scores[node] = 0.5 * math.log(variance) + problem[3] * size


def empty_tree(p: int, places: int) -> tuple[np.ndarray, ...]:
    """Memory for a tree: the places, their scores, and how many there are."""
    return (
        np.empty((places, _PAYERS + 2 * _words(p)), dtype=np.int64),
        np.empty(places),  # nan until a walk ends there
        np.zeros(1, dtype=np.int64),
    )


def empty(tree: tuple[np.ndarray, ...]) -> None:
    """Forget all places."""
    tree[2][0] = 0


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
        covariance.diagonal().copy(),  # owns
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
    """Compile, or load from the cache, what a descent will call."""
    covariance = np.eye(2)
    problem = (covariance, ~np.eye(2, dtype=bool), required_parents(np.zeros((2, 2), dtype=bool)), 1.0, 1)
    given = problem, empty_tree(2, 4), empty_growth(covariance, 2)
    order, state = np.arange(2), empty_state(2)
    score_order(*given, order, state)
    insert_nodes(*given, order, state, order.copy())
    shrink_order(*given, order, state, 0, 2, np.empty(2), np.zeros((2, 2), dtype=bool))
