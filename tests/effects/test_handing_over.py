"""Live packages, where they are installed: they are not among the packages that the tests bring."""

import numpy as np
import pandas as pd
import pytest

import sparsest as sp

pytestmark = pytest.mark.filterwarnings("ignore")


def asked():
    rng = np.random.default_rng(0)
    z = rng.normal(size=1000)
    x = z + rng.normal(size=1000)
    y = 0.7 * x + 0.5 * z + rng.normal(size=1000)
    table = pd.DataFrame({"z": z, "x": x, "y": y})
    return table, sp.fit(table, knowledge=sp.Knowledge(tiers=[["z"], ["x"], ["y"]])).effect("x", "y")


def test_dowhy_takes_the_graph_and_finds_the_same_effect():
    dowhy = pytest.importorskip("dowhy")
    table, found = asked()
    model = dowhy.CausalModel(data=table, **found.to_dowhy())
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    estimate = model.estimate_effect(estimand, method_name="backdoor.linear_regression")
    assert estimate.value == pytest.approx(found.value, abs=1e-6)


def test_doubleml_takes_the_names_and_finds_the_same_effect():
    doubleml = pytest.importorskip("doubleml")
    from sklearn.linear_model import LinearRegression

    table, found = asked()
    data = doubleml.DoubleMLData(table, **found.to_doubleml())
    model = doubleml.DoubleMLPLR(data, LinearRegression(), LinearRegression())
    assert float(model.fit().coef[0]) == pytest.approx(found.value, abs=0.05)


def test_econml_takes_the_arrays_and_finds_the_same_effect():
    dml = pytest.importorskip("econml.dml")
    from sklearn.linear_model import LinearRegression

    table, found = asked()
    model = dml.LinearDML(model_y=LinearRegression(), model_t=LinearRegression())
    model.fit(**found.to_econml(table))
    assert float(np.ravel(model.const_marginal_effect())[0]) == pytest.approx(found.value, abs=0.05)
