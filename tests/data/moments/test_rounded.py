"""Relations that hold up to measurement precision."""

import numpy as np
import pytest

import sparsest as sp
from sparsest.data.moments import rounded
from sparsest.data.moments.rounded import rounded_relations, step_of


def with_sums(seed, digits, rounded_terms, n=500):
    """20 columns of a linear model and 10 sums of two or three of them, rounded."""
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(20, 2, "ER", rng), rng)
    rows = sp.simulate.linear_gaussian(weights, n, rng).data
    terms: set[tuple[int, ...]] = set()
    while len(terms) < 10:
        terms.add(tuple(sorted(int(k) for k in rng.choice(20, rng.integers(2, 4), replace=False))))
    listed = sorted(terms)
    sums = np.column_stack([rows[:, list(each)].sum(axis=1) for each in listed]).round(digits)
    return np.column_stack([rows.round(digits) if rounded_terms else rows, sums]), listed


@pytest.mark.parametrize("digits", [3, 2])
@pytest.mark.parametrize("rounded_terms", [False, True])
def test_each_rounded_sum_is_named_with_its_terms(digits, rounded_terms):
    for seed in range(5):
        table, terms = with_sums(seed, digits, rounded_terms)
        found = {relation.column: relation.parts for relation in rounded_relations(table)}
        assert found == {20 + k: each for k, each in enumerate(terms)}


def test_the_graph_is_that_of_the_other_columns_and_stable_under_a_digit_less():
    for seed in range(3):
        table, _ = with_sums(seed, 3, rounded_terms=False)
        alone = sp.fit(table[:, :20]).cpdag
        with pytest.warns(sp.DataWarning, match="a combination of others up to rounding"):
            result = sp.fit(table)
        assert result.names == alone.names
        assert result.cpdag == alone
        table[:, 20:] = table[:, 20:].round(2)
        with pytest.warns(sp.DataWarning):
            assert sp.fit(table).cpdag == alone


def test_noise_above_rounding_is_no_relation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    for noise, relations in ((0.1, 0), (0.02, 0), (0.0, 1)):
        y = x.sum(axis=1) + noise * rng.normal(size=300)
        assert len(rounded_relations(np.column_stack([x, y]).round(3))) == relations


def test_few_values_and_few_rows_are_no_relations():
    rng = np.random.default_rng(0)
    assert not rounded_relations(rng.integers(0, 2, (200, 6)).astype(float))
    assert not rounded_relations(rng.integers(1, 6, (200, 6)).astype(float))
    assert not rounded_relations(rng.normal(size=(20, 30)))
    assert not rounded_relations(rng.normal(size=(3, 2)))


def test_copies_in_other_units_are_one_column():
    rng = np.random.default_rng(0)
    x = rng.normal(20, 5, 200).round(1)
    table = np.column_stack([x, (32 + 1.8 * x).round(1), rng.normal(size=200)])
    (relation,) = rounded_relations(table)
    assert (relation.column, relation.parts) == (1, (0,))
    assert relation.coefficients[0] == pytest.approx(1.8, abs=0.01)


def test_the_unit_of_a_column_changes_nothing():
    table, terms = with_sums(1, 3, rounded_terms=True)
    units = 10.0 ** np.random.default_rng(0).integers(-3, 1, 30)  # steps stay powers of ten up to 1
    found = {relation.column: relation.parts for relation in rounded_relations(table * units)}
    assert found == {20 + k: each for k, each in enumerate(terms)}


@pytest.mark.parametrize(
    ("column", "step"), [([1, 2, 5], 1), ([0.5, 1.5], 0.1), ([0.25, 1], 0.01), ([np.pi, np.e], 0), ([], 0)]
)
def test_the_step_in_which_a_column_was_recorded(column, step):
    assert step_of(np.array(column, dtype=float)) == pytest.approx(step)


def test_a_hundred_strongly_related_columns_are_not_looked_at_one_by_one(monkeypatch):
    """The close look takes as long as a whole search if every column that others explain well gets one."""
    looks = []
    close = rounded._Rounded.relation
    monkeypatch.setattr(rounded._Rounded, "relation", lambda *given: looks.append(1) or close(*given))
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1000, 1)) + 0.02 * rng.normal(size=(1000, 100))
    table[:, 7] = table[:, 3] + table[:, 5]
    found = rounded_relations(table)
    assert [relation.column for relation in found] == [7]
    assert len(looks) < 10
