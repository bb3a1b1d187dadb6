"""Laws of simulated counts, additive functions and tables of mixed kinds."""

import numpy as np
import pytest

from sparsest._core.errors import GraphError, OptionError
from sparsest.graph import Dag
from sparsest.simulate import additive, mixed, poisson, random_dag
from sparsest.simulate.other_models import KINDS


def rng(seed=0):
    return np.random.default_rng(seed)


def pattern(p=6, seed=0):
    return random_dag(p, 2, "ER", rng(seed)).to_numpy()


MAKERS = {
    "poisson": lambda n, seed: poisson(-0.2 * pattern(), n, rng(seed)),
    "additive": lambda n, seed: additive(pattern(), n, rng(seed)),
    "mixed": lambda n, seed: mixed(pattern(), n, rng(seed), KINDS),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_every_maker_gives_n_rows_of_finite_numbers_and_its_graph(maker):
    simulation = MAKERS[maker](40, 1)
    assert simulation.data.shape == (40, 6)
    assert simulation.data.dtype == np.float64
    assert np.isfinite(simulation.data).all()
    assert np.array_equal(simulation.dag.to_numpy(), pattern())
    assert np.array_equal(simulation.weights != 0, pattern() != 0)


@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_seed_gives_the_same_data_and_another_seed_others(maker):
    first, again, other = (MAKERS[maker](30, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.data, again.data)
    assert first.kinds == again.kinds
    assert not np.array_equal(first.data, other.data)


def linked(x, y):
    """The share of y's variance that a table of x's deciles explains: 0 where y does not depend on x."""
    groups = np.searchsorted(np.quantile(x, np.linspace(0.1, 0.9, 9)), x)
    means = np.array([y[groups == g].mean() if (groups == g).any() else 0.0 for g in range(10)])
    return float(np.var(means[groups]) / np.var(y))


@pytest.mark.parametrize("maker", ["poisson", "additive", *KINDS])
def test_columns_depend_on_their_parents_and_on_nothing_else(maker):
    dag = np.zeros((3, 3), dtype=int)
    dag[0, 1] = 1  # the third stands alone
    for seed in range(5):
        data = {
            "poisson": lambda seed: poisson(-0.5 * dag, 4000, rng(seed)),
            "additive": lambda seed: additive(dag, 4000, rng(seed)),
        }.get(maker, lambda seed: mixed(dag, 4000, rng(seed), [maker]))(seed).data
        assert linked(data[:, 0], data[:, 1]) > 0.01
        assert linked(data[:, 2], data[:, 1]) < 0.01
        assert linked(data[:, 2], data[:, 0]) < 0.01


def test_counts_are_whole_and_have_the_rate_of_the_formula():
    weights = np.array([[0.0, -0.5], [0.0, 0.0]])
    data = poisson(weights, 20_000, rng(), rates=(2, 2 + 1e-9)).data
    assert (data == np.floor(data)).all()
    assert data.min() >= 0
    assert data[:, 0].mean() == pytest.approx(2, abs=0.05)
    assert data[:, 0].var() == pytest.approx(2, abs=0.1)
    for parent in (0, 1, 3):
        found = data[data[:, 0] == parent, 1].mean()
        assert found == pytest.approx(2 * np.exp(-0.5 * parent), rel=0.06)


def test_counts_that_would_explode_are_refused_by_node():
    weights = np.zeros((3, 3))
    weights[0, 1] = weights[1, 2] = 3.0
    with pytest.raises(OptionError, match=r"rate of node [12] exceeds 1e\+06"):
        poisson(weights, 500, rng())
    with pytest.raises(OptionError, match="rates must be positive"):
        poisson(np.zeros((2, 2)), 5, rng(), rates=(0, 1))


def test_additive_functions_have_unit_variance_and_the_noise_its_scale():
    dag = np.zeros((3, 3), dtype=int)
    dag[0, 2] = dag[1, 2] = 1
    simulation = additive(dag, 5000, rng(3), noise=(0.4, 0.5))
    assert simulation.noise_scales[:2] == pytest.approx(1)
    assert 0.4 <= simulation.noise_scales[2] <= 0.5
    assert simulation.data[:, :2].std(axis=0) == pytest.approx([1, 1], abs=0.05)
    assert simulation.data[:, 2].var() == pytest.approx(2 + simulation.noise_scales[2] ** 2, rel=0.1)
    smooth = additive(np.eye(2, k=1, dtype=int), 5000, rng(3), noise=(1e-9, 1e-9))
    y = smooth.data[np.argsort(smooth.data[:, 0]), 1]
    middle = slice(500, 4500)  # neighbours in x are neighbours in y
    assert np.abs(np.diff(y[middle])).max() < 0.1


def test_columns_of_a_mixed_table_hold_what_their_kind_says():
    for seed in range(4):
        simulation = mixed(pattern(8, seed), 400, rng(seed), KINDS)
        assert len(simulation.kinds) == 8
        for kind, column in zip(simulation.kinds, simulation.data.T, strict=True):
            values = np.unique(column)
            if kind == "continuous":
                assert len(values) == 400
            elif kind == "binary":
                assert values.tolist() == [0, 1]
            elif kind == "categorical":
                assert values.tolist() == [0, 1, 2]
            else:
                assert kind == "count"
                assert (values == np.floor(values)).all()
                assert values.min() >= 0
                assert len(values) > 3


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_kinds_that_are_asked_for_occur(kind):
    assert set(mixed(pattern(), 10, rng(), [kind]).kinds) == {kind}
    assert set(mixed(np.zeros((60, 60), dtype=int), 5, rng()).kinds) == {"continuous", "binary", "count"}


def test_roots_have_the_rates_and_chances_of_the_documentation():
    roots = np.zeros((2, 2), dtype=int)
    assert mixed(roots, 20_000, rng(), ["count"]).data.mean(axis=0) == pytest.approx([2, 2], abs=0.05)
    assert mixed(roots, 20_000, rng(), ["binary"]).data.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.02)
    categories = mixed(roots, 20_000, rng(), ["categorical"]).data[:, 0]
    assert np.bincount(categories.astype(int)) / 20_000 == pytest.approx(np.full(3, 1 / 3), abs=0.02)
    numbers = mixed(roots, 20_000, rng(), ["continuous"], noise=(0.5, 1.0)).data
    assert ((numbers.std(axis=0) > 0.48) & (numbers.std(axis=0) < 1.02)).all()


def test_what_cannot_be_simulated_is_refused():
    with pytest.raises(OptionError, match="kinds must be chosen from continuous, binary, count, categorical"):
        mixed(pattern(), 5, rng(), ["ordinal"])
    with pytest.raises(OptionError, match="kinds must be chosen from"):
        mixed(pattern(), 5, rng(), [])
    with pytest.raises(OptionError, match="numpy generator"):
        additive(pattern(), 5, 0)
    for maker in (poisson, additive, mixed):
        with pytest.raises(GraphError, match="not acyclic"):
            maker(np.array([[0, 1], [1, 0]]), 5, rng())


def test_a_dag_and_its_matrix_give_the_same():
    for maker in (additive, mixed):
        one, other = maker(Dag(pattern()), 20, rng()), maker(pattern(), 20, rng())
        assert np.array_equal(one.data, other.data)
