"""Where tasks are run: the machine, the versions, the commit."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import sparsest
from sparsest._core.version import __version__

_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "joblib")


def describe(jobs: int, peers: Mapping[str, str]) -> dict[str, Any]:
    """The machine, our version and those of the peers, and how many tasks run at the same time."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sparsest": __version__,
        "commit": _commit(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "peers": dict(peers),
        "jobs": jobs,
        "threads_per_task": 1,
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _commit() -> str | None:
    """The commit of the source, marked if Python files differ from it; None for an installed package."""
    commit, changed = _git("rev-parse", "--short", "HEAD"), _git("status", "--porcelain", "--", "*.py")
    if commit is None:
        return None
    return f"{commit}-dirty" if changed else commit


def _git(*arguments: str) -> str | None:
    """What git says of the package's folder; None where there is no repository."""
    command = ["git", *arguments]
    package = Path(sparsest.__file__).parent
    try:
        done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True)
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
