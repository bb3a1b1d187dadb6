"""Damaged files and odd tables: readers must return data or raise a SparsestError, nothing else.

Files of every format are cut, spliced and spoiled at random bytes; arrays and data frames get columns of
random types. Each input has its own seed, so that a failure can be reproduced: `failure(seed, folder)`.
"""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import lzma
import math
import os
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparsest._core.allowed import integer
from sparsest._core.errors import SparsestError
from sparsest.data import Kind, read_table
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

_TEXTS = (
    "a,b,c\n1,2,3\n4,5,6\n7,8,10\n",
    '"","a","b"\n"1",2.5,x\n"2",3.5,y\n"3",1e3,x\n',
    "a;b\n1,5;2\n2,5;3\n1.234,5;4\n",
    "id\tname\tday\n1\tRome\t2024-01-01\n2\tOslo\t2024-01-02\n3\t\t2024-01-03\n",
    "a b\nr1 1 2\nr2 3 4\nr3 5 7\n",
    'a,b\n"1,234",true\n"12,345.5",false\nNA,true\n',
    "\ufeffä,β\r\n1,2\r\n3,4\r\n\r\n5,7\r\n",
)
_MARKS = (b",", b";", b'"', b"\n", b"\r", b"\t", b"\x00", b"\xff", b"NA", b"-", b"1e999", b"'", b"\xe2\x82")


SETTINGS = {"inputs": integer(1), "block": integer(1)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """Tasks of `block` inputs each."""
    inputs, block = settings["inputs"], settings.get("block", 10_000)
    return [{"first": first, "inputs": min(block, inputs - first)} for first in range(0, inputs, block)]


def run(spec: Mapping[str, Any]) -> Row:
    """How the readers answered: one row per kind of input."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"rows": read_all(spec["first"], spec["inputs"], Path(folder))}


def read_all(first: int, inputs: int, folder: Path) -> list[Row]:
    """How the readers answered, for each kind of input."""
    counts: dict[str, Counter[str]] = {}
    failures: dict[str, list[str]] = {}
    seconds: defaultdict[str, float] = defaultdict(float)
    with _silent():  # Polars' panics write to stderr
        for seed in range(first, first + inputs):
            start = time.perf_counter()
            kind, answer, words = failure(seed, folder)
            seconds[kind] += time.perf_counter() - start
            counts.setdefault(kind, Counter())[answer] += 1
            if words:
                failures.setdefault(kind, []).append(f"{seed}: {words}")
    return [
        {"input": kind, "count": sum(found.values()), "read": found["read"], "refused": found["refused"],
         "failures": failures.get(kind, []), "seconds": seconds[kind]}
        for kind, found in sorted(counts.items())
    ]  # fmt: skip


def failure(seed: int, folder: Path) -> tuple[str, str, str]:
    """The kind of input, "read", "refused" or "failed", and what was raised if it was not ours."""
    rng = np.random.default_rng(seed)
    kind = list(INPUTS)[int(rng.integers(len(INPUTS)))]
    try:
        table = read_table(INPUTS[kind](rng, folder), **_options(rng))
        if not np.isfinite(table.values).all() and not np.isnan(table.values).any():
            return kind, "failed", "a table with infinite values"
    except SparsestError as error:
        if "\n" in str(error):
            return kind, "failed", f"a message of several lines: {str(error)!r}"
        return kind, "refused", ""
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        words = " ".join(str(error).split())[:150]
        return kind, "failed", f"{type(error).__name__}: {words} ({Path(where.filename).name}:{where.lineno})"
    return kind, "read", ""


def _options(rng: np.random.Generator) -> dict[str, Any]:
    """Options, mostly left alone."""
    options: dict[str, Any] = {
        "numbers_only": bool(rng.random() < 0.5),
        "drop_constant": bool(rng.random() < 0.5),
    }
    if rng.random() < 0.5:
        options["missing"] = str(rng.choice(["drop", "keep", "em", "nonsense"]))
    if rng.random() < 0.1:
        options["columns"] = list(rng.choice(["a", "b", "x0", "x1", "ä"], size=rng.integers(0, 3)))
    if rng.random() < 0.1:
        options["kinds"] = {str(rng.choice(["a", "b", "x0"])): str(rng.choice(list(Kind)))}
    if rng.random() < 0.05:
        options["transpose"] = True
    if rng.random() < 0.05:
        options["weights"] = str(rng.choice(["a", "b", "x0"]))
    if rng.random() < 0.1:
        options["decimal"] = str(rng.choice([".", ","]))
    if rng.random() < 0.05:
        options["separator"] = str(rng.choice([",", ";", "\t", " "]))
    return options


def spoiled(whole: bytes, rng: np.random.Generator) -> bytes:
    """Bytes changed, removed, doubled or inserted, or the end cut off."""
    data = bytearray(whole)
    for _ in range(int(rng.exponential(1))):
        at = int(rng.integers(0, len(data) + 1))
        length = int(rng.integers(1, 1 + max(1, len(data) // 4)))
        way = rng.integers(5)
        if way == 0 and data:
            data[min(at, len(data) - 1)] = int(rng.integers(256))
        elif way == 1:
            del data[at : at + length]
        elif way == 2:
            data[at:at] = data[at : at + length]
        elif way == 3:
            data[at:at] = _MARKS[int(rng.integers(len(_MARKS)))]
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def _frame(rng: np.random.Generator) -> Any:
    """A small Polars frame of random types."""
    import polars

    rows = int(rng.integers(0, 30))
    makers: tuple[Callable[[], Any], ...] = (
        lambda: rng.normal(size=rows),
        lambda: rng.integers(-5, 5, size=rows),
        lambda: rng.random(rows) < 0.5,
        lambda: polars.Series(_some(rng, ["u", "v", "1", "", None], rows), dtype=polars.String),
        lambda: polars.Series(_some(rng, [None, math.nan, math.inf, 1e308, 0.0], rows), dtype=polars.Float64),
        lambda: polars.Series([datetime.date(1970, 1, 1)] * rows, dtype=polars.Date),
        lambda: polars.Series([datetime.time(1)] * rows, dtype=polars.Time),
        lambda: polars.Series([[1]] * rows, dtype=polars.List(polars.Int64)),
        lambda: polars.Series(["x"] * rows, dtype=polars.Categorical),
        lambda: polars.Series([b"x"] * rows, dtype=polars.Binary),
        lambda: polars.Series([None] * rows, dtype=polars.Null),
        lambda: polars.Series(list(range(rows)), dtype=polars.Decimal(12, 3)),
    )  # fmt: skip
    names = rng.permutation(["a", "b", "c", " ", "ä\n", "a.b", "x0", "1"])[: rng.integers(0, 6)]
    odd = rng.random() < 0.5
    return polars.DataFrame(
        {str(name): makers[int(rng.integers(len(makers) if odd else 3))]() for name in names}
    )


def _some(rng: np.random.Generator, cells: Sequence[Any], rows: int) -> list[Any]:
    return [cells[int(i)] for i in rng.integers(len(cells), size=rows)]


def _cell(rng: np.random.Generator) -> Any:
    choices: tuple[Any, ...] = (
        1, 0.5, -2, True, None, float("nan"), float("inf"), "x", "3", b"y", 10**400, 1j, {"k": 1}, [1], (),
        datetime.date(2020, 1, 1), datetime.timedelta(1), np.float32(3), np.datetime64("2020-01-01"),
        object(),
    )  # fmt: skip
    return choices[min(int(rng.exponential(2)), len(choices) - 1)]


def _written(suffix: str, content: bytes, folder: Path) -> Path:
    path = folder / f"table{suffix}"
    path.write_bytes(content)
    return path


def _text(rng: np.random.Generator, folder: Path) -> Path:
    suffix = str(rng.choice([".csv", ".tsv", ".txt"]))
    return _written(suffix, spoiled(_TEXTS[int(rng.integers(len(_TEXTS)))].encode(), rng), folder)


def _packed(rng: np.random.Generator, folder: Path) -> Path:
    text = spoiled(_TEXTS[int(rng.integers(len(_TEXTS)))].encode(), rng)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("table.csv", text)
    packed = {
        ".gz": gzip.compress(text),
        ".bz2": bz2.compress(text),
        ".xz": lzma.compress(text),
        ".zip": archive.getvalue(),
        ".zst": text,
    }
    suffix = str(rng.choice(list(packed)))
    return _written(f".csv{suffix}", spoiled(packed[suffix], rng), folder)


def _binary(suffix: str, writer: str) -> Callable[[np.random.Generator, Path], Path]:
    def made(rng: np.random.Generator, folder: Path) -> Path:
        file = io.BytesIO()
        frame = _frame(rng)
        try:
            getattr(frame, writer)(file)
        except Exception:  # Polars cannot write all that it can hold
            frame.select().write_ipc(file)
        return _written(suffix, spoiled(file.getvalue(), rng), folder)

    return made


def _polars_frame(rng: np.random.Generator, folder: Path) -> Any:  # noqa: ARG001
    frame = _frame(rng)
    return frame.lazy() if rng.random() < 0.2 else frame


def _pandas_frame(rng: np.random.Generator, folder: Path) -> Any:  # noqa: ARG001
    import pandas

    rows, columns = int(rng.integers(0, 5)), int(rng.integers(0, 4))
    labels = [["a", "b", "c", 1, "", None, ("t", 1)][int(i)] for i in rng.permutation(7)[:columns]]
    cells = [[_cell(rng) for _ in range(columns)] for _ in range(rows)]
    return pandas.DataFrame(cells, columns=labels if rows else None)


def _array(rng: np.random.Generator, folder: Path) -> Any:  # noqa: ARG001
    shape = tuple(int(size) for size in rng.integers(0, 5, size=rng.integers(0, 4)))
    kind = rng.integers(3)
    if kind == 0:
        return rng.integers(-3, 3, size=shape).astype(
            rng.choice(["f8", "f4", "i1", "?", "c16", "U3", "M8[D]", "O"])
        )
    cells = [[_cell(rng) for _ in range(int(rng.integers(0, 4)))] for _ in range(int(rng.integers(0, 5)))]
    if kind == 1:
        return cells
    width = int(rng.integers(0, 4))
    array = np.empty((int(rng.integers(0, 5)), width), dtype=object)
    for place in np.ndindex(array.shape):
        array[place] = _cell(rng)
    return array


INPUTS: dict[str, Callable[[np.random.Generator, Path], Any]] = {
    "text file": _text,
    "compressed text file": _packed,
    "Parquet file": _binary(".parquet", "write_parquet"),
    "Feather file": _binary(".feather", "write_ipc"),
    "Arrow stream": _binary(".arrow", "write_ipc_stream"),
    "Polars frame": _polars_frame,
    "pandas frame": _pandas_frame,
    "array or list": _array,
}


class _silent:  # noqa: N801
    """Discard what libraries write to the process's stderr."""

    def __enter__(self) -> None:
        sys.stderr.flush()
        self._kept = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)

    def __exit__(self, *_: object) -> None:
        os.dup2(self._kept, 2)
        os.close(self._kept)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per kind of input, then the failures."""
    lines = []
    for kind in sorted({row["input"] for row in rows}):
        mine = [row for row in rows if row["input"] == kind]
        inputs, read, refused = (sum(row[key] for row in mine) for key in ("count", "read", "refused"))
        failed = sum(len(row["failures"]) for row in mine)
        each = 1000 * sum(row["seconds"] for row in mine) / inputs
        lines.append([kind, *map(str, (inputs, read, refused, failed)), f"{each:.1f}"])
    whole = [str(sum(int(line[k]) for line in lines)) for k in range(1, 5)]
    shown = markdown(
        ("input", "inputs", "read", "refused", "failed", "ms each"), [*lines, ["all", *whole, ""]]
    )
    failures = [f"- {row['input']}, {words}" for row in rows for words in row["failures"][:20]]
    return "\n".join([shown, *(["", *failures] if failures else [])])
