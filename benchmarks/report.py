"""Results as files: the rows and where they come from as JSON, a table for people as Markdown."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

RESULTS = Path(__file__).parent / "results"
NOTHING = "–"

Row = dict[str, Any]


def machine() -> dict[str, Any]:
    """The processor and what else decides how fast a program runs."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "commit": _commit(),
    }


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


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table that reads well as plain text too."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    shown = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in lines
    ]
    shown.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(shown)


def mean(values: Sequence[float], digits: int) -> str:
    """The mean, rounded."""
    return f"{fmean(values):.{digits}f}" if values else NOTHING


def mean_and_error(values: Sequence[float]) -> str:
    """The mean ± its standard error."""
    if len(values) < 2:
        return mean(values, 1)
    return f"{fmean(values):.1f} ± {stdev(values) / math.sqrt(len(values)):.1f}"


def _commit() -> str | None:
    """The commit of this repository, marked where files differ from it; None outside of one."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, cwd=RESULTS.parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
