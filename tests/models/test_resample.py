"""Laws of `Prepared.resample`: other rows, the same columns and coding, for every model."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions
from sparsest.knowledge import Masks
from sparsest.models.choosing import Choices, chosen_model, plan
from tests.models.tables import TABLES, Heavy

MODELS = [*TABLES, "custom"]


def prepared(model, **options):
    chosen = chosen_model(Heavy(3) if model == "custom" else model, "auto")
    data = TABLES["gaussian" if model == "custom" else model]
    return chosen.prepare(Source(data, TableOptions(**options), Watch()), 0)


def local_scores(one):
    """Scores of each column with no parent and with one; the whole likelihood where columns have none."""
    asked = plan(one, Choices(), Masks.unconstrained(one.p))
    score = asked.problem.score
    if not hasattr(score, "local"):
        return np.array([score.value_and_grad(score.start)[0]])
    return np.array([[score.local(j, []), score.local(j, [(j + 1) % one.p])] for j in range(one.p)])


@pytest.mark.parametrize("model", MODELS)
def test_all_rows_once_in_any_order_give_the_same_scores(model):
    one = prepared(model)
    order = np.random.default_rng(0).permutation(len(one.table.values))
    other = one.resample(order)
    assert (other.names, other.n, other.p) == (one.names, one.n, one.p)
    np.testing.assert_allclose(local_scores(other), local_scores(one), atol=1e-3 if model == "mlp" else 1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_weights_count_rows_as_often_as_copies_of_them(model):
    one = prepared(model)
    times = np.random.default_rng(1).integers(1, 3, len(one.table.values))
    copied = one.resample(np.repeat(np.arange(len(times)), times))
    weighted = one.resample(weights=times)
    tolerance = {"mlp": 1e-12, "additive": 5e-2}.get(model, 1e-7)  # knots lie at quantiles of the rows
    np.testing.assert_allclose(local_scores(weighted), local_scores(copied), atol=tolerance)


@pytest.mark.parametrize("model", MODELS)
def test_a_half_sample_is_fitted_like_a_table_of_its_rows(model):
    one = prepared(model)
    half = np.sort(np.random.default_rng(2).permutation(len(one.table.values))[::2])
    other = one.resample(half)
    assert other.n == len(half)
    fresh = chosen_model(Heavy(3) if model == "custom" else model, "auto").prepare(
        Source(TABLES["gaussian" if model == "custom" else model][half], TableOptions(), Watch()), 0
    )
    np.testing.assert_allclose(local_scores(other), local_scores(fresh), atol=1e-12)


def test_what_cannot_be_resampled_says_why():
    moments = chosen_model("gaussian", "auto").prepare(
        Source(sp.Moments(np.eye(2), 100), TableOptions(), Watch()), 0
    )
    with pytest.raises(sp.OptionError, match="from a table in memory"):
        moments.resample(np.arange(3))
    with pytest.raises(sp.OptionError, match="whole numbers"):
        prepared("mlp").resample(weights=np.full(len(TABLES["mlp"]), 0.5))


def test_a_category_that_vanishes_is_named():
    data = np.column_stack([np.random.default_rng(0).normal(size=90), np.arange(90) % 3])
    one = chosen_model("mixed", "auto").prepare(
        Source(data, TableOptions(kinds={"x1": "categorical"}), Watch()), 0
    )
    rows = np.flatnonzero(data[:, 1] < 2)
    with pytest.raises(sp.DataError, match="category of column 'x1'"):
        one.resample(rows)
