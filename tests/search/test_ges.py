from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0, L1
from sparsest.problem import Problem
from sparsest.scores import GaussianScore, LeastSquares
from sparsest.search import GES, ExactSearch
from sparsest.search import _equivalence_graphs as graphs
from sparsest.search import _equivalence_kernels as kernels
from sparsest.search.ges import ClassDescent
from tests.graph.strategies import random_dag
from tests.laws import all_dags, random_covariance, random_dag_weights

DATA = Path(__file__).parent / "data"
TWO_PHASES = ("forward", "backward")
PLENTY = 1e12  # a budget that no row uses up
OPERATORS = {"insert": graphs.INSERT, "delete": graphs.DELETE, "turn": graphs.TURN}
# The cost of an edge at which operators of a kind tend to pay.
COSTS = {"insert": 1e-6, "delete": 3.0, "turn": 0.1}

law = settings(derandomize=True, deadline=None, max_examples=30)
seeds = st.integers(0, 2**32 - 1)


def problem(covariance, cost=0.02, **masks):
    return Problem(GaussianScore(covariance), L0(cost), **masks)


def sampled_covariance(p, rng, n=200, density=0.5):
    X = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - random_dag_weights(p, rng, density))
    return np.cov(X, rowvar=False, bias=True)


def dense_dag(p, rng):
    return random_dag(p, int(rng.integers(p - 1, p * (p - 1) // 2 + 1)), rng) != 0


def objective_of(covariance, cost):
    """NLL + c · edges as a function of the DAG that remembers local scores."""
    local = cache(GaussianScore(covariance).local)
    return lambda dag: (
        sum(local(j, tuple(np.flatnonzero(dag[:, j]))) for j in range(len(dag))) + cost * dag.sum()
    )


def objective(covariance, dag, cost):
    return objective_of(covariance, cost)(dag)


@cache
def classes(p):
    """One DAG of each Markov equivalence class: 2, 11, 185, ..."""
    members = {sp.graph.dag_to_cpdag(dag).tobytes(): dag for dag in all_dags(p)}
    return list(members.values())


def changed(dag, operator, x, y):
    """The DAG with the edge x → y inserted, deleted, or turned from y → x; None where that is no DAG."""
    after = dag.copy()
    if operator == graphs.INSERT and not (dag[x, y] or dag[y, x]):
        after[x, y] = True
    elif operator == graphs.DELETE and dag[x, y]:
        after[x, y] = False
    elif operator == graphs.TURN and dag[y, x]:
        after[y, x], after[x, y] = False, True
    else:
        return None
    return after if sp.graph.is_dag(after) else None


def best_changes(covariance, dag, operator, cost):
    """For each y, the largest gain by one edge x → y over all members of the class, or 0."""
    best, score = np.zeros(len(dag)), objective_of(covariance, cost)
    for matrix in sp.graph.mec_members(dag.astype(int)):
        member = matrix != 0
        before = score(member)
        for x, y in np.ndindex(dag.shape):
            if (after := changed(member, operator, x, y)) is not None:
                best[y] = max(best[y], before - score(after))
    return best


def walked(covariance, dag, operator, cost):
    descent = ClassDescent(covariance, cost, len(dag) - 1, dag)
    assert kernels.refresh(descent.rows, operator, PLENTY)
    return descent


# Operators


@pytest.mark.parametrize("kind", OPERATORS)
def test_operators_are_the_single_edge_changes_of_all_members_in_every_class_on_four_nodes(kind):
    rng = np.random.default_rng(0)
    starts = classes(4)
    assert len(starts) == 185
    gains = 0
    for dag in starts:
        covariance, cost = random_covariance(4, rng), COSTS[kind]
        expected = best_changes(covariance, dag, OPERATORS[kind], cost)
        found = walked(covariance, dag, OPERATORS[kind], cost).rows.gain
        np.testing.assert_allclose(found, expected, atol=1e-9)
        gains += np.count_nonzero(expected > 1e-6)
    assert gains > 100


@pytest.mark.parametrize("kind", OPERATORS)
@given(seed=seeds, p=st.integers(5, 6))
@settings(law, max_examples=12)
def test_operators_are_the_single_edge_changes_of_all_members(kind, seed, p):
    rng = np.random.default_rng(seed)
    dag, covariance, cost = dense_dag(p, rng), random_covariance(p, rng), COSTS[kind]
    if sp.graph.mec_size(dag) > 60:
        dag[:, p - 1] = dag[p - 1] = False  # fewer members to go through
        dag[0, p - 1] = dag[1, p - 1] = True
    expected = best_changes(covariance, dag, OPERATORS[kind], cost)
    found = walked(covariance, dag, OPERATORS[kind], cost).rows.gain
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("kind", OPERATORS)
@given(seed=seeds, p=st.integers(2, 9))
@law
def test_the_gain_of_an_operator_is_the_difference_of_the_objectives(kind, seed, p):
    rng = np.random.default_rng(seed)
    start, covariance, cost = dense_dag(p, rng), random_covariance(p, rng), COSTS[kind]
    for y in range(p):
        descent = walked(covariance, start, OPERATORS[kind], cost)
        gain = descent.rows.gain[y]
        if gain <= 1e-9:
            continue
        assert descent.step(OPERATORS[kind], y)
        assert sp.graph.is_dag(descent.dag)
        assert (sp.graph.dag_to_cpdag(descent.dag) == descent.rows.graph).all()
        after = objective(covariance, descent.dag, cost)
        assert descent.objective == pytest.approx(after, abs=1e-9)
        assert objective(covariance, start, cost) - after == pytest.approx(gain, abs=1e-9)


@given(seed=seeds, p=st.integers(4, 14), cost=st.floats(0.003, 0.1))
@settings(law, max_examples=10)
def test_a_row_that_a_step_did_not_touch_is_as_good_as_new(seed, p, cost):
    covariance = sampled_covariance(p, np.random.default_rng(seed))
    descent = ClassDescent(covariance, cost, p - 1, np.zeros((p, p), dtype=bool))
    for operator in OPERATORS.values():
        descent.rows.stale[:] = True
        kernels.refresh(descent.rows, operator, PLENTY)
        while descent.rows.gain.max() > 1e-9:
            assert descent.step(operator, int(descent.rows.gain.argmax()))
            kernels.refresh(descent.rows, operator, PLENTY)
            anew = walked(covariance, descent.dag, operator, cost)
            assert (anew.rows.graph == descent.rows.graph).all()
            np.testing.assert_allclose(anew.rows.gain, descent.rows.gain, atol=1e-9)


@given(seed=seeds, p=st.integers(2, 10))
@law
def test_a_row_broken_off_and_taken_up_again_is_the_row_walked_at_once(seed, p):
    rng = np.random.default_rng(seed)
    dag, covariance = dense_dag(p, rng), random_covariance(p, rng)
    for kind, operator in OPERATORS.items():
        once = walked(covariance, dag, operator, COSTS[kind]).rows
        pieces = ClassDescent(covariance, COSTS[kind], p - 1, dag).rows
        calls = 1
        while not kernels.refresh(pieces, operator, 0.0):
            calls += 1
        assert calls > p / 2
        assert (pieces.gain == once.gain).all()


# The search


@given(seed=seeds, p=st.integers(1, 9), cost=st.floats(0.001, 0.3))
@law
def test_the_answer_is_a_dag_with_the_objective_it_says(seed, p, cost):
    covariance = random_covariance(p, np.random.default_rng(seed))
    found = GES().solve(problem(covariance, cost), Watch())
    dag = found.adjacency != 0
    assert found.status is Status.CONVERGED
    assert sp.graph.is_dag(dag)
    assert objective(covariance, dag, cost) == pytest.approx(found.objective, abs=1e-9)


@given(seed=seeds, p=st.integers(2, 5), cost=st.floats(0.003, 0.1))
@law
def test_no_single_edge_in_any_member_improves_the_answer(seed, p, cost):
    covariance = sampled_covariance(p, np.random.default_rng(seed))
    dag = GES().solve(problem(covariance, cost), Watch()).adjacency != 0
    for operator in OPERATORS.values():
        assert best_changes(covariance, dag, operator, cost).max() < 1e-9


def faithful_model(p, rng):
    """A DAG and a covariance in which no dependence is too weak to tell from an independence."""
    while True:
        weights = random_dag_weights(p, rng, rng.uniform(0.2, 0.9))
        inverse = np.linalg.inv(np.eye(p) - weights)
        covariance = inverse.T @ np.diag(rng.uniform(0.5, 2.0, p)) @ inverse
        partial = partial_correlations(covariance)
        if not ((partial > 1e-10) & (partial < 1e-3)).any():
            return weights != 0, covariance


def partial_correlations(covariance):
    """|ρ| of every pair given every subset of the other nodes."""
    found = [0.0]
    for size in range(2, len(covariance) + 1):
        for nodes in combinations(range(len(covariance)), size):
            precision = np.linalg.inv(covariance[np.ix_(nodes, nodes)])
            scale = np.sqrt(precision.diagonal())
            found.extend(np.abs(precision / np.outer(scale, scale))[np.triu_indices(size, 1)])
    return np.array(found)


def test_on_the_population_of_a_faithful_model_the_true_class_is_found():
    rng = np.random.default_rng(0)
    for _ in range(300):
        dag, covariance = faithful_model(int(rng.integers(2, 7)), rng)
        for search in (GES(phases=TWO_PHASES, iterate=False), GES()):
            found = search.solve(problem(covariance, 1e-8), Watch())
            assert sp.graph.markov_equivalent(found.adjacency, dag)


@given(seed=seeds, p=st.integers(2, 9), cost=st.floats(0.001, 0.3))
@law
def test_ges_is_never_better_than_exact_search(seed, p, cost):
    asked = problem(sampled_covariance(p, np.random.default_rng(seed)), cost)
    exact, found = ExactSearch().solve(asked, Watch()), GES().solve(asked, Watch())
    assert found.objective >= exact.objective - 1e-10


@given(seed=seeds, p=st.integers(2, 9))
@law
def test_units_change_no_edge_though_the_search_does_not_standardise(seed, p):
    rng = np.random.default_rng(seed)
    covariance, units = sampled_covariance(p, rng), 10.0 ** rng.uniform(-6, 6, p)
    plain = GES().solve(problem(covariance), Watch())
    rescaled = GES().solve(problem(covariance * np.outer(units, units)), Watch())
    assert sp.graph.markov_equivalent(plain.adjacency, rescaled.adjacency)
    assert rescaled.objective - plain.objective == pytest.approx(np.log(units).sum(), abs=1e-7)


@given(seed=seeds, p=st.integers(3, 8), limit=st.integers(0, 3))
@law
def test_no_member_of_the_class_has_more_parents_than_allowed(seed, p, limit):
    covariance = sampled_covariance(p, np.random.default_rng(seed), density=0.8)
    found = GES().solve(problem(covariance, 0.001, max_parents=limit), Watch())
    most = {int(member.sum(axis=0).max()) for member in sp.graph.mec_members(found.adjacency)}
    assert len(most) == 1
    assert most.pop() <= limit


def test_there_is_a_stage_a_phase_and_the_objective_falls_from_stage_to_stage():
    asked = problem(sampled_covariance(12, np.random.default_rng(2)), 0.01)
    once = GES(iterate=False).solve(asked, Watch())
    assert [stage.name for stage in once.stages] == ["forward phase", "backward phase", "turning phase"]
    again = GES().solve(asked, Watch())
    objectives = [stage.objective for stage in again.stages]
    assert objectives == sorted(objectives, reverse=True)
    assert again.objective == objectives[-1] < once.objective
    assert again.steps == sum(stage.steps for stage in again.stages)
    assert [stage.steps for stage in again.stages][-2:] == [0, 0]


def test_columns_that_determine_each_other_give_a_finite_answer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])
    for units in (np.ones(7), 10.0 ** rng.uniform(-6, 6, 7)):
        found = GES().solve(problem(np.cov(X * units, rowvar=False)), Watch(time_limit=20))
        assert found.status is Status.CONVERGED
        assert np.isfinite(found.objective)
        assert sp.graph.is_dag(found.adjacency)


# Stopping and refusing


def test_a_time_limit_of_zero_gives_a_graph_marked_so():
    found = GES().solve(problem(sampled_covariance(8, np.random.default_rng(0))), Watch(time_limit=0))
    assert found.status is Status.TIME_LIMIT
    assert sp.graph.is_dag(found.adjacency)


class Patience(Watch):
    """A watch that is interrupted when it has been asked so many times."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    @property
    def stop(self):
        self.times -= 1
        return Status.INTERRUPTED if self.times < 0 else None


@pytest.mark.parametrize("times", [5, 12, 25])
def test_a_search_that_is_interrupted_gives_the_best_so_far(times):
    covariance = sampled_covariance(12, np.random.default_rng(0))
    asked = problem(covariance)
    GES().solve(asked, Watch())  # compiled
    found, whole = GES().solve(asked, Patience(times)), GES().solve(asked, Watch())
    assert found.status is Status.INTERRUPTED
    assert 0 < found.adjacency.sum() <= times
    assert objective(covariance, found.adjacency != 0, 0.02) == pytest.approx(found.objective, abs=1e-9)
    assert found.objective > whole.objective


def test_a_clique_that_would_take_for_ever_obeys_the_time_limit():
    p = 60
    watch = Watch(time_limit=0.5)
    covariance = np.full((p, p), 0.5) + 0.5 * np.eye(p)  # all rows of a clique of p nodes: p · 2^(p−1) sets
    complete = np.triu(np.ones((p, p), dtype=bool), 1)
    _, reason = ClassDescent(covariance, 0.5, p - 1, complete).run("backward", watch)
    assert reason is Status.TIME_LIMIT
    assert watch.seconds < 2


def test_edges_that_cost_nothing_are_refused_with_the_way_out():
    some = ~np.eye(3, dtype=bool)
    with pytest.raises(
        sp.OptionError, match=r"GES charges the same .* cost nothing: use .* differentiable solver"
    ):
        GES().solve(problem(np.eye(3), unpenalised=some), Watch())


def test_other_scores_penalties_and_options_are_refused_by_name():
    with pytest.raises(sp.OptionError, match="GES needs a Gaussian score, not LeastSquares"):
        GES().solve(Problem(LeastSquares(np.eye(3)), L0(0.1)), Watch())
    with pytest.raises(sp.OptionError, match="no cost per edge"):
        GES().solve(Problem(GaussianScore(np.eye(3)), L1(0.1)), Watch())
    for phases in ((), ("forward", "sideways")):
        with pytest.raises(sp.OptionError, match="phases must be some of 'forward', 'backward', 'turning'"):
            GES(phases=phases)


# Peers


def stored(peer, phases):
    """Correlation matrix, sample size and the peer's CPDAG of each stored dataset."""
    with np.load(DATA / f"{peer}.npz") as file:
        sizes, rows = file["sizes"].astype(int), file["rows"].astype(int)
        upper, marks = file["correlations"].astype(float), np.unpackbits(file[phases])
    for p, n in zip(sizes, rows, strict=True):
        above = np.triu_indices(p, 1)
        correlation = np.zeros((p, p))
        correlation[above], upper = upper[: len(above[0])], upper[len(above[0]) :]
        cpdag, marks = marks[: p * p].reshape(p, p), marks[p * p :]
        yield correlation + correlation.T + np.eye(p), n, cpdag


@pytest.mark.parametrize(
    ("peer", "phases"), [("ges_1.1.1", "two"), ("ges_1.1.1", "three"), ("causal_learn_0.1.4.8", "two")]
)
def test_phases_gone_through_once_end_where_those_of_other_implementations_end(peer, phases):
    search = GES(phases=TWO_PHASES if phases == "two" else GES().phases, iterate=False)
    count = 0
    for correlation, n, cpdag in stored(peer, phases):
        found = search.solve(problem(correlation, np.log(n) / (2 * n)), Watch())
        assert (sp.graph.dag_to_cpdag(found.adjacency) == cpdag).all()
        count += 1
    assert count == 400


def test_repeated_phases_are_never_worse_than_those_of_other_implementations_and_sometimes_better():
    gaps = []
    for correlation, n, cpdag in stored("ges_1.1.1", "three"):
        cost = np.log(n) / (2 * n)
        theirs = objective(correlation, sp.graph.cpdag_to_dag(cpdag), cost)
        gaps.append(GES().solve(problem(correlation, cost), Watch()).objective - theirs)
    assert max(gaps) < 1e-9
    assert sum(gap < -1e-6 for gap in gaps) >= 10
