"""Is a Parquet file whole? Asked before Polars reads it: a damaged page can end the process there.

Only the headers are read (Apache Parquet format, `parquet.thrift`; Thrift's compact protocol): the footer
leads to the column chunks, and these are walked from page to page.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import IO, Any

from sparsest._core.errors import DataError
from sparsest.data.read.packing import opened

_LARGEST_FOOTER = 16 * 2**20  # bytes: larger ones would take long to read here, and are trusted
_LONGEST_NUMBER = 70  # bits
_HEADER = (2**9, 2**16)  # bytes to read for the header of a page
_PAGES = (5, 7, 8)  # fields of a page header: the headers of data, dictionary and second-version data pages


class _DamagedError(Exception):
    """The reason in a few words."""


def require_whole(source: Path | bytes, shown: str) -> list[int]:
    """Refuse a Parquet file whose footer or page headers are damaged; return the rows of its row groups.

    There are none where the footer is too long to be read here.
    """
    try:
        with opened(source) as file:
            groups = _row_groups(file)
            for group in groups:
                for column in group[1]:
                    _walk_pages(file, column[3])
            return [group[3] for group in groups]
    except _DamagedError as reason:
        raise DataError(f"cannot read {shown}: {reason}. Is it a complete .parquet file?") from None
    except (IndexError, KeyError, TypeError, AttributeError, ValueError, RecursionError, struct.error):
        raise DataError(
            f"cannot read {shown}: its headers are damaged. Is it a complete .parquet file?"
        ) from None


def _row_groups(file: IO[bytes]) -> list[dict[int, Any]]:
    """The row groups as the footer describes them; none if that would take too long."""
    size = file.seek(0, 2)
    if size < 12:
        raise _DamagedError("it is too short")
    file.seek(size - 8)
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] == b"PARE":
        raise _DamagedError("it is encrypted")
    if tail[4:] != b"PAR1" or length > size - 12:
        raise _DamagedError("its end is missing")
    if length > _LARGEST_FOOTER:
        return []
    file.seek(size - 8 - length)
    footer = _Reader(file.read(length)).struct()
    groups: list[dict[int, Any]] = footer.get(4, [])
    if min([footer[3], *(group[3] for group in groups)]) < 0:
        raise _DamagedError("it has a negative number of rows")
    return groups


def _walk_pages(file: IO[bytes], chunk: dict[int, Any]) -> None:
    """The pages of a column chunk: sizes that fit into it, numbers of values that add up."""
    at = min(chunk[9], chunk.get(11) or chunk[9])
    end, left = at + chunk[7], chunk[5]
    while at < end and left > 0:
        page, length = _page_header(file, at, end)
        (kind,) = (field for field in _PAGES if field in page)
        values = page[kind][1]
        at += length + page[3]
        if page[2] < 0 or page[3] < 0 or at > end:
            raise _DamagedError("a page is larger than its column")
        if values < 0 or (kind != 7 and values > left):
            raise _DamagedError("a page has an impossible number of values")
        left -= 0 if kind == 7 else values
    if left:
        raise _DamagedError("a column has too few values")


def _page_header(file: IO[bytes], at: int, end: int) -> tuple[dict[int, Any], int]:
    """A page header and its length: mostly short, but it may hold the least and the largest text."""
    for size in _HEADER:
        file.seek(at)
        reader = _Reader(file.read(min(size, end - at)))
        try:
            return reader.struct(), reader.at
        except IndexError:
            continue
    raise _DamagedError("a page has no header")


class _Reader:
    """Values in Thrift's compact protocol; a struct is a dictionary by the numbers of its fields."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            fields[number] = self._value(head & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind in (3, 4, 5, 6):
            return self._byte() if kind == 3 else self._whole()
        if kind == 7:
            return struct.unpack("<d", self._bytes(8))[0]
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            return self._list()
        if kind == 12:
            return self.struct()
        raise ValueError(kind)

    def _list(self) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        if size > len(self._data) - self.at:  # every element takes a byte
            raise IndexError(size)
        if kind == 12:
            return [self._full_struct() for _ in range(size)]
        return [self._byte() == 1 if kind in (1, 2) else self._value(kind) for _ in range(size)]

    def _full_struct(self) -> dict[int, Any]:
        """A struct in a list: those of a footer have fields, and millions without any would take long."""
        fields = self.struct()
        if not fields:
            raise ValueError(fields)
        return fields

    def _whole(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
            if shift > _LONGEST_NUMBER:
                raise ValueError(number)
        return number | byte << shift

    def _byte(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        return byte

    def _bytes(self, length: int) -> bytes:
        self.at += length
        if self.at > len(self._data):
            raise IndexError(length)
        return self._data[self.at - length : self.at]
