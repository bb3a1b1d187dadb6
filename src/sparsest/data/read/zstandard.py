"""Zstandard files, unpacked by Polars after their own headers have said how much they hold (RFC 8878).

Every block of a frame says how long it is, and unpacks to at most 128 kB: a walk from block to block bounds
the whole without unpacking anything.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from sparsest._core.budget import require_modest
from sparsest._core.errors import DataError

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPED = range(0x184D2A50, 0x184D2A60)  # frames that hold something else
_BLOCK = 2**17  # bytes that a block unpacks to at most


def unpacked_zstandard(path: Path) -> bytes:
    """What a file holds, with line feeds as line ends; Polars unpacks it, in any version, line by line."""
    import polars

    size = path.stat().st_size
    with path.open("rb") as file:
        bound = _bound(file, size, str(path))
    require_modest(bound, size, f"unpacking {str(path)!r}", "unpack it first if you trust it")
    if hasattr(polars, "scan_lines"):  # from 1.38 on
        lines = polars.scan_lines(path).collect()
    else:  # a table of one column, whose separator occurs in no text
        how: dict[str, Any] = {"missing_utf8_is_empty_string": True}
        lines = polars.read_csv(
            path, has_header=False, separator="\x01", quote_char=None, schema={"line": polars.String}, **how
        )
    if lines.width != 1:
        raise DataError(f"cannot read {str(path)!r}: it holds control characters. Is it text?")
    return "\n".join(lines.to_series().fill_null("").to_list()).encode()


def _bound(file: IO[bytes], size: int, shown: str) -> int:
    """The bytes that the frames of a file unpack to at most."""
    whole = 0
    while file.tell() < size:
        magic = file.read(4)
        if int.from_bytes(magic, "little") in _SKIPPED:
            file.seek(int.from_bytes(file.read(4), "little"), 1)
            continue
        if magic != _MAGIC:
            raise DataError(f"cannot read {shown!r}: it is damaged. Is it a complete .zst file?")
        whole += _frame(file, size, shown)
    return whole


def _frame(file: IO[bytes], size: int, shown: str) -> int:
    """The bytes that one frame unpacks to: as it declares, else the most that its blocks can hold."""
    head = int.from_bytes(file.read(1), "little")
    single, has_sum = head >> 5 & 1, head >> 2 & 1
    file.seek((0 if single else 1) + (0, 1, 2, 4)[head & 3], 1)
    wide = (1 if single else 0, 2, 4, 8)[head >> 6]
    declared = int.from_bytes(file.read(wide), "little") + (256 if wide == 2 else 0)
    bound = last = 0
    while not last:
        found = file.read(3)
        header = int.from_bytes(found, "little")
        last, kind, length = header & 1, header >> 1 & 3, header >> 3
        bound += _BLOCK if kind == 2 else length
        if len(found) < 3 or kind == 3 or file.seek(1 if kind == 1 else length, 1) > size:
            raise DataError(f"cannot read {shown!r}: it is damaged or cut short. Is it a complete .zst file?")
    file.seek(4 * has_sum, 1)
    return max(declared, 0) if wide and declared <= bound else bound
