"""Questions about graphs, against definitions applied to every member."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import sparsest as sp
from sparsest.graph import Mpdag, mec_members, refine
from tests.graph.population import (
    adjusted,
    covariance,
    residual_variance,
    subsets,
    total_effects,
)
from tests.graph.strategies import random_dag


def random_graphs(count, seed, most=6):
    """DAGs, CPDAGs and classes refined by knowledge, in turn, each with its members."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        p = int(rng.integers(3, most + 1))
        truth = random_dag(p, int(rng.integers(p - 1, p * (p - 1) // 2 + 1)), rng)
        graph = [sp.Dag(truth), sp.Dag(truth).to_cpdag(), as_refined(truth, rng)][k % 3]
        members = [truth] if k % 3 == 0 else [member.to_numpy() for member in mec_members(graph)]
        yield graph, members, rng


def as_refined(truth, rng):
    known = (truth != 0) & (rng.random(truth.shape) < 0.3)
    return Mpdag(refine(sp.Dag(truth), required=known))


def split(rng, p, sizes):
    """Disjoint random sets of nodes."""
    order = [int(k) for k in rng.permutation(p)]
    cuts = np.cumsum([0, *sizes]).tolist()
    return [order[a:b] for a, b in pairwise(cuts)]


def closure(member):
    return np.linalg.matrix_power(np.eye(len(member)) + member, len(member)) > 0


def names_of(graph, flags):
    return [graph.names[k] for k in np.flatnonzero(flags)]


def moral_separation(member, a, b, given):
    """d-separation by the moral graph of the ancestors."""
    keep = np.flatnonzero(closure(member)[:, [*a, *b, *given]].any(axis=1))
    moral = nx.Graph()
    moral.add_nodes_from(keep.tolist())
    for node in keep.tolist():
        family = [node, *np.flatnonzero(member[:, node]).tolist()]
        moral.add_edges_from((u, v) for u in family for v in family if u != v)
    moral.remove_nodes_from(given)
    return not any(nx.has_path(moral, u, v) for u in a for v in b)


def test_d_separation_is_separation_in_the_moral_graph_of_every_member():
    for graph, members, rng in random_graphs(300, 0):
        sizes = (1, 1, int(rng.integers(0, len(graph) - 1)))
        a, b, given = split(rng, len(graph), sizes)
        answers = {moral_separation(member, a, b, given) for member in members}
        assert {graph.d_separated(a, b, given)} == answers


separated = nx.is_d_separator if hasattr(nx, "is_d_separator") else nx.d_separated  # its name before 3.3


def test_d_separation_of_larger_graphs_is_that_of_networkx():
    rng = np.random.default_rng(1)
    answers = []
    for _ in range(60):
        dag = sp.Dag(random_dag(30, 40, rng))
        a, b, given = ([dag.names[k] for k in part] for part in split(rng, 30, (2, 2, 6)))
        answers.append(dag.d_separated(a, b, given))
        assert answers[-1] == separated(dag.to_networkx(), set(a), set(b), set(given))
    assert 5 < sum(answers) < 55


def test_possible_ancestors_and_descendants_are_those_of_some_member():
    for graph, members, rng in random_graphs(450, 2):
        reach = [closure(member) for member in members]
        some = np.logical_or.reduce(reach) & ~np.eye(len(graph), dtype=bool)
        k = int(rng.integers(len(graph)))
        assert graph.possible_descendants(k) == names_of(graph, some[k])
        assert graph.possible_ancestors(k) == names_of(graph, some[:, k])
        other = (k + 1) % len(graph)
        assert graph.may_affect(k, other) == some[k, other]


def test_ancestors_and_descendants_follow_arrows_and_leave_out_the_node_itself():
    for graph, _, rng in random_graphs(90, 3):
        arrows = nx.DiGraph(graph.to_numpy() & ~graph.to_numpy().T & 1)
        k = int(rng.integers(len(graph)))
        assert graph.ancestors(k) == [graph.names[i] for i in sorted(nx.ancestors(arrows, k))]
        assert graph.descendants(k) == [graph.names[i] for i in sorted(nx.descendants(arrows, k))]


def test_the_markov_blanket_is_the_smallest_set_that_separates_a_node_from_the_rest():
    for graph, members, rng in random_graphs(90, 4):
        k = int(rng.integers(len(graph)))
        others = [i for i in range(len(graph)) if i != k]
        blanket = [graph.position(name) for name in graph.markov_blanket(k)]
        for given in subsets(others):
            rest = [i for i in others if i not in given]
            shields = not rest or moral_separation(members[0], [k], rest, list(given))
            assert shields == (set(blanket) <= set(given))


def test_possible_parent_sets_are_the_parents_in_the_members():
    for graph, members, rng in random_graphs(300, 5):
        k = int(rng.integers(len(graph)))
        found = graph.possible_parent_sets(k)
        by_members = {tuple(names_of(graph, member[:, k])) for member in members}
        assert len(found) == len(by_members)
        assert {tuple(parents) for parents in found} == by_members


def test_a_class_with_chosen_parents_has_the_members_with_these_parents():
    for graph, members, rng in random_graphs(150, 6):
        if isinstance(graph, sp.Dag):
            continue
        k = int(rng.integers(len(graph)))
        for parents in graph.possible_parent_sets(k):
            refined = {member.matrix.tobytes() for member in mec_members(graph.with_parents(k, parents))}
            wanted = [m for m in members if names_of(graph, m[:, k]) == parents]
            assert refined == {member.astype(np.int8).tobytes() for member in wanted}


def same(values):
    return all(np.allclose(values[0], value, atol=1e-7) for value in values)


def questions(count, seed):
    """A graph, causes and outcomes, a covariance, and the effects in every member."""
    for graph, members, rng in random_graphs(count, seed):
        sizes = (int(rng.integers(1, 3)), 1) if len(graph) > 3 else (1, 1)
        causes, outcomes = split(rng, len(graph), sizes)
        cov = covariance(members[int(rng.integers(len(members)))], rng)
        yield graph, causes, outcomes, cov, [total_effects(m, cov, causes, outcomes) for m in members]


def valid_sets(graph, causes, outcomes, cov, effects):
    """Sets that give the effect of every member."""
    rest = [k for k in range(len(graph)) if k not in causes and k not in outcomes]
    return [set(z) for z in subsets(rest) if same([adjusted(cov, causes, outcomes, z), *effects])]


def test_an_effect_is_identified_exactly_if_all_members_agree_on_it():
    answers = []
    for graph, causes, outcomes, _, effects in questions(600, 7):
        answers.append(graph.identified(causes, outcomes))
        assert answers[-1] == same(effects)
        assert (graph.unidentified_edge(causes, outcomes) is None) == answers[-1]
    assert 60 < sum(answers) < 540


def test_a_set_is_valid_exactly_if_regression_gives_the_effect_in_every_member():
    for graph, causes, outcomes, cov, effects in questions(300, 8):
        valid = valid_sets(graph, causes, outcomes, cov, effects)
        rest = [k for k in range(len(graph)) if k not in causes and k not in outcomes]
        for adjusting in subsets(rest):
            assert graph.is_adjustment_set(causes, outcomes, adjusting) == (set(adjusting) in valid)


def test_the_adjustment_sets_listed_are_the_minimal_valid_ones():
    for graph, causes, outcomes, cov, effects in questions(300, 9):
        valid = valid_sets(graph, causes, outcomes, cov, effects)
        minimal = {frozenset(z) for z in valid if not any(other < z for other in valid)}
        found = graph.adjustment_sets(causes, outcomes, most=None)
        assert len(found) == len(minimal)
        assert {frozenset(map(graph.position, z)) for z in found} == minimal


def test_the_optimal_set_is_valid_and_no_valid_set_has_a_smaller_variance():
    tried = 0
    for graph, causes, outcomes, cov, effects in questions(900, 10):
        valid = valid_sets(graph, causes, outcomes, cov, effects)
        if (
            len(causes) > 1
            or not graph.may_affect(causes, outcomes)
            or not graph.identified(causes, outcomes)
        ):
            continue
        x, y = causes[0], outcomes[0]
        best = {graph.position(name) for name in graph.optimal_adjustment_set(x, y)}
        spread = [residual_variance(cov, y, {x, *z}) / residual_variance(cov, x, z) for z in valid]
        assert best in valid
        assert spread[valid.index(best)] <= min(spread) * (1 + 1e-9)
        tried += 1
    assert tried > 50


def test_an_optimal_set_of_several_causes_exists_exactly_if_a_valid_set_does():
    for graph, causes, outcomes, cov, effects in questions(300, 11):
        valid = valid_sets(graph, causes, outcomes, cov, effects)
        if not graph.may_affect(causes, outcomes):
            continue
        try:
            best = graph.optimal_adjustment_set(causes, outcomes)
        except sp.GraphError:
            assert not valid
        else:
            assert set(map(graph.position, best)) in valid


def test_the_parents_of_one_cause_are_valid_if_the_effect_is_identified():
    for graph, causes, outcomes, _, _ in questions(150, 12):
        backwards = graph.names[outcomes[0]] in graph.parents(causes[0])
        if len(causes) > 1 or backwards or not graph.identified(causes, outcomes):
            continue
        parents = graph.parent_adjustment(causes, outcomes)
        assert parents == graph.parents(causes[0])
        assert graph.is_adjustment_set(causes, outcomes, parents)


def test_no_more_adjustment_sets_are_listed_than_asked_for():
    matrix = np.zeros((14, 14), dtype=int)  # x <- a -> b -> y six times over: 2 ** 6 minimal sets
    for k in range(6):
        matrix[2 + 2 * k, [0, 3 + 2 * k]] = 1
        matrix[3 + 2 * k, 1] = 1
    dag = sp.Dag(matrix)
    assert len(dag.adjustment_sets(0, 1)) == 64
    assert len(dag.adjustment_sets(0, 1, most=5)) == 5


@pytest.fixture
def chain():
    return sp.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["smoking", "tar", "cancer"])


def test_an_unknown_node_is_refused_with_the_nearest_name(chain):
    with pytest.raises(sp.GraphError, match="no node is called 'smokng'; did you mean 'smoking'"):
        chain.d_separated("smokng", "cancer")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda g: g.identified("tar", "tar"), "tar cannot be in both cause and outcome"),
        (lambda g: g.d_separated("tar", "cancer", ["tar"]), "tar cannot be in both a and given"),
        (lambda g: g.is_adjustment_set("tar", "cancer", "cancer"), "both outcome and adjusting"),
        (lambda g: g.d_separated([], "tar"), "a is empty"),
        (lambda g: g.adjustment_sets("tar", "cancer", most=0), "most must be a positive integer"),
        (lambda g: g.optimal_adjustment_set("cancer", "tar"), "no member has a directed path from cancer"),
        (lambda g: g.parent_adjustment("cancer", "tar"), "tar is a cause of cancer"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_words(chain, ask, words):
    with pytest.raises(sp.GraphError, match=words):
        ask(chain)


def test_an_effect_that_is_not_identified_is_refused_with_the_edge(chain):
    with pytest.raises(sp.GraphError, match="tar -- cancer has no direction"):
        chain.to_cpdag().optimal_adjustment_set("tar", "cancer")


def test_parents_that_no_member_has_are_refused(chain):
    with pytest.raises(sp.GraphError, match="in no member are smoking, cancer the parents of tar"):
        chain.to_cpdag().with_parents("tar", ["smoking", "cancer"])
