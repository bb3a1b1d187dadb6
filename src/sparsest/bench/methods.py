"""Which methods there are: those of the peers that ship, and those of the user's own files."""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sparsest._core.errors import OptionError
from sparsest.bench import peers

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of a package, in front of its extras and version


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
    digest: str = ""  # of a file of the user's own, which may change while no package does

    @property
    def packages(self) -> tuple[str, ...]:
        """Names of what is installed for it."""
        return tuple(_NAME.match(one)[0] for one in self.requirements or ())  # type: ignore[index]


def known_methods(own: Iterable[str] = ()) -> dict[str, Method]:
    """Every method of every file in `peers/` by name, and those of the user's own files."""
    found = dict(_shipped())
    for path in own:
        for method in _own_methods(Path(path)):
            if method.name in found:
                raise OptionError(
                    f"the method {method.name!r} of {path!r} has the name of another: rename it"
                )
            found[method.name] = method
    return found


@cache
def _shipped() -> dict[str, Method]:
    found: dict[str, Method] = {}
    for peer in sorted(module.name for module in pkgutil.iter_modules(peers.__path__)):
        part = importlib.import_module(f"sparsest.bench.peers.{peer}")
        requirements = None if part.REQUIREMENTS is None else tuple(part.REQUIREMENTS)
        for name, options in part.METHODS.items():
            if name in found:
                raise AssertionError(f"the method {name!r} is in {found[name].peer} and in {peer}")
            described = json.dumps(options, sort_keys=True, default=repr)
            found[name] = Method(name, peer, str(part.__file__), described, requirements)
    return found


def _own_methods(path: Path) -> list[Method]:
    """The methods of a file of the user's own; its name and place together name its environment."""
    content = path.read_bytes()
    part = _executed(content, path)
    peer = f"own-{path.stem}-{_digest(str(path).encode())}"
    requirements, methods = part.REQUIREMENTS, part.METHODS
    if not (requirements is None or _is_list_of_requirements(requirements)):
        raise OptionError(
            f"REQUIREMENTS of the peer {str(path)!r} must be None, which is this Python, or a list of "
            f"packages such as ['scikit-learn>=1.6'], not {requirements!r}"
        )
    try:
        described = {name: json.dumps(dict(options), sort_keys=True) for name, options in methods.items()}
    except (AttributeError, TypeError, ValueError):
        raise OptionError(
            f"METHODS of the peer {str(path)!r} must be a dictionary of names, each with a dictionary of "
            f"options in plain values, such as {{'mine': {{'level': 0.05}}}}, not {methods!r}"
        ) from None
    wanted = None if requirements is None else tuple(requirements)
    return [
        Method(name, peer, str(path), options, wanted, _digest(content))
        for name, options in described.items()
    ]


def _executed(content: bytes, path: Path) -> ModuleType:
    """A peer's file as a module. `serve.py`, which stands alone, does the same in the peer's Python."""
    module = ModuleType(f"own_peer_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look themselves up there
    try:
        exec(compile(content, str(path), "exec", dont_inherit=True), module.__dict__)
    except Exception as error:  # whatever is wrong with it, it is the user's to mend
        hint = (
            ": import it inside fit, which runs in the peer's Python"
            if isinstance(error, ImportError)
            else ""
        )
        raise OptionError(
            f"the peer {str(path)!r} cannot be read: {type(error).__name__}: {error}{hint}"
        ) from error
    finally:
        del sys.modules[module.__name__]
    lacking = [name for name in ("REQUIREMENTS", "METHODS", "fit") if not hasattr(module, name)]
    if lacking:
        raise OptionError(
            f"the peer {str(path)!r} has no {lacking[0]}: it needs REQUIREMENTS (None is this Python), "
            "METHODS (names and options) and fit(arrays, **options)"
        )
    return module


def _is_list_of_requirements(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) and _NAME.match(one) for one in value)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:10]


def unchanged(file: str, digest: str) -> bool:
    """Whether a peer's file is what it was when its tasks were planned; those that ship have no digest."""
    return not digest or _digest(Path(file).read_bytes()) == digest
