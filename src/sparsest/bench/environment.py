"""What decides how fast a program runs, and which programs they were."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import sparsest
from sparsest._core.version import __version__

_WITHOUT_SAY = ("cli", "export", "report")  # rooms that decide no answer
_WITH_SAY = ("designs.py", "networks.py", "judge.py")  # of this room: the tables, and what an answer is worth
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "joblib")


def describe(jobs: int, peers: Mapping[str, str]) -> dict[str, Any]:
    """The machine, the versions of ours and of the peers, how many tasks run at a time on a thread each."""
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


@cache
def source_digest() -> str:
    """A name for the source that decides our answers: a store never takes those of another for them."""
    package = Path(sparsest.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        part = file.relative_to(package)
        mine = part.parts[0] == "bench"
        if (mine and part.name in _WITH_SAY) or (not mine and part.parts[0] not in _WITHOUT_SAY):
            digest.update(part.as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _commit() -> str | None:
    """The commit of the source, marked where Python files differ from it; None where it is installed."""
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
