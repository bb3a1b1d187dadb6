"""Files written whole or not at all, and errors in plain words."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparsest._core.errors import OptionError


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to. What was there before is replaced at the end, and stays if anything fails."""
    target = Path(path).expanduser()
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    with named_trouble(target):
        try:
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def write_tree(tree: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Plain values as JSON that any program can read: strict, indented, in UTF-8."""
    text = json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)
    with written_whole(path) as draft:
        draft.write_text(text + "\n", encoding="utf-8", newline="\n")


@contextmanager
def named_trouble(path: Path) -> Iterator[None]:
    """Whatever the system refuses about writing a file, as an OptionError that names it."""
    try:
        yield
    except OSError as error:
        if not path.parent.is_dir():
            raise OptionError(
                f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}, make it first"
            ) from None
        raise OptionError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
