"""The store: one SQLite file that holds every finished task from the moment it is finished.

Writes are transactions of one process, the one that runs the experiment; in write-ahead mode a process killed
at any moment leaves the file whole. A file that is not a store of this format is refused, never overwritten.
"""

from __future__ import annotations

import datetime
import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from sparsest._core.errors import DataError
from sparsest._core.version import __version__
from sparsest.bench.experiment import Experiment
from sparsest.bench.tasks import Outcome, Task, canonical

FORMAT = 1
_MARK = 0x53505253  # "SPRS": SQLite's application_id of our stores

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tasks (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, spec TEXT NOT NULL, status TEXT NOT NULL, row TEXT NOT NULL,
    error TEXT NOT NULL, wall REAL NOT NULL, time_limit REAL, environment INTEGER NOT NULL,
    finished TEXT NOT NULL
);
CREATE TABLE experiments (
    name TEXT NOT NULL, scale TEXT NOT NULL, content TEXT NOT NULL, command TEXT NOT NULL,
    started TEXT NOT NULL, environment INTEGER NOT NULL, PRIMARY KEY (name, scale)
);
CREATE TABLE plans (
    name TEXT NOT NULL, scale TEXT NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL,
    PRIMARY KEY (name, scale, position)
);
CREATE TABLE environments (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE);
"""


@dataclass(frozen=True)
class Record:
    """A finished task as it is kept: what it depends on, how it ended, what was measured, when and where."""

    key: str
    kind: str
    spec: Mapping[str, Any]
    status: str
    row: Mapping[str, Any]
    error: str
    wall: float
    time_limit: float | None
    finished: str
    environment: Mapping[str, Any]

    @property
    def flat(self) -> dict[str, Any]:
        """One row: what it depends on, what was measured, how it ended, and the commit."""
        ended = {"status": self.status, "error": self.error, "wall": self.wall}
        return {**self.spec, **self.row, **ended, "commit": self.environment.get("commit")}


@dataclass(frozen=True)
class Kept:
    """What the store holds of an experiment: its finished tasks in the order of the plan."""

    experiment: Experiment
    command: str
    records: tuple[Record, ...]
    planned: int

    @cached_property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """The tasks as flat rows."""
        return tuple(record.flat for record in self.records)

    @property
    def finished(self) -> tuple[str, str]:
        """When the first and the last of its tasks were finished."""
        times = [record.finished for record in self.records] or [""]
        return min(times), max(times)

    @property
    def environments(self) -> tuple[Mapping[str, Any], ...]:
        """Those that the tasks were run in, each once; not that of the last plan."""
        return tuple({canonical(record.environment): record.environment for record in self.records}.values())


class Store:
    """An open store. Use it in a `with` block."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path = path
        if read_only and not path.is_file():
            raise DataError(f"there is no store {str(path)!r}")
        if not path.parent.is_dir():
            raise DataError(f"there is no folder {str(path.parent)!r} for the store")
        try:
            where = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
            self._database = sqlite3.connect(where, uri=True, isolation_level=None, timeout=60.0)
            mark = self._pragma("application_id")
            version = self._pragma("user_version")
            tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise DataError(f"{str(path)!r} is not a store of sparsest ({error})") from None
        if (tables or read_only) and (mark != _MARK or version != FORMAT):
            self._database.close()
            raise DataError(self._refusal(mark, version))
        if read_only:
            return
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            self._make()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def plan(
        self, experiment: Experiment, keys: Iterable[str], command: str, environment: Mapping[str, Any]
    ) -> None:
        """Keep which tasks an experiment consists of, in place of its last plan at this scale."""
        name, scale = experiment.name, experiment.scale
        with _Transaction(self._database):
            self._database.execute(
                "INSERT OR REPLACE INTO experiments VALUES (?, ?, ?, ?, ?, ?)",
                (name, scale, canonical(asdict(experiment)), command, _now(), self._number(environment)),
            )
            self._database.execute("DELETE FROM plans WHERE name = ? AND scale = ?", (name, scale))
            self._database.executemany(
                "INSERT INTO plans VALUES (?, ?, ?, ?)",
                ((name, scale, position, key) for position, key in enumerate(keys)),
            )

    def unfinished(self, tasks: Iterable[Task], retry: bool = False) -> list[Task]:
        """Tasks that are not in the store, ran out of a shorter time, or lacked a peer that is here now.

        Failed ones too if `retry`.
        """
        held = {
            key: (status, limit)
            for key, status, limit in self._database.execute("SELECT key, status, time_limit FROM tasks")
        }
        waiting: dict[str, Task] = {}
        for task in tasks:
            status, limit = held.get(task.key, ("", None))
            longer = status == "timeout" and (task.time_limit is None or task.time_limit > (limit or 0.0))
            here_now = status == "missing" and not task.call.get("missing")
            if not status or longer or here_now or (retry and status != "done"):
                waiting.setdefault(task.key, task)
        return list(waiting.values())

    def keep(self, task: Task, outcome: Outcome, environment: Mapping[str, Any]) -> None:
        """Keep a task that has just been finished. One that is done stays as it is."""
        spec = dict(task.implied) | dict(task.spec)
        self._write(
            Record(
                task.key,
                task.kind,
                spec,
                **asdict(outcome),
                time_limit=task.time_limit,
                finished=_now(),
                environment=environment,
            )
        )

    def take(self, records: Iterable[Record]) -> int:
        """Keep tasks that were finished elsewhere, and say how many were new.

        One that is here stays, unless it was not done here and is done there.
        """
        held: dict[str, str] = dict(self._database.execute("SELECT key, status FROM tasks"))
        new = {
            record.key: record
            for record in records
            if record.key not in held or (record.status == "done" and held[record.key] != "done")
        }
        with _Transaction(self._database):
            for record in new.values():
                self._write(record)
        return len(new)

    def _write(self, record: Record) -> None:
        self._database.execute(
            "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
            "status = excluded.status, row = excluded.row, error = excluded.error, wall = excluded.wall, "
            "time_limit = excluded.time_limit, environment = excluded.environment, "
            "finished = excluded.finished "
            "WHERE tasks.status <> 'done'",
            (
                record.key,
                record.kind,
                canonical(record.spec),
                record.status,
                json.dumps(record.row),
                record.error,
                record.wall,
                record.time_limit,
                self._number(record.environment),
                record.finished,
            ),
        )

    def last_version(self, role: str, of: str, names: Iterable[str]) -> str | None:
        """The version behind the newest finished tasks whose `of` ("method", "graph") is one of some names.

        `role` says of what: "version" is that of the method's package, "network" that of the network's.
        """
        wanted = list(names)
        found = self._database.execute(
            "SELECT json_extract(spec, '$.' || ?) FROM tasks "
            f"WHERE status = 'done' AND json_extract(spec, '$.' || ?) IN ({', '.join('?' * len(wanted))}) "
            "ORDER BY finished DESC LIMIT 1",
            (role, of, *wanted),
        ).fetchone()
        return None if found is None else found[0]

    def count(self) -> int:
        """The number of tasks that are kept."""
        return int(self._database.execute("SELECT count(*) FROM tasks").fetchone()[0])

    def experiments(self) -> list[tuple[str, str]]:
        """Names and scales of what has been planned."""
        found = self._database.execute("SELECT name, scale FROM experiments ORDER BY name, scale")
        return [(str(name), str(scale)) for name, scale in found]

    def plans(self) -> list[tuple[Experiment, str, list[str]]]:
        """Every experiment that was planned here, with its command and the keys of its tasks."""
        heads = self._database.execute("SELECT content, command FROM experiments").fetchall()
        found = [(Experiment(**json.loads(content)), str(command)) for content, command in heads]
        return [(one, command, self._keys(one.name, one.scale)) for one, command in found]

    def kept(self, name: str, scale: str) -> Kept | None:
        """All that is known of an experiment; None if it was never run into this store."""
        head = self._database.execute(
            "SELECT content, command FROM experiments WHERE name = ? AND scale = ?", (name, scale)
        ).fetchone()
        if head is None:
            return None
        keys = self._keys(name, scale)
        done = {record.key: record for record in self.records(name, scale)}
        records = tuple(done[key] for key in keys if key in done)
        return Kept(Experiment(**json.loads(head[0])), head[1], records, len(keys))

    def records(self, name: str | None = None, scale: str | None = None) -> list[Record]:
        """Every finished task, or those of an experiment."""
        wanted = "" if name is None else "WHERE key IN (SELECT key FROM plans WHERE name = ? AND scale = ?)"
        places = {
            number: json.loads(content)
            for number, content in self._database.execute("SELECT id, content FROM environments")
        }
        found = self._database.execute(
            "SELECT key, kind, spec, status, row, error, wall, time_limit, finished, environment "
            f"FROM tasks {wanted}",
            () if name is None else (name, scale),
        )
        return [
            Record(
                key, kind, json.loads(spec), status, json.loads(row), error, wall, limit, when, places[place]
            )
            for key, kind, spec, status, row, error, wall, limit, when, place in found
        ]

    def _keys(self, name: str, scale: str) -> list[str]:
        found = self._database.execute(
            "SELECT key FROM plans WHERE name = ? AND scale = ? ORDER BY position", (name, scale)
        )
        return [str(key) for (key,) in found]

    def _number(self, environment: Mapping[str, Any]) -> int:
        """The number of an environment: versions, processor, threads. Equal ones have one number."""
        text = canonical(environment)
        self._database.execute("INSERT OR IGNORE INTO environments (content) VALUES (?)", (text,))
        found = self._database.execute("SELECT id FROM environments WHERE content = ?", (text,)).fetchone()
        return int(found[0])

    def _make(self) -> None:
        with _Transaction(self._database):
            for statement in _TABLES.split(";"):
                self._database.execute(statement)
            self._database.execute("INSERT INTO about VALUES ('sparsest', ?)", (__version__,))
            self._database.execute(f"PRAGMA application_id = {_MARK}")
            self._database.execute(f"PRAGMA user_version = {FORMAT}")

    def _pragma(self, name: str) -> int:
        return int(self._database.execute(f"PRAGMA {name}").fetchone()[0])

    def _refusal(self, mark: int, version: int) -> str:
        if mark != _MARK:
            return f"{str(self.path)!r} is not a store of sparsest, but a database of something else"
        return (
            f"the store {str(self.path)!r} has format {version}, and this sparsest {__version__} reads "
            f"format {FORMAT}: use another store, or the version that wrote it. It was left as it is"
        )


class _Transaction:
    """All or nothing."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.execute("COMMIT" if kind is None else "ROLLBACK")


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
