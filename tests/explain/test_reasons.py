"""Every arrow of a class has reasons, and they are sound: no circles, every premise holds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.explain.reasons import reasons_for
from tests.graph.strategies import dags

RULES = {"v-structure", "meek-1", "meek-2", "meek-3", "meek-4", "knowledge"}


def named(dag):
    return sp.Dag(dag)


def nothing(dag):
    """Of which knowledge says nothing."""
    return np.zeros_like(dag.pattern)


@given(dags(max_nodes=7))
@settings(max_examples=150, deadline=None)
def test_every_arrow_of_a_class_follows_from_colliders_by_meeks_first_three_rules(matrix):
    dag = named(matrix)
    cpdag = dag.to_cpdag()
    for a, b in cpdag.directed_edges:
        reasons = reasons_for((dag.position(a), dag.position(b)), dag, cpdag, nothing(dag))
        assert (reasons[0].tail, reasons[0].head) == (a, b)
        assert {each.rule for each in reasons} <= RULES - {"meek-4", "knowledge"}
        assert any(each.rule == "v-structure" for each in reasons)
    for a, b in cpdag.undirected_edges:
        assert reasons_for((dag.position(a), dag.position(b)), dag, cpdag, nothing(dag)) == []


@given(dags(max_nodes=7))
@settings(max_examples=150, deadline=None)
def test_the_premises_of_a_reason_are_true_of_the_dag(matrix):
    dag = named(matrix)
    cpdag = dag.to_cpdag()
    edges = set(dag.edges)

    def near(x, y):
        return (x, y) in edges or (y, x) in edges

    for a, b in cpdag.directed_edges:
        for reason in reasons_for((dag.position(a), dag.position(b)), dag, cpdag, nothing(dag)):
            x, y, w = reason.tail, reason.head, reason.witnesses
            assert (x, y) in edges
            assert str(reason).startswith(f"{x} -> {y}: ")
            if reason.rule == "v-structure":
                assert (w[0], y) in edges
                assert not near(x, w[0])
            elif reason.rule == "meek-1":
                assert (w[0], x) in edges
                assert not near(w[0], y)
            elif reason.rule == "meek-2":
                assert {(x, w[0]), (w[0], y)} <= edges
            else:
                assert {(w[0], y), (w[1], y)} <= edges
                assert not near(*w)
                assert near(x, w[0])
                assert near(x, w[1])


@given(dags(max_nodes=6), st.integers(0, 2**16))
@settings(max_examples=100, deadline=None)
def test_what_knowledge_directs_is_put_down_to_it_or_to_what_follows_from_it(matrix, pick):
    dag = named(matrix)
    free = dag.to_cpdag().undirected_edges
    if not free:
        return
    a, b = free[pick % len(free)]
    tail, head = (a, b) if (a, b) in dag.edges else (b, a)
    required = dag.to_numpy() * 0
    required[dag.position(tail), dag.position(head)] = 1
    refined = sp.graph.refine(dag, required=required)
    for x, y in refined.directed_edges:
        reasons = reasons_for((dag.position(x), dag.position(y)), dag, refined, required != 0)
        directly = [(each.tail, each.head) for each in reasons if each.rule == "knowledge"]
        assert directly in ([], [(tail, head)])
        identified = (x, y) in dag.to_cpdag().directed_edges
        assert reasons
        assert any(each.rule == "knowledge" for each in reasons) != identified
