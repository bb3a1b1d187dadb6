"""Laws of the estimate that another run finds a better graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest.search.stopping import chance_of_better

runs = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25]), max_size=30)


@given(runs)
def test_it_is_a_chance_and_never_above_that_of_runs_that_all_differ(objectives):
    assert 0 < chance_of_better(objectives) <= 1 / (len(objectives) + 1)


@given(runs.filter(bool))
def test_one_more_run_that_agrees_with_the_best_lowers_it(objectives):
    assert chance_of_better([*objectives, min(objectives)]) < chance_of_better(objectives)


@given(runs, st.randoms())
def test_it_depends_neither_on_the_order_of_the_runs_nor_on_rounding(objectives, random):
    shuffled = [value + random.uniform(-1e-10, 1e-10) for value in objectives]
    random.shuffle(shuffled)
    assert chance_of_better(shuffled) == chance_of_better(objectives)


def test_without_any_run_it_is_certain_and_with_runs_that_differ_a_matter_of_rank():
    assert chance_of_better([]) == 1
    assert chance_of_better([0.0]) == 0.5
    assert chance_of_better([3.0, 2.0, 1.0]) == 0.25


@pytest.mark.parametrize("minima", [2, 5, 20])
def test_it_is_no_lower_than_the_share_of_further_runs_that_are_better(minima):
    """Minima whose depths have nothing to do with how many runs they attract: the worst case meant."""
    rng = np.random.default_rng(minima)
    promised, happened = [], []
    for _ in range(4000):
        attraction = rng.dirichlet(np.ones(minima))
        ends = rng.choice(minima, size=9, p=attraction)
        promised.append(chance_of_better(ends[:8].astype(float)))
        happened.append(ends[8] < ends[:8].min())
    assert np.mean(promised) > np.mean(happened) - 3 * np.std(happened) / np.sqrt(4000)
