"""Where peers run: one virtual environment per peer, in the user's cache, created on request."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsest._core.errors import OptionError
from sparsest_bench.contenders import Contender
from sparsest_bench.identity import our_version
from sparsest_bench.process import last_line

_VERSIONS = """
import importlib.metadata, json, sys
print(json.dumps({name: importlib.metadata.version(name) for name in sys.argv[1:]}))
"""


@dataclass(frozen=True)
class Home:
    """The Python of a peer and the version of its package; `missing` says why there is none."""

    python: str
    version: str
    missing: str = ""


def default_peers_folder() -> Path:
    """The folder of the peers' environments in the user's cache."""
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local"))
    elif sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return base.expanduser() / "sparsest" / "peers"


def homes(
    methods: Iterable[Contender], folder: Path, install: bool, tell: Callable[[str], None]
) -> dict[str, Home]:
    """The home of each peer; with `install`, missing environments are made."""
    needed = {method.peer: method for method in methods}
    return {peer: _home(method, folder, install, tell) for peer, method in needed.items()}


def _home(method: Contender, folder: Path, install: bool, tell: Callable[[str], None]) -> Home:
    code = f"file {method.digest}" if method.digest else ""
    if method.requirements is None:
        return Home(sys.executable, code or our_version())
    place = folder / method.peer
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = place / "installed.json"
    wanted = list(method.requirements)
    if not (stamp.exists() and json.loads(stamp.read_text()) == wanted):
        if not install:
            return Home("", "missing", f"not installed in {folder}: run with --install")
        tell(f"making an environment for {method.peer}: {', '.join(wanted)}")
        failure = make_environment(place, python, wanted)
        if failure:
            return Home("", "missing", f"not installed: {failure}")
        stamp.write_text(json.dumps(wanted))
    installed = json.dumps(versions(python, method.packages), sort_keys=True)
    return Home(str(python), f"{installed}, {code}" if code else installed)


def make_environment(place: Path, python: Path, requirements: list[str]) -> str:
    """Make an environment from scratch; returns why it failed, or nothing."""
    shutil.rmtree(place, ignore_errors=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(place)], *([*install, one] for one in requirements)):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return _why(done.stderr)
    return ""


def _why(words: str) -> str:
    """The line of pip's output that names the cause; its last lines are often only notes."""
    lines = [line.strip() for line in words.splitlines()]
    telling = [line for line in lines if line.startswith(("fatal:", "ERROR:", "error:", "OSError:"))]
    causes = [line for line in telling if line.startswith("fatal:")] or telling
    return causes[0] if causes else last_line(words)


def versions(python: Path, packages: Iterable[str]) -> dict[str, Any]:
    """Versions of the packages that an interpreter sees."""
    done = subprocess.run(
        [str(python), "-P", "-c", _VERSIONS, *packages], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise OptionError(f"the environment {str(python.parent.parent)!r} is broken: delete it and run again")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
