"""Covariance and correlation matrices in files: Tetrad's, and square tables with a number of rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sparsest._core.errors import DataError, OptionError

if TYPE_CHECKING:
    from sparsest.data.moments.moments import Moments

_MARKS = ("/covariance", "/correlation")


def is_covariance_file(path: Path) -> bool:
    """Whether a file is one of Tetrad's covariance files."""
    if not path.is_file():  # opening a pipe would wait for its other end
        return False
    try:
        with path.open("rb") as file:
            return (
                file.read(64)
                .lstrip(b"\xef\xbb\xbf \t\r\n")
                .lower()
                .startswith(tuple(m.encode() for m in _MARKS))
            )
    except OSError:
        return False


def read_covariances(path: Path, n: float | None) -> Moments:
    """The moments in a file."""
    from sparsest.data.moments.moments import Moments

    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise DataError(f"{str(path)!r} is not a text file of covariances in UTF-8") from None
    lines = [re.split(r"[\s,;]+", line.strip().strip(",;")) for line in text.splitlines() if line.strip()]
    if lines and lines[0][0].lower() in _MARKS:
        if len(lines) < 3:
            raise DataError(f"{str(path)!r} ends before its covariances")
        given, names, rows = _number(lines[1][0], path), lines[2], lines[3:]
        return Moments(_filled(rows, len(names), path), given if n is None else n, names=names)
    if n is None:
        raise OptionError("the number of rows behind a covariance matrix is needed: pass n=...")
    names, rows = [word.strip('"') for word in lines[0] if word.strip('"')], lines[1:]
    if (rows and len(rows[0]) == len(names) + 1) or (rows and rows[0][0].strip('"') == names[0]):
        rows = [row[1:] for row in rows]
    return Moments(_filled(rows, len(names), path), n, names=names)


def _filled(rows: list[list[str]], p: int, path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A symmetric matrix from its rows, whole or the lower triangle."""
    if len(rows) != p:
        raise DataError(f"{str(path)!r} has {len(rows)} rows of covariances for {p} columns")
    matrix = np.zeros((p, p))
    for i, row in enumerate(rows):
        if len(row) not in (i + 1, p):
            raise DataError(
                f"row {i} (counting from 0) of {str(path)!r} has {len(row)} numbers, not {i + 1} or {p}"
            )
        matrix[i, : len(row)] = [_number(word, path) for word in row]
    lower = np.tril(matrix)
    return np.asarray(lower + np.tril(matrix, -1).T if not np.triu(matrix, 1).any() else matrix)


def _number(word: str, path: Path) -> float:
    try:
        return float(word)
    except ValueError:
        raise DataError(f"{str(path)!r} has {word!r} where a number should be") from None
