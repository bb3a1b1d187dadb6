"""The tables of the README and the docs, made from the kept results.

    python -m benchmarks.tables            # --check only says whether they are up to date

A page marks where a table goes with two comments, `<!-- table: NAME -->` and `<!-- end of table -->`; what is
between is replaced. `linear:ER2:METHOD=label; ...` is a grid of methods and sizes; `page:NAME:METHOD=label;
...` takes lines of the first table of docs/results/NAME.md, `comparison:NAME` the second table whole;
any other name is a file in results/, whose table is copied.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

if __name__ == "__main__" and not __package__:  # python benchmarks/tables.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.report import NOTHING, RESULTS, Row
from sparsest.bench.tables import markdown

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(<!-- table: (.*?) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite the pages, or say which are out of date."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 where a page is out of date"
    )
    options = parser.parse_args(arguments)
    stale = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        fresh = BLOCK.sub(lambda block: f"{block[1]}{made(block[2])}\n{block[4]}", text)
        if fresh != text:
            stale.append(page.name)
            if not options.check:
                page.write_text(fresh, encoding="utf-8")
    print(f"out of date: {', '.join(stale)}" if stale else "all tables are up to date", file=sys.stderr)
    return 1 if stale and options.check else 0


def made(name: str) -> str:
    """The table of this name."""
    if name.startswith("linear:"):
        _, graph, methods = name.split(":", 2)
        return grid(graph, _labels(methods))
    if name.startswith("page:"):
        _, experiment, methods = name.split(":", 2)
        return from_page(experiment, _labels(methods))
    if name.startswith("comparison:"):
        return tables_on_page(name.split(":", 1)[1])[1]
    lines = (RESULTS / f"{name}.md").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


def _labels(methods: str) -> dict[str, str]:
    return dict(part.strip().split("=", 1) for part in methods.split(";"))


def from_page(experiment: str, labels: dict[str, str]) -> str:
    """Some methods of the first table on the page of an experiment."""
    table = tables_on_page(experiment)[0]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    rows = {line[0]: line[1:] for line in lines}
    return markdown(["", *lines[0][1:]], [[label, *rows[method]] for method, label in labels.items()])


def tables_on_page(experiment: str) -> list[str]:
    """The tables on the page of an experiment."""
    page = ROOT / "docs" / "results" / f"{experiment}.md"
    if not page.exists():
        raise SystemExit(f"there is no docs/results/{experiment}.md: sparsest reproduce --page docs makes it")
    text = page.read_text(encoding="utf-8")
    return [table.strip() for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]


def grid(graph: str, labels: dict[str, str]) -> str:
    """SHD on raw / standardised columns and CPU seconds, one row a method, one column a size."""
    rows: list[Row] = []
    for file in ("linear", "linear-100"):
        rows += json.loads((RESULTS / f"{file}.json").read_text(encoding="utf-8"))["rows"]
    here = [row for row in rows if row["graph"] == graph]
    sizes = sorted({row["p"] for row in here})
    header = [graph, *(f"p = {p}" for p in sizes)]
    return markdown(
        header, [[label, *(_cell(here, method, p) for p in sizes)] for method, label in labels.items()]
    )


def _cell(rows: Sequence[Row], method: str, p: int) -> str:
    mine = [row for row in rows if row["method"] == method and row["p"] == p and row["error"] is None]
    if not mine:
        return NOTHING
    raw, standardised = (
        fmean(row["shd"] for row in mine if row["scale"] == scale) for scale in ("raw", "standardised")
    )
    # One thread each: its CPU time is what the wall time would be if nothing else ran.
    return f"{raw:.1f} / {standardised:.1f}, {fmean(row['cpu_seconds'] for row in mine):.2g} s"


if __name__ == "__main__":
    raise SystemExit(main())
