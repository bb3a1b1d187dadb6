"""Writing files completely or not at all, with clear errors."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparsest._core.errors import OptionError
from sparsest._core.paths import user_path
from sparsest._core.version import __version__


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to; at the end it replaces `path`, which is kept if anything fails."""
    target = user_path(path, OptionError)
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    with named_trouble(target):
        try:
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


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
        if not path.parent.is_dir():
            raise OptionError(
                f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}; create it first"
            ) from None
        raise OptionError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
