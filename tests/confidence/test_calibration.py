import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.confidence.calibration import Evidence, probabilities
from sparsest.confidence.misfit import Misfit, misfit


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
    fit = Misfit(*rng.normal(size=3) * draw(st.sampled_from([0.1, 1.0, 100.0])), rng.random())
    return Evidence(arrow, line + line.T, answer, draw(st.floats(10, 1e7)), fit)


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
    order = list(range(given_evidence.p))
    random.shuffle(order)
    among = np.ix_(order, order)
    moved = Evidence(
        given_evidence.arrow[among],
        given_evidence.undirected[among],
        given_evidence.answer[among],
        given_evidence.n,
        given_evidence.misfit,
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


def test_what_comes_again_more_often_is_more_probable():
    for_ = np.zeros((3, 3))
    at = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        arrow = for_.copy()
        arrow[0, 1] = share
        at.append(probabilities(Evidence(arrow, for_, arrow >= 0.5, 500, Misfit())).arrow[0, 1])
    assert at == sorted(at)
    assert at[0] < 0.2 < 0.8 < at[-1]


def test_misfit_makes_sure_arrows_less_sure():
    arrow = np.zeros((4, 4))
    arrow[0, 1] = arrow[2, 1] = 1.0
    line = np.zeros((4, 4))
    good = probabilities(Evidence(arrow, line, arrow > 0, 1000, Misfit()))
    bad = probabilities(Evidence(arrow, line, arrow > 0, 1000, Misfit(curvature=4.0, spread=3.0)))
    assert bad.arrow[0, 1] < good.arrow[0, 1]


def test_several_models_are_calibrated_together():
    found = sp.confidence(table(), resamples=10, models=["gaussian", "rank"])
    assert found.models == ("gaussian", "rank")
    assert found.calibrated.arrow[0, 2] > 0.5
    assert set(found.edges().columns) >= {"probability", "forward probability"}
    assert "probability" in str(found)


def test_result_and_archive_keep_what_calibration_needs(tmp_path):
    result = sp.fit(table(), resamples=20)
    result.save(tmp_path / "kept.sparsest")
    again = sp.load(tmp_path / "kept.sparsest").confidence
    np.testing.assert_array_equal(again.calibrated.arrow, result.confidence.calibrated.arrow)


def test_moments_are_calibrated_without_signs_of_misfit():
    moments = sp.Moments(np.cov(table(), rowvar=False, bias=True), 300)
    found = sp.confidence(moments, resamples=20)
    assert found.misfit is None
    assert found.calibrated.arrow[0, 2] > 0.5


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


def test_misfit_sees_curves_tails_and_classes():
    x = table(1000)
    bent = x.copy()
    bent[:, 2] = x[:, :2].sum(axis=1) + x[:, :2].sum(axis=1) ** 2 + np.random.default_rng(5).normal(size=1000)
    assert misfit(bent, graph()).spread + misfit(bent, graph()).curvature > 2
    heavy = np.random.default_rng(6).standard_t(3, size=(1000, 5))
    assert misfit(heavy, graph()).tails > 0.5
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
