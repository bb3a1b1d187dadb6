"""Paths that a user gives."""

from __future__ import annotations

import os
from pathlib import Path

from sparsest._core.errors import SparsestError


def user_path(path: str | os.PathLike[str], error: type[SparsestError]) -> Path:
    """The path with ~ expanded; an `error` where it can be none."""
    try:
        given: object = os.fspath(path)
    except TypeError:
        raise error(f"a path is text, not {path!r}") from None
    if isinstance(given, bytes):
        given = os.fsdecode(given)
    assert isinstance(given, str)
    if not given.strip():
        raise error("the path is empty: give the name of a file")
    if "\x00" in given:
        raise error(f"{given!r} is no path: it holds a NUL character")
    try:
        return Path(given).expanduser()
    except RuntimeError:
        raise error(f"there is no home folder for {given!r}: write the path in full") from None
