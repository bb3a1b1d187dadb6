"""Effects at the population, by the definition of the linear model: no question of the package is asked."""

from itertools import chain, combinations

import numpy as np


def subsets(nodes):
    nodes = list(nodes)
    return chain.from_iterable(combinations(nodes, k) for k in range(len(nodes) + 1))


def covariance(dag, rng):
    """Covariance of a linear model with random weights on a DAG."""
    p = len(dag)
    weights = dag * rng.uniform(0.3, 1.5, (p, p)) * rng.choice([-1, 1], (p, p))
    root = np.linalg.inv(np.eye(p) - weights)
    return root.T @ np.diag(rng.uniform(0.5, 2, p)) @ root


def slopes(cov, outcome, regressors):
    """Coefficients of the regression of one node on others."""
    regressors = list(regressors)
    return np.linalg.solve(cov[np.ix_(regressors, regressors)], cov[regressors, outcome])


def total_effects(dag, cov, causes, outcomes):
    """Effects of a joint intervention, if the DAG is true and the covariance is known."""
    p = len(dag)
    weights = np.zeros((p, p))
    for node in range(p):
        parents = np.flatnonzero(dag[:, node])
        if len(parents) and node not in causes:
            weights[parents, node] = slopes(cov, node, parents)
    return np.linalg.inv(np.eye(p) - weights)[np.ix_(causes, outcomes)]


def adjusted(cov, causes, outcomes, adjusting):
    """Coefficients of the causes in the regressions of the outcomes on causes and adjustment set."""
    regressors = [*causes, *adjusting]
    return np.stack([slopes(cov, y, regressors)[: len(causes)] for y in outcomes], axis=1)


def residual_variance(cov, node, given):
    given = list(given)
    if not given:
        return cov[node, node]
    return cov[node, node] - cov[node, given] @ slopes(cov, node, given)
