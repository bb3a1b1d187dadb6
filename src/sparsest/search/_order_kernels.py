"""Compiled loops of the order search.

A node chooses its parents among the nodes before it by grow–shrink. Growing is a pivoted Cholesky
factorisation that always takes the candidate with the largest gain and stops when none pays a given share of
its cost (the *generosity*); the chosen nodes, in the order of their choice, are the node's *path*. Shrinking
then removes those that do not pay the full cost. This finds parents that pay only together: the smaller the
share, the more of them, and the longer the paths.

What growing visits is kept in a *tree* (the grow–shrink trees of Andrews et al., 2023). A place in it is a
path; place j is the empty path of node j. A place stores which nodes would pay there, which steps of its path
shrinking keeps, and links to the places that were visited from it. Each of those stores which nodes would
have been chosen instead of its own last step. Growing among some candidates is then a walk: on to the place
whose last step is a candidate while none of the nodes that would have been chosen instead is one, until no
candidate pays. Only steps never taken before are computed, for all nodes at once, in `growth`, which holds
the last path. A node that would have been chosen instead on the way, or pays at the end, changes the path by
becoming a candidate (it *enters*); only nodes on the path change it by leaving. So after a move in the order
only the nodes affected walk again. Sets of nodes are bits.

Required parents are the first steps of a path, in a fixed order, and are never shrunk away or exchanged:
`required[j, 0]` says how many node j has, `required[j, 1:]` which. A node moves only between its required
parents and those that require it, so that an order which obeys keeps obeying.

`allowed[i, j]` says whether i may be a parent of j, as everywhere.
"""

import math

from sparsest._core.jit import inlined, kernel, lent, part
from sparsest.problem import ROUNDING
from sparsest.scores.gaussian import RESIDUAL_FLOOR
from sparsest.search.common import COLLINEAR

# The fields of a place: its path's last step (from which place, via which node), its length, the first place
# it leads to, its next sibling, and whether it is known who pays there; then three sets: who pays, who would
# have been chosen instead, and who is kept when the path is shrunk.
_ABOVE, _VIA, _DEPTH, _ONWARD, _BESIDE, _KNOWN, _PAYERS = range(7)
BEFORE_SETS, SETS = _PAYERS, 3  # the number of fields before the sets, and of sets
# Why a walk stopped: at its end, no room in `growth` for so long a path, or none in the tree for a place.
WALKED, LONG_PATH, FULL_TREE = 0, -1, -2


@part
def _share_that_pays(cost):
    """The least share of a variance that an edge must explain to be worth its cost."""
    return 1.0 - math.exp(-2.0 * (cost + ROUNDING))


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
    """Add the nodes whose values exceed `least` to a set."""
    for word in range((len(values) + 63) >> 6):
        bits = 0
        for t in range(word << 6, min(len(values), (word + 1) << 6)):
            bits |= (1 if values[t] > least else 0) << (t & 63)
        members[word] |= bits


@part
def _largest(values, some, others):
    """The node in both sets with the largest value; the lowest such node if several tie."""
    most, arg = -1.0, -1
    for word in range((len(values) + 63) >> 6):
        both = some[word] & others[word]
        for t in range(word << 6, min(len(values), (word + 1) << 6)):
            value = values[t] if (both >> (t & 63)) & 1 else -1.0
            if value > most:
                most, arg = value, t
    return arg


@inlined
def _step(covariance, target, node, depth, growth):
    """Add `node` to a path of `depth` steps: update the variances and covariances that it leaves."""
    rows, toward, left, gains, variances, owns, _, _ = growth
    row, source = rows[depth], covariance[node]
    for t in range(len(row)):  # short loops over few arrays are all vectorised
        row[t] = source[t]
    fours = depth - depth % 4
    for above in range(0, fours, 4):
        a, b, c, d = rows[above], rows[above + 1], rows[above + 2], rows[above + 3]
        of_a, of_b, of_c, of_d = a[node], b[node], c[node], d[node]
        for t in range(len(row)):
            row[t] -= (of_a * a[t] + of_b * b[t]) + (of_c * c[t] + of_d * d[t])
    for above in range(fours, depth):
        pivot, other = rows[above, node], rows[above]
        for t in range(len(row)):
            row[t] -= pivot * other[t]
    scale = 1.0 / math.sqrt(left[depth, node])
    share = toward[depth, node] * scale
    for t in range(len(row)):
        row[t] *= scale
    left_before, left_now = left[depth], left[depth + 1]
    for t in range(len(row)):  # collinear nodes get infinite variance from here on, and gain nothing
        rest = left_before[t] - row[t] * row[t]
        left_now[t] = rest if rest >= COLLINEAR * owns[t] else math.inf
    toward_before, toward_now = toward[depth], toward[depth + 1]
    for t in range(len(row)):
        toward_now[t] = toward_before[t] - share * row[t]
    gained = gains[depth + 1]
    for t in range(len(row)):
        gained[t] = toward_now[t] * toward_now[t] / left_now[t]
    variances[depth + 1] = max(variances[depth] - share * share, RESIDUAL_FLOOR * owns[target])


@inlined
def _recall(problem, places, target, place, growth):
    """Bring `growth` to a place, reusing the part of the path that it shares with the one it holds."""
    covariance, allowed, _, _, _, _ = problem
    _, toward, left, gains, variances, owns, held, inverse = growth
    if held[0] != target:
        for t in range(len(owns)):  # nodes that may not be parents get infinite variance, and gain nothing
            toward[0, t], left[0, t] = covariance[target, t], owns[t] if allowed[t, target] else math.inf
            gains[0, t] = toward[0, t] * toward[0, t] / left[0, t]
        variances[0] = owns[target]
        held[0] = target
        for step in range(1, len(held)):
            held[step] = -1
    depth, shared = places[place, _DEPTH], place
    while held[places[shared, _DEPTH]] != shared:
        shared = places[shared, _ABOVE]
    if shared == place:
        return
    inverse[3][0] = min(inverse[3][0], places[shared, _DEPTH])
    at = place
    for step in range(depth, places[shared, _DEPTH], -1):
        held[step] = at
        at = places[at, _ABOVE]
    for step in range(depth + 1, len(held)):
        held[step] = -1
    for step in range(places[shared, _DEPTH], depth):
        _step(covariance, target, places[held[step + 1], _VIA], step, growth)


@inlined
def _find_payers(problem, places, target, place, growth):
    """Find who pays at a place, to which `growth` has been brought."""
    _, _, required, cost, limit, generosity = problem
    _, _, _, gains, variances, owns, _, _ = growth
    depth, payers = places[place, _DEPTH], places[place, _PAYERS:]
    pays = _share_that_pays(generosity * cost) * variances[depth]
    if depth < required[target, 0]:
        _add(payers, required[target, 1 + depth])
    elif depth < limit and variances[depth] - RESIDUAL_FLOOR * owns[target] > pays:
        _add_larger(payers, gains[depth], pays)
    places[place, _KNOWN] = 1


@inlined
def _branch(required, tree, target, place, candidates, gains):
    """Take the best step that was never taken from a place; returns the place it leads to."""
    places, scores, used = tree
    words, onward, depth = len(candidates), used[0], places[place, _DEPTH]
    used[0] += 1
    via = _largest(gains, places[place, _PAYERS:], candidates)
    _clear(places, scores, onward, place, via, depth + 1)
    if depth >= required[target, 0]:
        instead = places[onward, _PAYERS + words :]
        _add_larger(instead, gains, gains[via])  # they all pay and may be parents, since others gain less
        for t in range(via):
            if gains[t] == gains[via]:
                _add(instead, t)
    places[onward, _BESIDE], places[place, _ONWARD] = places[place, _ONWARD], onward
    return onward


@part
def _clear(places, scores, place, above, via, depth):
    """Clear a place, and note how it is reached."""
    for field in range(places.shape[1]):
        places[place, field] = 0
    places[place, _ABOVE], places[place, _VIA], places[place, _DEPTH] = above, via, depth
    places[place, _ONWARD], places[place, _BESIDE] = -1, -1
    scores[place] = math.nan


@inlined
def _invert(places, steps, growth):
    """Extend the inverse of the Cholesky factor, and what depends on it, to the length of the path."""
    rows, toward, left, _, _, _, held, inverse = growth
    factors, diagonals, slopes, solved = inverse
    for step in range(solved[0], steps):
        node = places[held[step + 1], _VIA]
        row, scale = factors[step], 1.0 / math.sqrt(left[step, node])
        for i in range(step):
            row[i] = 0.0
        for above in range(step):
            weight, other = rows[above, node] * scale, factors[above]
            for i in range(above + 1):
                row[i] -= weight * other[i]
        row[step] = scale
        share = toward[step, node] * scale
        diagonals[step + 1, step] = slopes[step + 1, step] = 0.0
        for i in range(step):
            diagonals[step + 1, i], slopes[step + 1, i] = diagonals[step, i], slopes[step, i]
        for i in range(step + 1):
            diagonals[step + 1, i] += row[i] * row[i]
            slopes[step + 1, i] += share * row[i]
    solved[0] = max(solved[0], steps)


@inlined
def _shrink(problem, places, target, place, growth, shrinking):
    """Shrink the path of a place, to which `growth` has been brought; returns its score.

    A step is removed if the variance it explains is worth less than an edge, the cheapest first; required
    parents, the first steps, stay. Of the inverse of the path's covariance only the diagonal and the columns
    of the removed steps are kept up to date.
    """
    _, _, required, cost, _, _ = problem
    kept, diagonal, slopes, columns = shrinking
    steps = places[place, _DEPTH]
    _invert(places, steps, growth)
    variance, factors = growth[4][steps], growth[7][0]
    for i in range(steps):
        kept[i], diagonal[i], slopes[i] = True, growth[7][1][steps, i], growth[7][2][steps, i]
    size = steps
    for gone in range(steps):
        best, arg = math.inf, -1
        for i in range(required[target, 0], steps):
            if kept[i]:
                loss = slopes[i] * slopes[i] / diagonal[i]
                if loss < best:
                    best, arg = loss, i
        if arg < 0 or 0.5 * math.log((variance + best) / variance) >= cost:
            break
        variance += best
        size -= 1
        kept[arg] = False
        column = columns[gone]
        for i in range(steps):
            column[i] = 0.0
        for k in range(arg, steps):
            weight, row = factors[k, arg], factors[k]
            for i in range(k + 1):
                column[i] += weight * row[i]
        for before in range(gone):
            weight, other = columns[before, arg], columns[before]
            for i in range(steps):
                column[i] -= weight * other[i]
        scale = 1.0 / math.sqrt(diagonal[arg])
        slope = slopes[arg] * scale
        for i in range(steps):
            column[i] *= scale
        for i in range(steps):
            slopes[i] -= column[i] * slope
            diagonal[i] -= column[i] * column[i]
    members = places[place, _PAYERS + 2 * ((places.shape[1] - _PAYERS) // SETS) :]
    for i in range(steps):
        if kept[i]:
            _add(members, places[growth[6][i + 1], _VIA])
    return 0.5 * math.log(variance) + cost * size


@part
def _walk(problem, tree, target, candidates, growth, shrinking):
    """The place where growing ends for `target` among some candidates, or why it stopped.

    Everything that is computed here is in one place, because it would be compiled again at every other.
    """
    places, scores, used = tree
    chosen_instead = _PAYERS + len(candidates)
    place = target
    while True:
        known = places[place, _KNOWN] == 1
        goes_on = known and _meet(candidates, places[place, _PAYERS:])
        onward = places[place, _ONWARD] if goes_on else -1
        while onward >= 0 and not (
            _has(candidates, places[onward, _VIA]) and not _meet(candidates, places[onward, chosen_instead:])
        ):
            onward = places[onward, _BESIDE]
        if onward >= 0:
            place = onward
            continue
        if known and not goes_on and not math.isnan(scores[place]):
            return place
        if places[place, _DEPTH] >= len(growth[6]):
            return LONG_PATH
        if goes_on and used[0] == len(places):
            return FULL_TREE
        _recall(problem, places, target, place, growth)
        if not known:
            _find_payers(problem, places, target, place, growth)
        elif goes_on:
            place = _branch(problem[2], tree, target, place, candidates, growth[3][places[place, _DEPTH]])
        else:
            scores[place] = _shrink(problem, places, target, place, growth, shrinking)


@part
def _relate(places, place, enters, path):
    """Collect the nodes that would change the path of a place by becoming candidates, and those on it."""
    words = len(path)
    for word in range(words):
        enters[word], path[word] = places[place, _PAYERS + word], 0
    while places[place, _ABOVE] >= 0:
        for word in range(words):
            enters[word] |= places[place, _PAYERS + words + word]
        _add(path, places[place, _VIA])
        place = places[place, _ABOVE]


@part
def _span(rest, required, moving):
    """First and last place in `rest` for a node: after its required parents, before its required children."""
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
def _line_up(queue, node):
    """Add a node to the queue, unless it is already there."""
    line, waiting, span = queue
    if not waiting[node]:
        waiting[node] = True
        line[(span[0] + span[1]) % len(line)] = node
        span[1] += 1


@part
def _stir(places, node, end, queue):
    """Queue a node whose path has changed, and all nodes on the path."""
    _line_up(queue, node)
    while places[end, _ABOVE] >= 0:
        _line_up(queue, places[end, _VIA])
        end = places[end, _ABOVE]


@inlined
def _insert(problem, tree, growth, order, state, moving, queue, scratch):
    """Move one node to its best place in the order; why there was no room for that, if there was none."""
    scores, ends, enters, paths = state
    places, values, _ = tree
    (before, entering, path), (rest, own_ends, other_ends), (own, others), shrinking = scratch
    p, place = len(order), 0
    for i in range(p):
        others[i], other_ends[i] = 0.0, -1
        if order[i] == moving:
            place = i
    for word in range(len(before)):
        before[word] = 0
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
                return end
            _relate(places, end, entering, path)
        own[i], own_ends[i] = values[end], end
    # others[i]: what it costs rest[i] to have the moving node before it instead of after it.
    for word in range(len(before)):
        before[word] = 0
    for i in range(last):
        node = rest[i]
        if i == place:  # from here on the moving node comes before them
            before[moving >> 6] &= ~(1 << (moving & 63))
        elif i == 0:
            _add(before, moving)
        if i >= first and _has(enters[node] if i < place else paths[node], moving):
            end = _walk(problem, tree, node, before, growth, shrinking)
            if end < 0:
                return end
            other_ends[i] = end
            others[i] = values[end] - scores[node] if i < place else scores[node] - values[end]
        _add(before, node)
    # The total at place i, against the total at the first place.
    total, best, arg, current = own[first], own[first], first, own[first]
    for i in range(first + 1, last + 1):
        total += own[i] - own[i - 1] - others[i - 1]
        if i == place:
            current = total
        if total < best - ROUNDING:  # equal up to rounding: the first place, whatever the units
            best, arg = total, i
    if best >= current - ROUNDING:
        return WALKED
    for i in range(p - 1):
        order[i if i < arg else i + 1] = rest[i]
    order[arg] = moving
    scores[moving], ends[moving] = own[arg], own_ends[arg]
    _relate(places, own_ends[arg], enters[moving], paths[moving])
    _stir(places, moving, own_ends[arg], queue)
    for i in range(min(place, arg), max(place, arg)):
        if other_ends[i] >= 0:
            node, end = rest[i], other_ends[i]
            scores[node], ends[node] = values[end], end
            _relate(places, end, enters[node], paths[node])
            _stir(places, node, end, queue)
    return WALKED


@inlined
def _rearrange(problem, tree, growth, order, state, wanted, moved, queue, scratch):
    """Turn an order into another in which some nodes have moved, unless there is no room.

    Nodes whose paths change are queued.
    """
    scores, ends, enters, paths = state
    (before, moving, _), _, _, shrinking = scratch
    for word in range(len(before)):
        before[word] = moving[word] = 0
    for i in range(len(moved)):
        _add(moving, moved[i])
    for i in range(len(wanted)):
        node = wanted[i]
        if _has(moving, node) or _meet(moving, enters[node]) or _meet(moving, paths[node]):
            end = _walk(problem, tree, node, before, growth, shrinking)
            if end < 0:
                return end
            if end != ends[node]:
                scores[node], ends[node] = tree[1][end], end
                _relate(tree[0], end, enters[node], paths[node])
                _stir(tree[0], node, end, queue)
        _add(before, node)
    for i in range(len(wanted)):
        order[i] = wanted[i]
    return WALKED


@kernel
def move(problem, tree, growth, order, state, wanted, moved, queue, most, scratch):
    """Turn an order into the wanted one, then insert up to `most` nodes of the queue at their best places.

    Returns how many were inserted, and why no more; -1 if there was no room for the wanted order. Nodes that
    may want another place after a move are queued again. An empty tree is started. One kernel does all this:
    what it calls would be compiled again for another.
    """
    problem, tree, growth, order, state, queue, scratch = lent(
        (problem, tree, growth, order, state, queue, scratch)
    )
    places, scores, used = tree
    if used[0] == 0:
        used[0] = len(order)
        for step in range(len(growth[6])):
            growth[6][step] = -1
        for target in range(len(order)):
            _clear(places, scores, target, -1, -1, 0)
    if len(moved) > 0:
        why = _rearrange(problem, tree, growth, order, state, wanted, moved, queue, scratch)
        if why != WALKED:
            return -1, why
    line, waiting, span = queue
    for done in range(most):
        if span[1] == 0:
            return done, WALKED
        node = line[span[0]]
        why = _insert(problem, tree, growth, order, state, node, queue, scratch)
        if why != WALKED:
            return done, why
        waiting[node] = False
        span[0] = (span[0] + 1) % len(line)
        span[1] -= 1
    return most, WALKED
