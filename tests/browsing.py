"""A headless Chromium for tests that look at pages."""

import os
import shutil
import tempfile

import pytest

NEEDED = "SPARSEST_TESTS_NEED_BROWSER"  # set in CI, where browser tests must not be skipped
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--window-size=1200,900", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip


def start():
    """A browser driver; skips the test where there is no browser."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "browser tests need chromium and chromedriver: apt-get install chromium chromium-driver"
        if os.environ.get(NEEDED):
            pytest.fail(missing)
        pytest.skip(missing)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for option in (*OPTIONS, f"--user-data-dir={tempfile.mkdtemp(prefix='chromium-')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def complaints(driver):
    """What the console says, but for the missing icon of a page."""
    return [one for one in driver.get_log("browser") if "favicon" not in one["message"]]


def one(driver, query):
    """The first element of a query."""
    return driver.find_element("css selector", query)


def every(driver, query):
    """All elements of a query."""
    return driver.find_elements("css selector", query)


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests."""
    driver = start()
    yield driver
    driver.quit()
