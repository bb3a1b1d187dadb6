import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import multivariate_t

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.averaging.every_dag import every_dag, log_weights
from sparsest.averaging.family_weights import family_weights
from tests.confidence.test_posterior import GARDEN, problem_of, shares_of, table_of


def standardised(table):
    return (table - table.mean(axis=0)) / table.std(axis=0)


def bge_weights(table):
    return family_weights(problem_of(table), len(table), Watch(), "bge")


def marginal_row_by_row(table, p):
    """The density of the rows of some of p columns, one after the other: each is t given those before.

    The normal-Wishart prior of all p columns implies one with p − k fewer degrees of freedom for k of them.
    """
    k = table.shape[1]
    mean, rows, freedom, scatter = np.zeros(k), 1.0, 2.0 + k, 0.5 * np.eye(k)
    total = 0.0
    for row in table:
        degrees = freedom - k + 1
        total += multivariate_t.logpdf(row, mean, scatter * (rows + 1) / (rows * degrees), df=degrees)
        scatter = scatter + rows / (rows + 1) * np.outer(row - mean, row - mean)
        mean = (rows * mean + row) / (rows + 1)
        rows, freedom = rows + 1, freedom + 1
    return total


def local_by_hand(table, node, parents):
    """The score of a column given its parents as in Kuipers, Moffa & Heckerman (2014)."""
    n, p = table.shape
    scatter = 0.5 * np.eye(p) + table.T @ table
    freedom, size = p + 2, len(parents)

    def half(nodes):
        return np.linalg.slogdet(scatter[np.ix_(nodes, nodes)])[1] / 2 if nodes else 0.0

    prior = freedom - p + size + 1
    return (
        -n / 2 * math.log(math.pi) + 0.5 * math.log(1 / (n + 1))
        + gammaln((n + prior) / 2) - gammaln(prior / 2) + (prior + size) / 2 * math.log(0.5)
        - (n + prior) * half([*parents, node]) + (n + prior - 1) * half(list(parents))
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_the_marginal_likelihood_of_the_rows_one_after_the_other(seed):
    table = standardised(table_of(4, 25, seed))
    found = bge_weights(table)
    for node in range(4):
        others = [other for other in range(4) if other != node]
        sets = [[o for k, o in enumerate(others) if code >> k & 1] for code in range(8)]
        exact = [
            marginal_row_by_row(table[:, [*one, node]], 4)
            - (marginal_row_by_row(table[:, one], 4) if one else 0.0)
            for one in sets
        ]
        assert found[node] == pytest.approx(np.array(exact) - max(exact), abs=1e-7)


def test_weights_agree_with_the_printed_formula():
    table = standardised(table_of(5, 60, seed=1))
    found = bge_weights(table)
    for node in range(5):
        others = [other for other in range(5) if other != node]
        sets = [[o for k, o in enumerate(others) if code >> k & 1] for code in range(16)]
        exact = np.array([local_by_hand(table, node, one) for one in sets])
        assert found[node] == pytest.approx(exact - exact.max(), abs=1e-8)


@pytest.mark.parametrize("n", [6, 50, 5000])
def test_dags_of_a_class_are_equally_probable(n):
    every = every_dag(4)
    logs = log_weights(every, bge_weights(table_of(4, n, seed=2)))
    classes = {}
    for parents, log in zip(every, logs, strict=True):
        dag = (parents[None, :] >> np.arange(4)[:, None]) & 1
        classes.setdefault(sp.graph.dag_to_cpdag(dag).tobytes(), []).append(log)
    assert len(classes) == 185
    assert max(max(logs) - min(logs) for logs in classes.values()) < 1e-8


def test_the_posterior_is_that_of_the_weights():
    table, every = table_of(4, 40, seed=0), every_dag(4)
    shares = shares_of(log_weights(every, bge_weights(table)))
    edges = np.tensordot(shares, every[:, None, :] >> np.arange(4)[:, None] & 1, axes=1)
    assert sp.posterior(table, score="bge", penalty="bic").edge == pytest.approx(edges, abs=1e-9)


@pytest.mark.parametrize("p", [4, 7])
def test_neither_units_nor_the_order_of_columns_matter(p):
    table = table_of(p, 60, seed=3)
    found = sp.posterior(table, score="bge", samples=500)
    scaled = sp.posterior(table * 10.0 ** np.arange(p) - 3, score="bge", samples=500)
    assert scaled.edge_probability == pytest.approx(found.edge_probability, abs=1e-8)
    order = np.random.default_rng(0).permutation(p)
    moved = sp.posterior(table[:, order], score="bge", samples=500)
    assert moved.edge_probability == pytest.approx(found.edge_probability[np.ix_(order, order)], abs=1e-8)


def test_moments_are_enough():
    moments = sp.Moments(np.cov(GARDEN.T, bias=True), n=len(GARDEN))
    found, again = (sp.posterior(data, score="bge") for data in (GARDEN, moments))
    assert found.arrow == pytest.approx(again.arrow, abs=1e-9)


def test_with_many_rows_bge_and_bic_agree():
    table = table_of(5, 100_000, seed=0, strength=1.0)
    bic, bge = (sp.posterior(table, score=score, penalty="bic") for score in ("bic", "bge"))
    assert bge.arrow == pytest.approx(bic.arrow, abs=0.05)


def test_a_higher_penalty_is_a_prior_for_fewer_edges():
    table = table_of(5, 40, seed=1)
    found = [sp.posterior(table, score="bge", penalty=one).edge.sum() for one in ("bic", "auto", 0.2)]
    assert found == sorted(found, reverse=True)


def test_what_is_known_is_sure():
    knowledge = sp.Knowledge(required=[("x3", "x0")], forbidden=[("x1", "x2")])
    found = sp.posterior(table_of(4, 60, seed=4), score="bge", knowledge=knowledge)
    assert found.edge[3, 0] == pytest.approx(1)
    assert found.edge[1, 2] == 0


def test_collinear_columns_do_no_harm():
    table = np.column_stack([GARDEN, GARDEN[:, 0] + GARDEN[:, 1]])
    with pytest.warns(sp.DataWarning):
        found = sp.posterior(table, score="bge")
    assert np.isfinite(found.edge).all()


def test_bge_is_refused_where_it_is_not_defined():
    with pytest.raises(sp.OptionError, match="for Gaussian models"):
        sp.posterior(GARDEN, score="bge", model="additive")
    with pytest.raises(sp.OptionError, match="'bic' or 'bge'"):
        sp.posterior(GARDEN, score="aic")
