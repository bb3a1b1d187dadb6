"""Theorems 4 and 5 where they can be exact: logistic models on up to four nodes, all states enumerated.

The population likelihood is that of the rows of all 2^p states, each weighted by its probability. Theorem 4:
for small costs the minimisers of NLL + c · edges are the minimal models of E(ψ⁰), those that give the same
distribution with the fewest edges. Theorem 5: under faithfulness each is Markov equivalent to the truth. As
logistic models are not closed under Markov equivalence, not every member of the class need be a minimiser.
"""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from sparsest.graph import is_dag, markov_equivalent
from tests.scores.test_glm import score_of


def population(weights, intercepts):
    """All states of a logistic model, and their probabilities."""
    p = len(weights)
    states = np.array(list(product([0.0, 1.0], repeat=p)))
    chances = expit(states @ weights + intercepts)
    return states, np.where(states == 1, chances, 1 - chances).prod(axis=1)


def all_dags(p):
    for bits in product([0, 1], repeat=p * (p - 1)):
        matrix = np.zeros((p, p), dtype=int)
        matrix[~np.eye(p, dtype=bool)] = bits
        if is_dag(matrix):
            yield matrix


def minimisers(score, cost, tolerance=1e-7):
    scored = [
        (sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(score.p)) + cost * dag.sum(), dag)
        for dag in all_dags(score.p)
    ]
    least = min(value for value, _ in scored)
    return [dag for value, dag in scored if value < least + tolerance]


def model(edges, p, seed):
    rng = np.random.default_rng(seed)
    weights = np.zeros((p, p))
    for source, target in edges:
        weights[source, target] = rng.choice([-1, 1]) * rng.uniform(1.0, 2.0)
    return weights, rng.uniform(-0.5, 0.5, size=p)


GRAPHS = {
    "one edge": ([(0, 1)], 2),
    "chain": ([(0, 1), (1, 2)], 3),
    "fork": ([(1, 0), (1, 2)], 3),
    "collider": ([(0, 1), (2, 1)], 3),
    "triangle": ([(0, 1), (1, 2), (0, 2)], 3),
    "diamond": ([(0, 1), (0, 2), (1, 3), (2, 3)], 4),
    "collider with a child": ([(0, 2), (1, 2), (2, 3)], 4),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("seed", range(2))
def test_every_minimiser_is_markov_equivalent_to_the_truth_which_is_among_them(name, seed):
    edges, p = GRAPHS[name]
    weights, intercepts = model(edges, p, seed)
    states, chances = population(weights, intercepts)
    score = score_of(states, ["bernoulli"] * p, chances)
    found = minimisers(score, cost=1e-4)
    truth = (weights != 0).astype(int)
    assert any(np.array_equal(dag, truth) for dag in found)
    assert all(markov_equivalent(dag, truth) for dag in found)


def test_a_class_of_trees_is_not_told_apart_and_a_triangle_is():
    weights, intercepts = model(*GRAPHS["chain"], 0)
    states, chances = population(weights, intercepts)
    assert len(minimisers(score_of(states, ["bernoulli"] * 3, chances), 1e-4)) == 3
    weights, intercepts = model(*GRAPHS["triangle"], 0)
    states, chances = population(weights, intercepts)
    found = minimisers(score_of(states, ["bernoulli"] * 3, chances), 1e-7, tolerance=1e-9)
    assert len(found) < 6  # without an interaction, only some orders of a triangle give this distribution


def test_a_cost_that_is_too_high_loses_edges():
    weights, intercepts = model(*GRAPHS["chain"], 0)
    states, chances = population(weights, intercepts)
    found = minimisers(score_of(states, ["bernoulli"] * 3, chances), cost=1.0)
    assert [dag.sum() for dag in found] == [0]
