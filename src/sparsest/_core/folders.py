"""Folders of files that belong together, written completely or not at all.

The files are written into a draft, a hidden folder. Where the folder is new, or holds nothing else, the draft
takes its place in one step of the file system. Where it holds other things, or no such step is possible, the
draft is moved into it under a fixed name, which decides that the new files count, and then they take their
places one by one. Whoever is killed in between leaves the rest in that draft, where it is read from, and the
next to write there puts it in place.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sparsest._core.writing import draft_beside, dress, named_trouble, replaceable, sync

COMPLETE = ".sparsest-complete"  #: newer files than those beside this folder
_GONE = ".gone"  # in a complete draft: the names of files that have no successor
_AT_WORKING_DIRECTORY = -100  # AT_FDCWD of Linux
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


@contextmanager
def folder_written_whole(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """A draft of a folder; at the end its files replace those in `folder` that have one of the names.

    Parameters
    ----------
    folder : Path
        Made if it does not exist. Other files in it stay.
    names : sequence of str
        All files that may belong to an answer: one that is not written this time is deleted.

    Yields
    ------
    Path
        The draft.
    """
    with named_trouble(folder):
        folder = Path(os.path.realpath(folder))
        folder.parent.mkdir(parents=True, exist_ok=True)
        settle(folder, names)
        beside = _is_replaceable(folder, names)
        draft = draft_beside(folder) if beside else draft_beside(folder / "draft")
        try:
            draft.mkdir()
            yield draft
            for file in draft.iterdir():
                sync(file)
            if not (beside and _put_in_place(draft, folder)):
                _merge(draft, folder, names)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def settle(folder: Path, names: Sequence[str]) -> None:
    """Put complete files in their places that a killed process left behind; only those with these names."""
    complete = folder / COMPLETE
    with suppress(FileNotFoundError, NotADirectoryError):
        gone = (complete / _GONE).read_text(encoding="utf-8").split("\n")
        for name in names:
            if name in gone:
                (folder / name).unlink(missing_ok=True)
            with suppress(FileNotFoundError):  # another process has done so
                _take_place(complete / name, folder / name)
        shutil.rmtree(complete)


def _is_replaceable(folder: Path, names: Sequence[str]) -> bool:
    """Whether another folder may take the place of this one: nothing else is in it, and nobody is."""
    if not os.access(folder.parent, os.W_OK | os.X_OK):
        return False
    try:
        about, held = folder.stat(), list(os.scandir(folder))
    except FileNotFoundError:
        return True
    mine = all(one.name in names and one.is_file(follow_symlinks=False) for one in held)
    where = Path.cwd()
    inside = where == folder or folder in where.parents
    return mine and not inside and about.st_dev == folder.parent.stat().st_dev


def _put_in_place(draft: Path, folder: Path) -> bool:
    """Put a draft in the place of a folder in one step; False where the system has no such step."""
    if not folder.exists():
        draft.replace(folder)
        return True
    for file in draft.iterdir():
        _dress_as(file, folder / file.name)
    dress(draft, folder.stat())
    return _exchange()(os.fsencode(draft), os.fsencode(folder))  # the draft is now the old folder


def _merge(draft: Path, folder: Path, names: Sequence[str]) -> None:
    """Put the files of a draft among others."""
    folder.mkdir(exist_ok=True)
    written = {file.name for file in draft.iterdir()}
    for name in written:
        replaceable(folder / name)
    (draft / _GONE).write_text("\n".join(sorted(set(names) - written)), encoding="utf-8")
    draft.replace(folder / COMPLETE)
    settle(folder, names)


def _take_place(file: Path, target: Path) -> None:
    """Put a file in the place of another; a link stays a link."""
    _dress_as(file, target)
    target = Path(os.path.realpath(target))
    try:
        file.replace(target)
    except OSError:  # a link that leads to another file system
        if not file.exists() or not target.is_file():
            raise
        near = draft_beside(target)
        shutil.copy2(file, near)
        near.replace(target)
        file.unlink()


def _dress_as(file: Path, target: Path) -> None:
    before = replaceable(target)
    if before is not None:
        dress(file, before)


@functools.cache
def _exchange() -> Callable[[bytes, bytes], bool]:
    """What lets two folders change places; where it is missing or fails, False."""
    with suppress(OSError, TypeError, AttributeError):
        system = ctypes.CDLL(None, use_errno=True)
        if hasattr(system, "renameat2"):  # Linux
            rename, at = system.renameat2, _AT_WORKING_DIRECTORY
            return lambda one, other: rename(at, one, at, other, _EXCHANGE) == 0
        swap = system.renamex_np  # macOS
        return lambda one, other: swap(one, other, _EXCHANGE) == 0
    return lambda _one, _other: False
