import numpy as np
import pytest

import sparsest as sp
from sparsest_bench.measures import invariance
from sparsest_bench.measures.common import simulated


@pytest.fixture(scope="module")
def raw():
    return simulated("ER2", 7, 200, np.random.default_rng(0)).data


def test_every_variant_holds_the_same_data(raw):
    correlation = np.corrcoef(raw.T)
    for variant in invariance.variants(raw, np.random.default_rng(1)):
        columns = np.argsort(variant.order)
        assert np.corrcoef(variant.X[:, columns].T) == pytest.approx(correlation)
        spread = variant.X[:, columns].std(axis=0)
        assert spread == pytest.approx(variant.factors * raw.std(axis=0))


def test_the_exact_answer_agrees_on_every_variant(raw):
    found = sp.fit(raw)
    for variant in invariance.variants(raw, np.random.default_rng(1)):
        row = invariance.agreement(found, sp.fit(variant.X, **variant.options), variant)
        assert row["same_cpdag"]
        assert row["gap"] == pytest.approx(0, abs=1e-9)


def test_another_answer_is_noticed(raw):
    still = np.arange(7)
    variant = invariance.Variant("other columns", raw[:, ::-1], np.ones(7), still)
    row = invariance.agreement(sp.fit(raw), sp.fit(variant.X), variant)
    assert not row["same_cpdag"]
    assert invariance.agreement(sp.fit(raw), sp.fit(2 * raw), variant)["gap"] == pytest.approx(7 * np.log(2))
