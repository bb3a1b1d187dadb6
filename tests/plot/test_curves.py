from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsest.plot.curves import arrow, smooth

routes = st.lists(st.floats(-5, 5), min_size=2, max_size=8).map(
    lambda xs: np.column_stack([xs, -np.arange(len(xs), dtype=float)])
)


@given(routes)
def test_a_smooth_curve_passes_its_points_and_stays_between_them(route):
    curve = smooth(route)
    for point in route:
        assert np.isclose(curve, point, atol=1e-9).all(axis=1).any()
    assert (np.diff(curve[:, 1]) < 0).all()
    for above, below in pairwise(route):
        part = curve[(curve[:, 1] <= above[1]) & (curve[:, 1] >= below[1]), 0]
        assert part.min() >= min(above[0], below[0]) - 1e-9
        assert part.max() <= max(above[0], below[0]) + 1e-9


def test_points_in_line_give_a_straight_line():
    curve = smooth(np.array([[0.0, 0.0], [0.5, -1.0], [1.0, -2.0], [1.5, -3.0]]))
    assert np.allclose(curve[:, 0], -curve[:, 1] / 2)


@given(routes, st.floats(0.01, 0.9))
def test_an_arrowhead_has_its_tip_where_the_curve_ended_and_the_line_ends_inside_it(route, length):
    curve = smooth(route)
    line, head = arrow(curve, length, length / 2)
    assert np.allclose(head[0], curve[-1])
    assert np.allclose(line[0], curve[0])
    base = head[1:].mean(axis=0)
    assert np.isclose(np.linalg.norm(head[1] - head[2]), length / 2)
    assert np.linalg.norm(line[-1] - head[0]) < np.linalg.norm(base - head[0]) <= length + 1e-9
