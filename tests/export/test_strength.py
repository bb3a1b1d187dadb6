import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsest.export.strength import standardized_weights


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_effects_in_standard_deviations_do_not_depend_on_units(seed, p):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)), 1)
    variances = rng.uniform(0.1, 2, p)
    scales = 10 ** rng.uniform(-3, 3, p)
    here = standardized_weights(weights, variances)
    there = standardized_weights(weights * scales / scales[:, None], variances * scales**2)
    assert np.allclose(here, there, rtol=1e-6)


def test_with_one_parent_the_effect_is_the_correlation():
    weights = np.array([[0.0, 3.0], [0.0, 0.0]])
    effects = standardized_weights(weights, np.array([4.0, 1.0]))
    # Var(y) = 9 · 4 + 1, Cov(x, y) = 3 · 4
    assert np.isclose(effects[0, 1], 12 / np.sqrt(4 * 37))
