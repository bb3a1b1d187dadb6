import numpy as np
import pytest

from sparsest._core.correlation import correlation_of
from tests.laws import random_covariance


def test_a_correlation_has_a_unit_diagonal_and_does_not_depend_on_units():
    rng = np.random.default_rng(0)
    covariance, units = random_covariance(5, rng), 10.0 ** rng.uniform(-6, 6, 5)
    correlation = correlation_of(covariance)
    assert correlation.diagonal() == pytest.approx(1, abs=1e-15)
    assert correlation_of(covariance * np.outer(units, units)) == pytest.approx(correlation, abs=1e-14)
