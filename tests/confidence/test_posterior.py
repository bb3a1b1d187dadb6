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


def shares_of(logs):
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


def drawn_from(weights, samples, seed=0):
    return SubsetProgram(weights, Watch()).sources().draw(samples, np.random.default_rng(seed))


@pytest.mark.parametrize("strength", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_the_sum_over_all_dags_is_that_of_their_list(p, strength):
    weights = weights_of(table_of(p, 40, p, strength)) if p > 1 else np.zeros((1, 1))
    total = np.logaddexp.reduce(log_weights(every_dag(p), weights))
    assert SubsetProgram(weights, Watch()).sources().log_total == pytest.approx(total, abs=1e-10)


def test_there_are_as_many_dags_as_there_are():
    counts = [1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343, 1213442454842881]
    for p, known in enumerate(counts, start=1):
        program = SubsetProgram(np.zeros((p, 2 ** (p - 1))), Watch()).sources()
        assert math.exp(program.log_total) == pytest.approx(known, rel=1e-10)


@pytest.mark.parametrize("strength", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("p", [2, 3, 4])
def test_dags_are_drawn_as_often_as_their_weight_says(p, strength):
    weights, every = weights_of(table_of(p, 30, p, strength)), every_dag(p)
    expected, drawn = shares_of(log_weights(every, weights)), drawn_from(weights, 50_000, p)
    codes = every @ (1 << p * np.arange(p))
    counts = np.array([(drawn @ (1 << p * np.arange(p)) == code).sum() for code in codes])
    assert counts.sum() == 50_000
    error = np.sqrt(expected * (1 - expected) / 50_000) + 1e-4
    assert (np.abs(counts / 50_000 - expected) < 5 * error).all()


def test_among_unrelated_columns_draws_are_as_good_as_anywhere():
    noise = np.random.default_rng(0).normal(size=(500, 12))
    weights = weights_of(noise)
    everything = SubsetProgram(weights, Watch()).sources().log_total
    drawn = drawn_from(weights, 20_000)
    for i, j in [(0, 1), (5, 2), (11, 3)]:
        exact = -math.expm1(SubsetProgram(without(weights, i, j), Watch()).sources().log_total - everything)
        share = (drawn[:, j] >> i & 1).mean()
        assert share == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 20_000))


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
    drawn = program.sources().draw(20_000, np.random.default_rng(seed))
    found = from_samples(problem, drawn, edges, Watch())
    assert (np.abs(found.arrow - exact.arrow) <= 4 * found.error).all()
    for one, other in zip(found[:4], exact[:4], strict=True):
        assert np.abs(one - other).max() <= 4 * 0.5 / math.sqrt(20_000)
    assert found.error.max() < 0.004
    assert found.graphs == 20_000


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
    everything, error = total_of(weights), 4 / (2 * math.sqrt(found.graphs))
    for i, j in [(0, 1), (2, 1), (5, 6), (6, 0), (3, 4), (4, 3)]:
        exact = 1 - total_of(without(weights, i, j)) / everything
        assert found.edge[i, j] == pytest.approx(exact, abs=error)


def test_the_stated_error_is_that_of_repeated_draws():
    table = table_of(4, 50, seed=1)
    problem, program = problem_of(table), SubsetProgram(weights_of(table), Watch())
    edges, sources = program.edge_probabilities(), program.sources()
    draws = [sources.draw(1000, np.random.default_rng(k)) for k in range(40)]
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
    drawn = drawn_from(weights, 500)
    assert max(int(one).bit_count() for one in drawn.ravel()) == 1
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
    assert "from 500 DAGs, drawn independently" in drawn.summary()
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
