from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsest.graph.types import Dag
from sparsest.plot.arranging import arranged, causal_order
from sparsest.plot.coordinates import _spread
from sparsest.plot.crossings import count_crossings, untangle
from sparsest.plot.drawn_edges import edges_of
from sparsest.plot.figure import curve_of
from sparsest.plot.layers import assign_layers
from sparsest.plot.layout import Spacing, layered
from sparsest.simulate import random_dag

SPACING = Spacing(box=0.2, bend=0.15, row=0.4, port=0.1)
HEIGHT = 0.3


def laid_out(dag, widths):
    """Layout of a DAG over the order 0, 1, ..., each node a block of its own."""
    blocks = [[node] for node in range(len(dag))]
    return layered(dag, blocks, [], widths, np.full(len(dag), HEIGHT), SPACING)


@st.composite
def dags(draw, most=14):
    """A DAG over the order 0, 1, ..., and widths of boxes."""
    p = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    dag = np.triu(rng.random((p, p)) < draw(st.sampled_from([0.0, 0.1, 0.3, 0.7])), 1)
    return dag, rng.uniform(0.3, 2.0, p)


@given(dags())
def test_parents_stand_above_their_children_and_no_layer_is_skipped(case):
    dag, _ = case
    layers = assign_layers(dag, list(range(len(dag))))
    assert all(layers[tail] < layers[head] for tail, head in np.argwhere(dag).tolist())
    assert sorted(set(layers.values())) == list(range(len(set(layers.values()))))


def test_a_wide_layer_is_broken_up():
    star = np.zeros((101, 101), dtype=bool)
    star[0, 1:] = True
    layers = assign_layers(star, list(range(101)))
    assert max(np.bincount(list(layers.values()))) <= 18  # 1.7 √101


@settings(max_examples=60, deadline=None)
@given(dags())
def test_boxes_do_not_overlap_and_lie_on_the_sheet(case):
    dag, widths = case
    layout = laid_out(dag, widths)
    x, y = layout.centres.T
    gap_x = np.abs(x[:, None] - x) - (widths[:, None] + widths) / 2
    gap_y = np.abs(y[:, None] - y) - HEIGHT
    apart = (gap_x > 0.19) | (gap_y > 0.19)
    assert apart[~np.eye(len(dag), dtype=bool)].all()
    assert (x - widths / 2 >= -1e-9).all()
    assert (x + widths / 2 <= layout.size[0] + 1e-9).all()
    assert (y - HEIGHT / 2 >= -1e-9).all()
    assert (y + HEIGHT / 2 <= layout.size[1] + 1e-9).all()


@settings(max_examples=60, deadline=None)
@given(dags())
def test_edges_run_down_from_box_to_box_and_through_no_other(case):
    dag, widths = case
    layout = laid_out(dag, widths)
    assert sorted(layout.routes) == sorted(map(tuple, np.argwhere(dag).tolist()))
    for (tail, head), route in layout.routes.items():
        assert (np.diff(route[:, 1]) < 0).all()
        for node, end, side in ((tail, 0, -1), (head, -1, 1)):
            assert abs(route[end, 0] - layout.centres[node, 0]) <= widths[node] / 2
            assert np.isclose(route[end, 1], layout.centres[node, 1] + side * HEIGHT / 2)
        for point in route[1:-1]:
            inside = np.abs(point - layout.centres) < np.column_stack([widths / 2, np.full(len(dag), 0.15)])
            assert not inside.all(axis=1).any()
            assert 0 <= point[0] <= layout.size[0]


def test_nodes_without_edges_stand_below_the_others():
    dag = np.zeros((5, 5), dtype=bool)
    dag[1, 3] = True
    layout = laid_out(dag, np.ones(5))
    assert layout.centres[[0, 2, 4], 1].max() < layout.centres[[1, 3], 1].min()


def rows_and_gaps(rng, sizes, share):
    starts = np.cumsum([0, *sizes])
    rows = [np.arange(a, b) for a, b in pairwise(starts)]
    gaps = []
    for above, below in pairwise(rows):
        pairs = np.array([(a, b) for a in above for b in below])
        gaps.append(pairs[rng.random(len(pairs)) < share].reshape(-1, 2))
    return rows, gaps


def brute_force_crossings(rows, gaps):
    place = {item: k for row in rows for k, item in enumerate(row.tolist())}
    count = 0
    for gap in gaps:
        edges = [(place[a], place[b]) for a, b in gap.tolist()]
        count += sum((a - c) * (b - d) < 0 for k, (a, b) in enumerate(edges) for c, d in edges[:k])
    return count


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=2, max_size=4), st.integers(0, 10**6))
def test_untangling_keeps_the_rows_and_never_adds_crossings(sizes, seed):
    rows, gaps = rows_and_gaps(np.random.default_rng(seed), sizes, 0.5)
    ordered = untangle(rows, gaps)
    assert [sorted(row.tolist()) for row in ordered] == [row.tolist() for row in rows]
    assert count_crossings(rows, gaps) == brute_force_crossings(rows, gaps)
    assert count_crossings(ordered, gaps) == brute_force_crossings(ordered, gaps)
    assert count_crossings(ordered, gaps) <= count_crossings(rows, gaps)


def test_a_tangled_matching_is_untangled_completely():
    rng = np.random.default_rng(0)
    rows = [np.arange(8), np.arange(8, 16)]
    gaps = [np.column_stack([np.arange(8), 8 + rng.permutation(8)])]
    assert count_crossings(rows, gaps) > 0
    assert count_crossings(untangle(rows, gaps), gaps) == 0


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.1, 3), st.floats(0.1, 2)), min_size=1, max_size=8))
def test_spreading_gives_room_and_changes_nothing_that_has_it(items):
    wish, weight, room = (np.array(column) for column in zip(*items, strict=True))
    places = _spread(wish, weight, room)
    least = (room[:-1] + room[1:]) / 2
    assert (np.diff(places) >= least - 1e-9).all()
    assert np.allclose(_spread(places, weight, room), places)
    # The best common shift is no shift: otherwise the fit would not be of least squares.
    assert abs((weight * (places - wish)).sum()) < 1e-8 * weight.sum() * 10


@st.composite
def classes(draw):
    """The CPDAG of a random DAG as edges to draw, widths and heights."""
    dag, widths = draw(dags())
    tall = np.random.default_rng(len(dag)).uniform(0.2, 0.8, len(dag))
    return edges_of(Dag(dag.astype(int)).to_cpdag()), widths, tall


@settings(max_examples=80, deadline=None)
@given(classes(), st.sampled_from(["layers", "springs"]))
def test_no_end_of_an_open_edge_is_above_because_of_a_member_and_arrows_point_down(case, view):
    edges, widths, tall = case
    layout = arranged(edges, widths, tall, SPACING, view)
    for edge in edges:
        tail, head = layout.centres[[edge.tail, edge.head], 1]
        if view == "layers":
            assert tail > head if edge.directed else tail == head
        curve = curve_of(edge, layout)
        for end, node in ((0, edge.tail), (-1, edge.head)):
            off = np.abs(curve[end] - layout.centres[node]) - np.array([widths[node], tall[node]]) / 2
            assert off.max() <= 1e-6  # it starts and ends at its boxes


@settings(max_examples=80, deadline=None)
@given(classes(), st.sampled_from(["layers", "springs"]))
def test_boxes_of_a_class_do_not_overlap_and_lie_on_the_sheet(case, view):
    edges, widths, tall = case
    layout = arranged(edges, widths, tall, SPACING, view)
    x, y = layout.centres.T
    over_x = (widths[:, None] + widths) / 2 - np.abs(x[:, None] - x)
    over_y = (tall[:, None] + tall) / 2 - np.abs(y[:, None] - y)
    hit = (over_x > 1e-6) & (over_y > 1e-6)
    assert not hit[~np.eye(len(x), dtype=bool)].any()
    for centre, size, most in zip((x, y), (widths, tall), layout.size, strict=True):
        assert (centre - size / 2).min() >= -1e-6
        assert (centre + size / 2).max() <= most + 1e-6


@settings(max_examples=60, deadline=None)
@given(dags())
def test_in_causal_order_arrows_lead_forward(case):
    cpdag = Dag(case[0].astype(int)).to_cpdag()
    place = np.argsort(causal_order(cpdag.pattern))
    assert sorted(place) == list(range(len(cpdag)))
    names = list(cpdag.names)
    assert all(place[names.index(a)] < place[names.index(b)] for a, b in cpdag.directed_edges)


@pytest.mark.parametrize("p", [8, 13, 20])
def test_springs_keep_lines_off_boxes(p):
    rng = np.random.default_rng(p)
    graph = random_dag(p, 1.2, "ER", rng).to_cpdag()
    edges, widths, tall = edges_of(graph), rng.uniform(0.5, 1.6, p), rng.uniform(0.3, 0.6, p)
    layout = arranged(edges, widths, tall, SPACING, "springs")
    for edge, curve in layout.curves.items():
        points = curve[0] + np.linspace(0, 1, 200)[:, None] * (curve[-1] - curve[0])
        for node in set(range(p)) - set(edge):
            off = np.abs(points - layout.centres[node]) >= np.array([widths[node], tall[node]]) / 2
            assert off.any(axis=1).all()
