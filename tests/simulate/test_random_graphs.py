"""Laws of the random graphs and weights."""

import numpy as np
import pytest

from sparsest._core.errors import GraphError, OptionError
from sparsest.graph import is_dag, topological_order
from sparsest.simulate import random_dag, random_weights


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("kind", ["ER", "SF"])
@pytest.mark.parametrize(("p", "k"), [(1, 1), (2, 1), (7, 2), (30, 4)])
def test_a_random_dag_is_acyclic_and_has_p_nodes(kind, p, k):
    for seed in range(5):
        dag = random_dag(p, k, kind, rng(seed))
        assert dag.to_numpy().shape == (p, p)
        assert is_dag(dag)


@pytest.mark.parametrize(("p", "k"), [(10, 1), (20, 2), (40, 4), (15, 0.5)])
def test_er_graphs_have_kp_edges_on_average(p, k):
    repeats = 300
    generator = rng()
    counts = [random_dag(p, k, "ER", generator).to_numpy().sum() for _ in range(repeats)]
    pairs, probability = p * (p - 1) / 2, 2 * k / (p - 1)
    standard_error = np.sqrt(pairs * probability * (1 - probability) / repeats)
    assert abs(np.mean(counts) - k * p) < 4 * standard_error


def test_er_joins_every_pair_equally_often():
    p, repeats = 6, 2000
    generator = rng()
    joined = sum(random_dag(p, 1, "ER", generator).to_numpy() for _ in range(repeats))
    joined = (joined + joined.T)[np.triu_indices(p, 1)] / repeats
    probability = 2 / (p - 1)
    assert np.abs(joined - probability).max() < 5 * np.sqrt(probability * (1 - probability) / repeats)


def test_er_with_five_nodes_and_k_2_is_complete():
    for seed in range(10):
        assert random_dag(5, 2, "ER", rng(seed)).to_numpy().sum() == 10


def test_er_with_k_0_is_empty():
    assert random_dag(5, 0, "ER", rng()).to_numpy().sum() == 0


@pytest.mark.parametrize(("p", "k"), [(3, 1), (10, 1), (20, 2), (50, 4), (3, 5)])
def test_sf_nodes_point_to_k_older_nodes_or_to_all_of_them(p, k):
    out_degrees = random_dag(p, k, "SF", rng()).to_numpy().sum(axis=1)
    assert sorted(out_degrees) == sorted(min(k, older) for older in range(p))


def test_sf_hubs_collect_parents_as_preferential_attachment_predicts():
    # The largest degree grows like the root of p; with uniform attachment like log p, to about 8 here.
    hubs = [random_dag(400, 1, "SF", rng(seed)).to_numpy().sum(axis=0).max() for seed in range(10)]
    assert 20 < np.mean(hubs) < 80


def test_sf_attaches_in_proportion_to_one_plus_the_number_of_parents():
    # k = 1: the second node points to the first, which then counts 2 to 1. The third points to the first with
    # probability 2/3, and then the fourth with 3/5: a star, in 2/5 of the cases.
    generator, repeats = rng(), 2000
    stars = [random_dag(4, 1, "SF", generator).to_numpy().sum(axis=0).max() == 3 for _ in range(repeats)]
    assert abs(np.mean(stars) - 0.4) < 5 * np.sqrt(0.4 * 0.6 / repeats)


@pytest.mark.parametrize("kind", ["ER", "SF"])
def test_labels_are_shuffled(kind):
    p, repeats = 6, 600
    generator = rng()
    firsts = [topological_order(random_dag(p, 5, kind, generator).to_numpy())[0] for _ in range(repeats)]
    frequency = np.bincount(firsts, minlength=p) / repeats
    assert np.abs(frequency - 1 / p).max() < 5 * np.sqrt((1 / p) * (1 - 1 / p) / repeats)


@pytest.mark.parametrize("kind", ["ER", "SF"])
def test_the_same_seed_gives_the_same_graph_and_another_seed_another(kind):
    assert random_dag(20, 2, kind, rng(1)) == random_dag(20, 2, kind, rng(1))
    assert random_dag(20, 2, kind, rng(1)) != random_dag(20, 2, kind, rng(2))


def test_weights_are_zero_exactly_off_the_graph_and_in_range_on_it():
    dag = random_dag(40, 4, "ER", rng())
    weights = random_weights(dag, rng())
    edges = dag.to_numpy() == 1
    assert (weights[~edges] == 0).all()
    sizes = np.abs(weights[edges])
    assert sizes.min() >= 0.5
    assert sizes.max() <= 1.5


def test_weights_are_uniform_on_the_union_of_the_ranges():
    complete = np.triu(np.ones((150, 150), dtype=int), 1)
    weights = random_weights(complete, rng(), ranges=[(-3, -2), (1, 4)])[complete == 1]
    negative = weights < 0
    assert abs(negative.mean() - 1 / 4) < 5 * np.sqrt(3 / 16 / len(weights))
    assert abs(weights[negative].mean() + 2.5) < 5 * np.sqrt(1 / 12 / negative.sum())
    assert abs(weights[~negative].mean() - 2.5) < 5 * np.sqrt(9 / 12 / (~negative).sum())


def test_a_range_of_one_point_fixes_the_weights():
    weights = random_weights([[0, 1], [0, 0]], rng(), ranges=[(2, 2)])
    assert weights.tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 1, "ER", rng()), "p, the number of nodes, must be .*1.*, not 0"),
        ((2.5, 1, "ER", rng()), "p, the number of nodes, must be a whole number, not 2.5"),
        ((5, -1, "ER", rng()), "k, the number of edges per node"),
        ((5, np.nan, "ER", rng()), "k, the number of edges per node"),
        ((5, "2", "ER", rng()), "k, the number of edges per node"),
        ((5, 0, "SF", rng()), "k, the number of edges of a new node, must be .*1.*, not 0"),
        ((5, 1.5, "SF", rng()), "must be a whole number, not 1.5"),
        ((5, 1, "tree", rng()), "kind must be 'ER' or 'SF', got 'tree'"),
        ((5, 1, "ER", 0), r"rng must be a numpy generator such as numpy.random.default_rng\(0\), got 0"),
    ],
)
def test_impossible_graphs_are_refused(arguments, words):
    with pytest.raises(OptionError, match=words):
        random_dag(*arguments)


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([], "at least one range"),
        ([(0, 0)], r"not the range \(0, 0\)"),
        ([(1, -1)], "low <= high"),
        ([(1, np.inf)], "finite"),
        ([(1, 2, 3)], r"two numbers \(low, high\)"),
        ([5], r"two numbers \(low, high\)"),
    ],
)
def test_impossible_ranges_are_refused(ranges, words):
    with pytest.raises(OptionError, match=words):
        random_weights([[0, 1], [0, 0]], rng(), ranges)


def test_weights_need_an_acyclic_graph():
    with pytest.raises(GraphError, match="x0 -> x1 -> x0"):
        random_weights([[0, 1], [1, 0]], rng())
