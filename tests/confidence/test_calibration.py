import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.confidence.calibration import UNKNOWN, Evidence, marks_to_trust, probabilities
from sparsest.confidence.misfit import Misfit, misfit
from sparsest.confidence.partials import strengths


def table(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 5))
    x[:, 2] += x[:, 0] + x[:, 1]
    x[:, 3] += 0.3 * x[:, 2]
    return x


@st.composite
def evidence(draw):
    """Shares of any table: arrows, lines and a class that need not agree with them."""
    p = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    parts = rng.dirichlet(np.ones(4) * rng.choice([0.1, 1, 10]), size=(p, p))
    arrow = np.triu(parts[..., 0], 1) + np.triu(parts[..., 1], 1).T
    line = np.triu(parts[..., 2], 1)
    answer = np.triu(rng.random((p, p)) < 0.5, 1)
    strength = np.triu(rng.random((p, p)), 1) * draw(st.sampled_from([0.0, 0.01, 1.0]))
    return Evidence(arrow, line + line.T, answer, strength + strength.T, draw(st.floats(0, 1)))


@settings(max_examples=60, deadline=None)
@given(evidence())
def test_both_directions_add_up_to_being_joined(given_evidence):
    found = probabilities(given_evidence)
    np.testing.assert_allclose(found.arrow + found.arrow.T, found.adjacency, atol=1e-12)
    assert ((found.adjacency >= 0) & (found.adjacency <= 1)).all()
    np.testing.assert_array_equal(found.adjacency, found.adjacency.T)
    assert not found.adjacency.diagonal().any()


@settings(max_examples=30, deadline=None)
@given(evidence(), st.randoms())
def test_the_order_of_the_columns_does_not_matter(given_evidence, random):
    order = list(range(len(given_evidence.arrow)))
    random.shuffle(order)
    among = np.ix_(order, order)
    moved = Evidence(
        given_evidence.arrow[among],
        given_evidence.undirected[among],
        given_evidence.answer[among],
        given_evidence.strength[among],
        given_evidence.trust,
    )
    one, other = probabilities(given_evidence), probabilities(moved)
    np.testing.assert_allclose(other.arrow, one.arrow[among], atol=1e-10)


def test_an_open_direction_is_as_probable_one_way_as_the_other():
    rng = np.random.default_rng(1)
    x = rng.normal(size=500)
    found = sp.confidence(np.column_stack([x, x + rng.normal(size=500)]), resamples=20).calibrated
    assert found.arrow[0, 1] == pytest.approx(found.arrow[1, 0])
    assert found.adjacency[0, 1] > 0.9


def test_probabilities_do_not_depend_on_units():
    x = table()
    one = sp.confidence(x, resamples=20).calibrated
    other = sp.confidence(x * [1, 1000, 0.01, 5, 1] + [3, 0, -7, 0, 0], resamples=20).calibrated
    np.testing.assert_allclose(one.arrow, other.arrow, atol=1e-8)


@pytest.mark.parametrize("trust", [0.0, UNKNOWN, 1.0])
def test_what_comes_again_more_often_is_more_probable(trust):
    at = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        arrow = np.zeros((3, 3))
        arrow[0, 1] = share
        at.append(of_shares(arrow, arrow >= 0.5, 0.3, trust).arrow[0, 1])
    assert at == sorted(at)
    assert at[0] < 0.2 < 0.6 < at[-1]


def test_a_strong_relation_is_more_probably_an_edge_than_a_faint_one():
    arrow = np.zeros((3, 3))
    arrow[0, 1] = 0.5
    at = [of_shares(arrow, arrow > 0, strength, 0.9).adjacency[0, 1] for strength in (0.02, 0.1, 0.5, 1.0)]
    assert at == sorted(set(at))
    assert at[-1] < 1


def test_rows_that_cannot_be_trusted_make_arrows_less_sure():
    arrow = np.zeros((4, 4))
    arrow[0, 1] = arrow[2, 1] = 1.0
    at = [of_shares(arrow, arrow > 0, 0.4, trust).arrow[0, 1] for trust in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert at == sorted(at)
    assert at[0] < 0.9 < 0.97 < at[-1]


def test_each_sign_of_misfit_takes_trust_away():
    assert Misfit().trust == 1.0
    assert Misfit(tails=-0.3, curvature=-0.4, spread=-0.2).trust == 1.0  # below chance is no merit
    for name in ("tails", "curvature", "spread", "classes"):
        at = [Misfit(**{name: size}).trust for size in (0.0, 0.2, 0.5, 1.0)]
        assert at == sorted(at, reverse=True)
        assert at[-1] < 0.7


def test_the_consensus_follows_the_answer_as_far_as_rows_can_be_trusted():
    arrow, line = np.zeros((2, 2)), np.array([[0.0, 0.4], [0.4, 0.0]])
    arrow[0, 1], answer = 0.6, np.ones((2, 2), dtype=bool) & ~np.eye(2, dtype=bool)
    doubted = marks_to_trust(Evidence(arrow, line, answer, line, 0.0))
    np.testing.assert_array_equal(doubted, (arrow, line))
    trusted = marks_to_trust(Evidence(arrow, line, answer, line, 1.0))
    np.testing.assert_array_equal(trusted, (np.zeros((2, 2)), answer.astype(float)))


def of_shares(arrow, answer, strength, trust):
    """Probabilities of a table whose pairs are all of the same strength and never left open."""
    p = len(arrow)
    return probabilities(Evidence(arrow, np.zeros((p, p)), answer, strength * (1 - np.eye(p)), trust))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 7))
def test_pairs_that_a_dag_does_not_join_have_no_strength_in_its_covariance(seed, p):
    rng = np.random.default_rng(seed)
    order = rng.permutation(p)
    dag = (np.triu(rng.random((p, p)) < 0.5, 1))[np.ix_(order, order)]
    paths = np.linalg.inv(np.eye(p) - dag * rng.uniform(0.5, 1.0, (p, p)))
    covariance = paths.T @ np.diag(rng.uniform(0.5, 2.0, p)) @ paths
    found = strengths(covariance, dag, np.ones((p, p), dtype=bool))
    np.testing.assert_array_equal(found, found.T)
    assert found[~(dag | dag.T)].max() < 1e-7
    assert found[dag].min(initial=1.0) > 1e-3


def test_only_the_pairs_asked_for_have_a_strength():
    covariance = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    pairs = np.zeros((3, 3), dtype=bool)
    pairs[2, 0] = True
    found = strengths(covariance, np.zeros((3, 3), dtype=bool), pairs)
    np.testing.assert_allclose(found, 0.5 * (pairs | pairs.T))


def test_several_models_are_calibrated_together():
    found = sp.confidence(table(), resamples=10, models=["gaussian", "rank"])
    assert found.models == ("gaussian", "rank")
    assert found.calibrated.arrow[0, 2] > 0.5
    assert (found.strength > 0)[found.adjacency > 0].all()
    assert set(found.edges().columns) >= {"probability", "forward probability"}
    assert "probability" in str(found)


def test_result_and_archive_keep_what_calibration_needs(tmp_path):
    result = sp.fit(table(), resamples=20)
    result.save(tmp_path / "kept.sparsest")
    again = sp.load(tmp_path / "kept.sparsest").confidence
    np.testing.assert_array_equal(again.calibrated.arrow, result.confidence.calibrated.arrow)


def test_moments_are_trusted_halfway_as_nobody_sees_their_rows():
    moments = sp.Moments(np.cov(table(), rowvar=False, bias=True), 300)
    found = sp.confidence(moments, resamples=20)
    assert found.misfit is None
    assert Evidence.of(found).trust == UNKNOWN
    assert found.calibrated.arrow[0, 2] > 0.5


def test_shares_without_strengths_are_refused():
    found = replace(sp.confidence(table(80), resamples=2), strength=None)
    with pytest.raises(sp.SparsestError, match="run `confidence` again"):
        _ = found.calibrated


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"how": "bootstrap"}, "half-samples"),
        ({"model": "additive"}, "'additive' are not calibrated"),
    ],
)
def test_other_shares_are_refused(options, words):
    found = sp.confidence(table(80), resamples=2, **options)
    assert not found.calibrates
    with pytest.raises(sp.SparsestError, match=words):
        _ = found.calibrated
    assert "probability" not in found.edges().columns


def test_a_posterior_is_not_calibrated_again():
    with pytest.raises(sp.SparsestError, match="probabilities already"):
        _ = sp.posterior(table(100)).calibrated


def test_misfit_is_near_zero_for_a_linear_gaussian_table():
    found = [misfit(table(500, seed), graph()) for seed in range(20)]
    for name in ("tails", "curvature", "spread"):
        assert abs(np.mean([getattr(one, name) for one in found])) < 0.35
    assert found[0].classes == 0
    assert np.mean([one.trust for one in found]) > 0.8


def test_misfit_sees_curves_tails_and_classes():
    x = table(1000)
    bent = x.copy()
    bent[:, 2] = x[:, :2].sum(axis=1) + x[:, :2].sum(axis=1) ** 2 + np.random.default_rng(5).normal(size=1000)
    assert misfit(bent, graph()).spread + misfit(bent, graph()).curvature > 2
    heavy = np.random.default_rng(6).standard_t(3, size=(1000, 5))
    assert misfit(heavy, graph()).tails > 0.5
    assert misfit(np.random.default_rng(6).uniform(size=(1000, 5)), graph()).tails > 0.3
    assert misfit(np.round(x), graph()).classes == 1.0


def test_misfit_does_not_depend_on_units_or_touch_the_table():
    x = table()
    before = x.copy()
    one, other = misfit(x, graph()), misfit(x * 100 + 3, graph())
    np.testing.assert_array_equal(x, before)
    assert math.isclose(one.spread, other.spread, abs_tol=1e-8)
    x[0, 0] = np.nan
    assert misfit(x, graph()) == misfit(x[1:], graph())


def graph():
    dag = np.zeros((5, 5), dtype=bool)
    dag[[0, 1, 2], [2, 2, 3]] = True
    return dag
