import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from sparsest._core.correlation import correlation_of
from sparsest._core.linalg import sensible_threads
from tests.laws import random_covariance


def test_a_correlation_has_a_unit_diagonal_and_does_not_depend_on_units():
    rng = np.random.default_rng(0)
    covariance, units = random_covariance(5, rng), 10.0 ** rng.uniform(-6, 6, 5)
    correlation = correlation_of(covariance)
    assert correlation.diagonal() == pytest.approx(1, abs=1e-15)
    assert correlation_of(covariance * np.outer(units, units)) == pytest.approx(correlation, abs=1e-14)


def test_overlapping_fits_leave_blas_with_the_threads_it_had():
    def threads() -> list[int]:
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    both_inside, before = threading.Barrier(2), threads()

    def fit(leaves_first: bool, gone: threading.Event) -> None:
        with sensible_threads(5):
            both_inside.wait()
            if not leaves_first:
                gone.wait()
        gone.set()

    gone = threading.Event()
    fits = [threading.Thread(target=fit, args=(first, gone)) for first in (True, False)]
    for one in fits:
        one.start()
    for one in fits:
        one.join()
    assert threads() == before
    with sensible_threads(5):
        assert set(threads()) == {1}
    assert threads() == before
