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
from typing import IO

from sparsest._core.errors import DataError

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
    """What a compressed file holds."""
    try:
        if part.packing == ".zst":
            return _zstandard(part.path)
        if part.packing == ".zip":
            with zipfile.ZipFile(part.path) as archive:
                return archive.read(_member(archive, part.path))
        packed = part.path.read_bytes()
        return {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}[part.packing](packed)
    except DataError:
        raise
    except (OSError, *_PACKED_ERRORS) as error:
        raise DataError(
            f"cannot read {part.shown}: {reason(error)}. Is it a complete {part.packing} file?"
        ) from None


def _zstandard(path: Path) -> bytes:
    """Python unpacks Zstandard from 3.14 on; Polars does it for any version, line by line."""
    import polars

    lines = polars.scan_lines(path).collect() if hasattr(polars, "scan_lines") else None
    if lines is None:
        raise DataError(f"cannot unpack {str(path)!r} with this version of Polars: unpack it first")
    return "\n".join(lines.to_series().to_list()).encode()


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


def reason(error: BaseException) -> str:
    """The first line of an error's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")
