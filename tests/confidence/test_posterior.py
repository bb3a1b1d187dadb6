import itertools
import math

import numpy as np
import polars as pl
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.averaging.averages import averages, from_list, from_samples
from sparsest.averaging.described import described
from sparsest.averaging.every_dag import every_dag, log_weights
from sparsest.averaging.family_weights import family_weights, memory_needed
from sparsest.averaging.subset_program import SubsetProgram
from sparsest.averaging.tidy_orders import over_representation, tidy_orders
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.scores import GaussianScore

RNG = np.random.default_rng(5)
GARDEN = RNG.normal(size=(120, 4))
GARDEN[:, 2] += GARDEN[:, 0] + GARDEN[:, 1]
GARDEN[:, 3] += 0.4 * GARDEN[:, 2]


def table_of(p, n, seed, strength=0.5):
    """Rows of a linear model with random edges along the order of the columns."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, p))
    for j in range(1, p):
        table[:, j] += table[:, :j] @ (strength * (rng.random(j) < 0.5))
    return table


def problem_of(table, **options):
    return Problem(GaussianScore(np.corrcoef(table.T)), L0(math.log(len(table)) / 2 / len(table)), **options)


def weights_of(table, **options):
    return family_weights(problem_of(table, **options), len(table), Watch())


def orders_of(p):
    return list(itertools.permutations(range(p)))


def along(graphs, order):
    """Which graphs have all parents before their children in an order."""
    before = {node: sum(1 << k for k in order[:place]) for place, node in enumerate(order)}
    return np.all([graphs[:, node] & ~before[node] == 0 for node in order], axis=0)


def linear_extensions(graphs):
    return sum(along(graphs, order).astype(int) for order in orders_of(graphs.shape[1]))


def tidy_by_enumeration(graphs, rank):
    """How many of the orders of each graph have neighbours that no edge joins as in a reference."""
    count = np.zeros(len(graphs))
    for order in orders_of(graphs.shape[1]):
        tidy = along(graphs, order)
        for first, second in itertools.pairwise(order):
            tidy &= (rank[first] < rank[second]) | (graphs[:, second] >> first & 1 == 1)
        count += tidy
    return count


def shares_of(logs):
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_tidy_orders_are_counted_as_by_enumeration_and_every_dag_has_one(p):
    every, rank = every_dag(p), np.random.default_rng(p).permutation(p)
    counts = tidy_orders(every, rank, Watch())
    assert (counts == tidy_by_enumeration(every, rank)).all()
    assert counts.min() == 1


def test_a_dag_along_the_reference_has_one_tidy_order():
    rng = np.random.default_rng(0)
    order = rng.permutation(20)
    dags = np.triu(rng.random((50, 20, 20)) < rng.random((50, 1, 1)), 1)
    parents = dags.transpose(0, 2, 1) @ (1 << order)  # of the nodes in order
    graphs = np.empty_like(parents)
    graphs[:, order] = parents
    assert (tidy_orders(graphs, np.argsort(order), Watch()) == 1).all()


def test_tables_grow_where_there_are_many_tidy_orders():
    backwards = np.zeros((1, 20), dtype=np.int64)
    backwards[0, :10] = 1 << np.arange(10, 20)  # ten pairs, the cause later in the reference
    assert tidy_orders(backwards, np.arange(20), Watch())[0] > 1e5


@pytest.mark.parametrize("p", [2, 3, 4])
def test_dags_are_drawn_as_often_as_their_weight_times_their_tidy_orders_says(p):
    weights, every = weights_of(table_of(p, 30, seed=p)), every_dag(p)
    found = SubsetProgram(weights, Watch()).draw(50_000, np.random.default_rng(p))
    shares = [
        shares_of(log_weights(every, weights) + np.log(tidy_by_enumeration(every, rank)))
        for rank in found.ranks
    ]
    expected, drawn = np.mean(shares, axis=0), found.parents
    too_often = over_representation(every, found, Watch())
    assert shares_of(log_weights(every, weights) + np.log(too_often)) == pytest.approx(expected)
    codes = every @ (1 << p * np.arange(p))
    counts = np.array([(drawn @ (1 << p * np.arange(p)) == code).sum() for code in codes])
    assert counts.sum() == 50_000
    error = np.sqrt(expected * (1 - expected) / 50_000) + 1e-4
    assert (np.abs(counts / 50_000 - expected) < 5 * error).all()


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_edges_under_the_order_modular_prior_agree_with_all_dags_times_their_orders(p):
    weights = weights_of(table_of(p, 40, seed=p)) if p > 1 else np.zeros((1, 1))
    every = every_dag(p)
    shares = shares_of(log_weights(every, weights) + np.log(linear_extensions(every)))
    edges = (every[:, None, :] >> np.arange(p)[:, None]) & 1
    program = SubsetProgram(weights, Watch())
    assert np.abs(program.edge_probabilities() - np.tensordot(shares, edges, axes=1)).max() < 1e-10


def test_a_dag_is_as_probable_as_its_objective_says():
    weights, problem = weights_of(GARDEN), problem_of(GARDEN)
    every = every_dag(4)
    logs = log_weights(every, weights)
    matrices = ((every[:, None, :] >> np.arange(4)[:, None]) & 1).astype(bool)
    for k in np.random.default_rng(0).choice(len(every), 40):
        nll = sum(problem.score.local(j, np.flatnonzero(matrices[k][:, j])) for j in range(4))
        first = sum(problem.score.local(j, []) for j in range(4))
        difference = nll - first + problem.price(matrices[k])
        assert logs[k] - logs[every.sum(axis=1) == 0][0] == pytest.approx(-120 * difference, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_the_most_probable_class_is_the_answer_of_fit(seed):
    table = table_of(5, 300, seed, strength=1.0)
    weights, every = weights_of(table), every_dag(5)
    best = every[log_weights(every, weights).argmax()]
    dag = (best[None, :] >> np.arange(5)[:, None]) & 1
    assert sp.posterior(table, penalty="bic").answer == sp.fit(table, penalty="bic").cpdag
    assert (sp.graph.dag_to_cpdag(dag) == sp.fit(table, penalty="bic").cpdag.to_numpy()).all()


@pytest.mark.parametrize(("p", "seed"), [(4, 0), (4, 1), (5, 2), (5, 3)])
def test_samples_agree_with_the_list_within_their_error(p, seed):
    table = table_of(p, 50, seed)
    problem, weights = problem_of(table), weights_of(table)
    program = SubsetProgram(weights, Watch())
    edges = program.edge_probabilities()
    exact = from_list(problem, weights, edges, Watch())
    drawn = program.draw(20_000, np.random.default_rng(seed))
    found = from_samples(problem, drawn, edges, Watch())
    assert (np.abs(found.arrow - exact.arrow) <= 4 * found.error).all()
    most = 4 * found.error.max()
    for one, other in zip(found[:4], exact[:4], strict=True):
        assert np.abs(one - other).max() <= most + 4 / np.sqrt(found.effective)
    assert found.error.max() < 0.02
    assert found.effective <= found.graphs == 20_000


def total_of(weights):
    """The sum of the weights of all DAGs, by inclusion and exclusion over their sinks (Robinson, 1973)."""
    p = len(weights)
    sums = np.exp(SubsetProgram(weights, Watch())._sums)

    def among(node, subset):
        return sums[node, subset & (1 << node) - 1 | subset >> node + 1 << node]

    totals = np.zeros(2**p)
    totals[0] = 1
    for subset in range(1, 2**p):
        sinks = subset
        while sinks:
            rest = subset & ~sinks
            nodes = [node for node in range(p) if sinks >> node & 1]
            sign = 1 if len(nodes) % 2 else -1
            totals[subset] += sign * totals[rest] * math.prod(among(node, rest) for node in nodes)
            sinks = (sinks - 1) & subset
    return totals[-1]


def without(weights, i, j):
    """The weights with i → j ruled out."""
    weights = weights.copy()
    places = np.arange(weights.shape[1])
    weights[j, places >> (i - (i > j)) & 1 == 1] = -np.inf
    return weights


@pytest.mark.parametrize("seed", [0, 1])
def test_beyond_the_lists_edges_agree_with_inclusion_and_exclusion_within_their_error(seed):
    table = table_of(7, 40, seed)
    weights, problem = weights_of(table), problem_of(table)
    found = averages(problem, len(table), 20_000, seed, Watch())
    everything, error = total_of(weights), 4 / (2 * math.sqrt(found.effective))
    assert found.effective > 5000
    for i, j in [(0, 1), (2, 1), (5, 6), (6, 0), (3, 4), (4, 3)]:
        exact = 1 - total_of(without(weights, i, j)) / everything
        assert found.edge[i, j] == pytest.approx(exact, abs=error)


def test_the_stated_error_is_that_of_repeated_draws():
    table = table_of(4, 50, seed=1)
    problem, program = problem_of(table), SubsetProgram(weights_of(table), Watch())
    edges = program.edge_probabilities()
    draws = [program.draw(1000, np.random.default_rng(k)) for k in range(40)]
    found = [from_samples(problem, drawn, edges, Watch()) for drawn in draws]
    spread = np.std([one.arrow for one in found], axis=0)
    stated = np.mean([one.error for one in found], axis=0)
    loose = spread > 0.003
    assert loose.sum() > 4
    assert spread[loose] / stated[loose] == pytest.approx(np.ones(loose.sum()), abs=0.4)


@pytest.mark.parametrize("p", [4, 7])
def test_probabilities_are_probabilities(p):
    found = sp.posterior(table_of(p, 60, seed=0), samples=2000)
    for one in (found.arrow, found.undirected, found.edge, found.ancestor, found.edge_probability):
        assert one.min() >= 0
        assert one.max() <= 1
        assert (one.diagonal() == 0).all()
    assert (found.edge_probability + found.edge_probability.T <= 1 + 1e-12).all()
    assert (found.ancestor + found.ancestor.T <= 1 + 1e-12).all()
    assert (found.ancestor >= found.edge - 1e-12).all()
    assert found.edge + found.edge.T == pytest.approx(found.adjacency, abs=1e-12)
    assert (found.arrow <= found.edge + 1e-12).all()


@pytest.mark.parametrize("p", [4, 7])
def test_neither_units_nor_the_order_of_columns_matter(p):
    table = table_of(p, 80, seed=3)
    found = sp.posterior(table)
    scaled = sp.posterior(table * 10.0 ** np.arange(p) - 3)
    assert scaled.edge_probability == pytest.approx(found.edge_probability, abs=1e-8)
    order = np.random.default_rng(0).permutation(p)
    moved = sp.posterior(table[:, order])
    inside = np.ix_(order, order)
    assert moved.edge_probability == pytest.approx(found.edge_probability[inside], abs=1e-8)
    error = np.hypot(moved.error, found.error[inside])
    assert (np.abs(moved.arrow - found.arrow[inside]) <= 5 * error + 1e-8).all()


@pytest.mark.parametrize("p", [4, 7])
def test_what_is_known_is_sure(p):
    table = table_of(p, 60, seed=4)
    knowledge = sp.Knowledge(required=[("x3", "x0")], forbidden=[("x1", "x2")])
    found = sp.posterior(table, knowledge=knowledge, samples=1000)
    for one in (found.arrow, found.edge, found.edge_probability, found.ancestor):
        assert one[3, 0] == pytest.approx(1, abs=1e-9)
        assert one[0, 3] == 0
    assert found.edge[1, 2] == found.edge_probability[1, 2] == found.arrow[1, 2] == 0
    assert found.undirected[1, 2] == 0
    assert ("x3", "x0") in found.graph().directed_edges


def test_no_column_has_more_parents_than_it_may():
    table = table_of(6, 200, seed=0, strength=1.0)
    weights = weights_of(table, max_parents=1)
    drawn = SubsetProgram(weights, Watch()).draw(500, np.random.default_rng(0))
    assert max(int(one).bit_count() for one in drawn.parents.ravel()) == 1
    assert sp.posterior(table, max_parents=1).edge_probability.sum(axis=0).max() <= 1 + 1e-9


def test_independent_columns_are_hardly_joined():
    noise = np.random.default_rng(0).normal(size=(1000, 8))
    found = sp.posterior(noise)
    assert found.adjacency.max() < 0.3
    assert found.adjacency.mean() < 0.02


@pytest.mark.parametrize("p", [5, 9])
def test_with_many_rows_the_true_class_is_sure(p):
    rng = np.random.default_rng(p)
    dag = sp.simulate.random_dag(p, 1, "ER", rng)
    weights = sp.simulate.random_weights(dag, rng)
    table = sp.simulate.linear_gaussian(weights, 100_000, rng).data
    found = sp.posterior(table)
    true = sp.graph.dag_to_cpdag((weights != 0).astype(int)) != 0
    assert (found.arrow[true & ~true.T] > 0.95).all()
    assert (found.undirected[true & true.T] > 0.95).all()
    assert found.adjacency[~(true | true.T)].max() < 0.05


def test_nothing_overflows_with_a_million_rows():
    table = table_of(7, 500, seed=1, strength=2.0)
    found = sp.posterior(sp.Moments(np.cov(table.T), n=10**6), samples=500)
    for one in (found.arrow, found.undirected, found.edge, found.ancestor, found.edge_probability):
        assert np.isfinite(one).all()
    assert found.agreement > 0.9


def test_collinear_columns_have_a_posterior_too():
    table = np.column_stack([GARDEN, GARDEN[:, 0] + GARDEN[:, 1]])
    with pytest.warns(sp.DataWarning):
        found = sp.posterior(table)
    assert np.isfinite(found.edge_probability).all()


def test_the_same_seed_draws_the_same_graphs():
    table = table_of(7, 60, seed=5)
    found, again, other = (sp.posterior(table, samples=300, seed=seed) for seed in (0, 0, 1))
    assert (found.arrow == again.arrow).all()
    assert (found.arrow != other.arrow).any()
    assert found.edge_probability == pytest.approx(other.edge_probability, abs=1e-12)


def test_any_local_score_has_a_posterior():
    rng = np.random.default_rng(0)
    rain = rng.random(400) < 0.4
    wet = np.where(rain, rng.random(400) < 0.9, rng.random(400) < 0.1)
    frame = pl.DataFrame({"rain": rain, "wet": wet, "cold": rng.normal(size=400)})
    found = sp.posterior(frame)
    assert found.result.model == "mixed"
    assert found.adjacency[0, 1] > 0.99
    assert found.adjacency[0, 2] < 0.2
    ranks = sp.posterior(GARDEN, model="rank")
    assert ranks.adjacency[0, 2] > 0.9


def test_scores_of_a_covariance_and_of_its_rows_agree():
    from sparsest.search.local_exact import fill_row

    problem = problem_of(GARDEN)
    table = np.full((4, 8), math.inf)
    for node in range(4):
        fill_row(table[node], node, problem, problem.score, Watch())
    fitted = -120 * table
    assert weights_of(GARDEN) == pytest.approx(fitted - fitted.max(axis=1, keepdims=True), abs=1e-8)


def test_the_result_says_what_it_is():
    found = sp.posterior(GARDEN)
    assert found.measure == "posterior probability"
    assert found.counts == "marks of classes"
    assert sp.confidence(GARDEN, resamples=2).measure == "share of resamples"
    assert "posterior probability" in found.summary()
    assert "exact: all 543 DAGs were listed" in found.summary()
    assert "sample" not in found.summary()
    drawn = sp.posterior(table_of(6, 60, seed=0), samples=500)
    assert "from 500 DAGs drawn, worth" in drawn.summary()
    assert repr(found).startswith("<Confidence: posterior of 4 columns")
    row = found.edges().row(0, named=True)
    assert row["share"] == max(row["forward"], row["backward"], row["undirected"])


def test_what_has_no_posterior_is_refused_before_any_work():
    noise = np.random.default_rng(0).normal(size=(100, 21))
    with pytest.raises(sp.OptionError, match="at most 20 columns, and there are 21"):
        sp.posterior(noise)
    with pytest.raises(sp.OptionError, match="at most 20 columns, and of 16 where each is fitted"):
        sp.posterior(noise[:, :17], model="additive")
    with pytest.raises(sp.DataError, match="n = inf"):
        sp.posterior(sp.Moments(np.eye(3), n=math.inf), penalty=0.01)
    with pytest.raises(TypeError, match="unexpected option 'resamples'"):
        sp.posterior(GARDEN, resamples=3)
    with pytest.raises(sp.OptionError, match="samples"):
        sp.posterior(GARDEN, samples=0)
    assert memory_needed(20) < 4 * 2**30


def test_a_likelihood_of_all_columns_together_has_no_posterior():
    pytest.importorskip("jax")

    class SquaredError:
        def init(self, rng):
            return np.zeros((4, 4))

        def nll(self, params, data):
            return ((data - data @ params) ** 2).mean()

        def adjacency(self, params):
            return params

    with pytest.raises(sp.OptionError, match="score of each column given its parents"):
        sp.posterior(GARDEN, model=SquaredError())


def test_without_time_there_is_nothing_to_return():
    with pytest.raises(sp.OptionError, match="time limit was reached"):
        sp.posterior(np.random.default_rng(0).normal(size=(100, 18)), time_limit=0.3)


def test_ancestors_and_marks_are_those_of_the_graphs():
    problem = problem_of(GARDEN)
    every = every_dag(4)[::7]
    found = described(problem, every, Watch())
    for k, dag in enumerate(found.edge):
        essential = sp.graph.dag_to_cpdag(dag.astype(int)) != 0
        assert (found.arrow[k] == (essential & ~essential.T)).all()
        assert (found.undirected[k] == (essential & essential.T)).all()
        paths = sum(np.linalg.matrix_power(dag.astype(int), length) for length in (1, 2, 3)) > 0
        assert (found.ancestor[k] == paths).all()


def test_all_columns_at_once_are_as_the_parts_say():
    found = averages(problem_of(GARDEN), 120, 100, 0, Watch())
    assert found.arrow == pytest.approx(sp.posterior(GARDEN, penalty="bic").arrow, abs=1e-9)
