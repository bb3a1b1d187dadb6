import re
from dataclasses import replace

import pytest

from sparsest_bench import figures, grid_figures, tables


def texts(file):
    """The words of a figure, whose letters are kept as text."""
    return re.findall(r"<text[^>]*>([^<]+)</text>", file.read_text(encoding="utf-8"))


def one_size(kept):
    """The same with the tables of one number of columns."""
    return replace(kept, records=tuple(one for one in kept.records if one.spec["p"] == 5))


def test_lines_go_along_the_sizes_and_the_legend_names_methods_as_the_experiment_does(kept, tmp_path):
    raw, standardised = figures.draw(kept, tmp_path, "x")
    assert raw.name == "x-raw.svg"
    for file, data in ((raw, "raw"), (standardised, "standardised")):
        words = texts(file)
        assert f"Mine: {data} data" in words
        assert {"5", "10", "columns p", "ER1"} <= set(words)
        assert words.index("auto") < words.index("empty")


def test_with_one_size_the_methods_stand_side_by_side_and_say_where_they_have_fewer_tables(kept, tmp_path):
    fewer = one_size(kept)
    lost = next(one for one in fewer.records if one.spec["method"] == "empty")
    rest = tuple(one for one in fewer.records if one.key != lost.key)
    words = texts(figures.draw(replace(fewer, records=rest), tmp_path, "x")[0])
    assert "Mine: raw data, p = 5" in words
    assert words.index("auto") < words.index("empty (1)")
    assert "columns p" not in words


@pytest.mark.parametrize("figure", ["lines", "boxes", "times"])
def test_every_kind_of_figure_can_be_drawn_of_one_kind_of_data(kept, tmp_path, figure):
    raw = tuple(one for one in kept.records if one.spec["data"] == "raw")
    one_kind = replace(kept, records=raw, experiment=replace(kept.experiment, figure=figure))
    (file,) = figures.draw(one_kind, tmp_path, "x")
    assert {"auto", "empty"} <= set(texts(file))


def test_intervals_of_errors_do_not_reach_below_none_at_all(kept):
    # auto has SHD 0 and 2 on two tables: a mean of 1, and by Student's t ± 12.7
    cell = next(cell for cell in tables.cells(kept.rows) if cell.method == "auto")
    interval = cell.interval("shd")
    (below,), (above,) = grid_figures.whiskers([interval])
    assert (below, above) == (1.0, pytest.approx(12.706, abs=1e-3))
    (below,), _ = grid_figures.whiskers([replace(interval, mean=-140.0)])  # an objective may well be negative
    assert below == interval.half
