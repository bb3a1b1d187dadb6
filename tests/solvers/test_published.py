from dataclasses import replace

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0, L1, QuasiMCP
from sparsest.problem import Problem
from sparsest.rounding import strongest_dag
from sparsest.scores import GaussianScore, LeastSquares
from sparsest.search import ExactSearch
from sparsest.solvers import METHODS, Adam, AugmentedLagrangian, CentralPath, Portfolio, SoftConstraint
from sparsest.solvers.owlqn import OWLQN

LOGLL_DAGMA = METHODS["logll-dagma"]


def simulated(seed, p=8, k=1):
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, k, "ER", rng), rng)
    return sp.simulate.linear_gaussian(weights, 1000, rng)


@pytest.mark.parametrize("seed", range(3))
def test_the_central_path_ends_in_a_dag_with_exact_zeros(seed):
    covariance = np.cov(simulated(seed).data, rowvar=False)
    found = CentralPath().solve(
        Problem(LeastSquares(covariance), L1(0.03)), np.zeros((8, 8)), Watch(), "path"
    )
    assert found.status is Status.CONVERGED
    assert abs(found.h) < 1e-4
    assert sp.graph.is_dag(np.abs(found.adjacency) > 0.1)
    assert (found.adjacency == 0).mean() > 0.5


def test_the_rounds_lower_the_likelihood_and_say_what_they_did():
    covariance = np.cov(simulated(0).data, rowvar=False)
    problem = Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2))
    found = LOGLL_DAGMA.solve(problem, Watch())
    assert [stage.name for stage in found.stages][:3] == ["dagma", "round 1", "round 2"]
    assert found.steps == sum(stage.steps for stage in found.stages)
    first = replace(LOGLL_DAGMA, rounds=1).solve(problem, Watch())
    assert problem.nll(found.adjacency.reshape(-1)) <= problem.nll(first.adjacency.reshape(-1))


def test_on_a_population_of_few_edges_the_global_minimum_is_found():
    """Theorem 1 where the landscape is kind: a sparse graph, the population covariance."""
    simulation = simulated(4, p=5)
    problem = Problem(GaussianScore(simulation.covariance), QuasiMCP(0.1, 0.1))
    exact = ExactSearch().solve(problem, Watch())
    found = LOGLL_DAGMA.solve(problem, Watch())
    assert sp.graph.markov_equivalent(strongest_dag(found.adjacency, problem.required, 0.3), exact.adjacency)
    assert sp.graph.markov_equivalent(exact.adjacency, simulation.dag.to_numpy())


def test_entries_that_are_not_free_stay_exactly_zero():
    simulation = simulated(1)
    allowed = np.random.default_rng(0).random((8, 8)) < 0.5
    covariance = np.cov(simulation.data, rowvar=False)
    found = replace(LOGLL_DAGMA, rounds=2).solve(
        Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2), allowed), Watch()
    )
    assert (found.adjacency[~allowed] == 0).all()
    assert found.adjacency.any()


def test_a_start_outside_the_domain_of_h_widens_the_domain():
    cyclic = np.array([[0.0, 1.2], [1.2, 0.0]]) * np.array([[1, 1], [-1, 1]])
    problem = Problem(LeastSquares(np.array([[1.0, 0.5], [0.5, 1.0]])), L1(0.01))
    found = CentralPath().solve(problem, cyclic, Watch(), "path")
    assert abs(found.h) < 1e-3


def test_a_time_limit_returns_what_there_is():
    covariance = np.cov(simulated(0).data, rowvar=False)
    found = LOGLL_DAGMA.solve(Problem(GaussianScore(covariance), QuasiMCP(0.4, 0.2)), Watch(time_limit=0))
    assert found.status is Status.TIME_LIMIT
    assert np.isfinite(found.adjacency).all()


@pytest.mark.parametrize("options", [{"gamma": 1.0}, {"gamma": 0.0}, {"rounds": 0}])
def test_impossible_settings_are_refused(options):
    with pytest.raises(sp.OptionError, match=next(iter(options))):
        replace(LOGLL_DAGMA, **options)


def equal_variances(seed, p=8):
    """Data on which the least-squares family is at its best: equal noise variances, columns as simulated."""
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)
    return sp.simulate.linear_gaussian(weights, 2000, rng, noise=(1.0, 1.0))


def mean_shd(name, standardized):
    distances = []
    for seed in range(3):
        simulation = equal_variances(seed)
        X = simulation.data
        X = (X - X.mean(axis=0)) / (X.std(axis=0) if standardized else 1)
        distances.append(sp.graph.shd(sp.fit(X, solver=name, threshold=0.3).dag, simulation.dag))
    return np.mean(distances)


@pytest.mark.parametrize("name", ["notears", "golem-ev", "dagma"])
def test_least_squares_methods_find_the_dag_with_equal_variances_and_lose_it_when_standardised(name):
    """What their papers show, and what Reisach et al. (2021) showed of them."""
    raw, standardized = mean_shd(name, False), mean_shd(name, True)
    assert raw <= 1
    assert standardized >= raw + 3


def test_golem_nv_is_closer_than_golem_ev_where_noise_variances_differ():
    """What Ng, Ghassami & Zhang (2020) show: unequal noise needs the likelihood of unequal variances."""
    distances = {"golem-ev": 0, "golem-nv": 0}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        weights = sp.simulate.random_weights(sp.simulate.random_dag(8, 2, "SF", rng), rng)
        simulation = sp.simulate.linear_gaussian(weights, 1000, rng)  # sd from 0.1 to 0.7
        for name in distances:
            found = sp.fit(simulation.data, solver=name, threshold=0.3)
            distances[name] += sp.graph.shd(found.dag, simulation.dag)
    assert distances["golem-nv"] < distances["golem-ev"]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_tells_what_it_did(name):
    covariance = np.cov(simulated(2, p=5).data, rowvar=False)
    steps = []
    problem = Problem(GaussianScore(covariance), QuasiMCP(0.1, 0.1))
    found = METHODS[name].solve(problem, Watch(on_step=steps.append))
    assert found.steps == sum(stage.steps for stage in found.stages) > 0
    assert found.seconds == pytest.approx(sum(stage.seconds for stage in found.stages))
    assert found.h < 0.1
    assert np.isfinite([found.objective, found.violation]).all()
    assert {step.stage for step in steps} == {stage.name for stage in found.stages}
    assert sp.graph.is_dag(strongest_dag(found.adjacency, problem.required, 0.3))


PATHS = [
    CentralPath(),
    CentralPath(inner=Adam(rate=1e-3, max_steps=3000)),
    AugmentedLagrangian(),
    AugmentedLagrangian(inner=OWLQN()),
    SoftConstraint(weight=100.0),
]


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_every_path_obeys_masks_exactly(path):
    rng = np.random.default_rng(0)
    covariance = np.cov(simulated(1, p=5).data, rowvar=False)
    allowed = rng.random((5, 5)) < 0.5
    problem = Problem(LeastSquares(covariance), L1(0.05), allowed)
    found = path.solve(problem, np.zeros((5, 5)), Watch(), "path")
    assert (found.adjacency[~problem.allowed] == 0).all()


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_every_path_leaves_an_unpenalised_entry_unbiased(path):
    """Two nodes, one direction: without its penalty the entry is the regression coefficient."""
    covariance = np.array([[1.0, 0.8], [0.8, 2.0]])
    allowed = np.array([[False, True], [False, False]])
    problem = Problem(LeastSquares(covariance), L1(0.3), allowed, unpenalised=allowed)
    unbiased = path.solve(problem, np.zeros((2, 2)), Watch(), "path").adjacency[0, 1]
    biased = path.solve(replace(problem, unpenalised=None), np.zeros((2, 2)), Watch(), "path").adjacency[0, 1]
    assert unbiased == pytest.approx(0.8, abs=1e-3)
    assert biased == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (np.zeros((2, 3)), r"\(2, 2\) matrix, not \(2, 3\)"),
        (np.eye(2), "on the diagonal"),
        (np.array([[0, np.nan], [0, 0]]), "not finite"),
        (np.array([[0, 0], [1.0, 0]]), "edge is ruled out"),
    ],
)
def test_impossible_starts_are_refused(start, words):
    problem = Problem(LeastSquares(np.eye(2)), L1(0.1), np.array([[False, True], [False, False]]))
    for path in (CentralPath(), AugmentedLagrangian(), SoftConstraint()):
        with pytest.raises(sp.OptionError, match=words):
            path.solve(problem, start, Watch(), "path")


def test_a_singular_covariance_gives_finite_weights():
    X = simulated(1, p=5).data
    covariance = np.cov(np.hstack([X, X[:, :1]]), rowvar=False)
    for name in METHODS:
        found = replace(METHODS[name], **({"rounds": 2} if "logll" in name else {})).solve(
            Problem(GaussianScore(covariance), QuasiMCP(0.1, 0.1)), Watch()
        )
        assert np.isfinite(found.adjacency).all()


def test_a_published_method_takes_another_penalty():
    X = simulated(1).data
    heavy, light = (sp.fit(X, solver="dagma", penalty=sp.L1(lam), threshold=0.0) for lam in (0.5, 0.01))
    assert len(heavy.dag.edges) < len(light.dag.edges)
    assert heavy.cost == light.cost  # the yardstick stays
    with pytest.raises(sp.OptionError, match="cannot use L1"):
        sp.fit(X, solver="logll-dagma", penalty=sp.L1(0.1))


@pytest.mark.parametrize("standardize", [False, True])
def test_the_differentiable_portfolio_is_never_above_the_published_method(standardize):
    for seed in range(2):
        X = simulated(seed, p=6, k=2).data
        ours = sp.fit(X, solver=Portfolio(kicks=2), standardize=standardize)
        published = sp.fit(X, solver="logll-dagma", standardize=standardize)
        assert ours.objective <= published.objective + 1e-9
        assert min(stage.objective for stage in ours.evidence.stages) == pytest.approx(
            ours.objective if not standardize else ours.objective - 0.5 * np.log(X.var(axis=0)).sum(),
            abs=1e-8,
        )
        assert ours.evidence.agreed >= 1


def test_kicks_never_make_the_differentiable_answer_worse_and_the_seed_decides_them():
    problem = Problem(
        GaussianScore(sp.Moments.from_array(simulated(3, p=6, k=2).data).correlation()), L0(0.01)
    )
    without, with_kicks, again = (
        Portfolio(kicks=kicks, seed=5).solve(problem, Watch()) for kicks in (0, 3, 3)
    )
    lowest = [min(stage.objective for stage in found.stages) for found in (without, with_kicks)]
    assert lowest[1] <= lowest[0]
    assert with_kicks.stages[-1].name == "3 kicks"
    np.testing.assert_array_equal(with_kicks.adjacency, again.adjacency)


def test_the_differentiable_portfolio_takes_the_penalty_and_the_limit_it_is_given():
    X = simulated(2, p=5, k=2).data
    heavy = sp.fit(X, solver="differentiable", penalty=sp.QuasiMCP(3.0, 0.9))
    assert heavy.cost == pytest.approx(1.35)
    assert len(heavy.dag.edges) < len(sp.fit(X, solver="differentiable").dag.edges)
    assert sp.fit(X, solver="differentiable", max_parents=1).dag.to_numpy().sum(axis=0).max() <= 1
    with pytest.raises(sp.OptionError, match="cannot use SCAD"):
        sp.fit(X, solver="differentiable", penalty=sp.SCAD(0.1, 3.7))
