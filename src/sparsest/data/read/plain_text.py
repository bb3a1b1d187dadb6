"""Text files as plain UTF-8 with one kind of line end and one separator, whatever they were written as.

Polars reads UTF-8 with line feeds. Files in Latin-1 or UTF-16, with carriage returns alone, or with runs of
blanks between columns are brought to that form first, in memory; all others are left where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sparsest.data.read.options import TableOptions
from sparsest.data.read.packing import opened

LOOSE = (".dat", ".data", ".txt")  #: suffixes of files whose columns may be aligned by blanks
_SAMPLE = 2**16
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_BLANKS = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Plain:
    """A file as it is, or its text brought to plain form, and what was done for that."""

    source: Path | bytes
    notices: tuple[str, ...] = ()


def plain_text(source: Path | bytes, suffix: str, options: TableOptions) -> Plain:
    """The file itself where Polars can read it, otherwise its text in plain form."""
    with opened(source) as file:
        sample = file.read(_SAMPLE)
    encoding = _encoding(sample)
    odd_ends = b"\r" in sample and b"\n" not in sample
    text = _decoded(sample, encoding or "utf-8-sig")
    aligned = suffix in LOOSE and options.separator is None and _is_aligned(text)
    headless = suffix in (".dat", ".data") and _is_headless(text, aligned)
    if not (encoding or odd_ends or aligned or headless):
        return Plain(source)
    with opened(source) as file:
        whole = _decoded(file.read(), encoding or "utf-8-sig")
    lines = whole.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if aligned:
        lines = [_BLANKS.sub("\t", line.strip()) for line in lines]
    notices = (
        [f"read as {encoding.replace('latin-1', 'Latin-1').replace('utf-16', 'UTF-16')}"] if encoding else []
    )
    if headless:
        first = next(line for line in lines if line.strip())
        width = len(re.split(r"[\t,;]", first))
        mark = "\t" if aligned else next((mark for mark in "\t,;" if mark in first), ",")
        lines = [mark.join(f"x{k}" for k in range(width)), *lines]
        notices.append("the first line holds numbers, not names: the columns are called x0, x1, ...")
    return Plain("\n".join(lines).encode(), tuple(notices))


def _encoding(sample: bytes) -> str:
    """The encoding, where it is not UTF-8: "utf-16" by its mark, else "latin-1", which reads anything."""
    if sample.startswith(_WIDE):
        return "utf-16"
    try:
        sample.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        cut = len(sample) == _SAMPLE and error.start > len(sample) - 4
        text = not cut and b"\x00" not in sample
        return "latin-1" if text else ""
    return ""


def _decoded(content: bytes, encoding: str) -> str:
    return content.decode(encoding, "replace")


def _is_aligned(text: str) -> bool:
    """Whether blanks separate the columns: every line has as many words, two or more, and no other mark."""
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", text)[:100] if line.strip()]
    if len(lines) < 3 or any(mark in lines[0] for mark in ',;|"') or lines[0].startswith("/"):
        return False
    lines = lines[:-1]  # the last one may be cut
    widths = {len(_BLANKS.split(line)) for line in lines}
    runs = any(_BLANKS.search(line) and _BLANKS.search(line)[0] != "\t" for line in lines)  # type: ignore[index]
    return len(widths) == 1 and widths.pop() > 1 and runs


def _is_headless(text: str, aligned: bool) -> bool:
    """Whether the first line holds numbers like the second."""
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", text)[:20] if line.strip()]
    if len(lines) < 2:
        return False
    first = _BLANKS.split(lines[0]) if aligned else re.split(r"[\t,;]", lines[0])
    numbers = [bool(_NUMBER.fullmatch(word.strip())) for word in first]
    return sum(numbers) > len(numbers) / 2
