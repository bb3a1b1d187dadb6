"""Contenders: the methods of the peers that ship, and those of the user's own files."""

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
from sparsest_bench import peers

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of a package, before its extras and version
_SPARE_COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#117733", "#999933",
)  # fmt: skip


@dataclass(frozen=True)
class Contender:
    """A method by name, the file of its peer, and the options it is called with.

    `requirements` are installed one after the other into the peer's own environment; None stands for the
    Python that runs the experiment. `digest` is that of a user's own file, which may change without any
    package changing.
    """

    name: str
    peer: str
    file: str
    options: str
    requirements: tuple[str, ...] | None
    digest: str = ""

    @property
    def packages(self) -> tuple[str, ...]:
        """Names of what is installed for it."""
        return tuple(_NAME.match(one)[0] for one in self.requirements or ())  # type: ignore[index]


def known_contenders(own: Iterable[str] = ()) -> dict[str, Contender]:
    """Every method in `peers/` and in the user's own files, by name."""
    found = dict(_shipped())
    for path in own:
        for method in _own_methods(Path(path)):
            if method.name in found:
                raise OptionError(f"the name of the method {method.name!r} in {path!r} is taken: rename it")
            found[method.name] = method
    return found


@cache
def _peers() -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(peers.__path__))
    return {name: importlib.import_module(f"sparsest_bench.peers.{name}") for name in names}


@cache
def _shipped() -> dict[str, Contender]:
    found: dict[str, Contender] = {}
    for peer, part in _peers().items():
        requirements = None if part.REQUIREMENTS is None else tuple(part.REQUIREMENTS)
        for name, options in part.METHODS.items():
            if name in found:
                raise AssertionError(f"the method {name!r} is in {found[name].peer} and in {peer}")
            described = getattr(part, "DESCRIBED", {}).get(name) or json.dumps(options, sort_keys=True)
            found[name] = Contender(name, peer, str(part.__file__), described, requirements)
    return found


def is_rival(method: str) -> bool:
    """Whether sparsest is compared with a method: not with itself, a reference or a null method."""
    return not any(method in getattr(peer, "NOT_RIVALS", ()) for peer in _peers().values())


def line_style(method: str) -> tuple[str, str, str]:
    """Colour, marker and line of a method in figures.

    A method whose peer names none gets a colour determined by its name.
    """
    spare = _SPARE_COLOURS[sum(map(ord, method)) % len(_SPARE_COLOURS)], "o", "-"
    return _line_styles().get(method, spare)


@cache
def _line_styles() -> dict[str, tuple[str, str, str]]:
    return {name: style for peer in _peers().values() for name, style in peer.LINE_STYLES.items()}


def _own_methods(path: Path) -> list[Contender]:
    """The methods of a user's own file; its name and path together name its environment."""
    content = path.read_bytes()
    part = _executed(content, path)
    peer = f"own-{path.stem}-{_digest(str(path).encode())}"
    requirements, methods = part.REQUIREMENTS, part.METHODS
    if not (requirements is None or _is_list_of_requirements(requirements)):
        raise OptionError(
            f"REQUIREMENTS of the peer {str(path)!r} must be None (this Python) or a list of "
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
        Contender(name, peer, str(path), options, wanted, _digest(content))
        for name, options in described.items()
    ]


def _executed(content: bytes, path: Path) -> ModuleType:
    """A peer's file as a module. `serve.py`, which stands alone, does the same in the peer's Python."""
    module = ModuleType(f"own_peer_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look themselves up there
    try:
        exec(compile(content, str(path), "exec", dont_inherit=True), module.__dict__)
    except Exception as error:  # whatever is wrong with it is for the user to fix
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
    """Whether a peer's file is unchanged since its tasks were planned; shipped ones have no digest."""
    return not digest or _digest(Path(file).read_bytes()) == digest
