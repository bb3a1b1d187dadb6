import numpy as np
import pytest
from hypothesis import given

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.strategies import dags, law

RULES = {
    1: ("w>x x-y", "x>y"),
    2: ("x>z z>y x-y", "x>y"),
    3: ("x-z x-w z>y w>y x-y", "x>y"),
    4: ("x-w x-z x-y w>z z>y", "x>y"),
}


def pdag(words):
    """Matrix over x, y, z, w from words such as x>y (arrow) and x-y (line)."""
    matrix = np.zeros((4, 4), dtype=np.int64)
    for word in words.split():
        i, j = "xyzw".index(word[0]), "xyzw".index(word[2])
        matrix[i, j] = 1
        matrix[j, i] = word[1] == "-"
    return matrix


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_orients_its_edge(rule):
    before, arrow = RULES[rule]
    closed = graph.meek_closure(pdag(before))
    after = pdag(before)
    i, j = np.argwhere(pdag(arrow))[0]
    after[j, i] = 0
    assert np.array_equal(closed, after)


@law
@given(dags())
def test_a_cpdag_is_closed(dag):
    cpdag = graph.dag_to_cpdag(dag)
    assert np.array_equal(graph.meek_closure(cpdag), cpdag)


@law
@given(dags())
def test_closing_again_changes_nothing(dag):
    cpdag = graph.dag_to_cpdag(dag)
    lines = np.argwhere(cpdag & cpdag.T & dag)
    if len(lines):
        i, j = lines[0]
        cpdag[j, i] = 0
    closed = graph.meek_closure(cpdag)
    assert np.array_equal(graph.meek_closure(closed), closed)


def test_arrows_that_contradict_each_other_are_refused():
    ring = pdag("x>y y>z z>x")
    with pytest.raises(GraphError, match="x0 -> x1 -> x2 -> x0"):
        graph.meek_closure(ring)
