"""The same answer for any number of threads."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.threads import for_each
from sparsest.simulate import additive, random_dag


def table_of(model, p=7, n=300):
    rng = np.random.default_rng(4)
    rows = additive(random_dag(p, 2, "ER", rng), n, rng).data
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    if model in ("additive", "mlp"):
        return rows
    if model == "logistic":
        return (rows > 0).astype(int)
    rows[:, 1], rows[:, 2] = rows[:, 1] > 0, rng.poisson(np.exp(0.5 * rows[:, 2]))
    rows[:, 3] = np.digitize(rows[:, 3], (-0.5, 0.5))
    return rows


def answer(model, solver, n_jobs, **options):
    kinds = {"x3": "categorical"} if model == "mixed" else None
    return sp.fit(table_of(model), model=model, solver=solver, n_jobs=n_jobs, kinds=kinds, **options)


@pytest.mark.parametrize(
    ("model", "solver"),
    [
        ("logistic", "order"),
        ("mixed", "order"),
        ("additive", "order"),
        ("mlp", "greedy"),
        ("mlp", "order"),
        ("mixed", "exact"),
        ("additive", "exact"),
    ],
)
def test_the_answer_is_the_same_for_any_number_of_threads(model, solver):
    one, *others = (answer(model, solver, n_jobs) for n_jobs in (1, 2, 5))
    for other in others:
        assert other.dag == one.dag
        assert other.objective == one.objective
        assert np.array_equal(other.weights, one.weights)


def test_the_check_with_several_threads_says_what_it_says_with_one():
    one, two = (answer("additive", "exact", n_jobs, check=True) for n_jobs in (1, 2))
    assert one.evidence.same_when_rescaled is True
    assert two.evidence.same_when_rescaled is True


@pytest.mark.parametrize("n_jobs", [1, 2, 8])
def test_every_item_is_worked_on_once(n_jobs):
    done = []
    for_each(range(50), done.append, n_jobs)
    assert sorted(done) == list(range(50))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_in_a_thread_reaches_the_caller_and_ends_the_others(n_jobs):
    done = []

    def work(item):
        if item == 3:
            raise ValueError("three")
        done.append(item)

    with pytest.raises(ValueError, match="three"):
        for_each(range(10_000), work, n_jobs)
    assert len(done) < 10_000
