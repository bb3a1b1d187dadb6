"""From a dropped file to a report, in a real browser."""

import numpy as np

from sparsest.export.csv import write_table
from tests.browsing import browser, complaints, every, one  # noqa: F401


def until(driver, condition):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, 60).until(lambda _: condition())


def test_a_table_becomes_a_graph_knowledge_a_new_one_and_both_a_report(browser, app, tmp_path):  # noqa: F811
    rng = np.random.default_rng(0)
    rain, sprinkler = rng.normal(size=(2, 300))
    wet = rain + sprinkler + 0.5 * rng.normal(size=300)
    write_table(
        np.column_stack([rain, sprinkler, wet]), ["rain", "<b>spr</b>", "wet"], tmp_path / "garden.csv"
    )
    browser.get(app.address)
    one(browser, "#file").send_keys(str(tmp_path / "garden.csv"))
    until(browser, lambda: "300 rows, 3 columns" in one(browser, "#told").text)
    assert [cell.text for cell in every(browser, "#columns td:first-child")] == ["rain", "<b>spr</b>", "wet"]
    one(browser, "#fit").click()
    until(browser, lambda: one(browser, "#result").is_displayed())
    assert "3 columns, 300 rows: 2 edges" in one(browser, "#summary").text
    assert len(every(browser, ".edges .edge")) == 2
    one(browser, '.mode[value="forbid"]').click()
    for name in ("rain", "wet"):
        one(browser, f'.node[aria-label="{name}"]').click()
    one(browser, ".again").click()
    until(browser, lambda: app.sitting.result is not None and not app.sitting.result.dag.pattern[0, 2])
    until(browser, lambda: not app.sitting.progress()["running"])
    until(browser, lambda: every(browser, ".said li"))
    assert "rain does not cause wet" in one(browser, ".said").text  # what was drawn stays, and can be removed
    assert "sp.Knowledge(forbidden=[('rain', 'wet')])" in app.sitting.code()
    compile(app.sitting.code(), "fit.py", "exec")
    assert "Edges, strongest first." in one(browser, "#tables").text
    assert "What this cannot tell" in one(browser, "#tables").text
    assert "What causes what in garden.csv" in app.sitting.report()
    assert one(browser, "#report").get_attribute("href").startswith("http://127.0.0.1")
    assert complaints(browser) == []
    from axe_core_python.selenium import Axe

    found = Axe().run(browser)["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


def test_kinds_are_set_and_columns_left_out_by_choosing(browser, app, tmp_path):  # noqa: F811
    rng = np.random.default_rng(0)
    rows = [f"{k},{['low', 'high', 'mid'][k % 3]},{k % 4 + rng.normal()},{rng.normal()}" for k in range(120)]
    (tmp_path / "t.csv").write_text("\n".join(["id,stage,dose,noise", *rows]))
    browser.get(app.address)
    one(browser, "#file").send_keys(str(tmp_path / "t.csv"))
    until(browser, lambda: "120 rows, 4 columns" in one(browser, "#told").text)
    said = one(browser, "#columns").text
    assert "identifier (found)" in said
    assert "left out" in said
    for name, kind in (("stage", "ordinal"), ("noise", "leave out")):
        one(browser, f'select[data-name="{name}"] option[value="{kind}"]').click()
    order = one(browser, "#columns input:not([hidden])")
    order.clear()
    order.send_keys("low < mid < high")
    one(browser, "#fit").click()
    until(
        browser, lambda: one(browser, "#result").is_displayed() or "column" in one(browser, "#progress").text
    )
    code = app.sitting.code()
    assert "kinds={'stage': ['low', 'mid', 'high']}" in code
    assert "exclude=['noise']" in code
    assert app.sitting.result.names == ("stage", "dose")


def test_a_broken_file_is_one_clear_line(browser, app, tmp_path):  # noqa: F811
    (tmp_path / "broken.csv").write_bytes(b"\x00\x00")
    browser.get(app.address)
    one(browser, "#file").send_keys(str(tmp_path / "broken.csv"))
    until(browser, lambda: one(browser, "#told").text not in ("", "reading"))
    assert "too few rows" in one(browser, "#told").text


def drop(driver, path):
    """A file pulled from a file manager onto the page."""
    pulled = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        driver.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, "x": 100, "y": 100, "data": pulled})


def test_a_dropped_table_is_taken_and_what_was_drawn_for_another_is_forgotten(browser, app, tmp_path):  # noqa: F811
    rows = np.random.default_rng(0).normal(size=(100, 2))
    for name, columns in (("first.csv", ["a", "b"]), ("second.csv", ["c", "d"])):
        write_table(rows, columns, tmp_path / name)
    browser.get(app.address)
    drop(browser, tmp_path / "first.csv")
    until(browser, lambda: "first.csv: 100 rows, 2 columns" in one(browser, "#told").text)
    browser.execute_script("said.push({what: 'forbid', a: 'a', b: 'b'});")
    drop(browser, tmp_path / "second.csv")
    until(browser, lambda: "second.csv: 100 rows, 2 columns" in one(browser, "#told").text)
    one(browser, "#fit").click()
    until(browser, lambda: one(browser, "#result").is_displayed() or one(browser, "#progress").text)
    until(browser, lambda: not app.sitting.progress()["running"])
    assert app.sitting.progress()["error"] == ""
    assert app.sitting.result.names == ("c", "d")


def test_of_a_large_file_the_page_says_that_only_its_beginning_was_looked_at(
    browser,  # noqa: F811
    app,
    tmp_path,
    monkeypatch,
):
    monkeypatch.setattr("sparsest.data.read.streaming.LARGE", 0)
    (tmp_path / "long.csv").write_text("a,b\n" + "0.5,1.25\n1.5,0.125\n2.25,3.5\n" * 10_000)
    browser.get(app.address)
    drop(browser, tmp_path / "long.csv")
    until(browser, lambda: one(browser, "#told").text not in ("", "reading"))
    assert one(browser, "#told").text == "long.csv: the first 10000 rows looked at, 2 columns"


def test_a_table_of_more_than_200_mb_is_refused_before_it_is_read(browser, app):  # noqa: F811
    browser.get(app.address)
    browser.execute_script(
        "const file = new File(['a'], 'huge.csv');"
        "Object.defineProperty(file, 'size', {value: 3e8}); take(file);"
    )
    assert one(browser, "#told").text == "the file has 300 MB, and the app takes 200: use sparsest fit"


def test_confidence_and_costs_are_asked_for_and_shown(browser, app, tmp_path):  # noqa: F811
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    ill = (a + b + rng.normal(size=200) > 0).astype(float)  # a model with rows has a path, too
    write_table(np.column_stack([a, b, ill]), ["a", "b", "ill"], tmp_path / "t.csv")
    complaints(browser)  # those of the tests before
    browser.get(app.address)
    one(browser, "#file").send_keys(str(tmp_path / "t.csv"))
    until(browser, lambda: "200 rows" in one(browser, "#told").text)
    one(browser, "#sure").click()
    one(browser, "#costs").click()
    one(browser, "#fit").click()
    until(browser, lambda: one(browser, "#result").is_displayed())
    assert "How sure each edge is" in one(browser, "#tables").text
    assert "What an edge costs" in one(browser, "#tables").text
    assert every(browser, ".least")
    assert "What an edge costs" in app.sitting.report()
    assert complaints(browser) == []
