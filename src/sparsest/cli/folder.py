"""The folder that a command writes to: checked before the work, created after it; other files are safe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from sparsest._core.errors import OptionError
from sparsest.cli.terminal import say

_OURS = '"format": "sparsest-'  # near the beginning of every JSON file of sparsest


def spare(source: Path, target: Path, option: str) -> None:
    """Refuse to overwrite the input."""
    source, target = source.expanduser(), target.expanduser()
    if target.exists() and source.exists() and target.samefile(source):
        raise OptionError(
            f"the input {str(source)!r} would be overwritten: choose another path with {option}"
        )


Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]


def spare_existing(target: Path, force: bool) -> None:
    """Refuse to replace a file, unless that was asked for."""
    if target.expanduser().exists() and not force:
        raise OptionError(
            f"{str(target)!r} is there already: choose another name, or pass --force to replace it"
        )


class Targets:
    """The single files that a command is asked to write, by their options: checked before the work."""

    def __init__(
        self, files: Mapping[str, Path | None], *, source: Path | None = None, force: bool = False
    ) -> None:
        self.files = [file for file in files.values() if file is not None and str(file) != "-"]
        for option, file in files.items():
            if file is None or str(file) == "-":
                continue
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
        self.path = path.expanduser()
        self.names = names
        self._written: set[str] = set()
        self._require_writable()
        targets = [self.path / name for name in names if (self.path / name).exists()]
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

    def write(self, name: str, writer: Callable[[Path], object]) -> None:
        """Let `writer` write one of the files."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            writer(self.path / name)
            self._written.add(name)
        except OSError as error:
            raise OptionError(f"cannot write {str(self.path / name)!r}: {error.strerror or error}") from None

    def leave_out(self, name: str) -> None:
        """Do not write this file; delete one from an earlier answer, which would be misleading."""
        (self.path / name).unlink(missing_ok=True)

    def __str__(self) -> str:
        return f"{', '.join(name for name in self.names if name in self._written)} in {self.path}"

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
