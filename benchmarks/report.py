"""Results as files: the rows and where they come from as JSON, a table for people as Markdown."""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from sparsest.bench.environment import describe
from sparsest.bench.homes import versions

RESULTS = Path(__file__).parent / "results"
NOTHING = "–"
OURS = ("sparsest", "numpy", "scipy", "numba")  # what our own times depend on

Row = dict[str, Any]


def machine() -> dict[str, Any]:
    """The processor and what else decides how fast a program runs."""
    about = describe(jobs=1, peers={})
    load = {"load": [round(load, 2) for load in os.getloadavg()]}
    return {key: about[key] for key in ("cpu", "cores", "system", "python", "commit")} | load


def environment(*packages: str) -> dict[str, Any]:
    """The machine, and the versions of ours: of `OURS` where no others are named."""
    return machine() | {"versions": {"ours": versions(Path(sys.executable), packages or OURS)}}


def store(
    folder: Path, name: str, command: str, environment: dict[str, Any], rows: Sequence[Row], text: str
) -> None:
    """Write `<name>.json` and `<name>.md`; the table opens with the command that makes it again."""
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"name": name, "command": command, "date": date, "environment": environment, "rows": rows}
    (folder / f"{name}.json").write_text(json.dumps(whole, indent=1, allow_nan=False) + "\n")
    cpu = "{cpu}, {cores} cores, Python {python}, commit {commit}".format(**environment)
    versions = "; ".join(
        f"{method}: {', '.join(f'{package} {version}' for package, version in packages.items())}"
        for method, packages in environment["versions"].items()
    )
    head = f"# {name}\n\n```\n{command}\n```\n\n{date}. {cpu}. {versions}.\n"
    (folder / f"{name}.md").write_text(f"{head}\n{text}\n")


def mean(values: Sequence[float], digits: int) -> str:
    """The mean, rounded."""
    return f"{fmean(values):.{digits}f}" if values else NOTHING


def mean_and_error(values: Sequence[float]) -> str:
    """The mean ± its standard error."""
    if len(values) < 2:
        return mean(values, 1)
    return f"{fmean(values):.1f} ± {stdev(values) / math.sqrt(len(values)):.1f}"
