"""Bytes and text spoiled at random, and names that mean something elsewhere."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sparsest_bench.measures.fuzz_readers import spoiled

NAMES = (
    "a", "b", "gene1", "^a.*$", "^q.z$", "a b", "a,b", 'say "x"', "it's", "=cmd()", "+1+1", "\x1b[2J", "<b>",
    "<script>alert(1)</script>", "名", "*", "[a]", "a.b", "__proto__", "'; DROP TABLE x; --", "l" * 300, "..",
    "../x", "$array", "%s", "{0}", "\u202ex", "None", "nan", "a -> b", "a|b", "a;b", "&amp;", "\\n", "#x",
    "//",
)  # fmt: skip
_NUMBERS = (b"0", b"-1", b"255", b"65535", b"2147483647", b"4294967296", b"9223372036854775807", b"1e999")
_SIZES = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


class Case(Protocol):
    """One hostile input."""

    def answer(self) -> Any:
        """What sparsest makes of it: anything, or a SparsestError."""

    def lost(self, answer: Any) -> str:
        """What is missing or wrong in an answer, in words; "" if nothing is."""


@dataclass(frozen=True)
class Made:
    """Where an input was written, and what is known of it."""

    path: Path
    spoiled: bool
    about: dict[str, Any] = field(default_factory=dict)


def some_names(count: int, rng: np.random.Generator) -> list[str]:
    """Different names, some of them hostile."""
    if rng.random() < 0.5:
        return [f"x{k}" for k in range(count)]
    return [NAMES[int(k)] for k in rng.permutation(len(NAMES))[:count]]


def spoiled_bytes(whole: bytes, rng: np.random.Generator) -> bytes:
    """Bytes changed; half of the time a number of four or eight bytes among them."""
    if rng.random() < 0.5 or len(whole) < 16:
        return spoiled(whole, rng)
    data = bytearray(whole)
    for _ in range(int(rng.integers(1, 4))):
        width = int(rng.choice([1, 2, 4, 8]))
        at = int(rng.integers(0, len(data) - width))
        number = _SIZES[int(rng.integers(len(_SIZES)))] if rng.random() < 0.7 else int(rng.integers(2**31))
        data[at : at + width] = (number % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(data)


def spoiled_text(whole: str, pieces: Sequence[str], rng: np.random.Generator) -> str:
    """Text with pieces deleted, doubled, exchanged or inserted, or a number made enormous."""
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, len(whole) + 1))
        to = min(len(whole), at + int(rng.integers(0, 12)))
        way = int(rng.integers(5))
        piece = ("", whole[at:to] * 2, pieces[int(rng.integers(len(pieces)))], _number(rng), "\x00\ud7ff")[
            way
        ]
        whole = whole[:at] + piece + whole[to:]
    return whole


def _number(rng: np.random.Generator) -> str:
    return _NUMBERS[int(rng.integers(len(_NUMBERS)))].decode()


def spoiled_archive(whole: bytes, rng: np.random.Generator) -> bytes:
    """A zip archive with one member spoiled or doubled, and sums that fit, as a careful attacker makes it."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    target = list(members)[int(rng.integers(len(members)))]
    way = int(rng.integers(10))
    if way == 0:
        del members[target]
    elif way == 1:
        members[target] = members[list(members)[int(rng.integers(len(members)))]]
    elif way < 6:
        text = members[target].decode("latin-1")
        pieces = [chr(int(rng.integers(32, 127))), "XFD1048576", "ZZZZZZ4294967295", "true", "null", "[", "}"]
        members[target] = spoiled_text(text, pieces, rng).encode("latin-1", "replace")
    else:
        members[target] = spoiled_bytes(members[target], rng)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()
