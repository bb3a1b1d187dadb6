"""A single equivalence class out of many: the pairs joined often enough, directed so that it is a class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsest.graph import dag_to_cpdag
from sparsest.graph.acyclicity import reach_matrix
from sparsest.graph.extension import extend

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MOST_SWEEPS = 20


def consensus_dag(joined: Mask, arrow: Array, line: Array, allowed: Mask, required: Mask) -> Mask:
    """A DAG with given adjacencies whose class agrees best with shares of marks.

    The agreement of a class is the sum over its edges of the share of the mark it gives them. Where the most
    frequent marks are those of a class, that class has the highest agreement there is. Otherwise edges are
    directed in decreasing order of how lopsided their shares are, without closing a cycle, and single edges
    are turned as long as that raises the agreement.

    Parameters
    ----------
    joined : (p, p) array of bool
        The pairs to join, symmetric.
    arrow, line : (p, p) array
        The shares of i → j and of i – j.
    allowed, required : (p, p) array of bool
        The edges that may and must be present.

    Returns
    -------
    (p, p) array of bool
        The DAG. A pair that no allowed direction joins without a cycle is left out.
    """
    starts = [_directed(joined, arrow + line / 2, allowed, required)]
    if (member := _most_frequent(joined, arrow, line)) is not None:
        obeys = not (member & ~allowed).any() and not (required & ~member).any()
        starts += [member] if obeys else []
    dag = max(starts, key=lambda one: _agreement(one, arrow, line))
    best = _agreement(dag, arrow, line)
    for _ in range(_MOST_SWEEPS):
        turned = False
        for i, j in np.argwhere(dag & ~required & allowed.T):
            other = dag.copy()
            other[i, j] = False
            if reach_matrix(other)[i, j]:
                continue  # turning it would close a cycle
            other[j, i] = True
            agreement = _agreement(other, arrow, line)
            if agreement > best + 1e-12:
                dag, best, turned = other, agreement, True
        if not turned:
            break
    return dag


def _most_frequent(joined: Mask, arrow: Array, line: Array) -> Mask | None:
    """A DAG with the most frequent mark of each pair, without new v-structures; None if there is none."""
    forward = joined & (arrow >= arrow.T) & (arrow > line)
    forward &= ~(forward & forward.T)
    dag, stuck = extend(forward | (joined & ~forward & ~forward.T))
    return None if stuck else dag


def _directed(joined: Mask, support: Array, allowed: Mask, required: Mask) -> Mask:
    dag = required.copy()
    reaches = reach_matrix(required)
    places = np.argwhere(np.triu(joined) & ~(required | required.T))
    lopsided = np.abs(support - support.T)[tuple(places.T)]
    for i, j in places[np.argsort(-lopsided, kind="stable")]:
        ways = [(i, j), (j, i)] if support[i, j] >= support[j, i] else [(j, i), (i, j)]
        for source, target in ways:
            if allowed[source, target] and not reaches[target, source]:
                dag[source, target] = True
                reaches |= np.outer(reaches[:, source], reaches[target])
                break
    return dag


def _agreement(dag: Mask, arrow: Array, line: Array) -> float:
    essential = np.asarray(dag_to_cpdag(dag.astype(int))) != 0
    directed = essential & ~essential.T
    return float(arrow[directed].sum() + line[np.triu(essential & essential.T)].sum())
