"""Kinds are guessed with caution and can be said; words become codes only where they are wanted."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsest._core.errors import DataError, OptionError
from sparsest.data import Kind, read_table

ROWS = 60
rng = np.random.default_rng(0)
words = np.array(["red", "green", "blue"])[rng.integers(0, 3, ROWS)]
COLUMNS = {
    "height": (rng.normal(size=ROWS), Kind.CONTINUOUS),
    "whole": (np.round(100 * rng.normal(size=ROWS)), Kind.CONTINUOUS),
    "year": (rng.integers(1950, 2020, ROWS), Kind.CONTINUOUS),
    "children": (np.r_[0, rng.poisson(2, ROWS - 1)], Kind.COUNT),
    "ill": (rng.random(ROWS) < 0.5, Kind.BINARY),
    "sex": (1 + rng.integers(0, 2, ROWS), Kind.BINARY),
    "answer": (np.where(rng.random(ROWS) < 0.5, "yes", "no"), Kind.BINARY),
    "colour": (words, Kind.CATEGORICAL),
    "key": (np.arange(ROWS) + 17, Kind.IDENTIFIER),
    "patient": ([f"P{i}" for i in range(ROWS)], Kind.IDENTIFIER),
    "born": ([datetime.date(1990, 1, 1) + datetime.timedelta(7 * i) for i in range(ROWS)], Kind.DATE),
    "day": ([f"2024-05-{1 + i % 28:02d}" for i in range(ROWS)], Kind.DATE),
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
each_frame = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)


def plain(values):
    return values.tolist() if isinstance(values, np.ndarray) else values


@each_frame
def test_every_kind_is_recognised_in_every_data_frame(make):
    table = read_table(make({name: plain(v) for name, (v, _) in COLUMNS.items()}), numbers_only=False)
    assert dict(zip(table.names, table.kinds, strict=True)) == {
        name: kind for name, (_, kind) in COLUMNS.items()
    }


@each_frame
def test_codes_and_levels_spell_the_words(make):
    table = read_table(
        make({"colour": words.tolist(), "answer": plain(COLUMNS["answer"][0])}), numbers_only=False
    )
    assert table.levels == (("blue", "green", "red"), ("no", "yes"))
    for j, original in enumerate([words, COLUMNS["answer"][0]]):
        assert [table.levels[j][int(code)] for code in table.values[:, j]] == list(original)


@each_frame
@pytest.mark.parametrize("name", ["answer", "colour", "patient", "born", "day"])
def test_words_and_dates_are_refused_where_numbers_are_needed(make, name):
    with pytest.raises(DataError, match=f"column '{name}' holds"):
        read_table(make({"height": plain(COLUMNS["height"][0]), name: plain(COLUMNS[name][0])}))


def test_missing_words_and_dates_are_nan():
    frame = pl.DataFrame(
        {"w": ["a", None, "b", "c"], "d": [datetime.date(1970, 1, 2), None, None, datetime.date(1970, 1, 4)]}
    )
    table = read_table(frame, numbers_only=False, missing="keep")
    np.testing.assert_array_equal(table.values, [[0, 1], [np.nan, np.nan], [1, np.nan], [2, 3]])


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        ([datetime.date(1970, 1, 2), datetime.date(1969, 12, 31)], [1, -1]),
        ([datetime.datetime(1970, 1, 1, 12), datetime.datetime(1970, 1, 3)], [0.5, 2]),
        ([datetime.timedelta(hours=6), datetime.timedelta(2)], [0.25, 2]),
        (["1970-01-02", "1970-01-01T12:00"], [1, 0.5]),
        ([datetime.datetime(1970, 1, day, tzinfo=datetime.UTC) for day in (2, 3)], [1, 2]),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_dates_are_days_since_1970(cells, days, make):
    assert read_table(make({"d": cells}), numbers_only=False).values[:, 0].tolist() == days


def test_times_of_day_are_parts_of_a_day():
    frame = pl.DataFrame({"t": [datetime.time(6), datetime.time(18)]})
    assert read_table(frame, numbers_only=False).values[:, 0].tolist() == [0.25, 0.75]


def test_two_numbers_stay_as_they_are_unless_codes_are_wanted():
    frame = pl.DataFrame({"sex": [1, 2, 2, 1], "x": [0.5, 1.5, 2.5, 3.5]})
    assert read_table(frame).values[:, 0].tolist() == [1, 2, 2, 1]
    coded = read_table(frame, numbers_only=False)
    assert coded.values[:, 0].tolist() == [0, 1, 1, 0]
    assert coded.levels == (("1", "2"), None)
    zero_one = read_table(frame.with_columns(sex=pl.col("sex") - 1), numbers_only=False)
    assert zero_one.levels == (None, None)


def test_ordered_categories_are_ordinal_and_keep_their_order():
    sizes, order = ["M", "S", "L", "S"], ["S", "M", "L"]
    frames = [
        pd.DataFrame({"size": pd.Categorical(sizes, order, ordered=True)}),
        pl.DataFrame({"size": pl.Series(sizes, dtype=pl.Enum(order))}),
    ]
    for frame in frames:
        table = read_table(frame, numbers_only=False)
        assert table.kinds == (Kind.ORDINAL,)
        assert table.levels == (tuple(order),)
        assert table.values[:, 0].tolist() == [1, 0, 2, 0]


def test_what_the_user_says_counts():
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3, 1],
            "size": ["S", "L", "M", "S"],
            "b": ["u", "v", "u", "v"],
            "t": ["1", "2.5", "3", "4"],
        }
    )
    said = {"n": "categorical", "size": ["S", "M", "L"], "b": "binary", "t": "continuous"}
    table = read_table(frame, kinds=said, numbers_only=False)
    assert table.kinds == (Kind.CATEGORICAL, Kind.ORDINAL, Kind.BINARY, Kind.CONTINUOUS)
    assert table.levels == (("1", "2", "3"), ("S", "M", "L"), ("u", "v"), None)
    assert table.values.tolist() == [[0, 0, 0, 1], [1, 2, 1, 2.5], [2, 1, 0, 3], [0, 0, 1, 4]]
    gaussian = read_table(frame, kinds={k: said[k] for k in ("size", "b", "t")})
    assert gaussian.values[:, 1].tolist() == [0, 2, 1, 0]
    with pytest.raises(DataError, match="column 'n' holds categories"):
        read_table(frame, kinds=said)


@pytest.mark.parametrize(
    ("kinds", "error", "words"),
    [
        ({"x": "number"}, OptionError, "the kind of column 'x' must be one of 'continuous'"),
        ({"x": ["a"]}, OptionError, "at least two different words"),
        (["x"], OptionError, "kinds must map names of columns to kinds"),
        ({"y": "count"}, DataError, "there is no column 'y'"),
        ({"x": "binary"}, DataError, "column 'x' holds more than two different values"),
        (
            {"x": "count"},
            DataError,
            r"column 'x' holds other numbers than non-negative whole ones.* -1.0 in row 1",
        ),
        ({"w": "continuous"}, DataError, "column 'w' holds words, so it is not continuous"),
        ({"w": "ordinal"}, DataError, "column 'w' holds words whose order is not known"),
        ({"w": ["a", "b"]}, DataError, "column 'w' holds a word that is not in the order .* 'c'"),
    ],
)
def test_what_cannot_be_is_refused(kinds, error, words):
    with pytest.raises(error, match=words):
        read_table(pl.DataFrame({"x": [1, -1, 3], "w": ["a", "b", "c"]}), kinds=kinds, numbers_only=False)


def test_a_slip_in_a_column_of_numbers_does_not_make_it_a_category():
    cells = [str(i / 8) for i in range(50)] + ["oops"]
    with pytest.raises(DataError, match="column 'x' holds numbers and text, for example 'oops' in row 50"):
        read_table(pl.DataFrame({"x": cells}), numbers_only=False)


def test_the_callers_array_is_untouched_by_codes():
    X = np.array([[1.0, 5], [2, 6], [1, 7]])
    before = X.copy()
    assert read_table(X, kinds={"x0": "binary"}).values[:, 0].tolist() == [0, 1, 0]
    assert np.array_equal(X, before)
