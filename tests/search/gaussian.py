"""Gaussian problems for the tests of the searches."""

import numpy as np

import sparsest as sp
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore
from sparsest.search._scored_orders import OrderObjective


def problem(covariance, cost=0.02, **masks):
    return Problem(GaussianScore(covariance), L0(cost), **masks)


def over_orders(covariance, allowed, cost, limit, generosity=0.5):
    return OrderObjective(covariance, allowed, np.zeros_like(allowed), cost, limit, generosity)


def sampled_covariance(p, rng, n=200):
    X = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - np.triu(rng.normal(size=(p, p)), 1))
    return np.cov(X, rowvar=False, bias=True)


def sparse_covariance(p, rng):
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)
    return np.cov(sp.simulate.linear_gaussian(weights, 500, rng).data, rowvar=False, bias=True)


def objective(covariance, dag, cost):
    score = GaussianScore(covariance)
    return sum(score.local(j, np.flatnonzero(dag[:, j])) for j in range(len(dag))) + cost * dag.sum()
