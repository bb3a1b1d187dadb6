"""What a notebook shows: rich displays, and the widget."""

import io
import json

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import sparsest as sp
from sparsest._core.progress import Step
from sparsest._core.progress_bar import ProgressBar
from tests.browsing import browser, complaints, every, one  # noqa: F401
from tests.report.test_page import hostile


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    return sp.fit(np.column_stack([a, b, a + b + 0.5 * rng.normal(size=300)]))


def test_everything_has_a_display_in_which_names_are_text(result):
    nasty = hostile()
    shown = [
        nasty,
        nasty.cpdag,
        nasty.dag,
        result.effect("x0", "x2"),
        result.explain("x0", "x2"),
        result.audit,
    ]
    for one_thing in shown:
        html = one_thing._repr_html_()
        assert "<script" not in html
        assert "<img src=x" not in html
    assert "data:image/svg+xml" in result._repr_html_()
    assert "font-family: monospace" in result._repr_html_()  # notebooks would break the alignment of columns
    over_costs = sp.path(np.random.default_rng(0).normal(size=(100, 2)))
    assert "data:image/svg+xml" in over_costs._repr_html_()
    assert "data:image" not in sp.Dag(np.zeros((0, 0)))._repr_html_()


def test_a_notebook_shows_pictures_and_the_widget():
    cells = [
        "import numpy as np, sparsest as sp\n"
        "x = np.random.default_rng(0).normal(size=(200, 2))\n"
        "noise = np.random.default_rng(1).normal(size=200)\n"
        "result = sp.fit(np.column_stack([x, x.sum(axis=1) + noise]))\n"
        "result",
        "result.plot()",
        "result.cpdag",
        "result.show()",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(book, timeout=120).execute()
    kinds = [set(cell.outputs[-1]["data"]) for cell in book.cells]
    assert "text/html" in kinds[0]
    assert {"image/png", "image/svg+xml"} <= kinds[1]
    assert "text/html" in kinds[2]
    assert "application/vnd.jupyter.widget-view+json" in kinds[3]


def test_knowledge_drawn_in_the_widget_is_fitted_and_obeyed(result):
    widget = result.show()
    before = widget.fragment
    widget.told({"kind": "fit", "forbidden": [["x0", "x2"]], "required": []})
    assert not widget.result.dag.pattern[0, 2]
    assert widget.fragment != before
    assert "learned again" in widget.status
    widget.told({"kind": "fit", "forbidden": [["x0", "x1"]], "required": [["x0", "x1"]]})
    assert "x0" in widget.status
    assert "required" in widget.status


def test_a_loaded_result_says_why_it_cannot_be_fitted_again(result, tmp_path):
    result.save(tmp_path / "saved.sparsest")
    widget = sp.load(tmp_path / "saved.sparsest").show()
    assert not widget.again
    widget.told({"kind": "fit", "forbidden": [], "required": []})
    assert "no rows" in widget.status


def test_the_widget_draws_itself_and_sends_what_was_drawn(browser, result, tmp_path):  # noqa: F811
    widget = result.show()
    state = {"fragment": widget.fragment, "facts": widget.facts, "status": "", "again": True}
    parts = [
        f'<!doctype html><meta charset="utf-8"><style>{widget._css}</style><div id="here"></div>',
        '<script type="module">',
        str(widget._esm).replace("export default", "window.widget ="),
        "const state = " + json.dumps(state).replace("</", "<\\/") + ";",
        "const model = { get: (key) => state[key], on: () => {}, send: (m) => { window.sent = m; } };",
        'window.widget.render({ model, el: document.getElementById("here") });</script>',
    ]
    page = "\n".join(parts)
    (tmp_path / "widget.html").write_text(page, encoding="utf-8")
    browser.get((tmp_path / "widget.html").as_uri())
    assert len(every(browser, ".node")) == 3
    one(browser, '.mode[value="require"]').click()
    for name in ("x0", "x2"):
        one(browser, f'.node[aria-label="{name}"]').click()
    one(browser, ".again").click()
    assert browser.execute_script("return window.sent.required") == [["x0", "x2"]]
    assert complaints(browser) == []


def test_progress_is_one_line_that_goes_away():
    stream = io.StringIO()
    bar = ProgressBar(stream)
    bar(Step("search", 1, 0.5, 0.1))
    assert stream.getvalue() == ""
    bar(Step("search", 2, 0.25, 1.5, 30.0))
    assert "search, step 2, best so far 0.25, 2 s, about 30 s left" in stream.getvalue()
    bar.close()
    assert stream.getvalue().endswith("\r")


def test_progress_true_is_taken_and_nonsense_refused(result):
    assert sp.fit(np.random.default_rng(0).normal(size=(50, 2)), progress=True).cpdag.names == ("x0", "x1")
    with pytest.raises(sp.OptionError, match="must be True"):
        sp.fit(np.zeros((3, 2)), progress="yes")
