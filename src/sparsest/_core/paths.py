"""Paths as users give them: refused in words before a system call fails on them, or waits for ever."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sparsest._core.errors import DataError, OptionError

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def given_path(path: str | os.PathLike[str], error: type[DataError] | type[OptionError] = DataError) -> Path:
    """A path with `~` expanded.

    Raises
    ------
    DataError
        Or another error, if no file can have this path.
    """
    try:
        words = os.fspath(path)
        if not words:
            raise error("the path is empty: name a file")
        found = Path(words).expanduser()
        if b"\0" in os.fsencode(found):
            raise ValueError("it has a NUL character")
    except UnicodeEncodeError:
        raise error(f"cannot use the path {path!r}: it has half of a character (a lone surrogate)") from None
    except (TypeError, RuntimeError, ValueError) as reason:
        if isinstance(reason, error):
            raise
        raise error(f"cannot use the path {path!r}: {reason}") from None
    return found


def existing_file(path: str | os.PathLike[str]) -> Path:
    """The path of a regular file that can be read; opening a pipe instead would wait for its other end."""
    file = given_path(path)
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        raise DataError(
            f"there is no file {str(file)!r}: check the path (now in {str(Path.cwd())!r})"
        ) from None
    except OSError as reason:
        raise DataError(f"cannot read {str(file)!r}: {reason.strerror or reason}") from None
    if not stat.S_ISREG(mode):
        raise DataError(f"cannot read {str(file)!r}: it is {kind_of(mode)}, not a file")
    return file


def kind_of(mode: int) -> str:
    """What a path is that is no regular file, in words, by its mode."""
    return _KINDS.get(stat.S_IFMT(mode), "something else")
