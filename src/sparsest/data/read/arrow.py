"""Is an Arrow file whole? Asked before Polars reads it: a length that is wrong can end the process there.

Only the headers are read (Arrow columnar format, `Message.fbs` and `File.fbs`; FlatBuffers): the footer of a
file, or one message after the other of a stream, lead to the batches, and these say how many rows they have
and where the bytes of each column are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sparsest._core.budget import require_modest, require_room
from sparsest.data.read.packing import Part, damaged, opened

_MAGIC = b"ARROW1"
_GOES_ON = b"\xff\xff\xff\xff"  # before the length of a message
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3  # kinds of messages
_MOST_METADATA = 2**28  # bytes of one header


class _DamagedError(Exception):
    """The reason in a few words."""


@dataclass
class _Account:
    """What the batches of a file add up to."""

    rows: int = 0
    unpacked: int = 0  #: bytes of columns, after decompression


def rows_declared(source: Path | bytes, part: Part) -> int:
    """The rows that an Arrow file says it has; refused if a length in it cannot be true."""
    try:
        with opened(source) as file:
            size = file.seek(0, 2)
            account = _Account()
            for start, metadata, body in _messages(file, size):
                _take(file, start, metadata, body, size, account)
    except _DamagedError as reason:
        raise damaged(part, reason) from None
    except (struct.error, IndexError, OverflowError, ValueError):
        raise damaged(part, _DamagedError("its headers are damaged")) from None
    # Polars ends the process where it gets no memory for a length, true or not.
    require_modest(account.unpacked, size, f"reading {part.shown}", "save it without compression")
    require_room(account.unpacked, f"reading {part.shown}", "leave columns or rows out")
    return account.rows


def _messages(file: IO[bytes], size: int) -> Iterator[tuple[int, int, int]]:
    """Of every batch: where its message starts, how long its header is, and its body (-1: as it says)."""
    file.seek(0)
    if file.read(6) != _MAGIC:
        yield from _streamed(file, size)
        return
    file.seek(size - 10)
    tail = file.read(10)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > size - 18:
        raise _DamagedError("its end is missing")
    file.seek(size - 10 - length)
    footer = _Table.root(file.read(length))
    for field in (2, 3):  # dictionaries, batches
        yield from footer.structs(field, "<qi4xq")  # type: ignore[misc]


def _streamed(file: IO[bytes], size: int) -> Iterator[tuple[int, int, int]]:
    """The messages of a stream, one after the other."""
    at = 0
    while at + 4 <= size:
        file.seek(at)
        head = file.read(8)
        old = head[:4] != _GOES_ON  # before version 0.15 the length came first
        length = int.from_bytes(head[:4] if old else head[4:8], "little")
        if length == 0:
            return
        prefix = 4 if old else 8
        if length > size - at - prefix:
            raise _DamagedError("a message is longer than the file")
        file.seek(at + prefix)
        body = _Table.root(file.read(length)).number(3, "<q")
        if not 0 <= body <= size - at - prefix - length:
            raise _DamagedError("a batch is longer than the file")
        yield at, prefix + length, body
        at += prefix + length + body
    raise _DamagedError("it has no end mark")


def _take(file: IO[bytes], start: int, metadata: int, body: int, size: int, account: _Account) -> None:
    """Check one message, and count its rows."""
    if min(start, metadata, body) < 0 or metadata > _MOST_METADATA or start + metadata + body > size:
        raise _DamagedError("a batch reaches beyond the end")
    file.seek(start)
    header = file.read(metadata)
    prefix = 8 if header[:4] == _GOES_ON else 4
    length = int.from_bytes(header[prefix - 4 : prefix], "little")
    if length > metadata - prefix:
        raise _DamagedError("a header is longer than it says")
    message = _Table.root(header[prefix : prefix + length])
    kind, inside = message.number(1, "<B"), message.table(2)
    if message.number(3, "<q") != body:
        raise _DamagedError("two lengths of a batch differ")
    if kind == _DICTIONARY and inside is not None:
        inside = inside.table(1)
    if kind in (_BATCH, _DICTIONARY) and inside is not None:
        rows = _check_batch(file, inside, start + metadata, body, account)
        account.rows += rows if kind == _BATCH else 0


def _check_batch(file: IO[bytes], batch: _Table, at: int, body: int, account: _Account) -> int:
    """The rows of a batch, whose columns must lie within its body."""
    rows = batch.number(0, "<q")
    nodes, buffers = list(batch.structs(1, "<qq")), list(batch.structs(2, "<qq"))
    if rows < 0 or any(min(length, nulls) < 0 or nulls > length for length, nulls in nodes):
        raise _DamagedError("a batch has an impossible number of rows")
    if any(min(offset, length) < 0 or offset + length > body for offset, length in buffers):
        raise _DamagedError("a column reaches beyond its batch")
    if any(count < 0 or count > len(buffers) for (count,) in batch.structs(4, "<q")):
        raise _DamagedError("a column has an impossible number of parts")
    packed = batch.table(3) is not None
    for offset, length in buffers:
        account.unpacked += _unpacked_length(file, at + offset, length) if packed else length
    # A column of nothing but missing values takes no bytes in the file, and a byte a row when it is read.
    account.unpacked += sum(length for length, _ in nodes) + rows
    return rows


def _unpacked_length(file: IO[bytes], at: int, length: int) -> int:
    """The bytes that a compressed buffer says it unpacks to."""
    if length < 8:
        return length
    file.seek(at)
    (declared,) = struct.unpack("<q", file.read(8))
    if declared < -1:
        raise _DamagedError("a column has a negative length")
    return length if declared == -1 else int(declared)


class _Table:
    """A FlatBuffers table: fields by number; one that is absent is 0."""

    def __init__(self, data: bytes, at: int) -> None:
        if not 0 <= at <= len(data) - 4:
            raise IndexError(at)
        self._data, self._at = data, at
        self._fields = at - struct.unpack_from("<i", data, at)[0]
        if not 0 <= self._fields <= len(data) - 4:
            raise IndexError(self._fields)
        self._size = struct.unpack_from("<H", data, self._fields)[0]

    @classmethod
    def root(cls, data: bytes) -> _Table:
        """The outermost table."""
        return cls(data, struct.unpack_from("<I", data)[0])

    def _place(self, field: int) -> int:
        """Where a field is; 0 if it is absent."""
        slot = 4 + 2 * field
        if slot + 2 > self._size:
            return 0
        offset = int(struct.unpack_from("<H", self._data, self._fields + slot)[0])
        return self._at + offset if offset else 0

    def number(self, field: int, kind: str) -> int:
        """A whole number."""
        place = self._place(field)
        return int(struct.unpack_from(kind, self._data, place)[0]) if place else 0

    def table(self, field: int) -> _Table | None:
        """A table inside this one."""
        place = self._place(field)
        return _Table(self._data, place + struct.unpack_from("<I", self._data, place)[0]) if place else None

    def structs(self, field: int, kind: str) -> Iterator[tuple[int, ...]]:
        """The elements of a vector of structs."""
        place = self._place(field)
        if not place:
            return
        start = place + struct.unpack_from("<I", self._data, place)[0]
        (count,) = struct.unpack_from("<I", self._data, start)
        size = struct.calcsize(kind)
        if start + 4 + count * size > len(self._data):
            raise _DamagedError("a list in its headers is too long")
        for k in range(count):
            yield struct.unpack_from(kind, self._data, start + 4 + k * size)
