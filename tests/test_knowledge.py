"""Knowledge passed to fit(), with every solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from tests.knowledge.strategies import obeys, random_knowledge

SOFT = ["notears", "golem-ev", "golem-nv", "dagma", "logll-notears", "logll-dagma"]
SOLVERS = ["auto", "exact", "order", "ges", *SOFT]
seeds = st.integers(0, 2**32 - 1)


def drawn(seed, p, n=60, density=0.15):
    """A table and knowledge that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)
    return sp.simulate.linear_gaussian(weights, n, rng).data, random_knowledge(p, rng, density=density)


def assert_obeyed(result, knowledge):
    masks = knowledge.masks(result.names)
    assert obeys(result.dag, masks)
    assert sp.graph.is_dag(result.dag)
    members = list(sp.graph.mec_members(result.cpdag))
    assert result.class_size == len(members)
    assert all(obeys(member, masks) for member in members)
    assert result.dag in members


@pytest.mark.parametrize("solver", SOLVERS)
@given(seed=seeds, p=st.integers(2, 6), threshold=st.sampled_from([None, 0.0, 0.3]), units=st.booleans())
@settings(max_examples=12, deadline=None)
def test_no_solver_violates_knowledge(solver, seed, p, threshold, units):
    data, knowledge = drawn(seed, p)
    options = {"threshold": threshold} if solver in SOFT else {}
    result = sp.fit(data * (10.0 ** (3 * units)), solver=solver, knowledge=knowledge, **options)
    assert_obeyed(result, knowledge)


@given(seed=seeds)
@settings(max_examples=3, deadline=None)
def test_the_differentiable_solver_does_not_either(seed):
    data, knowledge = drawn(seed, 4)
    assert_obeyed(sp.fit(data, solver="differentiable", knowledge=knowledge), knowledge)


@pytest.mark.parametrize("solver", [*SOLVERS, "differentiable"])
@pytest.mark.parametrize("seconds", [0.0, 0.01])
@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_nor_where_time_is_short(solver, seconds, seed):
    data, knowledge = drawn(seed, 6)
    assert_obeyed(sp.fit(data, solver=solver, knowledge=knowledge, time_limit=seconds), knowledge)


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_knowledge_never_makes_the_best_objective_better(seed):
    data, knowledge = drawn(seed, 6)
    assert sp.fit(data, knowledge=knowledge).objective >= sp.fit(data).objective - 1e-9


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_the_whole_graph_required_and_nothing_else_allowed_is_the_answer(seed):
    rng = np.random.default_rng(seed)
    dag = sp.simulate.random_dag(5, 1, "ER", rng).to_numpy()
    data = rng.normal(size=(50, 5))
    everything = [(i, j) for i in range(5) for j in range(5) if i != j]
    knowledge = sp.Knowledge(
        required=[edge for edge in everything if dag[edge]], forbidden=[e for e in everything if not dag[e]]
    )
    for solver in ("exact", "order", "ges", "dagma"):
        result = sp.fit(data, solver=solver, knowledge=knowledge)
        assert np.array_equal(result.dag.to_numpy(), dag)
        assert np.array_equal(result.cpdag.to_numpy(), dag)
        assert result.class_size == 1


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(0)
    weights = np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 0, 0]])
    return sp.simulate.linear_gaussian(weights, 500, rng).data


def test_the_result_says_which_arrows_come_from_knowledge(chain):
    result = sp.fit(chain, knowledge=sp.Knowledge(tiers=[["x0"], ["x1", "x2"]]))
    assert result.cpdag.kind == "mpdag"
    assert result.cpdag.directed_edges == [("x0", "x1"), ("x1", "x2")]
    assert result.arrows_from_knowledge == [("x0", "x1"), ("x1", "x2")]
    assert "known beforehand, not from these data: the direction of 2 edges" in result.summary()
    exported = result.to_dict()
    assert exported["cpdag_kind"] == "mpdag"
    assert exported["arrows_from_knowledge"][0] == {"source": "x0", "target": "x1"}


def test_without_knowledge_or_with_empty_knowledge_nothing_changes(chain):
    plain, empty = sp.fit(chain), sp.fit(chain, knowledge=sp.Knowledge())
    assert plain.cpdag == empty.cpdag
    assert plain.objective == empty.objective
    assert empty.cpdag.kind == "cpdag"
    assert empty.arrows_from_knowledge == []
    assert "known beforehand" not in empty.summary()


def test_a_check_in_other_units_and_another_order_keeps_knowledge_by_position(chain):
    result = sp.fit(chain, knowledge=sp.Knowledge(required=[(2, 0)]), check=True)
    assert result.evidence.same_when_rescaled
    assert ("x2", "x0") in result.dag.edges


def test_knowledge_may_be_a_file(chain, tmp_path):
    (tmp_path / "known.toml").write_text("roots = ['x2']\n")
    result = sp.fit(chain, knowledge=tmp_path / "known.toml")
    assert result.dag.edges == [("x1", "x0"), ("x2", "x1")]
    assert sp.StructureLearner(knowledge=str(tmp_path / "known.toml")).fit(chain).dag_ == result.dag


def test_more_required_parents_than_max_parents_are_refused_by_name(chain):
    knowledge = sp.Knowledge(required=["x0 -> x2", "x1 -> x2"])
    with pytest.raises(sp.OptionError, match=r"'x2' has 2 required parents \('x0', 'x1'\), but max_parents"):
        sp.fit(chain, knowledge=knowledge, max_parents=1)
    assert sp.fit(chain, knowledge=knowledge, max_parents=2).dag.parents("x2") == ["x0", "x1"]


def test_few_rows_do_not_limit_what_is_required():
    data = np.random.default_rng(0).normal(size=(5, 8))
    knowledge = sp.Knowledge(required=[(k, 7) for k in range(4)])
    with pytest.warns(sp.DataWarning):
        result = sp.fit(data, knowledge=knowledge)
    assert_obeyed(result, knowledge)


def test_a_solver_of_the_users_own_that_does_not_obey_is_refused(chain):
    class Stubborn:
        standardizes = returns_dag = True

        def solve(self, problem, watch):
            from sparsest.search import ExactSearch

            return ExactSearch().solve(type(problem)(problem.score, problem.penalty), watch)

    words = "'Stubborn' does not obey the knowledge: its graph lacks 'x2' -> 'x0'"
    with pytest.raises(sp.OptionError, match=words):
        sp.fit(chain, solver=Stubborn(), knowledge=sp.Knowledge(required=["x2 -> x0"]))


def test_what_is_no_knowledge_is_refused(chain):
    with pytest.raises(
        sp.OptionError, match="knowledge must be a Knowledge, a dictionary or a file, not list"
    ):
        sp.fit(chain, knowledge=[("a", "b")])
