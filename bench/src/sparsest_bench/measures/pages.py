"""Pages about results: how large, how long to write, and how soon they can be used in a headless Chromium.

A random graph with an edge per column; `open` is until the graph is ready, `search` from a name typed until
the column is shown with those joined to it. Seconds on a busy machine say little: CPU seconds are of writing.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer, list_of
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {"columns": list_of(integer(2)), "n": integer(10), "repetitions": integer(1)}
_BROWSER = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per number of columns."""
    fixed = {key: settings[key] for key in ("n", "repetitions")}
    return [{"p": p} | fixed for p in settings["columns"]]


def run(spec: Mapping[str, Any]) -> Row:
    """Size, CPU seconds, and seconds in the browser, the least of the repetitions."""
    rng = np.random.default_rng(0)
    dag = sp.simulate.random_dag(spec["p"], 1, "ER", rng)
    table = sp.simulate.linear_gaussian(sp.simulate.random_weights(dag, rng), spec["n"], rng).data
    result = sp.fit(table)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        times = []
        for _ in range(spec["repetitions"]):
            began = time.process_time()
            result.report(page)
            times.append(time.process_time() - began)
        row = {"bytes": page.stat().st_size, "cpu": min(times), "failure": None}
        return row | _in_browser(page, folder, spec["repetitions"])


def _in_browser(page: Path, folder: str, repetitions: int) -> Row:
    browser, program = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or program is None:
        return {"open": None, "search": None, "failure": "chromium is not installed"}
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for option in (*_BROWSER, f"--user-data-dir={folder}/browser"):
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(program))
    opened, searched = [], []
    try:
        for _ in range(repetitions):
            began = time.perf_counter()
            driver.get(page.as_uri())
            driver.find_element("css selector", '.world[data-ready="yes"]')
            opened.append(time.perf_counter() - began)
            began = time.perf_counter()
            driver.execute_script(
                "const s = document.querySelector('.search'); s.value = 'x1';"
                "s.dispatchEvent(new Event('input')); document.querySelector('.node').getBBox();"
            )
            searched.append(time.perf_counter() - began)
    finally:
        driver.quit()
    return {"open": min(opened), "search": min(searched)}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per number of columns."""
    header = ("columns", "page, kB", "writing, CPU s", "open, s", "search, s")
    return markdown(header, [_line(row) for row in rows])


def _line(row: Mapping[str, Any]) -> list[str]:
    shown = [NOTHING if row[key] is None else f"{row[key]:.2f}" for key in ("open", "search")]
    return [str(row["p"]), f"{row['bytes'] / 1000:.0f}", f"{row['cpu']:.2f}", *shown]
