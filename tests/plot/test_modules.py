import networkx as nx
import numpy as np
import pytest
from matplotlib.patches import FancyBboxPatch

from sparsest.graph.types import Cpdag, Dag
from sparsest.plot.communities import communities, share_inside
from sparsest.plot.drawn_edges import edges_of
from sparsest.plot.figure import draw
from sparsest.plot.modules import modules_of
from sparsest.plot.selection import Drawing


def planted(groups, size, inside, across, rng):
    """A DAG of groups with many edges inside, `across` edges from each to the next one, and the groups."""
    p = groups * size
    group = np.arange(p) // size
    pattern = np.triu((group[:, None] == group) & (rng.random((p, p)) < inside), 1)
    for k in range(groups - 1):
        for j in range(across):
            pattern[k * size + j, (k + 1) * size + j] = True
    return Dag(pattern), group


def words_of(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_planted_groups_are_found_and_every_edge_is_counted_once():
    graph, group = planted(6, 20, 0.4, 2, np.random.default_rng(0))
    joined = graph.pattern | graph.pattern.T
    found, apart = communities(joined)
    assert sorted(tuple(nodes) for nodes in found) == [tuple(np.flatnonzero(group == k)) for k in range(6)]
    assert not apart.size
    assert share_inside(joined, found) == 1 - 2 * 5 / graph.pattern.sum()
    for one in (graph, graph.to_cpdag()):
        modules = modules_of(Drawing(one.names, tuple(edges_of(one))))
        assert modules.arrows.sum() + np.triu(modules.lines).sum() == graph.pattern.sum()
    first = [names[0] for names in modules_of(Drawing(graph.names, tuple(edges_of(graph)))).names]
    assert [group[graph.names.index(name)] for name in first] == [0, 1, 2, 3, 4, 5]  # causes first


@pytest.mark.parametrize("seed", range(8))
def test_modularity_is_close_to_that_of_another_implementation(seed):
    rng = np.random.default_rng(seed)
    joined = np.triu(rng.random((60, 60)) < 0.05, 1)
    joined |= joined.T
    found, apart = communities(joined)
    graph = nx.from_numpy_array(joined)
    every = [set(nodes.tolist()) for nodes in found] + list(nx.connected_components(graph.subgraph(apart)))
    assert sorted(node for nodes in every for node in nodes) == list(range(60))
    other = nx.community.louvain_communities(graph, seed=0)
    assert nx.community.modularity(graph, every) >= nx.community.modularity(graph, other) - 0.03
    assert [list(nodes) for nodes in communities(joined)[0]] == [list(nodes) for nodes in found]


def test_many_columns_in_groups_are_drawn_as_modules_that_say_so():
    graph, _ = planted(12, 20, 0.5, 3, np.random.default_rng(1))
    figure = draw(graph)
    said = words_of(figure)
    assert any("drawn as modules" in word for word in said)
    boxes = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == 12  # groups in a chain: boxes and arrows can be followed
    assert said.count("3") == 11
    assert sum(word.startswith("20 columns, ") for word in said) == 12


def test_modules_that_are_joined_in_many_ways_are_a_matrix_of_numbers():
    rng = np.random.default_rng(2)
    graph, group = planted(10, 25, 0.25, 0, rng)
    pattern = graph.pattern | (np.triu(rng.random((250, 250)) < 0.004, 1) & (group[:, None] != group))
    modules = modules_of(Drawing(graph.names, tuple(edges_of(Dag(pattern)))))
    said = words_of(draw(Dag(pattern)))
    assert any("on the diagonal: edges inside" in word for word in said)
    written = [int(word) for word in said[: int((modules.arrows > 0).sum())]]
    assert sum(written) == pattern.sum()


def test_a_matrix_stays_where_there_are_no_groups_or_a_truth_is_compared_with():
    rng = np.random.default_rng(3)
    mixed = Dag(np.triu(rng.random((220, 220)) < 0.03, 1))
    assert any("drawn as a matrix" in word for word in words_of(draw(mixed)))
    graph, _ = planted(12, 20, 0.3, 1, rng)
    assert any("drawn as a matrix" in word for word in words_of(draw(graph, truth=graph)))


@pytest.mark.parametrize("nodes", [1, 3, 12])
def test_small_and_empty_graphs_have_modules_too(nodes):
    said = words_of(draw(Dag(np.zeros((nodes, nodes))), view="modules"))
    assert f"{nodes} column{'s' if nodes > 1 else ''} without an edge" in said
    cycle = np.ones((nodes, nodes), dtype=bool) & ~np.eye(nodes, dtype=bool)
    assert draw(Cpdag(cycle), view="modules").axes
