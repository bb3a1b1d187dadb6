"""Processes that are killed, run out of disk, lose their streams, or are forked beside threads.

Every attack is a forked process that writes over an old answer, or where there is none. It is killed at a
random moment, may write only so many bytes to a file, or has its streams closed or full. Afterwards there
must be the old answer or the new one, whole: every file complete, and all about the same table. Errors must
be ours, in one line. Everything is drawn from a seed. The process that forks reads no file itself: Polars
cannot be used on both sides of a fork.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer, list_of, one_of
from sparsest._core.store import Record, Store, key_of
from sparsest_bench.measures.child import answer, ran
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

_PATIENCE = 60.0  # seconds after which a process hangs
_RESAMPLES, _ENTRIES = 12, 300
_FILES = {"result.json", "report.html", "graph.png", "edges.csv", "columns.csv", "result.sparsest"}
_CODES = {0: "done", 2: "refused"}  # exit codes of attacked processes
_BUG, _HUNG = 3, "hung"
_WHOLE = ("nothing", "old", "new")
_ATTACKED = {"lost streams": ("fit -o",), "threads and forks": ("save",)}  # by the others, everything


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per way to attack and thing attacked, with its own seed."""
    return [
        {"attack": attack, "what": what, "count": settings["attacks"], "seed": settings.get("seed", 0)}
        for attack in settings["ways"]
        for what in _ATTACKED.get(attack, tuple(WRITERS))
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """All attacks of one kind, from a fresh process."""
    cache_folder = Path(os.environ.get("NUMBA_CACHE_DIR", Path(tempfile.gettempdir(), "sparsest-attacks")))
    return ran(__name__, {key: spec[key] for key in ("attack", "what", "count", "seed")}, cache_folder)


def child(case: Mapping[str, Any]) -> Row:
    """Attack, and count what came of it."""
    rng = np.random.default_rng([case["seed"], *case["attack"].encode(), *case["what"].encode()])
    write, find = WRITERS[case["what"]]
    ended: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        template = Path(scratch, "old")
        template.mkdir()
        for word in ("old", "new"):
            _write_table(word, Path(scratch, f"{word}.csv"))
        table = Path(scratch, "new.csv")
        _waited(_forked(lambda: write(template, "old", Path(scratch, "old.csv"))))
        _waited(_forked(lambda: write(_made(scratch, "warm"), "new", table)))
        began = time.monotonic()
        _waited(_forked(lambda: write(_made(scratch, "timed"), "new", table)))
        duration = time.monotonic() - began
        for number in range(case["count"]):
            place = Path(scratch, f"{number}")
            old = bool(rng.random() < 0.7)
            if old:
                shutil.copytree(template, place)
            else:
                place.mkdir()
            how = ATTACKS[case["attack"]](partial(write, place, "new", table), rng, duration)
            found = _told(lambda place=place: find(place), Path(scratch, "told"))  # type: ignore[misc]
            if old and found == "nothing":
                found = "the old answer is gone"
            ended[how, found] += 1
            if how in ("a bug", _HUNG) or found not in _WHOLE:
                failures.append(f"{number}: {how}, {found}")
            shutil.rmtree(place)
    counts = {word: sum(n for (_, found), n in ended.items() if found == word) for word in _WHOLE}
    ways = {f"{how}: {found}": n for (how, found), n in sorted(ended.items())}
    return {**counts, "failures": failures, "ended": ways}


def _made(*path: str) -> Path:
    folder = Path(*path)
    folder.mkdir()
    return folder


def _told(find: Callable[[], str], file: Path) -> str:
    """What a process of its own finds."""

    def tell() -> None:
        try:
            file.write_text(find(), encoding="utf-8")
        except Exception as error:
            file.write_text(f"unreadable: {type(error).__name__}: {error}", encoding="utf-8")

    file.unlink(missing_ok=True)
    how = _waited(_forked(tell))
    return file.read_text(encoding="utf-8") if file.exists() else how


def _values() -> Any:
    rng = np.random.default_rng(1)
    return rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))


def _write_table(word: str, file: Path) -> None:
    names = ",".join(f"{word}_{k}" for k in range(4))
    np.savetxt(file, _values(), delimiter=",", header=names, comments="")


def _fit(place: Path, _word: str, table: Path) -> None:
    from sparsest.cli.main import app

    app(["fit", str(table), "-o", str(place / "answer"), "--force"])


def _learned(table: Path) -> sp.Result:
    """A result from moments: arrays are all that may be used on both sides of a fork beside threads."""
    names = table.read_text().splitlines()[0].split(",")
    return sp.fit(sp.Moments(np.cov(_values(), rowvar=False), n=60, names=names), solver="order")


def _save(place: Path, _word: str, table: Path) -> None:
    _learned(table).save(place / "result.sparsest")


def _report(place: Path, _word: str, table: Path) -> None:
    _learned(table).report(place / "report.html")


def _resample(place: Path, word: str, _table: Path) -> None:
    sp.confidence(_values(), resamples=3 if word == "old" else _RESAMPLES, store=place / "store")


def _put(place: Path, word: str, _table: Path) -> None:
    with Store(place / "store") as store:
        for number in range(3 if word == "old" else _ENTRIES):
            spec = {"number": number}
            store.put(Record(key_of("square", spec), "square", spec, row={"squares": [number**2] * 100}))


def _of_folder(place: Path) -> str:
    folder = place / "answer"
    if not folder.exists():
        return "nothing"
    held = {file.name for file in folder.iterdir()}
    if held != _FILES:
        return f"files {sorted(held)}"
    words = {_of_file(folder / name) for name in _FILES}
    return words.pop() if len(words) == 1 else f"mixed {sorted(words)}"


def _of_file(file: Path) -> str:
    """The word of the table that a file is about, if it is complete."""
    content = file.read_bytes()
    if file.suffix == ".png":
        whole = content.endswith(b"IEND\xaeB`\x82")
        # A picture says nothing of its table that can be read back: the answers differ in nothing else.
        return _of_file(file.with_name("result.json")) if whole else "a truncated picture"
    if file.suffix == ".sparsest":
        return str(sp.load(file).names[0]).partition("_")[0]
    text = content.decode()
    ends = {".html": "</html>\n", ".json": "}\n", ".csv": "\n"}
    if not text.endswith(ends[file.suffix]):
        return f"a truncated {file.name}"
    if file.suffix == ".json":
        json.loads(text)
    here = [word for word in ("old", "new") if f"{word}_0" in text]
    return here[0] if len(here) == 1 else f"{file.name} about {here}"


def _of_one(name: str, place: Path) -> str:
    held = [file.name for file in place.iterdir() if not file.name.startswith(".")]
    if not held:
        return "nothing"
    return _of_file(place / name) if held == [name] else f"files {held}"


def _of_resamples(place: Path) -> str:
    """Whether the same call goes on from what is kept, and ends where an undisturbed one does."""
    if not (place / "store").exists():
        return "nothing"
    resumed = sp.confidence(_values(), resamples=_RESAMPLES, store=place / "store")
    undisturbed = sp.confidence(_values(), resamples=_RESAMPLES)
    return "new" if resumed.edges().equals(undisturbed.edges()) else "other shares"


def _of_store(place: Path) -> str:
    if not (place / "store").exists():
        return "nothing"
    with Store(place / "store") as store:
        rows = {record.spec["number"]: record.row["squares"] for record in store.records()}
        store.put(Record(key_of("after", {}), "after", {}))
    whole = all(row == [number**2] * 100 for number, row in rows.items())
    return "new" if whole and sorted(rows) == list(range(len(rows))) else "other entries"


WRITERS: dict[str, tuple[Callable[[Path, str, Path], None], Callable[[Path], str]]] = {
    "fit -o": (_fit, _of_folder),
    "save": (_save, partial(_of_one, "result.sparsest")),
    "report": (_report, partial(_of_one, "report.html")),
    "resamples": (_resample, _of_resamples),
    "store": (_put, _of_store),
}


def _forked(work: Callable[[], None]) -> int:
    """A process that does some work, and tells by its exit code how that ended."""
    process = os.fork()
    if process:
        return process
    code = _BUG
    try:
        code = _code_of(work)
    finally:
        os._exit(code)


def _code_of(work: Callable[[], None]) -> int:
    """Run with streams that go nowhere, unless they are lost."""
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 (until the process ends)
    try:
        work()
    except sp.SparsestError as error:
        return 2 if "\n" not in str(error) else _BUG
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else _BUG
    except BaseException:
        return _BUG
    return 0


def _waited(process: int, patience: float = _PATIENCE) -> str:
    """How a process ended."""
    until = time.monotonic() + patience
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return _HUNG
        time.sleep(0.001)
    if os.WIFSIGNALED(status):
        return "killed" if os.WTERMSIG(status) == signal.SIGKILL else "a bug"
    return _CODES.get(os.WEXITSTATUS(status), "a bug")


def _kill(write: Callable[[], None], rng: np.random.Generator, duration: float) -> str:
    """SIGKILL at a random moment of the work."""
    process = _forked(write)
    time.sleep(rng.uniform(0, 1.1 * duration))
    os.kill(process, signal.SIGKILL)
    return _waited(process)


def _full_disk(write: Callable[[], None], rng: np.random.Generator, _duration: float) -> str:
    """No file may become larger than a random limit."""
    limit = int(10 ** rng.uniform(1, 5.5))

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        write()

    return _waited(_forked(work))


def _lost_streams(write: Callable[[], None], rng: np.random.Generator, _duration: float) -> str:
    """Standard streams closed, as Python then starts without them, or full."""
    out, err = (str(rng.choice(["closed", "full", "open"])) for _ in range(2))
    opened = {"full": "/dev/full", "open": os.devnull}

    def work() -> None:
        sys.stdin = None
        sys.stdout, sys.stderr = (
            Path(opened[way]).open("w") if way in opened else None  # noqa: SIM115 (until the process ends)
            for way in (out, err)
        )
        for number in range(3):
            os.close(number)
        write()

    how = _waited(_forked(work))
    return "refused" if how == "a bug" and "full" in (out, err) else how


def _forks(write: Callable[[], None], rng: np.random.Generator, _duration: float) -> str:
    """A fork while other threads fit."""
    over, moments = threading.Event(), sp.Moments(np.cov(_values(), rowvar=False), n=60)
    sp.fit(moments, solver="order")  # imports: after a fork in the middle of one, any program hangs

    def busy() -> None:
        while not over.is_set():
            sp.fit(moments, solver="order")

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(rng.uniform(0, 0.1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forks beside threads are the point
            return _waited(_forked(write))
    finally:
        over.set()
        for thread in threads:
            thread.join()


ATTACKS = {
    "kill": _kill,
    "full disk": _full_disk,
    "lost streams": _lost_streams,
    "threads and forks": _forks,
}
SETTINGS = {"attacks": integer(1), "seed": integer(0), "ways": list_of(one_of(tuple(ATTACKS)))}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per attack, then the failures."""
    lines = []
    for row in rows:
        counts = [str(row[key]) for key in ("count", "nothing", "old", "new")]
        lines.append([row["attack"], row["what"], *counts, str(len(row["failures"]))])
    head = ("attack", "on", "processes", "left nothing", "left the old", "left the new", "failures")
    failures = [
        f"- {row['attack']}, {row['what']}, {words}" for row in rows for words in row["failures"][:20]
    ]
    return "\n".join([markdown(head, lines), *(["", *failures] if failures else [])])


if __name__ == "__main__":
    answer(child, sys.argv[1])
