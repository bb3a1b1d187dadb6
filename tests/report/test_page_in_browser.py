"""The page in a real browser."""

import numpy as np
import pytest

import sparsest as sp
from tests.browsing import browser, complaints, every, one  # noqa: F401
from tests.export.results import make
from tests.report.test_page import HOSTILE, hostile


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 300
    season = rng.normal(size=n)
    rain = season + rng.normal(size=n)
    sprinkler = rng.normal(size=n)
    wet = rain - sprinkler + rng.normal(size=n)
    table = {"season": season, "rain": rain, "sprinkler": sprinkler, "wet": wet, "age": rng.normal(size=n)}
    import polars

    result = sp.fit(polars.DataFrame(table), resamples=20)
    return result.report(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def opened(browser, garden):  # noqa: F811
    browser.get(garden.as_uri())
    return browser


def test_the_page_asks_nobody_and_complains_about_nothing(opened):
    assert complaints(opened) == []
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert one(opened, ".world").get_attribute("data-ready") == "yes"


def test_a_click_on_a_column_lists_its_causes_and_one_on_an_edge_its_reason(opened):
    one(opened, '.node[aria-label="wet"]').click()
    details = one(opened, ".details").text
    assert "wet = " in details
    assert "rain" in details
    assert "sprinkler" in details
    opened.execute_script(
        "arguments[0].dispatchEvent(new Event('click', {bubbles: true}))", every(opened, ".edge .hit")[0]
    )
    assert "partial correlation" in one(opened, ".details").text


def test_search_finds_a_column_and_says_if_there_is_none(opened):
    one(opened, ".search").send_keys("sprin")
    assert "sprinkler" in one(opened, ".details h3").text
    assert one(opened, ".node.chosen").get_attribute("aria-label") == "sprinkler"
    one(opened, ".search").send_keys("zzz")
    assert "no column" in one(opened, ".status").text


def test_the_slider_hides_edges_and_the_box_shows_one_graph_of_the_class(opened):
    before = len([edge for edge in every(opened, ".edges .edge") if edge.is_displayed()])
    opened.execute_script(
        "const s = document.querySelector('.least'); s.value = 100; s.dispatchEvent(new Event('input'))"
    )
    after = len([edge for edge in every(opened, ".edges .edge") if edge.is_displayed()])
    assert after <= before
    assert f"{after} of {before} edges" in one(opened, ".least-words").text
    heads = every(opened, ".member")
    assert heads
    assert not any(head.is_displayed() for head in heads)
    one(opened, ".member-too").click()
    assert "dag" in one(opened, "svg.graph").get_attribute("class")


def test_keys_move_zoom_and_choose(opened):
    whole = one(opened, "svg.graph").get_dom_attribute("viewBox")
    node = one(opened, '.node[aria-label="rain"]')
    opened.execute_script("arguments[0].focus()", node)
    node.send_keys("+")
    nearer = one(opened, "svg.graph").get_dom_attribute("viewBox")
    assert nearer != whole
    node.send_keys("0")
    assert one(opened, "svg.graph").get_dom_attribute("viewBox") != nearer
    node.send_keys("\ue007")  # Enter
    assert "rain" in one(opened, ".details h3").text


def test_tables_sort_and_filter(opened):
    table = one(opened, "#columns table")
    table.find_element("css selector", "th button").click()
    names = [row.text for row in table.find_elements("css selector", "tbody td:first-child")]
    assert names == sorted(names)
    assert table.find_element("css selector", "th").get_attribute("aria-sort") == "ascending"


def test_knowledge_is_drawn_by_clicks_and_gives_the_line_of_code(opened):
    one(opened, '.mode[value="forbid"]').click()
    for name in ("rain", "season"):
        one(opened, f'.node[aria-label="{name}"]').click()
    assert 'sp.Knowledge(forbidden=[("rain", "season")])' in one(opened, ".code").text
    one(opened, ".said button").click()
    assert one(opened, ".code").text == ""


def test_neighbours_only_puts_causes_above_a_column_and_effects_below(opened):
    before = one(opened, "svg.graph").get_attribute("innerHTML")
    opened.execute_script("document.querySelector('.only').click()")
    one(opened, '.node[aria-label="wet"]').click()
    height = {name: one(opened, f'.node[aria-label="{name}"]').location["y"] for name in ("rain", "wet")}
    assert height["rain"] < height["wet"]
    assert not one(opened, '.node[aria-label="season"]').is_displayed()
    opened.execute_script("document.querySelector('.all').click()")
    opened.execute_script("document.querySelector('.only').click(); document.activeElement.blur()")
    after = one(opened, "svg.graph").get_attribute("innerHTML")
    assert after.replace(" near", "").replace(" chosen", "") == before.replace(" near", "")


def test_why_answers_about_any_two_columns(opened):
    one(opened, '.mode[value="why"]').click()
    for name in ("season", "sprinkler"):
        one(opened, f'.node[aria-label="{name}"]').click()
    assert "They are not joined." in one(opened, ".details").text
    assert "an edge is worth its cost above" in one(opened, ".details").text
    for name in ("rain", "wet"):
        one(opened, f'.node[aria-label="{name}"]').click()
    said = one(opened, ".details").text
    assert "rain → wet" in said
    assert "share of resamples:" in said
    assert "probability that the two are joined" in said


def test_the_keyboard_alone_draws_knowledge(opened):
    one(opened, '.mode[value="look"]').send_keys("\ue014\ue014")  # arrow keys choose what clicks mean
    for name in ("rain", "season"):
        opened.execute_script("arguments[0].focus()", one(opened, f'.node[aria-label="{name}"]'))
        one(opened, f'.node[aria-label="{name}"]').send_keys("\ue007")
    assert 'sp.Knowledge(forbidden=[("rain", "season")])' in one(opened, ".code").text


def test_the_path_over_costs_has_numbers_that_can_be_read(tmp_path):
    rng = np.random.default_rng(0)
    costs = sp.path(rng.normal(size=(80, 3)), points=4, folds=0, subsamples=0)
    costs.plot(tmp_path / "costs.svg")
    text = (tmp_path / "costs.svg").read_text(encoding="utf-8")
    assert "mathdefault" not in text
    assert "0.01" in text


def test_hostile_names_are_text(browser, tmp_path):  # noqa: F811
    browser.get(hostile().report(tmp_path / "hostile.html").as_uri())
    for node in every(browser, ".node"):
        browser.execute_script("arguments[0].dispatchEvent(new Event('click', {bubbles: true}))", node)
    assert browser.execute_script("return window.hacked") is None
    assert complaints(browser) == []
    shown = browser.execute_script("return document.querySelector('#columns').textContent")
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown


@pytest.mark.parametrize("width", [1200, 360])
def test_nobody_is_kept_out(opened, width):
    from axe_core_python.selenium import Axe

    opened.set_window_size(width, 900)
    try:
        found = Axe().run(opened)["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
        overflow = opened.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0
    finally:
        opened.set_window_size(1200, 900)


def test_a_thousand_columns_open(browser, tmp_path):  # noqa: F811
    rng = np.random.default_rng(0)
    weights = np.triu(np.where(rng.random((1000, 1000)) < 0.0008, 0.5, 0.0), 1)
    browser.get(make(weights).report(tmp_path / "large.html").as_uri())
    assert len(every(browser, ".node")) == 1000
    assert "too many to read at once" in one(browser, ".details").text
    one(browser, ".search").send_keys("x17")
    assert one(browser, ".node.chosen").get_attribute("aria-label") == "x17"
    assert one(browser, ".node.chosen").is_displayed()
    assert one(browser, ".world").get_attribute("data-ready") == "yes"
    assert complaints(browser) == []
