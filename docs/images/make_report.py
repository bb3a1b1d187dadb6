"""Makes report.png, the picture of a report; needs Chromium: python docs/images/make_report.py."""

import shutil
import sys
import tempfile
from pathlib import Path

import polars
from selenium import webdriver
from sklearn.datasets import load_wine

import sparsest as sp

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--window-size=1280,1800",
    "--force-device-scale-factor=1",
)


def main() -> None:
    """Learn from the wine table, write the page, choose a column, take the picture."""
    wine = load_wine()
    table = polars.DataFrame(wine.data, schema=list(wine.feature_names))
    with tempfile.TemporaryDirectory() as folder:
        page = sp.fit(table, resamples=50).report(
            Path(folder) / "report.html", title="178 wines, 13 measurements"
        )
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or sys.exit("install chromium first")
        for option in (*OPTIONS, f"--user-data-dir={folder}/browser"):
            options.add_argument(option)
        driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))
        )
        driver.get(page.as_uri())
        driver.execute_script("document.querySelector('.node[aria-label=\"flavanoids\"]').focus()")
        driver.find_element("css selector", '.node[aria-label="flavanoids"]').click()
        driver.execute_script("window.scrollTo(0, 0)")
        driver.save_screenshot(str(Path(__file__).with_name("report.png")))
        driver.quit()


if __name__ == "__main__":
    main()
