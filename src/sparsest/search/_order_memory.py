"""The memory of the order search's kernels; `_order_kernels.py` explains its contents."""

from typing import Any

import numpy as np

from sparsest.search._order_kernels import BEFORE_SETS, SETS


def empty_tree(p: int, places: int) -> tuple[np.ndarray, ...]:
    """Memory for a tree: the places, their scores, and how many there are."""
    return (
        np.empty((places, BEFORE_SETS + SETS * _words(p)), dtype=np.int64),
        np.empty(places),  # nan until a walk ends there
        np.zeros(1, dtype=np.int64),
    )


def empty(tree: tuple[np.ndarray, ...]) -> None:
    """Remove all places."""
    tree[2][0] = 0


def larger_tree(tree: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """A tree with the same places and twice the room."""
    places, scores, used = tree
    larger = np.empty((2 * len(places), places.shape[1]), dtype=np.int64), np.empty(2 * len(places)), used
    larger[0][: len(places)], larger[1][: len(places)] = places, scores
    return larger


def empty_growth(covariance: np.ndarray, room: int) -> tuple[Any, ...]:
    """Memory for a path of fewer than `room` steps, and what each step leaves of all nodes."""
    p = len(covariance)
    return (
        np.empty((room, p)),  # rows of the Cholesky factor
        np.empty((room, p)),  # toward: covariance with the target given the steps before
        np.empty((room, p)),  # left: variance given the steps before
        np.empty((room, p)),  # gains: what each would explain of the target's variance
        np.empty(room),  # variances of the target
        covariance.diagonal().copy(),  # owns
        np.full(room, -1, dtype=np.int64),  # held: the places of the path
        (  # of the path's covariance, as far as it was needed:
            np.empty((room, room)),  # the inverse of the Cholesky factor
            np.zeros((room, room)),  # the diagonal of the inverse, for each length of the path
            np.zeros((room, room)),  # the slopes, likewise
            np.zeros(1, dtype=np.int64),  # the length so far
        ),
    )


def empty_state(p: int) -> tuple[np.ndarray, ...]:
    """Memory for the state of an order: a node's score, its path's end, who enters it, who is on it."""
    enters, paths = np.zeros((2, p, _words(p)), dtype=np.int64)
    return np.empty(p), np.full(p, -1), enters, paths


def scratch(p: int, room: int) -> tuple[Any, ...]:
    """Memory that kernels use within a call: sets, places in an order, scores, and for shrinking a path."""
    shrinking = np.empty(room, dtype=np.bool_), np.empty(room), np.empty(room), np.empty((room, room))
    sets, places = np.empty((3, _words(p)), dtype=np.int64), np.empty((3, p), dtype=np.int64)
    return tuple(sets), tuple(places), tuple(np.empty((2, p))), shrinking


def kept(tree: tuple[np.ndarray, ...], ends: np.ndarray, p: int) -> np.ndarray:
    """(p, p): the parents of each node that shrinking kept, where the paths of the nodes end."""
    members = np.ascontiguousarray(tree[0][ends, -_words(p) :])
    bits = np.unpackbits(members.view(np.uint8), axis=1, bitorder="little")
    return np.ascontiguousarray(bits[:, :p].T.astype(bool))


def queue_of(order: np.ndarray) -> tuple[np.ndarray, ...]:
    """A queue of nodes: a ring buffer, which nodes are in it, and its start and length."""
    return order.copy(), np.ones(len(order), dtype=np.bool_), np.array([0, len(order)])


def empty_queue(p: int) -> tuple[np.ndarray, ...]:
    """An empty queue."""
    return np.empty(p, dtype=np.int64), np.zeros(p, dtype=np.bool_), np.zeros(2, dtype=np.int64)


def _words(p: int) -> int:
    """How many integers hold a set of p nodes."""
    return (p + 63) // 64


def required_parents(required: np.ndarray) -> np.ndarray:
    """One row per node: how many required parents it has, and which."""
    counts = required.sum(axis=0)
    rows = np.zeros((len(required), 1 + int(counts.max(initial=0))), dtype=np.int64)
    rows[:, 0] = counts
    for node in np.flatnonzero(counts):
        rows[node, 1 : 1 + counts[node]] = np.flatnonzero(required[:, node])
    return rows
