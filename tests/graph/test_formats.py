"""Every way out of a graph and back again leaves it as it was, whatever the names."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.graph import Cpdag, Dag, Mpdag, refine

AWKWARD = (
    "", " ", "a b", "a;b", "a,b", 'quo"te', "back\\slash", "end\\", "two\nlines", "\r", "tab\t", "% 25%20",
    "%", "</script>", "<b>&amp;", "&#38;", "javascript:alert(1)", "\u202eright\u202c", "价格", "גיל",
    "é\u0301", "->", "a -> b", "dag", "graph", "node", "{", "[x]", "#", "//", "/*", "\x00", "\x07", "\x7f",
    "\x85", "\u2028", "None", "n0", "v1", "1", "-1", "x" * 300, "\\n", "\\u0041", "Graph Edges:", "\ufeff",
)  # fmt: skip
TEXTS = ("dot", "dagitty", "tetrad", "caugi", "graphml", "gml")


@st.composite
def graphs(draw):
    """A DAG, its class, or its class refined by knowledge, with awkward names."""
    p = draw(st.integers(0, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    names = draw(
        st.lists(
            st.one_of(st.sampled_from(AWKWARD), st.text(max_size=8)), min_size=p, max_size=p, unique=True
        )
    )
    order = rng.permutation(p)
    dag = Dag(np.triu(rng.random((p, p)) < 0.5, 1)[np.ix_(order, order)], names)
    kind = draw(st.sampled_from(["dag", "cpdag", "mpdag"]))
    if kind == "dag":
        return dag
    if kind == "cpdag":
        return dag.to_cpdag()
    allowed = ~np.eye(p, dtype=bool)
    for i, j in np.argwhere(dag.pattern)[:2]:
        allowed[j, i] = False
    return Mpdag(refine(dag, allowed, np.zeros((p, p), dtype=bool)))


@settings(max_examples=120, deadline=None)
@given(graphs())
def test_text_of_other_programs_is_read_again_unchanged(graph):
    for name in TEXTS:
        text = getattr(graph, f"to_{name}")()
        assert getattr(type(graph), f"from_{name}")(text) == graph, name


@settings(max_examples=120, deadline=None)
@given(graphs())
def test_objects_and_tables_are_read_again_unchanged(graph):
    assert type(graph).from_networkx(graph.to_networkx()) == graph
    assert type(graph).from_edges(graph.to_frame(), names=graph.names) == graph


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_networkx_reads_our_gml_and_graphml(graph):
    if not len(graph) or any(
        not name.strip() or not name.isprintable() or "&" in name for name in graph.names
    ):
        return
    for text, parse in ((graph.to_gml(), _gml), (graph.to_graphml(), _graphml)):
        found = parse(text)
        assert sorted(found.nodes) == sorted(graph.names)


def _gml(text):
    return nx.parse_gml(text.split("\n"))


def _graphml(text):
    found = nx.parse_graphml(text.replace('directed="false"', 'directed="true"'))
    return nx.relabel_nodes(found, {node: data["name"] for node, data in found.nodes(data=True)})


@pytest.mark.parametrize(
    "ending", [".dot", ".gv", ".dagitty", ".txt", ".caugi.json", ".graphml", ".gml", ".json"]
)
@pytest.mark.parametrize("kind", ["dag", "cpdag", "open"])
def test_a_file_is_read_again_as_the_same_kind_of_graph(tmp_path, ending, kind):
    dag = Dag.from_edges(["rain -> wet", "sprinkler -> wet", "wet -> 'slippery'"], None)
    chain = Dag.from_edges(["a b -> c", "c -> d"], names=["a b", "c", "d", "alone"])
    graph = {"dag": dag, "cpdag": dag.to_cpdag(), "open": chain.to_cpdag()}[kind]
    graph.write(tmp_path / f"graph{ending}")
    found = sp.graph.read(tmp_path / f"graph{ending}")
    if kind == "cpdag" and ending in (".txt",):  # Tetrad's text does not say what its arrows are of
        assert found == dag
        found = sp.graph.read(tmp_path / f"graph{ending}", kind="cpdag")
    assert found == graph


def test_a_dag_for_networkx_has_weights_and_a_class_has_marks():
    dag = Dag([[0, 1], [0, 0]], ["a", "b"])
    network = dag.to_networkx(weights=[[0, 2.5], [0, 0]])
    assert network.edges["a", "b"]["weight"] == 2.5
    assert type(network) is nx.DiGraph
    arcs = dag.to_cpdag().to_networkx()
    assert sorted(arcs.edges(keys=True)) == [("a", "b", "--"), ("b", "a", "--")]
    with pytest.raises(sp.GraphError, match="one row and column per node"):
        dag.to_networkx(weights=[[1]])


def test_undirected_networks_are_read_as_edges_without_a_direction():
    assert Cpdag.from_networkx(nx.path_graph(3)).undirected_edges == [("0", "1"), ("1", "2")]
    with pytest.raises(sp.GraphError, match="same name as text"):
        Cpdag.from_networkx(nx.Graph([(1, "1")]))
    with pytest.raises(sp.GraphError, match="not a list"):
        Dag.from_networkx([])


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_a_data_frame_of_edges_is_a_graph(frame):
    table = frame({"cause": ["a", "b"], "effect": ["b", "c"], "weight": [1.0, 2.0]})
    assert Dag.from_edges(table).edges == [("a", "b"), ("b", "c")]
    with pytest.raises(sp.GraphError, match="source and target"):
        Dag.from_edges(frame({"x": ["a"]}))


def test_plain_text_of_other_programs_is_read():
    dot = (
        'strict digraph "g" { rankdir=LR; node [shape=box]; a -> b -> c [color="red"]; d; c -> d [dir=back] }'
    )
    assert Dag.from_dot(dot).edges == [("a", "b"), ("b", "c"), ("d", "c")]
    dagitty = (
        'dag { bb="0,0,1,1"\nX [exposure,pos="0.1,0.2"]\n"Y 1" [outcome]\nX -> "Y 1"\nZ -> X\n Z -> "Y 1" }'
    )
    assert Dag.from_dagitty(dagitty).parents("Y 1") == ["X", "Z"]
    tetrad = (
        "Graph Nodes:\nX1;X2;X3\n\nGraph Edges:\n1. X1 --- X2\n2. X2 --- X3\n\nGraph Attributes:\nScore: 1\n"
    )
    assert len(Cpdag.from_tetrad(tetrad).undirected_edges) == 2
    assert Cpdag.from_dot("graph { a -- b -- c }").undirected_edges == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("ending", "text", "words"),
    [
        (".dot", "digraph { a -> {b c} }", "subgraphs are not read"),
        (".dot", "digraph { a -> b", "closing }"),
        (".dagitty", "pag { a @-> b }", "hidden causes"),
        (".dagitty", "dag { a <-> b }", "hidden causes"),
        (".txt", "Graph Nodes:\na;b\n\nGraph Edges:\n1. a o-> b\n", "no edge"),
        (".txt", "Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> c\n", "not among its nodes"),
        (".graphml", "<graphml><graph></graphml>", "not XML"),
        (".graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "document type"),
        (".gml", "graph [ node [ id 0 ] edge [ source 0 target 1 ] ]", "does not join"),
        (".caugi.json", '{"format": "caugi", "graph": {}}', "not the JSON of caugi"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_file(tmp_path, ending, text, words):
    (tmp_path / f"bad{ending}").write_text(text)
    with pytest.raises(sp.DataError, match=words) as error:
        sp.graph.read(tmp_path / f"bad{ending}")
    assert f"bad{ending}" in str(error.value)


def test_a_cycle_is_compared_and_refused_elsewhere(tmp_path):
    (tmp_path / "cyclic.dot").write_text("digraph { a -> b -> c -> a }")
    (tmp_path / "truth.dot").write_text("digraph { a -> b -> c }")
    with pytest.raises(sp.GraphError, match=r"a -> b -> c -> a"):
        sp.graph.read(tmp_path / "cyclic.dot")
    from sparsest.export.comparison import compared
    from sparsest.export.graphs import read_graph

    found = compared(read_graph(tmp_path / "truth.dot"), read_graph(tmp_path / "cyclic.dot"))
    assert found["adjacencies"]["extra"] == 1


def test_a_pdag_that_is_no_class_is_compared_and_refused_elsewhere(tmp_path):
    (tmp_path / "pdag.dagitty").write_text("pdag { a -> b b -- c }")
    with pytest.raises(sp.GraphError, match="neither a DAG nor a class"):
        sp.graph.read(tmp_path / "pdag.dagitty")


def test_tools_that_take_one_dag_refuse_a_class_and_name_the_way_out():
    chain = Dag.from_edges(["a -> b", "b -> c"]).to_cpdag()
    for method in (chain.to_dowhy, chain.to_lavaan):
        with pytest.raises(sp.GraphError, match=r"to_dag\(\)"):
            method()
    assert sorted(chain.to_dag().to_dowhy().nodes) == ["a", "b", "c"]


def test_lavaan_gets_words_and_comments_for_other_names():
    text = Dag.from_edges([("blood pressure", "v1"), ("v1", "y")]).to_lavaan()
    assert text == '# v2 is "blood pressure"\nv1 ~ v2\ny ~ v1\n'


def test_tikz_has_every_node_and_edge_and_no_commands_from_names():
    text = Dag.from_edges([("50%_of $x$", "\\input{a}"), ("b", "\\input{a}")]).to_tikz()
    assert text.count("\\node") == 3
    assert text.count("\\draw[->]") == 2
    assert r"50\%\_of \$x\$" in text
    assert r"\input" not in text.replace(r"\textbackslash{}input", "")


def test_an_unknown_ending_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(sp.OptionError, match=r"\.graphml"):
        Dag([[0]]).write(tmp_path / "graph.xyz")


def test_caugi_json_says_what_it_is():
    tree = json.loads(Dag.from_edges(["a -> b"]).to_caugi())
    assert tree["graph"] == {
        "class": "DAG",
        "nodes": ["a", "b"],
        "edges": [{"from": "a", "to": "b", "edge": "-->"}],
    }


@pytest.mark.parametrize("names", [["a;b"], ["a\tb", "c,d"], ["a;b;c", "x"], ['"a;b"', "x;"]])
def test_separators_in_names_split_no_header_of_a_matrix(tmp_path, names):
    graph = Dag(np.triu(np.ones((len(names), len(names))), 1), names)
    graph.write(tmp_path / "graph.csv")
    again = sp.graph.read(tmp_path / "graph.csv")
    assert again.names == graph.names
    assert (again.to_numpy() == graph.to_numpy()).all()
