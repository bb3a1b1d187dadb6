import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.export.comparison import compared, comparison_words
from sparsest.export.graphs import read_graph, write_graph
from sparsest.graph import Cpdag, Dag, Mpdag, cpdag_shd, shd

COLLIDER = Dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
CHAIN = Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])


def written(tmp_path, text, name="graph.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_a_graph_is_read_as_it_was_written(tmp_path):
    write_graph(COLLIDER, tmp_path / "truth.json", {"made": "by hand"})
    for path in (tmp_path / "truth.json", tmp_path):
        read = read_graph(path)
        assert (read.dag, read.graph) == (COLLIDER, COLLIDER.to_cpdag())


def test_saved_results_are_read_with_their_classes(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    data = np.column_stack([a, a + rng.normal(size=300), rng.normal(size=300)])
    known = sp.Knowledge(required=[("x1", "x0")])
    for knowledge, kind in ((None, Cpdag), (known, Mpdag)):
        result = sp.fit(data, knowledge=knowledge)
        result.save(tmp_path / "r.sparsest")
        from sparsest.export.json import write_json

        write_json(result, tmp_path / "r.json")
        for name in ("r.sparsest", "r.json"):
            read = read_graph(tmp_path / name)
            assert type(read.graph) is kind
            assert (read.graph, read.dag) == (result.cpdag, result.dag)


@pytest.mark.parametrize(
    "text",
    [
        "source,target\na,c\nb,c\n",
        "Source;Target;Mark;weight\na;c;->;1\nc;b;<-;2\n",
        "from\tto\na\tc\nb\tc\n",
        "a,b,c\n0,0,1\n0,0,-0.5\n0,0,0\n",
        ",a,b,c\na,0,0,1\nb,0,0,2\nc,0,0,0\n",
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


def test_nodes_without_edges_are_added_to_a_list_and_to_nothing_else(tmp_path):
    edges = read_graph(written(tmp_path, "source,target\nc,a\n"))
    found = compared(read_graph_of(COLLIDER, tmp_path), edges)
    assert (found["nodes"], found["shd_dag"]) == (3, 2)
    strangers = read_graph(written(tmp_path, "a,z\n0,1\n0,0\n"))
    with pytest.raises(sp.GraphError, match="over the same nodes only"):
        compared(read_graph_of(COLLIDER, tmp_path), strangers)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "g.csv", "is empty"),
        ("source,target\n", "g.csv", "has no edges"),
        ("source,target,mark\na,b,=>\n", "g.csv", r"the mark '=>' in line 2; marks are ->, <-, --"),
        ("source,target\na\n", "g.csv", "too few cells in line 2"),
        ("source,target\na,b\nb,a\n", "g.csv", "'.*g.csv': not acyclic: a -> b -> a"),
        ("a,b\n0,1\n", "g.csv", "neither a list of edges.* names 2 nodes, and 1 lines follow"),
        ("a,b\n0,x\n0,0\n", "g.csv", "no number"),
        ("{}", "g.json", "not a graph that sparsest wrote"),
        ("[1]", "g.json", "not a graph that sparsest wrote"),
    ],
)
def test_a_file_that_is_no_graph_is_refused_by_name(tmp_path, text, name, words):
    with pytest.raises(sp.SparsestError, match=words) as error:
        read_graph(written(tmp_path, text, name))
    assert name in str(error.value)


def test_a_folder_without_a_graph_is_refused(tmp_path):
    with pytest.raises(sp.DataError, match=r"has neither of result.json and truth.json"):
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
