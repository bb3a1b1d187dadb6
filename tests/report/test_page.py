import re
from html.parser import HTMLParser

import numpy as np
import pytest

import sparsest as sp
from sparsest.report.page import page
from sparsest.report.sections import CANNOT
from tests.export.results import GARDEN, make

HOSTILE = (
    "</script><script>window.hacked=1</script>", '"><img src=x onerror=window.hacked=1>',
    "javascript:window.hacked=1",
    "\u202eevil\u202c", "</style><b>", "<!--", "&lt;b&gt;",
    "${window.hacked=1}", "]]>", "'; window.hacked=1; '",
)  # fmt: skip


def hostile():
    p = len(HOSTILE)
    weights = np.triu(
        np.random.default_rng(0).normal(size=(p, p)) * (np.random.default_rng(1).random((p, p)) < 0.4), 1
    )
    return make(weights, HOSTILE)


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_a_page_says_what_was_found_how_and_what_it_cannot_tell():
    text = page(GARDEN, title="Garden")
    assert "<title>Garden</title>" in text
    assert "5 columns, 1000 rows: 4 edges, the direction of 3 identified" in text
    assert all(line.split(":")[0] in text for line in CANNOT)
    assert "Deng, C., Bello, K." in text
    assert "sha256" in text
    identities = [attributes["id"] for _, attributes in Elements(text).found if "id" in attributes]
    assert len(set(identities)) == len(identities)
    for target in re.findall(r'href="#([\w-]+)"', text):
        assert target in identities


@pytest.mark.parametrize("result", [GARDEN, hostile()], ids=["garden", "hostile"])
def test_nothing_but_our_script_and_style_can_run_and_nothing_is_requested(result):
    text = page(result)
    found = Elements(text).found
    assert [tag for tag, _ in found].count("script") == 2  # the facts and our script
    assert [tag for tag, _ in found].count("style") == 1
    assert not {"iframe", "object", "embed", "link", "base", "form"} & {tag for tag, _ in found}
    for _, attributes in found:
        assert not any(key.startswith("on") or key in ("style", "srcdoc") for key in attributes)
        for key in ("src", "href", "xlink:href", "action"):
            assert attributes.get(key, "#").startswith(("#", "data:image"))
    (policy,) = [a["content"] for t, a in found if a.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_names_are_shown_without_marks_that_turn_text():
    assert "\u202e" not in page(hostile()).split('id="facts"')[0]


def test_a_population_an_empty_graph_and_one_column_have_a_page():
    assert "no edges" in page(make(np.zeros((3, 3))))
    assert "a population" in page(make([[0, 1], [0, 0]], n=np.inf))
    assert "1 column," in page(make(np.zeros((1, 1))))


def test_a_page_of_a_hundred_columns_is_below_a_megabyte_and_of_five_hundred_below_three():
    for p, most in ((100, 1e6), (500, 3e6)):
        rng = np.random.default_rng(0)
        weights = np.where(rng.random((p, p)) < 4 / p, rng.normal(size=(p, p)), 0)
        result = make(np.triu(weights, 1), [f"a column with a longer name {k}" for k in range(p)])
        assert len(page(result).encode()) < most


def test_a_fitted_result_has_confidence_effects_explanations_and_costs(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    table = np.column_stack([a, b, a + b + rng.normal(size=200), rng.normal(size=200)])
    result = sp.fit(table, resamples=10)
    target = result.report(tmp_path / "report.html", costs=sp.path(table, points=3, folds=0, subsamples=2))
    text = target.read_text(encoding="utf-8")
    assert "How sure each edge is" in text
    assert "Total effects, strongest first." in text
    assert "correlation" in text
    assert "data:image/svg+xml;base64," in text


def test_a_report_that_is_no_page_or_has_no_folder_is_refused(tmp_path):
    with pytest.raises(sp.OptionError, match=r"report\.html"):
        GARDEN.report(tmp_path / "report.pdf")
    with pytest.raises(sp.OptionError, match="there is no folder"):
        GARDEN.report(tmp_path / "missing" / "report.html")
