import numpy as np
import pytest

from sparsest.graph.alignment import alignment
from sparsest.simulate.designs import Design, simulate


def test_a_design_and_a_seed_decide_every_number():
    design = Design("ER2", 6, 50)
    assert (simulate(design, 3).X == simulate(design, 3).X).all()
    assert (simulate(design, 3).X != simulate(design, 4).X).any()


def test_standardised_is_the_same_table_in_other_units():
    raw, other = simulate(Design("ER2", 6, 200), 0), simulate(Design("ER2", 6, 200, data="standardised"), 0)
    assert (raw.dag == other.dag).all()
    assert other.X.std(axis=0, ddof=1) == pytest.approx(1)
    assert np.corrcoef(raw.X, rowvar=False) == pytest.approx(np.corrcoef(other.X, rowvar=False))
    assert other.covariance.diagonal() == pytest.approx(1)
    assert other.varsortability == 0.5  # nothing but ties
    assert other.r2sortability == pytest.approx(raw.r2sortability)


@pytest.mark.parametrize("noise", ["uniform", "laplace", "exponential"])
def test_noise_of_another_shape_has_the_same_covariance(noise):
    found = simulate(Design("ER1", 5, 200_000, noise=noise), 0)
    assert np.cov(found.X, rowvar=False) == pytest.approx(found.covariance, rel=0.1, abs=0.02)


def test_hidden_nodes_are_left_out_of_table_truth_and_covariance():
    found = simulate(Design("ER2", 6, 50, hidden=3), 1)
    assert found.X.shape == (50, 6)
    assert found.dag.shape == found.covariance.shape == (6, 6)


def test_r2_sortability_comes_near_what_is_asked():
    low, high = (
        simulate(Design("ER2", 10, 5000, r2sortability=wanted), 0).r2sortability for wanted in (0.3, 0.9)
    )
    assert low < 0.5 < high


@pytest.mark.parametrize("model", ["logistic", "mlp", "additive"])
def test_other_models_have_columns_that_vary(model):
    found = simulate(Design("ER1", 5, 100, model=model), 0)
    assert found.X.shape == (100, 5)
    assert (found.X.std(axis=0) > 0).all()
    assert found.covariance is None


def test_alignment_is_that_of_the_true_graph():
    found = simulate(Design("ER1", 8, 300), 2)
    assert found.varsortability == alignment(found.dag != 0, found.X.var(axis=0))
