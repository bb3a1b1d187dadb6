"""Live packages, where they are installed: they are not among the packages that the tests bring."""

import numpy as np
import pytest

from sparsest.graph import Cpdag, Dag

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = ["blood pressure", "価格", 'quo"te', "a;b", "alone"]


def both():
    rng = np.random.default_rng(1)
    for _ in range(20):
        dag = Dag(np.triu(rng.random((5, 5)) < 0.5, 1), NAMES)
        yield dag
        yield dag.to_cpdag()


def test_causal_learn_has_the_same_marks_and_gives_them_back():
    pytest.importorskip("causallearn")
    for graph in both():
        made = graph.to_causallearn()
        assert made.get_num_edges() == len(graph.edges)
        assert type(graph).from_causallearn(made) == graph


def test_causal_learn_finds_what_we_read():
    pytest.importorskip("causallearn")
    from causallearn.search.ConstraintBased.PC import pc

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 1000))
    table = np.column_stack([x, y, x + y + 0.5 * rng.normal(size=1000)])
    found = Cpdag.from_causallearn(pc(table, show_progress=False))
    assert found.directed_edges == [("X1", "X3"), ("X2", "X3")]


def test_pgmpy_has_the_same_edges_and_gives_them_back():
    pytest.importorskip("pgmpy")
    for graph in both():
        made = graph.to_pgmpy()
        assert set(made.nodes) == set(graph.names)
        back = type(graph).from_networkx(made)
        assert set(back.edges) == set(graph.edges) or {tuple(sorted(e)) for e in back.edges} == {
            tuple(sorted(e)) for e in graph.edges
        }


def test_dowhy_takes_the_graph():
    dowhy = pytest.importorskip("dowhy")
    import pandas as pd

    rng = np.random.default_rng(0)
    z = rng.normal(size=500)
    table = pd.DataFrame({"z": z, "x": z + rng.normal(size=500)})
    table["y"] = table.x + z + rng.normal(size=500)
    dag = Dag.from_edges(["z -> x", "z -> y", "x -> y"])
    model = dowhy.CausalModel(data=table, treatment="x", outcome="y", graph=dag.to_dowhy())
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    assert estimand.get_backdoor_variables() == ["z"]
