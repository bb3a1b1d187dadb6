"""The built site in a real browser: search, copying, the dark theme, a phone, and no other host.

Needs `python docs/build.py` first; skipped without it, unless SPARSEST_TESTS_NEED_SITE is set.
"""

import functools
import http.server
import os
import re
import threading
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browsing import browser, complaints, every, one  # noqa: F401

SITE = Path(__file__).parents[2] / "build" / "site"
PAGES = [
    "index.html",
    "start/index.html",
    "concepts/confidence.html",
    "generated/gallery/index.html",
    "generated/gallery/plot_01_first_graph.html",
    "generated/api/sparsest.fit.html",
    "results.html",
    "theory/search.html",
]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").exists():
        missing = "tests of the site need it built: python docs/build.py"
        if os.environ.get("SPARSEST_TESTS_NEED_SITE"):
            pytest.fail(missing)
        pytest.skip(missing)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def window(browser):  # noqa: F811
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def wait(driver, condition):
    return WebDriverWait(driver, 20).until(condition)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_no_other_host_and_complains_about_nothing(window, address, page):
    window.get_log("browser")
    window.get(address + page)
    asked = window.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
    assert [name for name in asked if not name.startswith((address, "data:"))] == []
    assert [each["message"] for each in complaints(window) if each["level"] != "INFO"] == []


def test_no_page_loads_a_script_style_or_picture_from_elsewhere(address):
    loads = re.compile(r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//|<link[^>]+href="(?:https?:)?//')
    assert [
        page.name for page in SITE.rglob("*.html") if loads.search(page.read_text(encoding="utf-8"))
    ] == []


def test_the_search_finds_the_page_on_missing_values(window, address):
    window.get(address + "search.html?q=missing+values")
    wait(window, lambda driver: every(driver, "#search-results li a"))
    assert any(
        "missing_values" in link.get_attribute("href") for link in every(window, "#search-results li a")
    )


def test_a_code_block_copies_without_prompts(window, address):
    window.get(address + "start/index.html")
    wait(window, lambda driver: every(driver, "button.copybtn"))
    box = "Browser.grantPermissions", {"permissions": ["clipboardReadWrite"], "origin": address.rstrip("/")}
    window.execute_cdp_cmd(*box)
    button = every(window, "button.copybtn")[1]
    ActionChains(window).scroll_to_element(button).move_to_element(button).click().perform()
    wait(window, lambda driver: "success" in button.get_attribute("class"))
    copied = window.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied.startswith("import polars as pl")
    assert ">>>" not in copied


def test_the_theme_turns_dark_and_the_text_stays_readable(window, address):
    window.get(address + "concepts/cpdag.html")
    light = window.execute_script("return getComputedStyle(document.body).backgroundColor")
    window.execute_script("document.documentElement.dataset.theme = 'dark'")
    dark, text = window.execute_script(
        "return [getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('article p')).color]"
    )
    assert brightness(dark) < 60 < 200 < brightness(light)
    assert brightness(text) > 180


def test_the_button_of_the_theme_changes_it(window, address):
    window.get(address + "index.html")
    for wanted in ("dark", "light"):
        query = f".theme-change-button[data-mode='{wanted}']"
        button = wait(window, lambda driver, query=query: every(driver, query))[0]
        window.execute_script("arguments[0].click()", button)
        assert window.execute_script("return document.documentElement.dataset.theme") == wanted


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_need_not_scroll_sideways(window, address, page):
    phone = {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    window.get(address + page)
    assert window.execute_script("return document.documentElement.scrollWidth") <= 390


def test_the_search_opens_from_the_keyboard(window, address):
    window.get(address + "index.html")
    one(window, "body").send_keys(Keys.CONTROL, "k")
    wait(window, lambda driver: driver.execute_script("return !!document.querySelector('dialog[open]')"))


def test_examples_can_be_downloaded_as_notebooks(address):
    assert len(list((SITE / "_downloads").rglob("plot_*.ipynb"))) >= 15


def test_every_example_has_a_picture(address):
    pages = sorted((SITE / "generated" / "gallery").glob("plot_*.html"))
    without = [page.name for page in pages if "sphx_glr_" + page.stem not in page.read_text(encoding="utf-8")]
    assert len(pages) >= 15
    assert without == []


def brightness(colour):
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3
