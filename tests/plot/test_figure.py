import subprocess
import sys
import unicodedata

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from sparsest._core.errors import GraphError, OptionError
from sparsest._core.words import visible
from sparsest.confidence import Confidence
from sparsest.graph import compare
from sparsest.graph.types import Dag
from sparsest.plot.drawn_edges import Verdict, edges_of
from sparsest.plot.figure import draw
from sparsest.plot.names import wrapped
from sparsest.plot.style import BLUE, GREY, ORANGE, SLATE

NAMES = ("rain", "sprinkler", "wet", "slippery")
# rain -> wet <- sprinkler, wet -> slippery: all directions are identified
COLLIDER = Dag([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], NAMES)
CHAIN = Dag([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], NAMES)


def parts(figure):
    """Boxes, edges and heads of the graph (the legend's come after them), and all words."""
    (axes,) = figure.axes
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    lines = [c for c in axes.collections if isinstance(c, LineCollection)]
    heads = [c for c in axes.collections if isinstance(c, PolyCollection)]
    return boxes, lines[0], heads[0], [text.get_text() for text in axes.texts]


def colours(collection):
    return [to_hex(colour).upper() for colour in collection.get_colors()]


def test_there_is_a_box_a_node_a_line_an_edge_and_a_head_an_arrow():
    boxes, lines, heads, words = parts(draw(COLLIDER.to_cpdag()))
    assert (len(boxes), len(lines.get_segments()), len(heads.get_paths())) == (4, 3, 3)
    assert words[:4] == list(NAMES)
    boxes, lines, heads, words = parts(draw(CHAIN.to_cpdag()))
    assert (len(boxes), len(lines.get_segments()), len(heads.get_paths())) == (4, 3, 0)
    assert "direction not identified" in words
    assert "direction identified" not in words


def test_a_dag_is_drawn_with_all_its_arrows():
    assert len(parts(draw(CHAIN))[2].get_paths()) == 3


def test_colours_show_signs_and_widths_show_strength():
    weights = np.zeros((4, 4))
    weights[0, 2], weights[1, 2], weights[2, 3] = 2.0, -0.1, 1.0
    _, lines, _, words = parts(draw(COLLIDER.to_cpdag(), weights, noise_variances=np.ones(4)))
    assert colours(lines) == [BLUE, ORANGE, BLUE]
    widths = lines.get_linewidths()
    assert widths[0] > widths[1]
    assert {"positive effect", "negative effect"} <= set(words)
    _, lines, _, _ = parts(draw(COLLIDER.to_cpdag(), weights))
    assert len(set(lines.get_linewidths())) == 1


def test_the_picture_does_not_depend_on_units():
    weights = COLLIDER.to_numpy() * 0.7
    scales = np.array([1e-3, 10.0, 1.0, 1e4])
    here = parts(draw(COLLIDER, weights, noise_variances=np.ones(4)))[1]
    there = parts(draw(COLLIDER, weights * scales / scales[:, None], noise_variances=scales**2))[1]
    assert np.allclose(here.get_linewidths(), there.get_linewidths())


def test_against_the_truth_wrong_edges_are_orange_and_missing_ones_dashed_grey():
    truth = COLLIDER
    found = Dag([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]], NAMES)
    figure = draw(found, truth=truth)
    _, lines, heads, words = parts(figure)
    assert colours(lines) == [SLATE, SLATE, ORANGE, GREY]
    dashed = [pattern is not None for _, pattern in lines.get_linestyles()]
    assert dashed == [False, False, False, True]
    assert len(heads.get_paths()) == 4
    assert "only in the truth (1)" in words
    assert "differs from the truth (1)" in words


def test_an_edge_with_another_mark_is_wrong_and_a_true_dag_stands_for_its_class():
    verdicts = [edge.verdict for edge in edges_of(CHAIN.to_cpdag(), truth=CHAIN)]
    assert verdicts == [Verdict.RIGHT] * 3
    turned = Dag(CHAIN.to_numpy().T, NAMES)
    assert {edge.verdict for edge in edges_of(CHAIN, truth=turned)} == {Verdict.WRONG}


def test_the_truth_is_matched_by_name():
    order = [3, 1, 0, 2]
    truth = Dag(COLLIDER.to_numpy()[np.ix_(order, order)], [NAMES[k] for k in order])
    assert {edge.verdict for edge in edges_of(COLLIDER, truth=truth)} == {Verdict.RIGHT}


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("SVG", b"<?xml"), ("pdf", b"%PDF")])
def test_the_ending_of_the_path_says_how_to_save(tmp_path, ending, magic):
    path = tmp_path / f"graph.{ending}"
    draw(COLLIDER, path=path, title="Rain")
    assert path.read_bytes().startswith(magic)


@pytest.mark.parametrize("name", ["graph.bmp", "graph"])
def test_an_unknown_ending_is_refused_before_anything_is_drawn(tmp_path, name):
    with pytest.raises(OptionError, match=r"\.png, \.svg, \.pdf"):
        draw(COLLIDER, path=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_names_that_are_long_or_strange_are_drawn_as_they_are_as_far_as_there_is_room(tmp_path):
    names = ["$x^2$", "blood_pressure_measured_on_the_left", "two\nlines", "价格"]
    _, _, _, words = parts(draw(Dag(COLLIDER, names), path=tmp_path / "graph.png"))
    assert words[0] == "$x^2$"
    assert words[1:3] == ["blood_pressure_", "measured_on_the_left"]
    assert words[3] == "two lines"


def test_large_graphs_fit_on_a_sheet_with_smaller_letters():
    rng = np.random.default_rng(0)
    small, large = (Dag(np.triu(rng.random((p, p)) < 4 / p, 1)) for p in (20, 200))
    sizes = [draw(graph, view="layers").axes[0].texts[0].get_fontsize() for graph in (small, large)]
    assert sizes[1] < sizes[0]
    assert max(draw(large, view="layers").get_size_inches()) <= 30 + 1e-9


@pytest.mark.parametrize("p", [1, 5])
def test_a_graph_without_edges_has_boxes_and_no_legend(p):
    boxes, lines, _, words = parts(draw(Dag(np.zeros((p, p)))))
    assert len(boxes) == p
    assert not lines.get_segments()
    assert len(words) == p


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(GraphError, match="no nodes"):
        draw(Dag(np.zeros((0, 0))))


def test_weights_of_another_size_are_refused():
    with pytest.raises(GraphError, match=r"\(3, 3\) for 4 nodes"):
        draw(COLLIDER, np.zeros((3, 3)))


def test_arguments_and_settings_are_left_alone():
    weights, variances = COLLIDER.to_numpy() * 0.5, np.ones(4)
    before = weights.copy(), variances.copy(), dict(matplotlib.rcParams)
    draw(COLLIDER.to_cpdag(), weights, noise_variances=variances)
    assert np.array_equal(weights, before[0])
    assert np.array_equal(variances, before[1])
    assert dict(matplotlib.rcParams) == before[2]


def test_drawing_loads_no_pyplot(tmp_path):
    code = (
        "import sys; from sparsest.graph.types import Dag; from sparsest.plot.figure import draw\n"
        f"draw(Dag([[0, 1], [0, 0]]), path={str(tmp_path / 'graph.png')!r})\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_edges_are_drawn_where_noise_variances_are_unknown(tmp_path):
    unknown, plain = (
        draw(Dag([[0, 1], [0, 0]]), [[0, 2], [0, 0]], noise_variances=each)
        for each in ([np.nan, np.nan], None)
    )
    unknown.savefig(tmp_path / "unknown.png")
    plain.savefig(tmp_path / "plain.png")
    assert (tmp_path / "unknown.png").read_bytes() == (tmp_path / "plain.png").read_bytes()


def test_shares_stand_beside_edges_and_rare_ones_are_dashed():
    found = shares(np.array([[0, 0, 0.9, 0], [0, 0, 0.2, 0], [0, 0, 0, 0.6], [0, 0, 0, 0]]))
    _, lines, _, words = parts(draw(COLLIDER.to_cpdag(), confidence=found))
    assert words[:3] == ["90", "20", "60"]
    dashed = [style[1] is not None for style in lines.get_linestyle()]
    assert dashed == [False, True, False]
    assert "in less than half of the resamples" in words
    assert not any("resamples" in word for word in parts(draw(COLLIDER.to_cpdag()))[3])


def test_confidence_draws_the_answer_or_the_consensus():
    found = shares(np.array([[0, 0, 0.9, 0], [0, 0, 0.8, 0], [0, 0, 0, 0.3], [0, 0, 0, 0]]))
    assert len(parts(found.plot())[1].get_segments()) == 3
    assert len(parts(found.plot(threshold=0.5))[1].get_segments()) == 2


def test_many_edges_are_drawn_as_a_matrix_that_says_so_and_parts_as_a_graph():
    rng = np.random.default_rng(0)
    dense = Dag(np.triu(rng.random((30, 30)) < 0.35, 1)).to_cpdag()
    words = [text.get_text() for text in draw(dense).axes[0].texts]
    assert any("drawn as a matrix in causal order" in word for word in words)
    assert len([word for word in words if word == "x3"]) == 2  # once at each side
    boxes, lines, _, words = parts(dense.plot(top=12))
    assert len(lines.get_segments()) == 12
    assert any(word.startswith("the 12 first of") for word in words)
    boxes, _, _, words = parts(dense.plot(around="x3", view="layers"))
    joined = np.flatnonzero(dense.pattern[3] | dense.pattern[:, 3])
    assert len(boxes) == 1 + len(joined)
    assert any("around 'x3'" in word for word in words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"around": "wett"}, "did you mean 'wet'"),
        ({"top": 0}, "at least 1"),
        ({"view": "pie"}, "'matrix'"),
        ({"view": "modules", "truth": CHAIN}, "view='matrix'"),
        ({"theme": "pink"}, "'dark'"),
    ],
)
def test_impossible_wishes_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        COLLIDER.plot(**options)


def test_effects_without_a_sign_have_no_colour_of_a_sign():
    weights = COLLIDER.to_numpy() * 0.5
    signed = np.ones((4, 4), dtype=bool)
    signed[0, 2] = False
    _, lines, _, words = parts(draw(COLLIDER, weights, signed=signed))
    assert colours(lines) == [SLATE, BLUE, BLUE]
    assert "effect without a sign" in words


def test_a_picture_shows_itself_in_a_notebook_with_text_as_text(tmp_path):
    shown = COLLIDER.plot()._repr_mimebundle_()
    assert shown["image/png"].startswith(b"\x89PNG")
    assert ">sprinkler</text>" in shown["image/svg+xml"]
    COLLIDER.plot(tmp_path / "a.svg")
    COLLIDER.plot(tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_without_a_screen_showing_says_what_to_do():
    with pytest.raises(OptionError, match="save the picture"):
        COLLIDER.plot().show()


def test_a_picture_fits_into_given_axes_and_sizes():
    figure = matplotlib.figure.Figure(figsize=(8, 4))
    left, right = figure.subplots(1, 2)
    assert COLLIDER.plot(ax=left) is figure
    assert len(left.texts) > 4 > len(right.texts)
    assert tuple(COLLIDER.plot(size=(9, 2)).get_size_inches()) == (9, 2)


def test_dark_pictures_have_a_dark_ground_also_where_matplotlib_has():
    assert sum(COLLIDER.plot(theme="dark").get_facecolor()[:3]) < 0.5
    with matplotlib.rc_context({"figure.facecolor": "black"}):
        assert sum(COLLIDER.plot().get_facecolor()[:3]) < 0.5


def test_a_comparison_draws_what_differs():
    figure = compare(COLLIDER, CHAIN).plot()
    assert "differs from the truth (1)" in parts(figure)[3]


@given(st.text(max_size=80))
def test_a_wrapped_name_is_whole_and_has_no_turning_marks(name):
    lines = wrapped(name, 16, lines=100)
    assert "".join("".join(lines).split()) == "".join(visible(name).split())
    assert not set("".join(lines)) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00")
    assert max(map(len, lines)) <= 16 or any(unicodedata.combining(letter) for letter in name)


def shares(arrow):
    """Shares of arrows around the collider."""
    return Confidence(arrow * 100, np.zeros((4, 4)), 100, 100, "half", COLLIDER.to_cpdag())


def test_a_matrix_says_what_is_doubtful_and_what_has_no_sign():
    from sparsest.plot.drawn_edges import DrawnEdge
    from sparsest.plot.heat_map import _meanings
    from sparsest.plot.style import LIGHT

    edges = (DrawnEdge(0, 1, True, 0.5, share=0.3), DrawnEdge(1, 2, True, 0.5, signed=False))
    words = [meaning.words for meaning in _meanings(edges, LIGHT)]
    assert "smaller: in less than half of the resamples" in words
    assert "effect without a sign" in words
    assert "negative effect" not in words
