"""Tables in pieces, here and on a cluster: the moments of the whole table."""

import logging

import numpy as np
import polars as pl
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions
from sparsest.data.read import streaming

dataframe = pytest.importorskip("dask.dataframe")
dataset = pytest.importorskip("pyarrow.dataset")

pytestmark = pytest.mark.filterwarnings(r"ignore:::distributed\.")  # at its start and its end

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(500, 4)) * [1, 1e3, 1, 1e-3] + [0, 1e7, -3, 0]
TABLE[:, 2] += TABLE[:, 0] + (TABLE[:, 1] - 1e7) / 1e3
FRAME = pl.DataFrame(TABLE, schema=list("abcd"))
WHOLE = sp.Moments.from_array(TABLE, list("abcd"))


def moments(data, **options):
    return Source(data, TableOptions(**options), Watch()).moments().moments


def close(one, other):
    scale = np.outer(other.scales, other.scales)
    assert one.names == other.names
    assert one.n == pytest.approx(other.n)
    assert one.mean == pytest.approx(other.mean, rel=1e-12, abs=1e-12)
    assert (np.abs(one.covariance - other.covariance) / scale).max() < 1e-11
    return True


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for k, start in enumerate((0, 120, 121, 300)):
        FRAME[start : (120, 121, 300, 500)[k]].write_parquet(folder / f"{k}.parquet")
    return folder


@pytest.mark.parametrize("partitions", [1, 3, 40])
def test_a_dask_frame_has_the_moments_of_the_table_in_memory(partitions):
    frame = dataframe.from_pandas(FRAME.to_pandas(), npartitions=partitions)
    assert close(moments(frame), WHOLE)
    result = sp.fit(frame)
    assert result.cpdag == sp.fit(FRAME).cpdag
    assert result.model == "gaussian"


def test_a_dataset_has_the_moments_of_the_table_in_memory(parts):
    found = dataset.dataset(parts)
    assert close(moments(found), WHOLE)
    assert sp.fit(found).cpdag == sp.fit(FRAME).cpdag
    assert sp.fit(found, model="rank").cpdag == sp.fit(FRAME, model="rank").cpdag  # the rows are collected


def test_columns_weights_and_missing_values_are_those_of_the_table(parts):
    weighed = FRAME.with_columns(pl.Series("w", RNG.uniform(0.5, 2, 500)))
    weighed = weighed.with_columns(pl.when(pl.col("a") > 1.5).then(None).otherwise(pl.col("a")).alias("a"))
    frame = dataframe.from_pandas(weighed.to_pandas(), npartitions=5)
    options = {"columns": ["c", "a", "b"], "weights": "w", "missing": "drop"}
    with pytest.warns(sp.SparsestWarning, match="dropped|left out|missing"):
        result = sp.fit(frame, **options)
    found = moments(frame, **options)
    direct = moments(weighed, **options)
    assert result.n == found.n == pytest.approx(direct.n)
    assert found.correlation() == pytest.approx(direct.correlation(), abs=1e-10)


def test_what_cannot_be_used_is_said_with_its_part():
    broken = FRAME.to_pandas()
    broken.loc[400, "b"] = np.nan
    with pytest.raises(sp.DataError, match=r"in part 3 .*'b' has NaN"):
        moments(dataframe.from_pandas(broken, npartitions=4))
    words = FRAME.to_pandas().assign(d="word")
    with pytest.raises(sp.DataError, match="'d'"):
        moments(dataframe.from_pandas(words, npartitions=4))


def test_on_a_cluster_the_moments_are_the_same_to_the_last_bit_every_time(parts, monkeypatch):
    distributed = pytest.importorskip("distributed")
    frame = dataframe.from_pandas(FRAME.to_pandas(), npartitions=4)
    here = moments(frame), moments(dataset.dataset(parts))
    monkeypatch.setattr(streaming, "LARGE", 0)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster),
    ):
        for _ in range(2):
            there = moments(frame), moments(dataset.dataset(parts))
            for one, other in zip(here, there, strict=True):
                assert (one.covariance == other.covariance).all()
                assert (one.mean == other.mean).all()
        files = moments(parts)
        assert close(files, WHOLE)
        assert (files.covariance == moments(str(parts)).covariance).all()


def test_a_pattern_stands_for_the_files_that_match_it(parts):
    assert sp.fit(f"{parts}/*.parquet").cpdag == sp.fit(parts).cpdag
    assert sp.fit(f"{parts}/[01].parquet").n == 121
    with pytest.raises(sp.DataError, match="no table matches"):
        sp.fit(f"{parts}/*.csv")
