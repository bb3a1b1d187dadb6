"""A whole Result in one file, without pickle: a zip of `result.json` and one .npy file per array.

The JSON is a tree of plain values. What JSON lacks is a dictionary with one key that starts with "$":

    {"$array": "0.npy"}                       an array, in that member of the zip
    {"$float": "inf"}                         a number that is not finite
    {"$tuple": [...]}, {"$dict": [[k, v]]}    a tuple, a dictionary
    {"$made": "Stage", "from": {...}}         an object of one of the types below, and its fields

Only objects of the types listed here are ever created: a file cannot run code.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import itertools
import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sparsest._core.budget import require_modest
from sparsest._core.errors import DataError, OptionError, SparsestError
from sparsest._core.paths import existing_file
from sparsest._core.progress import Status
from sparsest._core.version import __version__
from sparsest._core.writing import header, written_whole
from sparsest.confidence import Confidence
from sparsest.confidence.misfit import Misfit
from sparsest.data import Kind, Moments
from sparsest.data.audit import Audit, Finding
from sparsest.data.columns.account import Account, ColumnNote
from sparsest.export.whole import require_fields, require_whole
from sparsest.graph.types import Cpdag, Dag, Graph, Mpdag
from sparsest.knowledge.masks import Masks
from sparsest.models.registry import fitted_types
from sparsest.models.traits import Traits
from sparsest.problem import Stage
from sparsest.result import Evidence, Result

FORMAT, VERSION = "sparsest-archive", 1
_TREE = "result.json"
_PER_LETTER = 16  # bytes that a letter of the tree may take in memory
_NEVER_SAVED = "inquiry"  # the rows of the table behind a result
_DATE = (2000, 1, 1, 0, 0, 0)  # the same result is the same file

_DATACLASSES: tuple[type, ...] = (
    Result,
    Evidence,
    Stage,
    Traits,
    Moments,
    Audit,
    Finding,
    Account,
    ColumnNote,
    Confidence,
    Misfit,
)
_GRAPHS: tuple[type[Graph], ...] = (Dag, Cpdag, Mpdag)
_ENUMS: tuple[type[enum.Enum], ...] = (Status, Kind)
_NAMED_TUPLES = (Masks,)
_STATEFUL = fitted_types()  # with `state()`, plain values, and `from_state(state)`, its inverse
_KNOWN: tuple[type, ...] = (*_DATACLASSES, *_GRAPHS, *_ENUMS, *_NAMED_TUPLES, *_STATEFUL)
_KINDS = {kind.__name__: kind for kind in _KNOWN}
_MAKERS: dict[str, Callable[..., Any]] = dict(_KINDS)
_MAKERS |= {kind.__name__: kind.from_state for kind in _STATEFUL}


class _NewerError(Exception):
    """The file holds something that this version does not know."""


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result to a file; an existing one is replaced."""
    tree = {**header(FORMAT, VERSION), "result": _taken_apart(result)}
    arrays, numbers = _arrays(tree), itertools.count()  # numbered in the order in which json comes upon them
    text = json.dumps(tree, allow_nan=False, default=lambda _: {"$array": f"{next(numbers)}.npy"})
    with written_whole(path) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, _TREE, text.encode("ascii"))
        for k, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            _add(archive, f"{k}.npy", buffer.getvalue())


def load(path: str | os.PathLike[str]) -> Result:
    """Load a result that `Result.save` wrote.

    Parameters
    ----------
    path : str or path
        The file. Loading never executes code from it.

    Returns
    -------
    Result

    Raises
    ------
    DataError
        If the file does not exist, is not a saved result, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> sp.fit(np.random.default_rng(0).normal(size=(100, 2))).save("saved.sparsest")
    >>> sp.load("saved.sparsest").dag
    Dag(2 nodes, 0 edges)
    """
    source = existing_file(path)
    try:
        with zipfile.ZipFile(source) as archive:
            _require_modest(archive, source)
            result = _put_together(_tree(archive)["result"], _Arrays(archive))
        if not isinstance(result, Result):
            raise ValueError("no result in it")
        require_whole(result)
    except _NewerError as reason:
        raise DataError(f"cannot load {str(source)!r}: {reason}; update sparsest to read it") from None
    except OSError as error:
        raise DataError(f"cannot read {str(source)!r}: {error.strerror or error}") from None
    except _DAMAGED as reason:
        words = " ".join(str(reason).split())[:200] or type(reason).__name__
        raise DataError(
            f"cannot load {str(source)!r}: it is not a saved result, or it is damaged or cut short "
            f"({words}); "
            "save the result again, or learn it again"
        ) from None
    return result


# What the readers of zip, JSON and .npy files raise if a file is damaged.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, SparsestError, ValueError, TypeError, LookupError, AttributeError,
    EOFError, RuntimeError, ArithmeticError, MemoryError, SyntaxError, StopIteration, AssertionError,
)  # fmt: skip


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, _DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, content)


def _tree(archive: zipfile.ZipFile) -> dict[str, Any]:
    tree = json.loads(archive.read(_TREE))
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise ValueError(f"{_TREE} in it is not of the format {FORMAT!r}")
    version = tree["version"]
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError(f"there is no version {version!r} of its format")
    if version > VERSION:
        raise _NewerError(f"it was written by sparsest {tree.get('sparsest')}, in a newer format")
    return tree


def _taken_apart(value: Any) -> Any:
    """A value as a JSON tree whose leaves may also be arrays."""
    if isinstance(value, enum.Enum):
        return _made(value, {"value": value.value})
    if isinstance(value, _NAMED_TUPLES):
        return _made(value, value._asdict())
    if isinstance(value, _STATEFUL):
        return _made(value, {"state": value.state()})
    if isinstance(value, Graph):
        return _made(value, {"matrix": value.matrix, "names": value.names})
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, list):
        return [_taken_apart(each) for each in value]
    if isinstance(value, tuple):
        return {"$tuple": [_taken_apart(each) for each in value]}
    if isinstance(value, Mapping):
        return {"$dict": [[_taken_apart(k), _taken_apart(v)] for k, v in value.items()]}
    if dataclasses.is_dataclass(value):
        fields = [each.name for each in dataclasses.fields(value) if each.name != _NEVER_SAVED]
        return _made(value, {name: getattr(value, name) for name in fields})
    raise OptionError(
        f"cannot save a {type(value).__name__}: saved results hold numbers, words and arrays only"
    )


def _made(value: Any, parts: dict[str, Any]) -> dict[str, Any]:
    name = type(value).__name__
    if type(value) not in _KNOWN:
        raise OptionError(f"cannot save a {name}: saved results hold numbers, words and arrays only")
    return {"$made": name, "from": {key: _taken_apart(part) for key, part in parts.items()}}


def _arrays(tree: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of a tree, from first to last."""
    if isinstance(tree, np.ndarray):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [array for part in parts for array in _arrays(part)]


def _put_together(tree: Any, arrays: _Arrays) -> Any:
    """The inverse of `_taken_apart`."""
    if isinstance(tree, list):
        return [_put_together(each, arrays) for each in tree]
    if not isinstance(tree, dict):
        return tree
    if "$array" in tree:
        return arrays.named(tree["$array"])
    if "$float" in tree:
        return float(tree["$float"])
    if "$tuple" in tree:
        return tuple(_put_together(each, arrays) for each in tree["$tuple"])
    if "$dict" in tree:
        return {_put_together(k, arrays): _put_together(v, arrays) for k, v in tree["$dict"]}
    return _make(tree["$made"], {key: _put_together(part, arrays) for key, part in tree["from"].items()})


class _Arrays:
    """The arrays of an archive, each read once, however often it is named."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._read: dict[str, Any] = {}

    def named(self, name: str) -> Any:
        """The array of a member."""
        if name not in self._read:
            self._read[name] = _array(self._archive.read(name))
        return self._read[name]


def _require_modest(archive: zipfile.ZipFile, source: Path) -> None:
    """Refuse an archive whose members would be too much in memory; a tree takes many times its text."""
    size = source.stat().st_size
    whole = sum(member.file_size for member in archive.infolist())
    tree = _PER_LETTER * archive.getinfo(_TREE).file_size
    require_modest(max(whole, tree), size, f"loading {str(source)!r}", "learn it again if you trust it")


def _array(content: bytes) -> Any:
    try:
        return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # NumPy reads headers with Python's parsers, which may raise anything
        raise ValueError(f"an array in it cannot be read: {error}") from None


def _make(name: str, parts: dict[str, Any]) -> Any:
    maker = _MAKERS.get(name)
    if maker is Result and "traits" not in parts:
        parts = parts | {"traits": Traits.of_older_file(parts.get("model", "gaussian"))}
    if maker is None:
        raise _NewerError(f"it holds a {name!r}, which this sparsest ({__version__}) does not know")
    if maker in _DATACLASSES:
        unknown = sorted(parts.keys() - {each.name for each in dataclasses.fields(maker)})
        if unknown:
            raise _NewerError(
                f"its {name} has {unknown[0]!r}, which this sparsest ({__version__}) does not know"
            )
    made = maker(**parts)
    if maker in _DATACLASSES:
        require_fields(made, _KINDS)
    return made
