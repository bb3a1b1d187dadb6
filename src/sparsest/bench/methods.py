"""Which methods there are, and the Python that runs each."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sparsest._version import __version__
from sparsest.bench import peers
from sparsest.bench.environment import source_digest
from sparsest.bench.process import last_line
from sparsest.errors import OptionError

_VERSIONS = """
import importlib.metadata, json, sys
print(json.dumps({name: importlib.metadata.version(name) for name in sys.argv[1:]}))
"""


@dataclass(frozen=True)
class Method:
    """A method by name, the file of its peer, and how it is called.

    `requirements` are installed one after the other into an environment of the peer's own; None stands for
    the Python that runs the experiment.
    """

    name: str
    peer: str
    file: str
    options: str
    requirements: tuple[str, ...] | None
    own: bool = False  # from a file of the user's, which may change while no package does

    @property
    def packages(self) -> tuple[str, ...]:
        """Names of what is installed for it."""
        return tuple(one.split("==")[0].split(" ")[0] for one in self.requirements or ())


@dataclass(frozen=True)
class Home:
    """Where a peer runs and the version of its package; `missing` says why there is no such place."""

    python: str
    version: str
    missing: str = ""


def known_methods(own: Iterable[str] = ()) -> dict[str, Method]:
    """Every method of every file in `peers/` by name, and those of the user's own files."""
    found = dict(_shipped())
    for path in own:
        for method in _methods_of(f"own-{Path(path).stem}", _loaded(path), own=True):
            if method.name in found:
                raise OptionError(
                    f"the method {method.name!r} of {path!r} has the name of another: rename it"
                )
            found[method.name] = method
    return found


@cache
def _shipped() -> dict[str, Method]:
    found: dict[str, Method] = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(peers.__path__)):
        for method in _methods_of(name, importlib.import_module(f"sparsest.bench.peers.{name}")):
            if method.name in found:
                raise AssertionError(f"{method.name!r} is in {found[method.name].peer} and in {name}")
            found[method.name] = method
    return found


def _methods_of(peer: str, part: ModuleType, own: bool = False) -> list[Method]:
    requirements = None if part.REQUIREMENTS is None else tuple(part.REQUIREMENTS)
    described = {
        name: json.dumps(options, sort_keys=True, default=repr) for name, options in part.METHODS.items()
    }
    return [
        Method(name, peer, str(part.__file__), options, requirements, own)
        for name, options in described.items()
    ]


def _loaded(path: str) -> ModuleType:
    """A peer's file of the user's own, read but not asked anything; never from a cache of bytecode."""
    module = ModuleType(f"own_peer_{Path(path).stem}")
    module.__file__ = path
    try:
        exec(compile(Path(path).read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    except Exception as error:  # whatever is wrong with it, it is the user's to mend
        raise OptionError(f"the peer {path!r} cannot be read: {type(error).__name__}: {error}") from error
    lacking = [name for name in ("REQUIREMENTS", "METHODS", "fit") if not hasattr(module, name)]
    if lacking:
        raise OptionError(
            f"the peer {path!r} has no {lacking[0]}: it needs REQUIREMENTS (None is this Python), METHODS "
            "(names and options) and fit(arrays, **options)"
        )
    return module


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
    methods: Iterable[Method], folder: Path, install: bool, tell: Callable[[str], None]
) -> dict[str, Home]:
    """The home of each peer; environments are made where `install` says so."""
    needed = {method.peer: method for method in methods}
    return {peer: _home(method, folder, install, tell) for peer, method in needed.items()}


def _home(method: Method, folder: Path, install: bool, tell: Callable[[str], None]) -> Home:
    code = f"file {_digest(method.file)}" if method.own else ""
    if method.requirements is None:
        return Home(sys.executable, code or f"{__version__}, source {source_digest()}")
    place = folder / method.peer
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = place / "installed.json"
    wanted = list(method.requirements)
    if not (stamp.exists() and json.loads(stamp.read_text()) == wanted):
        if not install:
            return Home("", "missing", f"not installed in {folder}: run with --install")
        tell(f"making an environment for {method.peer}: {', '.join(wanted)}")
        failure = _make(place, python, wanted)
        if failure:
            return Home("", "missing", f"not installed: {failure}")
        stamp.write_text(json.dumps(wanted))
    installed = json.dumps(versions(python, method.packages), sort_keys=True)
    return Home(str(python), f"{installed}, {code}" if code else installed)


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:10]


def _make(place: Path, python: Path, requirements: list[str]) -> str:
    """Make an environment anew; why it failed, if it did."""
    shutil.rmtree(place, ignore_errors=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(place)], *([*install, one] for one in requirements)):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return _why(done.stderr)
    return ""


def _why(words: str) -> str:
    """The line of pip's last words that names the cause: its own last ones are often only a note."""
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
