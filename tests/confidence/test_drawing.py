import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.confidence.drawing import Drawing, spoiled_columns, units_of
from sparsest.confidence.simulated import Simulated
from sparsest.data import Source, TableOptions, read_table
from sparsest.models import Gaussian

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


def test_groups_may_be_a_column_which_is_then_left_out_of_the_model(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 3))
    labels = np.array(["p", "q", "r", "s", "t", "u"])[rng.integers(6, size=60)]
    frame = pl.DataFrame(table, schema=list("abc")).with_columns(pl.Series("patient", labels))
    frame.write_csv(tmp_path / "t.csv")
    wanted = sp.confidence(frame.drop("patient"), resamples=10, groups=labels)
    for data in (frame, frame.to_pandas(), tmp_path / "t.csv"):
        found = sp.confidence(data, resamples=10, groups="patient")
        assert found.names == ("a", "b", "c")
        assert (found.arrows == wanted.arrows).all()
    few = sp.confidence(frame, resamples=2, groups="patient", columns=["a", "b"])
    assert few.names == ("a", "b")
    numbers = sp.confidence(np.column_stack([table, rng.integers(6, size=60)]), resamples=2, groups="x3")
    assert numbers.names == ("x0", "x1", "x2")


def test_a_column_of_groups_loses_the_rows_that_the_table_loses(tmp_path):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(rng.normal(size=(60, 3)), schema=list("abc")).with_columns(
        pl.Series("patient", rng.integers(8, size=60)),
        pl.Series("w", [0.0, *rng.uniform(1, 2, size=59)]),
        a=pl.when(pl.int_range(60) % 7 == 3).then(None).otherwise(pl.col("a")),
    )
    kept = frame.drop_nulls()
    frame.write_csv(tmp_path / "t.csv")
    for data in (frame, frame.to_pandas(), tmp_path / "t.csv"):
        for weights, rows in ((None, kept), ("w", kept.filter(pl.col("w") > 0))):
            drop = {} if weights else {"columns": list("abc")}
            with pytest.warns(sp.SparsestWarning, match="dropped"):
                found = sp.confidence(
                    data, resamples=6, groups="patient", missing="drop", weights=weights, **drop
                )
            wanted = sp.confidence(
                rows.drop("patient"), resamples=6, groups=rows["patient"], weights=weights, **drop
            )
            assert found.names == ("a", "b", "c")
            assert (found.arrows == wanted.arrows).all()
            assert (found.lines == wanted.lines).all()


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_row_without_a_group_is_named(missing):
    table = np.random.default_rng(0).normal(size=(8, 2))
    labels = np.array([1, 2, 3, missing, 4, 5, 6, 7], dtype=object)
    with pytest.raises(sp.DataError, match=r"row 3 .*no label"):
        sp.confidence(table, groups=labels)
    frame = pl.DataFrame({"a": table[:, 0], "b": table[:, 1], "g": [1, 2, 3, None, 4, 5, 6, 7]})
    with pytest.raises(sp.DataError, match=r"row 3 .*no label"):
        sp.confidence(frame, groups="g")


def test_a_column_of_groups_that_does_not_exist_is_said():
    with pytest.raises(sp.DataError, match="no column 'patient'"):
        sp.confidence(np.eye(8), groups="patient")
    with pytest.raises(sp.OptionError, match="about rows"):
        sp.confidence(sp.Moments(np.eye(2), n=50), groups="x0")


@pytest.mark.parametrize("make", ["text", "database", "folder"])
def test_a_store_that_is_not_ours_is_refused_and_left_as_it_is(tmp_path, make):
    import sqlite3

    path = tmp_path / "other"
    if make == "text":
        path.write_text("notes\n" * 500)
    elif make == "folder":
        path.mkdir()
    else:
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE mine (x)")
        database.close()
    before = None if make == "folder" else path.read_bytes()
    said = "it is a folder" if make == "folder" else "not a store of sparsest"
    with pytest.raises(sp.DataError, match=said):
        sp.confidence(np.random.default_rng(0).normal(size=(20, 2)), resamples=2, store=path)
    assert before is None or path.read_bytes() == before


def test_a_model_that_does_not_fit_the_table_is_named():
    table = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(sp.SparsestError, match=r"poisson|counts"):
        sp.confidence(table, resamples=2, models=["gaussian", "poisson"])
    with pytest.raises(sp.SparsestError, match="gausian"):
        sp.confidence(table, resamples=2, models=["gausian"])


def test_a_half_too_small_to_learn_from_is_refused_and_a_small_one_is_said():
    table = np.random.default_rng(0).normal(size=(20, 12))
    with pytest.raises(sp.DataError, match="half of 7 rows has 3, and a half-sample needs at least 4"):
        sp.confidence(table[:7, :2], resamples=2)
    with pytest.warns(sp.SparsestWarning, match="half-samples have 10 rows for 12 columns"):
        sp.confidence(table, resamples=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"models": ["rank", "gaussian", "rank"]}, "names 'rank' twice"),
        ({"models": 5}, "a list of names"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number"),
    ],
)
def test_models_and_workers_that_make_no_sense_are_refused(options, words):
    with pytest.raises(sp.OptionError, match=words):
        sp.confidence(np.random.default_rng(0).normal(size=(20, 2)), resamples=2, **options)


def test_simulated_covariances_vary_as_those_of_rows_do():
    given, n = np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.3], [0.0, -0.3, 0.5]]), 40
    source = Source(sp.Moments(given, n), TableOptions(), Watch())
    prepared = Gaussian().prepare(source, 0)
    draws = Simulated("half", 0)
    drawn = np.array([draws.resample(prepared, k)[0].moments.covariance for k in range(4000)])
    freedom = (n - 1) / n
    np.testing.assert_allclose(drawn.mean(axis=0), given * freedom, atol=0.03)
    spread = (given**2 + np.outer(given.diagonal(), given.diagonal())) * freedom / n
    np.testing.assert_allclose(drawn.var(axis=0), spread, rtol=0.12)


def test_a_billion_rows_are_simulated_without_being_drawn():
    found = sp.confidence(sp.Moments(np.array([[1.0, 0.5], [0.5, 1.0]]), 10**9), resamples=4)
    assert found.adjacency[0, 1] == 1


def test_few_rows_are_refused_in_words():
    with pytest.raises(sp.DataError, match="at least 4 rows, and the table has 3 rows"):
        sp.confidence(np.random.default_rng(0).normal(size=(3, 2)), resamples=2)
