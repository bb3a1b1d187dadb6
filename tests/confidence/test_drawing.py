import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.confidence.drawing import Drawing, spoiled_columns, units_of
from sparsest.data import read_table

seeds = st.integers(0, 2**31)


@given(seed=seeds, n=st.integers(4, 60), pair=st.integers(0, 20))
def test_the_halves_of_a_pair_share_no_row_and_have_the_same_size(seed, n, pair):
    drawing = Drawing("half", units_of(n), seed)
    one, other = drawing.rows(2 * pair), drawing.rows(2 * pair + 1)
    assert len(one) == len(other) == n // 2
    assert not set(one) & set(other)
    assert len(set(one)) == len(one)


@given(seed=seeds, number=st.integers(0, 50))
def test_the_rows_of_a_resample_depend_on_seed_and_number_alone(seed, number):
    for how in ("half", "bootstrap"):
        again = Drawing(how, units_of(30), seed).rows(number)
        assert (Drawing(how, units_of(30), seed).rows(number) == again).all()


@given(seed=seeds)
def test_a_bootstrap_has_as_many_rows_as_there_are_and_repeats_some(seed):
    rows = Drawing("bootstrap", units_of(200), seed).rows(3)
    assert len(rows) == 200
    assert 90 < len(set(rows)) < 160  # 126 on average


@given(seed=seeds, labels=st.lists(st.integers(0, 9), min_size=20, max_size=60))
def test_groups_are_never_torn_apart(seed, labels):
    if len(set(labels)) < 4:
        return
    rows = Drawing("half", units_of(len(labels), groups=labels), seed).rows(0)
    inside = {labels[row] for row in rows}
    assert sorted(rows) == [k for k, label in enumerate(labels) if label in inside]
    assert len(inside) == len(set(labels)) // 2


def test_blocks_are_consecutive_rows():
    rows = Drawing("half", units_of(40, blocks=5), seed=1).rows(0)
    assert len(rows) == 20
    assert all((rows[k : k + 5] == np.arange(rows[k], rows[k] + 5)).all() for k in range(0, 20, 5))


def test_a_column_that_is_constant_or_lacks_a_level_is_found():
    frame = pl.DataFrame({"a": [1.5, 1.5, 2.0, 3.0] * 5, "b": ["x", "y", "z", "x"] * 5})
    table = read_table(frame, numbers_only=False)
    assert spoiled_columns(table, np.array([0, 1])) == ["a", "b"]
    assert spoiled_columns(table, np.array([0, 1, 2])) == []


def test_rows_are_drawn_again_until_every_column_varies_in_both_halves():
    rare = np.zeros(12)
    rare[:2] = 1.0
    table = np.column_stack([np.random.default_rng(0).normal(size=(12, 1)), rare])
    found = sp.confidence(table, resamples=20, model="gaussian")
    assert found.redrawn > 0
    assert "drawn again" in str(found)


def test_a_value_too_rare_for_halves_is_named():
    table = np.column_stack([np.random.default_rng(0).normal(size=(30, 1)), np.arange(30) == 7])
    with pytest.raises(sp.DataError, match="'x1' lost a value"):
        sp.confidence(table, resamples=2, model="gaussian")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": [1, 2]}, "one label per row: 20"),
        ({"groups": [1] * 20, "blocks": 2}, "not both"),
        ({"groups": [1, 2] * 10}, "at least 4 groups, and the table has 2 groups"),
        ({"blocks": 10}, "at least 4 blocks"),
        ({"blocks": 0}, "blocks"),
        ({"how": "jackknife"}, "'half' or 'bootstrap'"),
        ({"resamples": 0}, "resamples"),
        ({"models": []}, "'all' or a list of names"),
        ({"models": "gaussian"}, "'all' or a list of names"),
        ({"models": ["gaussian"], "model": "rank"}, "either model or models"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(options, words):
    table = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(sp.SparsestError, match=words):
        sp.confidence(table, **options)


def test_an_option_that_fit_does_not_know_is_refused_by_name():
    with pytest.raises(TypeError, match="'resample'"):
        sp.confidence(np.eye(4), resample=3)
