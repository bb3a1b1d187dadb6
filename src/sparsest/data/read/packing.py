"""One file of a table: where it is, how it is written, how it is compressed, and what it holds."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any

from sparsest._core.budget import EXPANSION, VARIABLE, expansion_limit
from sparsest._core.errors import DataError
from sparsest._core.words import bytes_words
from sparsest.data.read.zstandard import unpacked_zstandard

_PIECE = 2**22  # bytes unpacked at a time
_PACKED_ERRORS = (
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)


@dataclass(frozen=True)
class Part:
    """One file: where it is, how it is written (.csv, ...), and how it is packed (.gz, ... or "")."""

    path: Path
    format: str
    packing: str

    @property
    def shown(self) -> str:
        """The path, for messages."""
        return repr(str(self.path))


def suffix_inside(path: Path) -> str:
    """The suffix of the one file in an archive."""
    if not path.is_file():
        return ".csv"  # a missing file is reported later
    try:
        with zipfile.ZipFile(path) as archive:
            return PurePath(_member(archive, path)).suffix.lower()
    except DataError:
        raise
    except (OSError, *_PACKED_ERRORS) as error:
        raise DataError(f"cannot read {str(path)!r}: {reason(error)}") from None


def _member(archive: zipfile.ZipFile, path: Path) -> str:
    names = [
        name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")
    ]
    if len(names) != 1:
        raise DataError(f"{str(path)!r} has {len(names)} files in it: it must hold exactly one table")
    return names[0]


def unpacked(part: Part) -> bytes:
    """What a compressed file holds, if that is not too much."""
    try:
        if part.packing == ".zst":
            return unpacked_zstandard(part.path)
        if part.packing == ".zip":
            with zipfile.ZipFile(part.path) as archive, archive.open(_member(archive, part.path)) as inside:
                return _read_within(inside, part)
        opener: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[part.packing]
        with opener(part.path) as inside:
            return _read_within(inside, part)
    except MemoryError:
        raise DataError(f"there is not enough memory to unpack {part.shown}: unpack it first") from None
    except DataError:
        raise
    except (OSError, *_PACKED_ERRORS) as error:
        raise DataError(
            f"cannot read {part.shown}: {reason(error)}. Is it a complete {part.packing} file?"
        ) from None


def _read_within(inside: IO[bytes], part: Part) -> bytes:
    """All that is inside, if it is not more than the file may ask for; much is counted before it is kept."""
    most = expansion_limit(part.path.stat().st_size)
    whole = io.BytesIO()
    counted = 0
    while piece := inside.read(_PIECE):
        counted += len(piece)
        if counted > most:
            raise too_much_inside(part.path, most)
        if counted <= EXPANSION:
            whole.write(piece)
        else:
            whole.truncate(0)
    if counted <= EXPANSION:
        return whole.getvalue()
    inside.seek(0)
    return inside.read()


def too_much_inside(path: Path, most: int) -> DataError:
    """The error for a file that unpacks to more than it may."""
    return DataError(
        f"{str(path)!r} ({bytes_words(path.stat().st_size)}) unpacks to more than {bytes_words(most)}: "
        f"unpack it first if you trust it, or set the environment variable {VARIABLE} to more"
    )


@contextmanager
def opened(source: Path | bytes) -> Iterator[IO[bytes]]:
    """A file, or bytes as one."""
    if isinstance(source, bytes):
        yield io.BytesIO(source)
    else:
        with source.open("rb") as file:
            yield file


def damaged(part: Part, error: BaseException) -> DataError:
    """The error for a file that its reader cannot read."""
    return DataError(f"cannot read {part.shown}: {reason(error)}. Is it a complete {part.format} file?")


@contextmanager
def panics_as(made: type[Exception]) -> Iterator[None]:
    """Turn a panic of a library in Rust into an error: it is no Exception, and each library has its own."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise made(reason(error)) from None


def reason(error: BaseException) -> str:
    """The first line of an error's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")
