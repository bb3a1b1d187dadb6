"""The folder that a command writes to: checked before the work, created after it; other files are safe."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest._core.errors import OptionError
from sparsest._core.folders import folder_written_whole, settle
from sparsest._core.paths import given_path
from sparsest._core.writing import named_trouble, replaceable
from sparsest.cli.terminal import say

_OURS = '"format": "sparsest-'  # near the beginning of every JSON file of sparsest


def spare(source: Path, target: Path, option: str) -> None:
    """Refuse to overwrite the input."""
    source, target = given_path(source), given_path(target, OptionError)
    if target.exists() and source.exists() and target.samefile(source):
        raise OptionError(
            f"the input {str(source)!r} would be overwritten: choose another path with {option}"
        )


Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]


def spare_existing(target: Path, force: bool) -> None:
    """Refuse to replace a file, unless that was asked for."""
    if os.path.lexists(given_path(target, OptionError)) and not force:
        raise OptionError(
            f"{str(target)!r} is there already: choose another name, or pass --force to replace it"
        )


class Targets:
    """The single files that a command is asked to write, by their options: checked before the work."""

    def __init__(
        self, files: Mapping[str, Path | None], *, source: Path | None = None, force: bool = False
    ) -> None:
        asked = {option: file for option, file in files.items() if file is not None and str(file) != "-"}
        self.files = list(asked.values())
        options: dict[str, str] = {}  # by path
        for option, file in asked.items():
            other = options.setdefault(os.path.realpath(given_path(file, OptionError)), option)
            if other != option:
                raise OptionError(
                    f"{other} and {option} name the same file, {str(file)!r}: change one of them"
                )
            if source is not None:
                spare(source, file, option)
            spare_existing(file, force)

    def say(self, quiet: bool) -> None:
        """Name the files that were written."""
        for file in () if quiet else self.files:
            say(f"wrote {file}")


class Folder:
    """An output folder for files with the given names, the first of which is a JSON file of sparsest.

    Existing files with these names are overwritten only if that JSON file is among them, and `force` says so:
    an earlier answer may be replaced, but never an unrelated data.csv.
    """

    def __init__(
        self, path: Path, names: tuple[str, ...], source: Path | None = None, *, force: bool = False
    ) -> None:
        self.path = given_path(path, OptionError)
        self.names = names
        self._written: tuple[str, ...] = ()
        self._require_writable()
        with named_trouble(self.path):
            settle(self.path, names)
        targets = [self.path / name for name in names if os.path.lexists(self.path / name)]
        for target in targets:
            if source is not None:
                spare(source, target, "-o")
        if targets and not self._is_ours():
            raise OptionError(
                f"{str(targets[0])!r} exists and is not from sparsest: choose another folder with -o, "
                "or move it away"
            )
        if targets and not force:
            raise OptionError(
                f"{str(self.path)!r} holds an earlier answer: choose another folder with -o, or pass --force "
                "to replace it"
            )
        for target in targets:
            replaceable(target)

    @contextmanager
    def written(self) -> Iterator[Path]:
        """Where to write the files; they take their places together, or none does if anything fails."""
        with folder_written_whole(self.path, self.names) as draft:
            yield draft
            self._written = tuple(name for name in self.names if (draft / name).exists())

    def __str__(self) -> str:
        return f"{', '.join(self._written)} in {self.path}"

    def told(self) -> dict[str, Any]:
        """Where the files are, and which, as plain values."""
        return {"folder": str(self.path), "files": list(self._written)}

    def _require_writable(self) -> None:
        """Refuse a folder that cannot be written to now, rather than after hours of work."""
        existing = next(
            folder for folder in (self.path, *self.path.absolute().parents) if os.path.lexists(folder)
        )
        if not existing.is_dir():
            raise OptionError(f"cannot write to {str(self.path)!r}: {str(existing)!r} is not a folder")
        if not os.access(existing, os.W_OK | os.X_OK):
            raise OptionError(f"cannot write to {str(self.path)!r}: no permission in {str(existing)!r}")

    def _is_ours(self) -> bool:
        try:
            with (self.path / self.names[0]).open(encoding="utf-8", errors="replace") as file:
                return _OURS in file.read(200)
        except OSError:
            return False
