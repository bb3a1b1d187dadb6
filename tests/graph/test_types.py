import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array

from sparsest import graph
from sparsest._core.errors import GraphError
from sparsest.graph import Cpdag, Dag
from tests.graph.strategies import complete_graph, dags, law, path

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
NAMES = ["age", "dose", "cure"]


@pytest.fixture
def dag():
    return Dag(CHAIN, NAMES)


@pytest.fixture
def cpdag():
    """a -> c <- b with b -- d."""
    return Cpdag([[0, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], ["a", "b", "c", "d"])


def test_a_dag_says_what_it_is(dag):
    assert dag.names == ("age", "dose", "cure")
    assert dag.edges == [("age", "dose"), ("dose", "cure")]
    assert len(dag) == 3
    assert repr(dag) == "Dag(3 nodes, 2 edges: age -> dose, dose -> cure)"
    assert np.array_equal(dag.to_numpy(), CHAIN)


def test_a_cpdag_says_what_it_is(cpdag):
    assert cpdag.kind == "cpdag"
    assert cpdag.directed_edges == [("a", "c"), ("b", "c")]
    assert cpdag.undirected_edges == [("b", "d")]
    assert cpdag.edges == [("a", "->", "c"), ("b", "->", "c"), ("b", "--", "d")]
    assert repr(cpdag) == "Cpdag(4 nodes, 3 edges: a -> c, b -> c, b -- d)"


def test_a_long_repr_is_cut():
    assert repr(Dag(np.triu(complete_graph(9)))).endswith("x0 -> x4, ... (32 more))")
    assert repr(Dag([[0]])) == "Dag(1 node, 0 edges)"


def test_relatives_are_found_by_name_and_by_position(dag, cpdag):
    assert dag.parents("cure") == dag.parents(2) == dag.parents(np.int64(2)) == ["dose"]
    assert dag.children("age") == ["dose"]
    assert dag.children("cure") == []
    assert cpdag.parents("c") == ["a", "b"]
    assert cpdag.parents("d") == cpdag.children("d") == []
    assert cpdag.neighbors("d") == ["b"]


@pytest.mark.parametrize("node", ["height", 3, -1])
def test_a_node_that_does_not_exist_is_refused(dag, node):
    with pytest.raises(GraphError, match="no node"):
        dag.parents(node)


def test_names_default_to_x0_x1_and_are_kept_by_conversions(dag):
    assert Dag(CHAIN).names == ("x0", "x1", "x2")
    assert dag.to_cpdag().names == dag.to_cpdag().to_dag().names == dag.names
    assert Dag(dag).names == dag.names


def test_equality_is_of_kind_names_and_edges(dag):
    assert dag == Dag(CHAIN.astype(float), NAMES)
    assert hash(dag) == hash(Dag(CHAIN, NAMES))
    assert dag != Dag(CHAIN)
    assert dag != Dag(CHAIN.T, NAMES)
    collider = [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert Dag(collider) != Cpdag(collider)
    assert dag != "dag"


def test_a_graph_cannot_be_changed(dag):
    with pytest.raises(ValueError, match="read-only"):
        dag.matrix[0, 2] = 1
    with pytest.raises(AttributeError):
        dag.names = ("a", "b", "c")
    mine = dag.to_numpy()
    mine[:] = 0
    given_matrix = CHAIN.copy()
    other = Dag(given_matrix, NAMES)
    given_matrix[:] = 0
    assert dag == other == Dag(CHAIN, NAMES)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_a_copy_is_equal_and_cannot_be_changed_either(dag, cpdag, copied):
    for original in (dag, cpdag):
        twin = copied(original)
        assert twin == original
        assert not twin.matrix.flags.writeable


def test_numpy_sees_an_int64_matrix(dag):
    assert np.asarray(dag).dtype == np.int64
    assert np.array(dag, dtype=float).dtype == float
    assert np.asarray(dag).flags.writeable
    assert np.shares_memory(dag.__array__(np.int8, copy=False), dag.matrix)
    assert not np.asarray(dag, dtype=np.int8).flags.writeable
    assert np.array(dag, dtype=np.int8).flags.writeable
    with pytest.raises(ValueError, match="needs a copy"):
        dag.__array__(copy=False)  # what np.asarray(dag, copy=False) asks for since NumPy 2


def test_long_paths_are_counted_without_overflow():
    """Why what leaves is int64: 2^9 paths lead through nine pairs."""
    ladder = np.kron(np.eye(10, k=1, dtype=int), np.ones((2, 2), dtype=int))
    assert np.linalg.matrix_power(Dag(ladder).to_numpy(), 9)[0, -1] == 2**8


@law
@given(dags())
def test_networkx_has_the_same_nodes_and_edges(matrix):
    dag = Dag(matrix)
    network = dag.to_networkx()
    assert tuple(network.nodes) == dag.names
    assert sorted(network.edges) == sorted(dag.edges)
    both_ways = dag.to_cpdag().to_networkx()
    assert np.array_equal(nx.to_numpy_array(both_ways, dtype=int), dag.to_cpdag().to_numpy())


@pytest.mark.parametrize("kind", [Dag, Cpdag])
@pytest.mark.parametrize(
    ("matrix", "names", "words"),
    [
        (np.zeros((2, 3)), None, r"square matrix.*\(2, 3\)"),
        (np.zeros(4), None, r"square matrix.*\(4,\)"),
        ([[0, 1], [0]], None, "square matrix"),
        ([[0, 0], [2, 0]], None, r"matrix\[1, 0\] is 2.*weights != 0"),
        ([[0, -0.5], [0, 0]], None, r"matrix\[0, 1\] is -0.5"),
        ([[0, np.nan], [0, 0]], None, r"matrix\[0, 1\] is nan.*finite"),
        ([["0", "1"], ["0", "0"]], None, "must be numeric"),
        (csr_array((2, 2)), None, r"\.toarray\(\)"),
        ([[0, 0], [0, 1]], ["a", "b"], r"matrix\[1, 1\].*b would be its own cause"),
        (np.zeros((2, 2)), ["a", "a"], "'a' is given to more than one node"),
        (np.zeros((2, 2)), ["a", "b", "c"], "3 names for 2 nodes"),
        (np.zeros((2, 2)), "ab", "single string"),
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], NAMES, "age -> dose -> cure -> age"),
    ],
)
def test_a_bad_matrix_or_name_is_refused_with_the_place(kind, matrix, names, words):
    with pytest.raises(GraphError, match=words):
        kind(matrix, names)


def test_an_undirected_edge_in_a_dag_is_explained():
    with pytest.raises(GraphError, match=r"x0 -> x1 -> x0.*undirected edge"):
        Dag(path(2))


def test_a_cpdag_must_be_one():
    with pytest.raises(GraphError, match="here dose -> cure, but in the CPDAG of its class dose -- cure"):
        Cpdag([[0, 1, 0], [1, 0, 1], [0, 0, 0]], NAMES)


def test_no_function_changes_what_it_is_given():
    dag, cpdag = CHAIN.copy(), path(3)
    one = [graph.is_dag, graph.topological_order, graph.find_cycle, graph.dag_to_cpdag, graph.mec_size]
    one += [graph.is_cpdag, graph.cpdag_to_dag, graph.meek_closure, lambda m: list(graph.mec_members(m)), Dag]
    for function in one:
        function(dag)
    for function in (graph.shd, graph.cpdag_shd, graph.markov_equivalent, graph.compare):
        function(dag, dag)
    for function in (graph.mec_size, graph.cpdag_to_dag, lambda m: list(graph.mec_members(m)), Cpdag):
        function(cpdag)
    assert np.array_equal(dag, CHAIN)
    assert np.array_equal(cpdag, path(3))
