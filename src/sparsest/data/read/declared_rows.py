"""Whether a file of SPSS or Stata has more rows than its header declares.

The reader stops at the declared number, also where more rows follow. Files that are laid out in another way
than is known here are left to it.
"""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

from sparsest._core.budget import require_modest

_PLAIN, _BYTECODE, _ZIPPED = 0, 1, 2  # how SPSS compresses rows
_WORD = 8  # bytes, of which rows of SPSS consist
_NUMBER, _PADDING, _END = 253, 0, 252  # codes of SPSS: a number as it is, and what is no value
_STATA = {113: 12, 114: 49, 115: 49}  # bytes of a column's format, by the format of the file
_SIZES = {251: 1, 252: 2, 253: 4, 254: 4, 255: 8}  # bytes of Stata's numbers; other types are texts' lengths


def more_rows_follow(path: Path, rows: int) -> bool:
    """Whether there are more than so many rows, as far as the file tells."""
    suffix = path.suffix.lower()
    try:
        with path.open("rb") as file:
            if suffix == ".sav":
                return _rows_of_spss(file, path) > rows
            return suffix == ".dta" and _more_in_stata(file, rows)
    except (struct.error, ValueError, OverflowError, zlib.error):
        return False


def _rows_of_spss(file: BinaryIO, path: Path) -> int:
    header = file.read(176)
    order = "<" if struct.unpack("<i", header[64:68])[0] in (2, 3) else ">"
    (compression,) = struct.unpack(order + "i", header[72:76])
    width = _skip_dictionary(file, order)
    if not width:
        return 0
    if compression == _PLAIN:
        return (path.stat().st_size - file.tell()) // (_WORD * width)
    if compression == _ZIPPED:
        return _coded_values(_unzipped(file, order, path)) // width
    return _coded_values(file.read()) // width if compression == _BYTECODE else 0


def _skip_dictionary(file: BinaryIO, order: str) -> int:
    """Read up to the first row; the number of words in a row."""

    def numbers(count: int) -> tuple[int, ...]:
        return struct.unpack(f"{order}{count}i", file.read(4 * count))

    def skip(count: int) -> None:
        if count < 0:
            raise ValueError("a negative size")
        file.seek(count, io.SEEK_CUR)

    width = 0
    while True:
        (kind,) = numbers(1)
        if kind == 2:  # a variable
            width += 1
            _, labelled, missing, _, _ = numbers(5)
            skip(8)
            if labelled:
                skip(-(-numbers(1)[0] // 4) * 4)
            skip(8 * abs(missing))
        elif kind == 3:  # labels of values
            for _ in range(numbers(1)[0]):
                skip(8)
                (length,) = file.read(1)
                skip(-(-(length + 1) // 8) * 8 - 1)
        elif kind == 4:  # the variables that have them
            skip(4 * numbers(1)[0])
        elif kind == 6:  # a document
            skip(80 * numbers(1)[0])
        elif kind == 7:
            _, size, count = numbers(3)
            skip(size * count)
        elif kind == 999:
            skip(4)
            return width
        else:
            raise ValueError(f"a record of type {kind}")


def _coded_values(content: bytes) -> int:
    """The values in blocks of eight codes, each followed by as many words as it has codes for numbers."""
    codes = np.frombuffer(content, dtype=np.uint8, count=len(content) // _WORD * _WORD).reshape(-1, _WORD)
    steps = (1 + (codes == _NUMBER).sum(axis=1)).tolist()
    values = ((codes != _PADDING) & (codes != _END)).sum(axis=1).tolist()
    at = count = 0
    while at < len(steps):
        count += values[at]
        at += steps[at]
    return count


def _unzipped(file: BinaryIO, order: str, path: Path) -> bytes:
    """What blocks of compressed codes hold: a list of them is at the end of the file."""
    _, end, length = struct.unpack(f"{order}3q", file.read(24))
    file.seek(end)
    listed = file.read(length)
    (blocks,) = struct.unpack(f"{order}i", listed[20:24])
    places = [struct.unpack(f"{order}qqii", listed[24 + 24 * k : 48 + 24 * k]) for k in range(blocks)]
    size = path.stat().st_size
    require_modest(sum(place[2] for place in places), size, f"unpacking {str(path)!r}", "save it as .csv")
    whole = bytearray()
    for _, start, wide, packed in places:
        file.seek(start)
        whole += zlib.decompressobj().decompress(file.read(packed), wide)
    return bytes(whole)


def _more_in_stata(file: BinaryIO, rows: int) -> bool:
    """Before format 117 nothing but labels follows the rows; later formats say where all their parts are."""
    release, byte_order = file.read(2)
    if release not in _STATA:
        return False
    order = ">" if byte_order == 1 else "<"
    file.seek(4)
    (columns,) = struct.unpack(order + "H", file.read(2))
    file.seek(109)
    width = sum(_SIZES.get(kind, kind) for kind in file.read(columns))
    file.seek(columns * (33 + _STATA[release] + 33 + 81) + 2 * (columns + 1), io.SEEK_CUR)
    while True:  # characteristics
        kind, length = struct.unpack(order + "BI", file.read(5))
        if not kind and not length:
            break
        file.seek(length, io.SEEK_CUR)
    start = file.tell() + rows * width
    end = file.seek(0, io.SEEK_END)
    return end - start >= width and not _are_labels(file, start, end, order)


def _are_labels(file: BinaryIO, start: int, end: int, order: str) -> bool:
    """Whether nothing but tables of labels are there up to the end."""
    while start < end:
        file.seek(start)
        head = file.read(4)
        if len(head) < 4:
            return False
        (length,) = struct.unpack(order + "i", head)
        if length < 8:
            return False
        start += 4 + 33 + 3 + length
    return start == end
