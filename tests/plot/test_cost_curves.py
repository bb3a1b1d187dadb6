import numpy as np

import sparsest as sp


def test_a_panel_for_each_curve_with_every_choice_marked(tmp_path):
    table = np.random.default_rng(0).normal(size=(60, 3))
    table[:, 1] += table[:, 0]
    path = sp.path(table, points=5, folds=2, subsamples=2)
    figure = path.plot(tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").stat().st_size > 0
    edges, held_out, unstable = figure.axes
    assert edges.lines[0].get_xydata().tolist() == [[point.cost, point.edges] for point in path.points]
    assert held_out.lines[0].get_ydata().tolist() == [-point.behind for point in path.points]
    assert unstable.lines[0].get_ydata().tolist() == [point.instability for point in path.points]
    marked = {line.get_label(): line.get_xdata()[0] for line in edges.lines[1:]}
    assert marked == {rule: path.choose(rule).cost for rule in path.rules}
    assert edges.get_xlim()[0] > edges.get_xlim()[1]  # dear edges on the left


def test_curves_that_are_not_there_have_no_panel():
    moments = sp.Moments(np.array([[1.0, 0.5], [0.5, 1.0]]), 100)
    assert len(sp.path(moments, points=3, subsamples=2).plot().axes) == 2
    assert len(sp.path(moments, points=3, subsamples=0).plot().axes) == 1
