"""Hostile files of every kind that sparsest reads: mutated tables, saved results, graphs, knowledge, stores.

Each is read in a process with a memory and a time limit. *read*: it made sense, and where it is known what
was written, nothing is missing; *refused*: a `SparsestError` said why. What must never happen: *lost*, rows
or values that differ from what was written, or a good file refused; *foreign*, an exception of somebody else;
*died*, the process ended; *hung*, no answer in time. `attack(kind, seed, 1)` repeats an input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sparsest._core.allowed import integer
from sparsest_bench.hostile.attack import attack
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

_SHARES = {  # of the inputs, in proportion
    "text table": 8, "packed table": 4, "Excel": 4, "Parquet": 5, "Feather": 5, "Arrow stream": 4,
    "Stata, SPSS": 3, "covariances": 1, "saved result": 5, "result.json": 1, "graph": 4, "knowledge": 3,
    "experiment": 1, "store": 2,
}  # fmt: skip
_BAD = ("lost", "foreign", "died", "hung")
_SLOW = 5.0  # seconds
_MOST_TOLD = 20  # failures that are told of each task

SETTINGS = {"inputs": integer(len(_SHARES)), "block": integer(1)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """Tasks of at most `block` inputs of one kind."""
    whole, block = settings["inputs"], settings.get("block", 2000)
    tasks = []
    for kind, share in _SHARES.items():
        inputs = max(1, whole * share // sum(_SHARES.values()))
        tasks += [
            {"format": kind, "first": first, "inputs": min(block, inputs - first)}
            for first in range(0, inputs, block)
        ]
    return tasks


def run(spec: Mapping[str, Any]) -> Row:
    """What came of some inputs of one kind."""
    counts: Counter[str] = Counter()
    failures, slow, seconds, grown = [], 0, 0.0, 0
    for found in attack(spec["format"], spec["first"], spec["inputs"]):
        counts[found["answer"]] += 1
        if found["answer"] in _BAD:
            failures.append(f"{found['seed']}: {found['answer']}, {found['words']}")
        slow += found.get("seconds", 0.0) > _SLOW
        seconds, grown = max(seconds, found.get("seconds", 0.0)), max(grown, found.get("grown", 0))
    told = {answer: counts[answer] for answer in ("read", "refused", *_BAD)}
    return {**told, "slow": slow, "slowest": seconds, "grown": grown, "failures": failures[:_MOST_TOLD]}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per kind of input, then the failures."""
    keys = ("inputs", "read", "refused", *_BAD, "slow")
    lines = []
    for kind in dict.fromkeys(row["format"] for row in rows):
        mine = [row for row in rows if row["format"] == kind]
        sums = [str(sum(row[key] for row in mine)) for key in keys]
        slowest, grown = max(row["slowest"] for row in mine), max(row["grown"] for row in mine)
        lines.append([kind, *sums, f"{slowest:.1f}", f"{grown / 1e6:.0f}"])
    whole = [str(sum(int(line[k]) for line in lines)) for k in range(1, len(keys) + 1)]
    head = ("format", *keys[:-1], "over 5 s", "slowest, s", "memory, MB")
    shown = markdown(head, [*lines, ["all", *whole, "", ""]])
    failures = [f"- {row['format']}, {words}" for row in rows for words in row["failures"]]
    return "\n".join([shown, *(["", *failures] if failures else [])])
