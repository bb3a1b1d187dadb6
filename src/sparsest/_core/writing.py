"""Writing files and folders completely or not at all, with clear errors.

What is written is a draft until it is complete, and on the disk; then it takes its place in one step. A
process that is killed leaves what was there before, and perhaps a hidden draft, `.sparsest-...`, that can be
deleted.
"""

from __future__ import annotations

import json
import os
import stat
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sparsest._core.errors import OptionError
from sparsest._core.paths import given_path, kind_of
from sparsest._core.version import __version__


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to; at the end it replaces `path`, which is kept if anything fails.

    A link stays a link, and the file it points to is replaced. A replaced file keeps its mode and owner. What
    is no regular file, such as a device or a pipe, is refused.
    """
    target = given_path(path, OptionError)
    with named_trouble(target):
        before = replaceable(target)
        target = Path(os.path.realpath(target))
        draft = draft_beside(target)
        try:
            mode = 0o666 if before is None else stat.S_IMODE(before.st_mode) | stat.S_IWUSR
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode & 0o777))
            yield draft
            if before is not None:
                dress(draft, before)
            sync(draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def replaceable(target: Path) -> os.stat_result | None:
    """What is known of a file that is going to be replaced, None if there is none; all else is refused."""
    try:
        before = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(before.st_mode):
        raise OptionError(
            f"cannot write {str(target)!r}: it is {kind_of(before.st_mode)}, which a file would replace; "
            "name another file"
        )
    if not os.access(target, os.W_OK):
        raise OptionError(f"cannot write {str(target)!r}: it is read-only")
    return before


def draft_beside(target: Path) -> Path:
    """A hidden path in the same folder, short whatever the name."""
    return target.with_name(f".sparsest-{uuid.uuid4().hex[:12]}")


def dress(draft: Path, before: os.stat_result) -> None:
    """Give a draft the owner and the mode of what it replaces, as far as that is permitted."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(draft, before.st_uid, before.st_gid)
    draft.chmod(stat.S_IMODE(before.st_mode))


def sync(path: Path) -> None:
    """Wait until a file is on the disk: otherwise a crash of the machine may leave an empty one."""
    opened = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems cannot
            os.fsync(opened)
    finally:
        os.close(opened)


def header(format: str, version: int) -> dict[str, Any]:  # noqa: A002
    """The first entries of every JSON file: what it is, and what wrote it."""
    return {"format": format, "version": version, "sparsest": __version__}


def write_tree(tree: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write plain values as JSON that any program can read: strict, indented, in UTF-8."""
    text = json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)
    with written_whole(path) as draft:
        draft.write_text(text + "\n", encoding="utf-8", newline="\n")


@contextmanager
def named_trouble(path: Path) -> Iterator[None]:
    """Turn system errors while writing a file into an OptionError that names the file."""
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            if not path.parent.is_dir():
                raise OptionError(
                    f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}; create it first"
                ) from None
        raise OptionError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
