"""The process that reads hostile inputs, and may die of one: `python -m sparsest_bench.hostile.worker JSON`.

It says which input comes next before it reads it, and what came of it after that.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from sparsest._core.errors import SparsestError
from sparsest_bench.hostile import others, tables
from sparsest_bench.hostile.spoiling import Case

MAKERS: dict[str, Callable[[np.random.Generator, Path], Case]] = {
    "text table": tables.text_file,
    "packed table": tables.packed_file,
    "Excel": tables.workbook,
    "Parquet": tables.frame_file(".parquet", "write_parquet"),
    "Feather": tables.frame_file(".feather", "write_ipc"),
    "Arrow stream": tables.frame_file(".arrow", "write_ipc_stream"),
    "Stata, SPSS": tables.statistics_file,
    "covariances": tables.covariances,
    "saved result": others.saved_result,
    "result.json": others.result_json,
    "graph": others.graph_file,
    "knowledge": others.knowledge_file,
    "experiment": others.experiment_file,
    "store": others.store_file,
}


def answered(kind: str, seed: int, folder: Path) -> dict[str, Any]:
    """What came of one input: "read", "refused", "lost" or "foreign", its words, seconds and memory."""
    case = MAKERS[kind](np.random.default_rng([list(MAKERS).index(kind), seed]), folder)
    before, start = _peak(), time.perf_counter()
    answer, words = _answer(case)
    seconds, grown = time.perf_counter() - start, _peak() - before
    if grown:
        _forget_peak()
    return {"seed": seed, "answer": answer, "words": words, "seconds": seconds, "grown": grown}


def _answer(case: Case) -> tuple[str, str]:
    try:
        words = case.lost(case.answer())
    except SparsestError as error:
        if getattr(case, "whole", False):
            return "lost", f"a good file was refused: {error}"
        if "\n" in str(error):
            return "foreign", f"a message of several lines: {str(error)!r}"
        return "refused", ""
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        shown = " ".join(str(error).split())[:150]
        return "foreign", f"{type(error).__name__}: {shown} ({Path(where.filename).name}:{where.lineno})"
    return ("lost", words) if words else ("read", "")


def _peak() -> int:
    """The most bytes of memory that this process has held since the last time it was forgotten."""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
        return 1024 * int(found[1]) if found else 0
    except OSError:
        return 0


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _limit_memory(more: int) -> None:
    """A limit on the address space, beyond what is taken now."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        pass  # no such limit on this system


def main(spec: Mapping[str, Any], out: IO[str]) -> None:
    """Read inputs `first`, `first` + 1, ... of a kind."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        answered(spec["kind"], 0, Path(folder))  # what is loaded on first use counts as no input's
        _limit_memory(spec["memory"])
        _forget_peak()
        for seed in range(spec["first"], spec["first"] + spec["inputs"]):
            out.write(f"{seed}\n")
            out.flush()
            out.write(json.dumps(answered(spec["kind"], seed, Path(folder))) + "\n")
            out.flush()


if __name__ == "__main__":
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries write where they like
    main(json.loads(sys.argv[1]), channel)
