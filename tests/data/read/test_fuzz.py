"""Whatever bytes a file holds, it is read or refused in one line."""

import io
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsest._core.errors import DataWarning, SparsestError
from sparsest.data import read_table

some = settings(
    derandomize=True,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
CELLS = st.text(st.sampled_from('abc019.,;\t" -\n\r\ufeffä\x00eENA'), max_size=60)
FRAME = pl.DataFrame({"a": np.arange(9.0), "b": np.arange(9) % 3, "c": list("xyzxyzxyz")})


def answered(path, **options):
    """Read or refused in one line, and nothing else."""
    words = "read"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            read_table(path, **options)
        except SparsestError as error:
            words = str(error)
    assert len(words.splitlines()) == 1


@given(text=CELLS, suffix=st.sampled_from([".csv", ".tsv", ".txt"]), numbers_only=st.booleans())
@some
def test_any_text_is_read_or_refused_in_one_line(tmp_path, text, suffix, numbers_only):
    path = tmp_path / f"table{suffix}"
    path.write_bytes(text.encode())
    answered(path, numbers_only=numbers_only, missing="keep")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather", ".csv.gz", ".zip", ".xlsx"])
@given(content=st.binary(max_size=80))
@some
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path, suffix, content):
    path = tmp_path / f"table{suffix}"
    path.write_bytes(content)
    answered(path)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
@given(
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=3),
    end=st.floats(0.5, 1),
)
@some
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path, suffix, changes, end):
    file = io.BytesIO()
    (FRAME.write_parquet if suffix == ".parquet" else FRAME.write_ipc)(file)
    content = bytearray(file.getvalue())
    for at, byte in changes:
        content[int(at * len(content))] = byte
    path = tmp_path / f"table{suffix}"
    path.write_bytes(content[: int(end * len(content))] if not changes else content)
    answered(path, numbers_only=False, missing="keep")
