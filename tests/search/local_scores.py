"""Local scores for the tests of the searches."""

from itertools import combinations, product

import numpy as np

from sparsest.graph import is_dag
from sparsest.simulate import linear_gaussian, logistic, random_dag, random_weights
from tests.scores.test_glm import score_of


class Table:
    """Local scores that are numbers in a table, as a user's own may be."""

    def __init__(self, p, seed):
        self.p, rng = p, np.random.default_rng(seed)
        sets = [frozenset(s) for k in range(p) for s in combinations(range(p), k)]
        self._scores = {(j, s): rng.normal() for j in range(p) for s in sets}

    def local(self, node, parents):
        return self._scores[node, frozenset(int(k) for k in parents)]


def dags(p):
    for bits in product([0, 1], repeat=p * (p - 1)):
        matrix = np.zeros((p, p), dtype=int)
        matrix[~np.eye(p, dtype=bool)] = bits
        if is_dag(matrix):
            yield matrix


def total(score, cost, dag):
    return sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(score.p)) + cost * dag.sum()


def correlation(seed, p=6, n=200):
    rng = np.random.default_rng(seed)
    data = linear_gaussian(random_weights(random_dag(p, 2, "ER", rng), rng), n, rng).data
    return np.corrcoef(data.T)


def binary_score(seed=0, p=6, n=500):
    rng = np.random.default_rng(seed)
    data = logistic(random_weights(random_dag(p, 1, "ER", rng), rng), n, rng).data
    return score_of(data, ["bernoulli"] * p)
