import numpy as np
import pytest

from benchmarks import datasets


def test_standardised_data_are_the_raw_ones_in_other_units_and_have_no_varsortability():
    raw, standardised = datasets.tables(["SF1"], p=6, n=50, seeds=1, scales=["raw", "standardised"])
    assert np.corrcoef(raw.X.T) == pytest.approx(np.corrcoef(standardised.X.T))
    assert standardised.X.std(axis=0, ddof=1) == pytest.approx(np.ones(6))
    assert standardised.varsortability == 0.5


def test_the_same_seed_makes_the_same_dataset():
    (first,), (second,) = (datasets.tables(["ER2"], p=5, n=20, seeds=1, scales=["raw"]) for _ in range(2))
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.dag, second.dag)
