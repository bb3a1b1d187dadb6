"""Resamples of a file that is passed over, and never held."""

import numpy as np
import polars as pl
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest._core.streams import RESAMPLES, generator
from sparsest.data import TableOptions
from sparsest.data.read import blocks, halving, streaming
from sparsest.data.read.halving import stream_halves

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(9000, 4)) * [1, 10, 1, 1e-3] + [0, 1e6, -3, 0]
TABLE[:, 2] += TABLE[:, 0] + (TABLE[:, 1] - 1e6) / 10


@pytest.fixture(params=[".parquet", ".csv"])
def file(request, tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "LARGE", 0)
    path = tmp_path / f"table{request.param}"
    frame = pl.DataFrame(TABLE, schema=list("abcd"))
    if request.param == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path, row_group_size=1000)
    return path


def inside(pair, seed=0):
    coins = generator(seed, RESAMPLES, pair // 64).bit_generator.random_raw(len(TABLE))
    return (coins >> np.uint64(pair % 64)) & np.uint64(1) == 1


def test_the_moments_of_every_half_are_those_of_its_rows(file):
    found = stream_halves(file, TableOptions(), 70, 0, Watch())
    for number in (0, 1, 7, 138, 139):
        first = inside(number // 2)
        rows = TABLE[first if number % 2 == 0 else ~first]
        direct = sp.Moments.from_array(rows, list("abcd"))
        half = found.moments(number, tuple("abcd"))
        assert half.n == direct.n == pytest.approx(4500, abs=300)
        assert half.mean == pytest.approx(direct.mean, rel=1e-12)
        scale = np.outer(direct.scales, direct.scales)
        assert (
            np.abs(half.covariance - direct.covariance).max(initial=0, where=scale > 0) < 1e-9 * scale.max()
        )
        assert (np.abs(half.covariance - direct.covariance) / scale).max() < 1e-10


def test_halves_do_not_depend_on_the_blocks_in_which_a_file_is_read(file, monkeypatch):
    found = stream_halves(file, TableOptions(), 3, 1, Watch())
    monkeypatch.setattr(blocks, "_BLOCK", 1)
    monkeypatch.setattr(blocks, "_PIECE", 1)
    again = stream_halves(file, TableOptions(), 3, 1, Watch())
    for number in range(6):
        one, other = (halves.moments(number, tuple("abcd")) for halves in (found, again))
        assert one.n == other.n
        assert one.covariance == pytest.approx(other.covariance, rel=1e-9, abs=1e-9)


def test_shares_of_a_large_file_are_of_real_halves_of_its_rows(file):
    found = sp.confidence(file, resamples=6)
    assert found.how == "half"
    assert found.resamples == 6
    classes = []
    for number in range(6):
        first = inside(number // 2)
        classes.append(sp.fit(TABLE[first if number % 2 == 0 else ~first]).cpdag.to_numpy())
    assert (found.arrows == sum(one * (1 - one.T) for one in classes)).all()
    assert (sp.fit(file, resamples=6).confidence.arrows == found.arrows).all()
    assert (sp.confidence(file, resamples=6, n_jobs=2).arrows == found.arrows).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"how": "bootstrap"}, "can be halved only"),
        ({"blocks": 5}, "groups and blocks need the rows in memory"),
        ({"groups": "a"}, "groups and blocks need the rows in memory"),
        ({"missing": "pairwise"}, "missing='drop'"),
    ],
)
def test_what_needs_rows_in_memory_is_refused_for_a_large_file(file, options, words):
    with pytest.raises(sp.OptionError, match=words):
        sp.confidence(file, resamples=4, **options)


def test_sums_that_would_not_fit_in_memory_are_refused_before_the_pass(file, monkeypatch):
    monkeypatch.setattr(halving, "_MEMORY", 8 * 16 * 5)
    with pytest.raises(sp.OptionError, match="pass at most 8 resamples"):
        sp.confidence(file, resamples=20)
    assert sp.confidence(file, resamples=8).resamples == 8


def test_weights_and_rows_with_missing_values_are_obeyed_in_halves(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "LARGE", 0)
    weights = RNG.uniform(0.5, 2, size=2000)
    values = np.column_stack([TABLE[:2000], weights])
    values[::10, 0] = np.nan
    pl.DataFrame(values, schema=[*"abcd", "w"]).fill_nan(None).write_parquet(tmp_path / "t.parquet")
    options = TableOptions(missing="drop", weights="w")
    found = stream_halves(tmp_path / "t.parquet", options, 1, 0, Watch())
    known = values[~np.isnan(values[:, 0])]
    first = inside(0)[: len(known)]
    for number, rows in enumerate((known[first], known[~first])):
        direct = sp.Moments.from_array(rows[:, :4], list("abcd"), rows[:, 4])
        half = found.moments(number, tuple("abcd"))
        assert half.n == pytest.approx(direct.n)
        assert half.correlation() == pytest.approx(direct.correlation(), abs=1e-9)
