import os
import subprocess
import sys

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


OVERLAPPING = """
import threading, sys
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
from sparsest._core.linalg import sensible_threads

def threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

before, all_inside = threads(), threading.Barrier(8)
assert set(before) == {2}, before
leaves = [threading.Event() for _ in range(8)]

def fit(k):
    with sensible_threads(5):
        all_inside.wait()
        assert set(threads()) == {1}, threads()
        leaves[k].wait()  # all are alive until the last one leaves
    if k < 7:
        leaves[k + 1].set()
    leaves[7].wait()

for _ in range(2):
    for leave in leaves[1:]:
        leave.clear()
    leaves[0].set()
    fits = [threading.Thread(target=fit, args=(k,)) for k in range(8)]
    for one in fits:
        one.start()
    for one in fits:
        one.join()
    assert threads() == before, (threads(), before)
with sensible_threads(5):
    assert set(threads()) == {1}
assert threads() == before
"""


def test_fits_that_overlap_in_threads_leave_blas_with_the_threads_it_had():
    two = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "2")
    subprocess.run([sys.executable, "-c", OVERLAPPING], env=os.environ | two, check=True)


FORKED = """
import os, threading
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
from sparsest._core import linalg

def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

with linalg.sensible_threads(5):
    linalg._ONE_THREAD._lock.acquire()  # as another thread may, at the moment of the fork
    child = os.fork()
    if not child:
        found = threads()
        with linalg.sensible_threads(5):
            inside = threads()
        os._exit(0 if (found, inside, threads()) == ({2}, {1}, {2}) else 1)
    linalg._ONE_THREAD._lock.release()
assert os.waitpid(child, 0)[1] == 0
assert threads() == {2}
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_process_forked_beside_fits_has_blas_as_it_was_and_waits_for_nobody():
    two = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "2")
    subprocess.run([sys.executable, "-c", FORKED], env=os.environ | two, check=True, timeout=60)
