"""Laws of `check=True`: the same table in other units and another order of its columns."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.data import Source, TableOptions
from sparsest.models.choosing import chosen_model
from sparsest.models.rearranging import rearranged, same_answer
from sparsest.problem import Solution
from sparsest.search import LocalOrderSearch


def rng(seed=0):
    return np.random.default_rng(seed)


def weights(seed=0, p=5):
    return sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng(seed)), rng(seed))


def table(model, n=300):
    return {
        "logistic": lambda: sp.simulate.logistic(weights(), n, rng(1)).data,
        "poisson": lambda: sp.simulate.poisson(-0.2 * abs(weights()), n, rng(1)).data,
        "additive": lambda: sp.simulate.additive(weights() != 0, n, rng(1)).data,
        "mlp": lambda: sp.simulate.additive(weights(p=4) != 0, n, rng(1)).data,
        "mixed": lambda: (
            sp.simulate.mixed(
                weights(p=6) != 0, n, rng(4), ("continuous", "binary", "count", "categorical")
            ).data
        ),
    }[model]()


def prepared(model, n=60):
    return chosen_model(model, "auto").prepare(Source(table(model, n), TableOptions(), Watch()), 0)


@pytest.mark.parametrize("model", ["logistic", "poisson", "additive", "mixed", "mlp"])
def test_models_on_rows_give_the_same_answer_in_other_units_and_another_order(model):
    data = table(model)
    assert sp.fit(data, model=model).evidence.same_when_rescaled is None
    result = sp.fit(data, model=model, check=True)
    assert result.evidence.same_when_rescaled is True
    assert "another order of the columns: the same graph" in result.summary()


@pytest.mark.parametrize("model", ["logistic", "poisson", "additive", "mixed"])
def test_local_scores_do_not_depend_on_units_or_order_and_only_numbers_change_theirs(model):
    source = prepared(model)
    other, order, shift = rearranged(source, 7)
    assert other.names == tuple(source.names[k] for k in order)
    changed = ~np.isclose(other.values, source.values[:, order]).all(axis=0)
    assert np.array_equal(changed, source.has_units[order])
    assert (shift != 0) == source.has_units.any()
    place = {int(old): new for new, old in enumerate(order)}
    plain, moved = (each.score(LocalOrderSearch(), "auto")[0] for each in (source, other))
    for node in range(source.p):
        for parents in ([], [(node + 1) % source.p], [k for k in range(source.p) if k != node][:3]):
            again = moved.local(place[node], [place[k] for k in parents])
            assert again == pytest.approx(plain.local(node, parents), abs=1e-7)


def test_a_dag_as_good_of_the_same_class_agrees_and_a_worse_one_does_not():
    data = (rng().random((400, 2)) < 0.4).astype(float)
    data[:, 1] = np.where(rng(1).random(400) < 0.8, data[:, 0], data[:, 1])
    plain, empty = (sp.fit(data, model="logistic", penalty=cost) for cost in ("auto", 10.0))
    order, turned = np.arange(2), replace(plain, dag=sp.Dag(plain.dag.to_numpy().T))
    exact = sp.fit(data, model="logistic", knowledge=sp.Knowledge(forbidden=plain.dag.edges))
    assert exact.objective == pytest.approx(plain.objective, abs=1e-7)  # both directions fit equally well
    assert same_answer(plain, turned, order, 0.0)
    assert not same_answer(plain, turned, order, 0.1)
    assert not same_answer(plain, exact, order, 0.0)  # knowledge makes another class of it
    assert not same_answer(plain, empty, order, 0.0)


class FirstColumnFirst(LocalOrderSearch):
    """A solver whose answer depends on the order of the columns: it draws an edge from the first."""

    def solve(self, problem, watch):
        solution = super().solve(problem, watch)
        adjacency = np.zeros((problem.p, problem.p))
        adjacency[0, 1:] = 1
        return Solution(adjacency, solution.objective, solution.status, 1, solution.seconds)


def test_a_check_finds_out_what_depends_on_the_order():
    found = sp.fit(table("logistic"), solver=FirstColumnFirst(patience=0), seed=1, check=True)
    assert found.evidence.same_when_rescaled is False
    assert "a different graph: do not trust it" in found.summary()


def test_knowledge_and_weights_of_rows_move_with_the_columns():
    known = sp.Knowledge(required=[("x0", "x4")], forbidden=[("x1", "x2"), ("x2", "x1")])
    result = sp.fit(table("logistic"), knowledge=known, weights=rng().uniform(1, 2, 300), check=True)
    assert result.evidence.same_when_rescaled is True
    assert ("x0", "x4") in result.dag.edges


def test_what_is_learned_again_is_not_warned_about_again():
    x = rng().permutation(np.linspace(-1, 1, 200))
    data = pd.DataFrame({"x": x, "y": (x > 0.1).astype(int)})
    known = sp.Knowledge(required=[("x", "y")])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = sp.fit(data, model="mixed", knowledge=known, check=True)
    assert sum("separation" in str(each.message) for each in told) == 1
    assert result.evidence.same_when_rescaled is True


class Own:
    """A user-defined model; nothing of it is called before the refusal."""

    def init(self, rng):
        raise AssertionError

    nll = adjacency = init


def test_a_model_of_the_users_own_is_not_checked_and_says_why():
    with pytest.raises(sp.OptionError, match=r"check=True.*model Own may depend on both: leave check out"):
        sp.fit(table("additive"), model=Own(), check=True)
