"""Any table becomes the same named numbers, or an error that names the column and the way out."""

import contextlib
import datetime
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from sparsest._core.errors import DataError, DataWarning, OptionError
from sparsest.data import read_table

COLUMNS = {"age": [41.0, 7.5, 30.0], "height": [1.8, 1.2, 1.75], "weight": [80.0, 25.0, 77.0]}
VALUES = np.column_stack(list(COLUMNS.values()))
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": lambda columns: pl.DataFrame(columns).lazy(),
    "pyarrow": pa.table,
}
each_frame = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)


@each_frame
def test_every_data_frame_gives_the_same_table(make):
    table = read_table(make(COLUMNS))
    assert table.names == ("age", "height", "weight")
    assert table.values.dtype == np.float64
    np.testing.assert_array_equal(table.values, VALUES)


@each_frame
def test_columns_are_picked_by_name_in_the_order_asked_for(make):
    table = read_table(make(COLUMNS | {"city": ["Rome", "Oslo", "Bonn"]}), columns=["weight", "age"])
    assert table.names == ("weight", "age")
    np.testing.assert_array_equal(table.values, VALUES[:, [2, 0]])


@each_frame
def test_integers_and_truth_values_are_numbers(make):
    table = read_table(make({"count": [3, 1, 2], "ill": [True, False, True]}))
    assert table.values.tolist() == [[3, 1], [1, 0], [2, 1]]


@each_frame
@pytest.mark.parametrize("cells", [[1, None, 3], [1.5, None, 3.0], [True, None, False]])
def test_missing_cells_of_a_data_frame_are_reported_as_nan(make, cells):
    with pytest.raises(
        DataError, match=r"column 'b' has NaN in 1 of 3 rows, first in row 1 .*missing='drop'"
    ):
        read_table(make({"a": [1, 2, 3], "b": cells}))


@each_frame
@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["12", "Rome", "13"], "column 'b' holds text, for example 'Rome' in row 1"),
        ([None, "Rome", None], "column 'b' holds text, for example 'Rome' in row 1"),
        (
            [datetime.datetime(2020, 1, day) for day in (1, 2, 3)],
            "column 'b' holds dates or times, for example ",
        ),
        ([datetime.timedelta(days) for days in (1, 2, 3)], "column 'b' holds dates or times, for example "),
    ],
)
def test_columns_that_are_not_numbers_are_named_with_a_sample(make, cells, words):
    with pytest.raises(DataError, match=words + r".*columns=\[...\], or encode it"):
        read_table(make({"a": [1, 2, 3], "b": cells}))


@pytest.mark.parametrize(
    ("series", "words"),
    [
        (pl.Series(["u", "v"], dtype=pl.Categorical), "categories, for example 'u'"),
        (pl.Series([[1], [2]]), "values of type List.*, for example"),
        (pl.Series([{"k": 1}, {"k": 2}]), "values of type Struct.*, for example {'k': 1}"),
        (pd.Series(pd.Categorical([5, 6])), "categories, for example 5"),
        (pd.Series([1, "x"], dtype=object), "text, for example 'x' in row 1"),
        (pd.Series([1, {2}], dtype=object), "values of type set, for example .2. in row 1"),
    ],
)
def test_other_kinds_of_columns_are_named_too(series, words):
    frame = series.to_frame("c") if isinstance(series, pd.Series) else pl.DataFrame({"c": series})
    with pytest.raises(DataError, match=f"column 'c' holds {words}"):
        read_table(frame)


def test_all_columns_that_are_not_numbers_are_listed_at_once():
    frame = pl.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": ["x", "y"], "d": ["x", "y"]})
    with pytest.raises(DataError, match=r"column 'a' holds text.*'c', 'd' are not numeric either"):
        read_table(frame)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 2, 5], dtype="Int64"),
        pd.Series([1, 2, 5], dtype="float32"),
        pd.Series([1, 2, 5], dtype="int64[pyarrow]"),
        pd.Series([1, Decimal(2), Fraction(5)], dtype=object),
        pd.Series(pd.arrays.SparseArray([1, 2, 5])),
        pl.Series([1, 2, 5], dtype=pl.Decimal(10, 2)),
        pl.Series([1, 2, 5], dtype=pl.UInt8),
        pl.Series([1, 2, 5], dtype=pl.Int128),
    ],
    ids=lambda series: str(series.dtype),
)
def test_any_numeric_type_of_column_will_do(series):
    frame = series.to_frame("c") if isinstance(series, pd.Series) else pl.DataFrame({"c": series})
    assert read_table(frame).values.tolist() == [[1], [2], [5]]


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
def test_missing_cells_among_objects_are_nan(missing):
    with pytest.raises(DataError, match="column 'c' has NaN in 1 of 3 rows, first in row 2"):
        read_table(pd.DataFrame({"c": pd.Series([1, 2.5, missing], dtype=object)}))


def test_integer_names_become_strings():
    frame = pd.DataFrame(VALUES, columns=[10, 20, 30])
    assert read_table(frame).names == ("10", "20", "30")
    assert read_table(frame, columns=[30, "10"]).names == ("30", "10")


@pytest.mark.parametrize(
    "data",
    [
        VALUES,
        np.asfortranarray(VALUES),
        np.repeat(VALUES, 2, axis=1)[:, ::2],
        VALUES.astype(">f8"),
        VALUES.astype(object),
        VALUES.tolist(),
        [tuple(row) for row in VALUES],
        list(VALUES),
        np.matrix(VALUES),
        np.ma.masked_array(VALUES),
    ],
    ids=["C", "F", "strided", "big endian", "object", "lists", "tuples", "arrays", "matrix", "masked"],
)
def test_every_kind_of_array_gives_the_same_table(data):
    table = read_table(data)
    assert table.names == ("x0", "x1", "x2")
    assert table.values.dtype == np.float64
    assert table.values.flags.c_contiguous or table.values.flags.f_contiguous
    np.testing.assert_array_equal(table.values, VALUES)
    np.testing.assert_array_equal(read_table(data, columns=["x2", "x0"]).values, VALUES[:, [2, 0]])


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, np.longdouble])
def test_any_real_dtype_will_do(dtype):
    assert read_table(np.array([[0, 1], [1, 0]], dtype=dtype)).values.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float64_array_is_borrowed_and_cannot_be_written_through_the_table(order):
    X = np.array(VALUES, order=order)
    table = read_table(X)
    assert np.shares_memory(table.values, X)
    assert not table.values.flags.writeable
    assert X.flags.writeable
    with pytest.raises(FrozenInstanceError):
        table.values = X


def test_a_read_only_array_will_do():
    X = VALUES.copy()
    X.flags.writeable = False
    np.testing.assert_array_equal(read_table(X).values, VALUES)


@pytest.mark.parametrize("drop_constant", [False, True])
@pytest.mark.parametrize("make", [pd.DataFrame, lambda columns: pd.DataFrame(columns).to_numpy()])
@pytest.mark.parametrize(
    "spoil", [lambda column: column, lambda column: [np.nan, *column[1:]], lambda _: [1.0] * 3]
)
@pytest.mark.filterwarnings("ignore::sparsest._core.errors.DataWarning")
def test_the_callers_data_are_untouched_on_every_path(make, spoil, drop_constant):
    columns = COLUMNS | {"weight": spoil(COLUMNS["weight"])}
    data = make(columns)
    before = data.copy()
    with contextlib.suppress(DataError):
        read_table(data, drop_constant=drop_constant)
    np.testing.assert_array_equal(np.asarray(data), np.asarray(before))


def test_a_constant_column_is_refused_with_its_value():
    frame = pd.DataFrame({"age": [41, 41, 41], "b": [1, 2, 3]})
    with pytest.raises(DataError, match=r"column 'age' is constant \(all 41\): .*drop_constant=True"):
        read_table(frame)


def test_a_column_that_varies_in_its_last_row_only_is_not_constant():
    assert read_table([[0, 1], [0, 2], [1, 3]]).names == ("x0", "x1")


def test_constant_columns_are_dropped_on_request_with_a_warning():
    frame = pd.DataFrame({"a": [1, 1, 1], "b": [1, 2, 3], "c": [0.1, 0.1, 0.1], "d": [3, 2, 1]})
    with pytest.warns(DataWarning, match="dropped the constant columns 'a', 'c'"):
        table = read_table(frame, drop_constant=True)
    assert table.names == ("b", "d")
    assert table.values.tolist() == [[1, 3], [2, 2], [3, 1]]


def test_a_table_of_constants_is_refused_even_so():
    with pytest.raises(DataError, match="constant"):
        read_table(np.ones((3, 8)), drop_constant=True)


NAN, INF = np.nan, np.inf
BAD = {
    "1-D": ([1, 2, 3], ["Expected 2D array, got 1D array instead", "Reshape your data"]),
    "pandas series": (pd.Series([1, 2, 3]), ["Expected 2D array, got 1D array instead"]),
    "polars series": (pl.Series([1, 2, 3]), ["Expected 2D array, got 1D array instead"]),
    "3-D": (np.ones((2, 2, 2)), ["Expected 2D array, got 3D array instead"]),
    "no columns": (np.empty((12, 0)), ["0 feature(s) (shape=(12, 0)) while a minimum of 1 is required."]),
    "empty frame": (pd.DataFrame(), ["0 feature(s)", "a minimum of 1 is required."]),
    "no rows": (np.empty((0, 3)), ["0 sample(s) (shape=(0, 3)) while a minimum of 2 is required."]),
    "no rows, text": (pl.DataFrame({"a": []}, schema={"a": pl.String}), ["0 sample(s)"]),
    "one row": (np.ones((1, 10)), ["1 sample(s)", "minimum of 2"]),
    "NaN": (
        [[1, 2], [3, NAN], [NAN, NAN]],
        ["'x0' has NaN in 1 of 3 rows", "first in row 2", "so have 'x1'"],
    ),
    "inf": ([[1, -INF], [3, 2]], ["column 'x1' has inf in 1 of 2 rows, first in row 0"]),
    "both": ([[1, -INF], [3, NAN]], ["column 'x1' has NaN and inf in 2 of 2 rows"]),
    "masked": (
        np.ma.masked_array([[1, 2], [3, 4]], [[0, 1], [0, 0]]),
        ["'x1' has NaN in 1 of 2 rows, first in row 0"],
    ),
    "None": ([[1, None], [2, 3]], ["column 'x1' has NaN in 1 of 2 rows"]),
    "text in lists": (
        [[1, "u"], [2, "v"]],
        ["column 'x1' holds text, for example 'u' in row 0", "columns=[...]"],
    ),
    "text array": (
        np.array([["1", "2"], ["3", "z"]]),
        ["column 'x0' holds text, for example '1'", "'x1' is not numeric either"],
    ),
    "bytes": (np.array([[b"u"], [b"v"]]), ["column 'x0' holds text, for example b'u'"]),
    "date array": (np.array([["2020-01-01"]] * 2, dtype="M8[D]"), ["column 'x0' holds dates or times"]),
    "object": (
        np.array([[1, 2], [3, {"foo": "bar"}]], dtype=object),
        ["'x1' holds values of type dict", "'foo'"],
    ),
    "huge integer": (np.array([[10**400], [2]], dtype=object), ["'x0' holds integers too large for float64"]),
    "complex": (np.ones((3, 2)) * 1j, ["Complex data not supported"]),
    "complex objects": (np.array([[1j], [2]], dtype=object), ["Complex data not supported"]),
    "complex pandas": (pd.DataFrame({"a": [1j, 2]}), ["Complex data not supported"]),
    "ragged": ([[1, 2], [3]], ["rows differ in length"]),
    "sparse matrix": (scipy.sparse.csr_matrix(np.eye(3)), ["sparse matrices are not supported", "toarray()"]),
    "sparse array": (scipy.sparse.coo_array(np.eye(3)), ["sparse matrices are not supported", "toarray()"]),
    "dict": (COLUMNS, ["cannot read a table from dict", "data frame"]),
    "nothing": (None, ["cannot read a table from NoneType"]),
    "number": (3, ["cannot read a table from int"]),
    "twice a name": (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), ["several columns are named 'a'"]),
    "twice, arrow": (pa.table([pa.array([1, 2])] * 2, names=["a", "a"]), ["several columns are named 'a'"]),
    "twice as str": (pd.DataFrame([[1, 2], [3, 4]], columns=[1, "1"]), ["several columns are named '1'"]),
    "no name": (
        pd.DataFrame([[1, 2], [3, 4]], columns=["", "a"]),
        ["column 0", "has no name", "columns=[...]"],
    ),
}


@pytest.mark.parametrize(("data", "words"), BAD.values(), ids=BAD)
def test_bad_tables_are_refused_in_clear_words(data, words):
    with pytest.raises(DataError) as caught:
        read_table(data)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        (["agee"], DataError, "there is no column 'agee': did you mean 'age'?"),
        (["zzz"], DataError, "there is no column 'zzz': the table has 'age', 'height', 'weight'"),
        (["age", "age"], DataError, "several columns are named 'age'"),
        ("age", OptionError, r"write columns=\['age'\]"),
        ([], OptionError, "at least one column"),
    ],
)
def test_impossible_choices_of_columns_are_refused(columns, error, words):
    with pytest.raises(error, match=words):
        read_table(pd.DataFrame(COLUMNS), columns=columns)


def test_a_sum_that_overflows_is_not_mistaken_for_infinity():
    assert read_table([[1e308, 1], [1.1e308, 2]]).values[1, 0] == 1.1e308


def test_a_cell_that_is_no_number_is_a_type_error_in_the_words_scikit_learn_looks_for():
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        read_table(np.array([[1, {"foo": "bar"}], [2, 3]], dtype=object))
