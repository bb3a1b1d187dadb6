"""Which methods there are, and the Python that runs each."""

from __future__ import annotations

import importlib
import json
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import peers

PEERS = Path(__file__).parent / ".peers"

_VERSIONS = """
import importlib.metadata, json, sys
print(json.dumps({name: importlib.metadata.version(name) for name in sys.argv[1:]}))
"""


@dataclass(frozen=True)
class PeerMissing:
    """Stands for the Python of a peer that could not be installed."""

    reason: str


Pythons = dict[str, Path | PeerMissing]


@dataclass(frozen=True)
class Method:
    """A method by its name on the command line, and the module whose process answers for it.

    `requirements` are installed one after the other into an environment of the peer's own; None stands for
    the Python that runs the benchmark.
    """

    name: str
    module: str
    requirements: tuple[str, ...] | None

    @property
    def packages(self) -> tuple[str, ...]:
        """Names of the distributions whose versions matter."""
        if self.requirements is None:
            return ("sparsest", "numpy", "scipy", "numba")
        return (*(requirement.split("==")[0] for requirement in self.requirements), "numpy", "scipy")

    @property
    def peer(self) -> str:
        """The name of the module's file."""
        return self.module.rpartition(".")[2]


def known_methods() -> dict[str, Method]:
    """Every method of `benchmarks.ours` and of the files in `benchmarks/peers`, by name."""
    found: dict[str, Method] = {}
    files = [f"benchmarks.peers.{file.name}" for file in pkgutil.iter_modules(peers.__path__)]
    for module in ("benchmarks.ours", *files):
        part = importlib.import_module(module)
        requirements = None if part.REQUIREMENTS is None else tuple(part.REQUIREMENTS)
        for name in part.METHODS:
            if name in found:
                raise ValueError(f"method {name!r} is in {found[name].module} and in {module}: rename one")
            found[name] = Method(name, module, requirements)
    return found


def versions(python: Path, packages: Sequence[str]) -> dict[str, str]:
    """Versions of the packages that an interpreter sees."""
    done = subprocess.run([python, "-c", _VERSIONS, *packages], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def prepare(methods: Iterable[Method]) -> Pythons:
    """The interpreter for each module, before anything is timed; environments are made where need be."""
    return {
        method.module: Path(sys.executable) if method.requirements is None else _environment(method)
        for method in {method.module: method for method in methods}.values()
    }


def _environment(method: Method) -> Path | PeerMissing:
    """The Python of a peer's virtual environment, made anew if it is missing, half made or out of date."""
    requirements = list(method.requirements or ())
    folder = PEERS / method.peer
    python, stamp = folder / "bin" / "python", folder / "installed.json"
    if stamp.exists() and json.loads(stamp.read_text()) == requirements:
        return python
    print(f"making an environment for {method.peer}: {', '.join(requirements)}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(folder)], *([*install, one] for one in requirements)):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return PeerMissing(f"not installed: {last_line(done.stderr)}")
    stamp.write_text(json.dumps(requirements))
    return python


def last_line(text: str) -> str:
    """What an error message says in the end."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"
