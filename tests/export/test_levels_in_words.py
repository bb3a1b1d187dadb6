"""Effects of categories in words: reference levels, what they act on, open directions without a number."""

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest._core.words import count

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")


def people(n=500):
    rng = np.random.default_rng(0)
    sex, group = rng.choice(["female", "male"], n), rng.choice(["a", "b", "c"], n)
    x = rng.normal(size=n)
    smokes = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * x - 2 * (sex == "male") + 1)), "yes", "no")
    pay = np.select([group == "b", group == "c"], [2.0, -1.0]) + rng.normal(size=n)
    return pd.DataFrame({"sex": sex, "group": group, "x": x, "smokes": smokes, "pay": pay})


@pytest.fixture(scope="module")
def result():
    return sp.fit(people(), knowledge={"roots": ["sex", "group", "x"]})


def test_levels_are_said_with_their_reference(result):
    words = result.summary()
    assert "sex=male against female on the log-odds of smokes=yes" in words
    assert "group=b +" in words
    assert "against a" in words


def test_samples_are_labelled(result):
    rows = result.sample(200, np.random.default_rng(0))
    assert set(rows["sex"]) == {"female", "male"}
    assert set(rows["group"]) == {"a", "b", "c"}
    assert np.isfinite(result.log_likelihood(rows)).all()


def test_values_that_a_column_cannot_have_are_refused(result):
    draw = np.random.default_rng(0)
    with pytest.raises(sp.OptionError, match=r"'sex': 'other'.*its values are 'female', 'male'"):
        result.sample(3, draw, do={"sex": "other"})
    counts = sp.fit(draw.poisson(2, (200, 2)), model="poisson")
    for wrong in (-1, 0.5):
        with pytest.raises(sp.OptionError, match="it is a count"):
            counts.sample(3, draw, do={"x0": wrong})
    coins = sp.fit(draw.integers(0, 2, (200, 2)))
    with pytest.raises(sp.OptionError, match="it has the values 0 to 1"):
        coins.sample(3, draw, do={"x0": 2})


def test_an_open_direction_has_no_signed_number():
    x = np.random.default_rng(0).normal(size=(300, 2))
    found = sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)]))
    assert "x0 – x1  direction open" in found.summary()


def test_numbers_of_rows_are_said_as_people_would():
    assert count(137.497352067, "observation") == "about 137 observations"
    assert count(12.5, "row") == "about 12.5 rows"
    assert count(1, "row") == "1 row"
    assert count(3.0, "row") == "3 rows"
