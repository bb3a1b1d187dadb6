"""Laws of the exact search over Gaussian scores."""

from dataclasses import replace

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.export.json import to_dict
from sparsest.scores import GaussianScore
from sparsest.search import ExactSearch
from sparsest.search.dynamic_program import memory_needed
from tests.laws import all_dags
from tests.search.gaussian import objective, problem, sampled_covariance


@pytest.fixture(scope="module")
def dags_on_five_nodes():
    return np.array(list(all_dags(5)))


@pytest.mark.parametrize("seed", range(8))
def test_exact_search_equals_brute_force_over_all_dags_on_five_nodes(seed, dags_on_five_nodes):
    assert len(dags_on_five_nodes) == 29281
    rng = np.random.default_rng(seed)
    covariance, cost = sampled_covariance(5, rng), rng.uniform(0.001, 0.2)
    score = GaussianScore(covariance)
    powers = 1 << np.arange(5)
    local = np.array(
        [
            [score.local(j, [i for i in range(5) if bits >> i & 1 and i != j]) for bits in range(32)]
            for j in range(5)
        ]
    )
    codes = (dags_on_five_nodes * powers[:, None]).sum(axis=1)  # parents of each node as bits
    totals = local[np.arange(5), codes].sum(axis=1) + cost * dags_on_five_nodes.sum(axis=(1, 2))
    found = ExactSearch().solve(problem(covariance, cost), Watch())
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(totals.min(), abs=1e-12)
    assert objective(covariance, found.adjacency != 0, cost) == pytest.approx(found.objective, abs=1e-12)


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_collinear_columns_do_not_cost_the_exact_search_its_minimum(factor):
    """Members of a class differ in score where a column is the sum of others: none is taken for a better."""
    rng = np.random.default_rng(factor)
    X = rng.normal(size=(200, 3))
    covariance = np.cov(np.column_stack([X, X[:, 0] + factor * X[:, 1]]), rowvar=False, bias=True)
    found = ExactSearch().solve(problem(covariance), Watch())
    dag = found.adjacency != 0
    assert objective(covariance, dag, 0.02) == pytest.approx(found.objective, abs=1e-6)


def test_exact_search_refuses_what_does_not_fit_and_says_the_way_out():
    assert memory_needed(20) < 30e6
    with pytest.raises(sp.OptionError, match=r"70 columns needs .* GiB .*too many columns.* solver='order'"):
        ExactSearch().solve(problem(np.eye(70)), Watch())
    collinear = np.eye(40) + 1
    collinear[:, 0] = collinear[:, 1]
    collinear[0] = collinear[1]
    with pytest.raises(sp.OptionError, match=r"40 columns needs .*collinear.* solver='order'"):
        ExactSearch().solve(problem(collinear), Watch())


def test_the_bound_of_a_proved_graph_is_its_objective_in_any_units():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 4)) * [1, 10, 100, 0.1]
    result = sp.fit(table, solver="exact")
    assert result.evidence.bound == result.objective
    assert "proved" in result.summary()
    assert "above the minimum" not in result.summary()


def test_a_summary_and_its_json_say_how_far_above_the_minimum_the_graph_may_be():
    table = np.random.default_rng(0).normal(size=(100, 3))
    proved = sp.fit(table, solver="exact")
    evidence = replace(proved.evidence, bound=proved.objective - 0.0125)
    result = replace(proved, status=Status.CONVERGED, evidence=evidence)
    assert "at most 0.0125 above the minimum" in result.summary()
    assert to_dict(result)["evidence"]["bound"] == pytest.approx(proved.objective - 0.0125)
    assert to_dict(sp.fit(table, solver="order"))["evidence"]["bound"] is None
