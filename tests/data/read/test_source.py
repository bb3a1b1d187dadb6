"""Whatever the user passes is read at most once, and says what there is to say."""

import numpy as np
import polars as pl
import pytest

import sparsest as sp
from sparsest._core.errors import DataError, OptionError
from sparsest._core.progress import Watch
from sparsest.data import Moments, Source, TableOptions, read_table
from sparsest.data.audit import audit_of
from sparsest.data.read import source as module
from sparsest.data.read import streaming


def numbers(n=60, p=3):
    return np.random.default_rng(0).normal(size=(n, p))


def mixed(n=60):
    rng = np.random.default_rng(0)
    return pl.DataFrame({"x": rng.normal(size=n), "city": rng.choice(["Ulm", "Bonn", "Kiel"], n)})


def source(data, **options):
    return Source(data, TableOptions(**options), Watch())


@pytest.fixture
def reads(monkeypatch):
    """How often a file or a data frame was read."""
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return plain(*arguments)

    plain = module.read_sheet
    monkeypatch.setattr(module, "read_sheet", counted)
    return calls


@pytest.mark.parametrize("model", ["auto", "gaussian", "mixed", "additive"])
def test_fit_reads_a_file_once(tmp_path, reads, model):
    path = tmp_path / "table.csv"
    pl.DataFrame(numbers(), schema=list("abc")).write_csv(path)
    sp.fit(path, model=model)
    assert len(reads) == 1


def test_a_table_is_read_once_for_words_and_for_numbers(reads):
    found = source(mixed())
    assert found.table(numbers_only=False).levels == (None, ("Bonn", "Kiel", "Ulm"))
    for _ in range(2):
        with pytest.raises(DataError, match="column 'city' holds text"):
            found.table(numbers_only=True)
    assert len(reads) == 1


@pytest.mark.parametrize("numbers_only", [True, False])
def test_the_table_is_that_of_read_table(numbers_only):
    data = pl.DataFrame(numbers(), schema=list("abc")).with_columns(group=pl.Series([2.0, 5.0] * 30))
    found, expected = (
        source(data).table(numbers_only=numbers_only),
        read_table(data, numbers_only=numbers_only),
    )
    np.testing.assert_array_equal(found.values, expected.values)
    assert (found.names, found.kinds, found.levels) == (expected.names, expected.kinds, expected.levels)


def test_numbers_that_were_coded_come_back_as_given():
    """Two values are codes for a mixed model, and the numbers themselves for a Gaussian one."""
    found = source(np.column_stack([numbers(), [2.0, 5.0] * 30]))
    assert set(found.table(numbers_only=False).values[:, 3]) == {0, 1}
    assert set(found.moments().table.values[:, 3]) == {2, 5}


def test_moments_are_those_given_and_options_beside_them_are_refused():
    given = Moments.from_array(numbers())
    assert source(given).given is given
    assert source(given).moments().moments is given
    assert source(given).moments().table is None
    assert source(given).head() is None
    with pytest.raises(OptionError, match="columns and missing apply to tables"):
        source(given, columns=["a"], missing="drop")
    with pytest.raises(OptionError, match="pass the table"):
        source(given).table(numbers_only=True)


def test_unusable_moments_are_refused():
    given = Moments(np.diag([1.0, 0.0]), 10)
    with pytest.raises(DataError, match="column 'x1' is constant"):
        source(given).moments()


def test_notices_come_in_the_order_of_reading(tmp_path):
    X = np.column_stack([numbers(), np.ones(60)])
    X[3, 1] = X[7, 0] = np.nan
    path = tmp_path / "table.csv"
    frame = pl.DataFrame(X, schema=list("abcd"), nan_to_null=True)
    frame.insert_column(0, pl.Series("", [f"row {k}" for k in range(60)])).write_csv(path)
    said = (
        "left out the first column, which has no name: it holds the names of the rows",
        "dropped 2 of 60 rows, which have missing values",
        "dropped the constant columns 'd'",
    )
    found = source(path, missing="drop", drop_constant=True).moments()
    assert found.notices == found.table.notices == said
    kept = source(path, missing="em", drop_constant=True).moments()
    assert kept.notices[:2] == kept.table.notices == (said[0], said[2])
    assert "values (1.1%) are missing" in kept.notices[2]


def test_a_table_that_was_read_already_has_nothing_more_to_say():
    with pytest.warns(sp.DataWarning, match="dropped the constant"):
        table = read_table(np.column_stack([numbers(), np.ones(60)]), drop_constant=True)
    assert table.notices
    again = source(table).table(numbers_only=True)
    assert again.notices == ()
    assert again.values.base is table.values.base


def test_a_large_file_shows_its_head_and_is_streamed(tmp_path, monkeypatch, reads):
    path = tmp_path / "table.parquet"
    mixed().write_parquet(path)
    assert source(path).head() is None
    monkeypatch.setattr(streaming, "LARGE", 0)
    assert source(path).head().names == ("x", "city")
    found = source(path, columns=["x"]).moments()
    assert found.table is None
    assert found.moments.n == 60
    assert len(reads) == 1  # the head


def test_an_audit_is_of_the_table_where_there_is_one():
    X = numbers()
    X[:, 1] = np.cumsum(X[:, 1])
    table, moments = read_table(X), Moments.from_array(X)
    assert audit_of(table, moments).about("row-order")
    assert not audit_of(None, moments).about("row-order")
    with pytest.raises(TypeError, match="a table or moments"):
        audit_of(None, None)
