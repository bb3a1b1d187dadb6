import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.export.comparison import compared, comparison_words
from sparsest.export.csv import write_edges
from sparsest.export.graphs import read_graph
from sparsest.export.json import write_json
from sparsest.graph import Dag, cpdag_shd, shd
from sparsest.graph.files import write_graph

COLLIDER = Dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
CHAIN = Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])


TREE = (
    '{"format": "sparsest-graph", "version": %d, "sparsest": "9.9", "names": ["a", "b"], '
    '"dag": [{"source": "a", "target": "%s"}], "cpdag": []}'
)


def written(tmp_path, text, name="graph.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_a_graph_is_read_as_it_was_written(tmp_path):
    write_graph(COLLIDER, tmp_path / "truth.json", {"made": "by hand"})
    for path in (tmp_path / "truth.json", tmp_path):
        read = read_graph(path)
        assert (read.dag, read.graph) == (COLLIDER, COLLIDER.to_cpdag())


@pytest.mark.parametrize(
    ("coefficient", "knowledge"),
    [(1.0, None), (1.0, sp.Knowledge(required=[("x 1", "x, 0")])), (0.0, None)],
)
def test_all_files_of_a_result_are_the_same_graph(tmp_path, knowledge, coefficient):
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 300))
    table = pl.DataFrame({"x, 0": a, "x 1": coefficient * a + b, "x\n2": c})
    result = sp.fit(table, knowledge=knowledge)
    result.save(tmp_path / "r.sparsest")
    write_json(result, tmp_path / "r.json")
    write_edges(result, tmp_path / "edges.csv")
    read = [read_graph(tmp_path / name) for name in ("r.sparsest", "r.json", "edges.csv")]
    for one in read[:2]:
        assert (one.graph, one.dag) == (result.cpdag, result.dag)
        assert type(one.graph) is type(result.cpdag)
    assert [compared(read[0], one)["differences"] for one in read] == [[], [], []]


@pytest.mark.parametrize(
    "text",
    [
        "source,target\na,c\nb,c\n",
        "from\tto\na\tc\nb\tc\n",
        "a,b,c\n0,0,1\n0,0,-0.5\n0,0,0\n",
        ",a,b,c\na,0,0,1\nb,0,0,2\nc,0,0,0\n",
        "node,a,b,c\nc,0,0,0\nb,0,0,2\na,0,0,1\n",
        "a,b,c\na,0,0,1\nc,0,0,0\nb,0,0,1\n",
        '\n"source","target"\n \n"a","c"\n"b","c"\na,c\n',
        "\ufeffcause,effect\r\na,c\r\nb,c\r\n",
    ],
)
def test_lists_of_edges_and_matrices_of_other_programs(tmp_path, text):
    read = read_graph(written(tmp_path, text))
    assert compared(read_graph_of(COLLIDER, tmp_path), read)["shd_dag"] == 0
    assert set(read.dag.edges) == {("a", "c"), ("b", "c")}


def read_graph_of(dag, tmp_path):
    write_graph(dag, tmp_path / "of.json", {})
    return read_graph(tmp_path / "of.json")


def test_lines_among_the_edges_make_a_class_without_a_dag(tmp_path):
    for text in ("source,target,mark\nb,a,--\nb,c,--\n", "a,b,c\n0,1,0\n1,0,1\n0,1,0\n"):
        read = read_graph(written(tmp_path, text))
        assert read.dag is None
        assert cpdag_shd(read.graph, CHAIN) == 0


def test_marks_are_taken_at_their_word(tmp_path):
    read = read_graph(written(tmp_path, "Source;Target;Mark;weight\na;c;->;1\nc;b;<-;2\n"))
    assert read.dag is None
    assert cpdag_shd(read.graph, COLLIDER) == 0


def test_both_directions_are_a_line_in_lists_and_matrices(tmp_path):
    for text in ("from,to\na,b\nb,a\n", "a,b\n0,1\n1,0\n"):
        read = read_graph(written(tmp_path, text))
        assert read.graph.undirected_edges == [("a", "b")]


def test_a_pdag_that_is_no_class_is_compared_mark_by_mark(tmp_path):
    # a -> b -- c: the rest of the class would follow from the arrow.
    read = read_graph(written(tmp_path, "source,target,mark\na,b,->\nb,c,--\n"))
    found = compared(read_graph_of(CHAIN, tmp_path), read)
    assert found["shd"] == 1
    assert found["is_class"] == [True, False]
    assert "only the second has arrows that its class does not imply" in comparison_words(found)


def test_a_list_without_edges_is_the_empty_graph_over_the_nodes_of_the_other(tmp_path):
    empty = read_graph(written(tmp_path, "source,target,mark,weight\n"))
    assert compared(read_graph_of(COLLIDER, tmp_path), empty)["adjacencies"]["missing"] == 2
    with pytest.raises(sp.GraphError, match="the nodes are unknown"):
        compared(empty, empty)


def test_a_share_of_nothing_is_null_in_files_and_a_dash_in_words(tmp_path):
    empty = read_graph(written(tmp_path, "source,target,mark,weight\n"))
    found = compared(read_graph_of(COLLIDER, tmp_path), empty)
    assert found["adjacencies"]["precision"] is None
    assert "2 missing (precision –, recall 0.00, F1 0.00)" in comparison_words(found)
    assert "2 missing (precision -, recall 0.00, F1 0.00)" in comparison_words(found, ascii=True)


def test_nodes_without_edges_are_added_to_a_list_and_to_nothing_else(tmp_path):
    edges = read_graph(written(tmp_path, "source,target\nc,a\n"))
    found = compared(read_graph_of(COLLIDER, tmp_path), edges)
    assert (found["nodes"], found["shd_dag"]) == (3, 2)
    strangers = read_graph(written(tmp_path, "a,z\n0,1\n0,0\n"))
    with pytest.raises(sp.GraphError, match=r"of.json' has b, c, and '.*graph.csv' does not"):
        compared(read_graph_of(COLLIDER, tmp_path), strangers)
    others = read_graph(written(tmp_path, "source,target\ny,z\n"))
    with pytest.raises(sp.GraphError, match="no node in common"):
        compared(read_graph_of(COLLIDER, tmp_path), others)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "g.csv", "is empty"),
        ("source,target\na,a\n", "g.csv", "an edge from 'a' to itself in line 2"),
        ("source,target\na,\n", "g.csv", "without a source or a target in line 2"),
        (
            "source,target,mark\n\na,b,->\nb,a,--\n",
            "g.csv",
            "a directed and an undirected edge .* lines 3 and 4",
        ),
        ("a,a\n0,1\n0,0\n", "g.csv", "'a'"),
        ("a,b\n0,nan\n0,0\n", "g.csv", "has nan in row 'a' and column 'b'"),
        (",a,b\na,0,1\nc,0,0\n", "g.csv", "different names for its rows and its columns: 'c'"),
        ("source,target,mark\na,b,=>\n", "g.csv", r"the mark '=>' in line 2; marks are ->, <-, --"),
        ("source,target\na\n", "g.csv", "too few cells in line 2"),
        ("a,b,c\n0,1,0\n", "g.csv", "neither a list of edges.* names 3 nodes, and 1 lines follow"),
        ("a,b\n0,x\n0,0\n", "g.csv", "not a number"),
        ("{}", "g.json", "not a graph that sparsest wrote"),
        ("[1]", "g.json", "not a graph that sparsest wrote"),
        ("[" * 10**5, "g.json", "not a graph that sparsest wrote"),
        (TREE % (1, "z"), "g.json", "not a graph that sparsest wrote"),
        (TREE % (99, "b"), "g.json", "written by sparsest 9.9: update"),
    ],
)
def test_a_file_that_is_no_graph_is_refused_by_name(tmp_path, text, name, words):
    with pytest.raises(sp.SparsestError, match=words) as error:
        read_graph(written(tmp_path, text, name))
    assert name in str(error.value)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "g.csv").write_bytes(b"source,target\n\xe9,b\n")
    with pytest.raises(sp.DataError, match=r"g.csv' is not UTF-8: save it in UTF-8"):
        read_graph(tmp_path / "g.csv")


def test_a_folder_without_a_graph_or_with_two_is_refused(tmp_path):
    with pytest.raises(sp.DataError, match=r"has neither of result.json and truth.json"):
        read_graph(tmp_path)
    for name in ("result.json", "truth.json"):
        write_graph(CHAIN, tmp_path / name, {})
    with pytest.raises(sp.DataError, match=r"has both of result.json and truth.json"):
        read_graph(tmp_path)


@given(st.integers(0, 2**32 - 1), st.integers(2, 7))
def test_the_differences_are_the_pairs_that_the_distance_counts(tmp_path_factory, seed, p):
    folder = tmp_path_factory.mktemp("graphs")
    rng = np.random.default_rng(seed)
    dags = [Dag(np.triu(rng.random((p, p)) < 0.5, 1).astype(int)) for _ in range(2)]
    first, second = (read_graph_of(dag, folder) for dag in dags)
    found = compared(first, second)
    assert found["shd"] == len(found["differences"]) == cpdag_shd(*dags)
    assert found["shd_dag"] == shd(*dags)
    assert compared(first, first)["differences"] == []
    listed = comparison_words(found, None).splitlines()
    assert len(listed) == 4 + (found["shd"] > 0) + found["shd"]
    assert comparison_words(found, None, ascii=True).isascii()


def test_only_some_differences_are_listed_unless_all_are_asked_for(tmp_path):
    empty = Dag(np.zeros((6, 6), dtype=int))
    full = Dag(np.triu(np.ones((6, 6), dtype=int), 1))
    write_graph(full, tmp_path / "full.json", {})
    found = compared(read_graph_of(empty, tmp_path), read_graph(tmp_path / "full.json"))
    words = comparison_words(found)
    assert words.endswith("  and 5 more")
    assert "  not joined  x0 – x1" in words
