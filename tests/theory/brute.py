"""Models small enough to go through all graphs, and their global minima.

How a global minimum is known for sure. The ℓ0 problem: every DAG is fitted. quasi-MCP with λ/δ > κ: along
each coordinate the objective is strictly concave on (0, δ), so every entry of a minimiser is 0 or at least δ,
and the ℓ0 problem of cost λδ/2 has the same minimisers. Any penalty, three nodes: each node is fitted to each
set of predecessors from a start in every piece of the penalty, in every combination.
"""

import math
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np
from scipy.optimize import minimize

import sparsest as sp
from sparsest.scores import GaussianScore
from sparsest.theory import minimal_class
from tests.laws import all_dags, random_dag_weights


def model(p, edges, variances):
    """Weights from {(i, j): weight} and the covariance they imply."""
    weights = np.zeros((p, p))
    for edge, weight in edges.items():
        weights[edge] = weight
    return weights, population(weights, variances)


def population(weights, variances):
    inverse = np.linalg.inv(np.eye(len(weights)) - weights)
    return inverse.T @ np.diag(variances) @ inverse


def generic(p, rng, density=0.5):
    """A model with coefficients on ±[0.5, 2]: faithful with probability one."""
    weights = random_dag_weights(p, rng, density)
    weights = np.where(weights != 0, np.sign(weights) * rng.uniform(0.5, 2, size=(p, p)), 0.0)
    return weights, population(weights, rng.uniform(0.5, 2, size=p))


def sampled(covariance, n, rng):
    X = rng.normal(size=(n, len(covariance))) @ np.linalg.cholesky(covariance).T
    return np.atleast_2d(np.cov(X, rowvar=False, bias=True))


FAITHFUL = {
    "chain": model(3, {(0, 1): 0.8, (1, 2): -0.7}, [1, 1, 1]),
    "collider": model(3, {(0, 1): 0.8, (2, 1): -0.7}, [1, 1, 1]),
    "complete": model(3, {(0, 1): 0.8, (1, 2): -0.7, (0, 2): 0.9}, [1, 0.5, 1]),
    "empty": model(3, {}, [1, 2, 3]),
    "four nodes": model(4, {(0, 1): 1.0, (1, 2): 0.6, (3, 2): -0.8}, [1, 0.5, 2, 1]),
}
# The two ways from 0 to 3 cancel: uncorrelated, though not separated in the graph.
DIAMOND = model(4, {(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): -1}, [1, 1, 1, 1])
# The way 0 → 1 → 2 cancels the edge 0 → 2.
TRIANGLE = model(3, {(0, 1): 1, (1, 2): 1, (0, 2): -1}, [1, 1, 1])
# Three Markov equivalence classes with four edges each.
TIED = model(4, {(0, 2): -1, (1, 2): 1, (1, 3): -1, (2, 3): 1}, [2, 1, 2, 2])
MODELS = FAITHFUL | {"diamond": DIAMOND, "triangle": TRIANGLE, "tied": TIED}
SMALL = {name: MODELS[name] for name in ("chain", "collider", "complete", "triangle")}


def graphs(dags):
    """Graphs as a set: what they are, whatever their order."""
    return {np.asarray(dag, dtype=bool).tobytes() for dag in dags}


def sparsest_graphs(covariance):
    return graphs(minimal_class(covariance).dags)


def markov_class(weights):
    return graphs(sp.graph.mec_members(weights != 0))


@cache
def dags_on(p):
    return np.array(list(all_dags(p)))


def losses(covariance):
    """The NLL of every DAG, refitted."""
    p, score = len(covariance), GaussianScore(covariance)
    local = np.array(
        [
            [score.local(j, [i for i in range(p) if bits >> i & 1 and i != j]) for bits in range(2**p)]
            for j in range(p)
        ]
    )
    parents = (dags_on(p) * (1 << np.arange(p))[:, None]).sum(axis=1)
    return local[np.arange(p), parents].sum(axis=1)


def l0_minimisers(covariance, cost):
    """The graphs of all global minimisers of NLL + cost · edges."""
    dags = dags_on(len(covariance))
    totals = losses(covariance) + cost * dags.sum(axis=(1, 2))
    return graphs(dags[totals < totals.min() + 1e-9])


def minimisers_above_kappa(covariance, lam, delta):
    """The graphs of all global minimisers of NLL + quasi-MCP, where λ/δ > κ."""
    kappa = max(
        covariance[i, i] * np.linalg.inv(covariance)[j, j] for i, j in permutations(range(len(covariance)), 2)
    )
    assert lam / delta > kappa
    return l0_minimisers(covariance, lam * delta / 2)


def soft_minimisers(covariance, penalty, breaks):
    """The graphs of the lowest minima of NLL + penalty, a minimum sought in every piece of the penalty."""
    p = len(covariance)
    fits = {
        (j, S): _node_minima(covariance, j, list(S), penalty, breaks)
        for j in range(p)
        for size in range(p)
        for S in combinations([i for i in range(p) if i != j], size)
    }
    best = {}
    for order in permutations(range(p)):
        choices = [fits[j, tuple(sorted(order[:k]))].items() for k, j in enumerate(order)]
        for chosen in product(*choices):
            dag = np.zeros((p, p), dtype=bool)
            for j, (parents, _) in zip(order, chosen, strict=True):
                dag[list(parents), j] = True
            value = sum(value for _, (_, value) in zip(order, chosen, strict=True))
            best[dag.tobytes()] = min(value, best.get(dag.tobytes(), math.inf))
    lowest = min(best.values())
    return {dag for dag, value in best.items() if value < lowest + 1e-7}


def _node_minima(covariance, node, before, penalty, breaks):
    """For each set of parents among `before`: the least local score + penalty found."""
    variance, cross = covariance[node, node], covariance[before, node]
    block = covariance[np.ix_(before, before)]

    def objective(b):
        omega = variance - 2 * b @ cross + b @ block @ b
        value = 0.5 * np.log(omega) + penalty.value(b).sum()
        slope = penalty.slope * np.sign(b) + penalty.remainder(b)[1]
        return value, (block @ b - cross) / omega + slope

    ends = [1e-7, *breaks, 20.0]
    positive = list(pairwise(ends))
    pieces = [(0.0, 0.0), *positive, *((-high, -low) for low, high in positive)]
    found = {}
    for bounds in product(pieces, repeat=len(before)):
        start = [np.clip(0.5 * (low + high), -1, 1) for low, high in bounds]
        start = np.clip(start, [low for low, _ in bounds], [high for _, high in bounds])
        b, value = start, objective(start)[0]
        if start.any():
            # TNC calls no BLAS, whose threads would cost more than the work.
            result = minimize(
                objective,
                start,
                jac=True,
                bounds=bounds,
                method="TNC",
                options={"ftol": 1e-15, "maxfun": 1000},
            )
            b, value = result.x, float(result.fun)
        parents = tuple(i for i, weight in zip(before, b, strict=True) if abs(weight) > 1e-5)
        found[parents] = min(value, found.get(parents, math.inf))
    return found
