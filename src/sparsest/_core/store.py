"""Resumable store of finished work: one SQLite file that survives `kill -9`.

Work is split into pieces, each known by a key: a digest of everything its answer depends on. A finished piece
is written in a transaction of its own, so a process killed at any moment loses at most the piece it was at.
The same program started again asks the store which pieces are left. Files that are not a store of this format
are refused and never overwritten.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sparsest._core.errors import DataError
from sparsest._core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

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


def canonical(value: Any) -> str:
    """JSON text that is the same for equal values.

    Examples
    --------
    >>> canonical({"b": 1, "a": [2.5, None]})
    '{"a":[2.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def key_of(kind: str, spec: Mapping[str, Any]) -> str:
    """The key of a piece of work: a digest of its kind and of what its answer depends on."""
    return hashlib.sha256(canonical([kind, spec]).encode()).hexdigest()


def now() -> str:
    """The time as it is written into records."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True)
class Record:
    """A finished piece of work.

    Parameters
    ----------
    key : str
        Its name in the store, see `key_of`.
    kind : str
        What sort of work it was.
    spec : mapping
        Everything its answer depends on, in plain values.
    status : str
        How it ended; "done" is final, everything else may be replaced.
    row : mapping
        What was computed, in plain values.
    error : str
        Why there is no answer, where there is none.
    wall : float
        Seconds it took.
    time_limit : float or None
        Seconds it was allowed to take.
    finished : str
        When it was finished.
    environment : mapping
        Where it was run: versions, processor, threads.
    """

    key: str
    kind: str
    spec: Mapping[str, Any]
    status: str = "done"
    row: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    wall: float = 0.0
    time_limit: float | None = None
    finished: str = field(default_factory=now)
    environment: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Agenda:
    """A named list of keys: what a run consists of, in order, and the command that started it."""

    name: str
    scale: str
    content: Mapping[str, Any]
    command: str
    keys: tuple[str, ...]


class Store:
    """An open store, used in a `with` block.

    Parameters
    ----------
    path : Path
        The file; it is made if it does not exist.
    read_only : bool
        Open an existing file without changing it.

    Raises
    ------
    DataError
        If the file is not a store of this format, or its folder does not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
    ...     spec = {"resample": 3}
    ...     store.put(Record(key_of("resample", spec), "resample", spec, row={"edges": 7}))
    ...     [record.row for record in store.records()]
    [{'edges': 7}]
    """

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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def put(self, record: Record) -> None:
        """Write a finished piece of work; one that is done already stays as it is."""
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

    def put_new(self, records: Iterable[Record]) -> int:
        """Write work that was finished elsewhere, all or nothing; returns how many records were new.

        What is here stays, unless it is not done here and done there.
        """
        held = self.states()
        new = {
            record.key: record
            for record in records
            if record.key not in held or (record.status == "done" and held[record.key][0] != "done")
        }
        with self._transaction():
            for record in new.values():
                self.put(record)
        return len(new)

    def put_agenda(self, agenda: Agenda, environment: Mapping[str, Any]) -> None:
        """Write an agenda in place of the last one of the same name and scale."""
        at = agenda.name, agenda.scale
        with self._transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO experiments VALUES (?, ?, ?, ?, ?, ?)",
                (*at, canonical(agenda.content), agenda.command, now(), self._number(environment)),
            )
            self._database.execute("DELETE FROM plans WHERE name = ? AND scale = ?", at)
            self._database.executemany(
                "INSERT INTO plans VALUES (?, ?, ?, ?)",
                ((*at, position, key) for position, key in enumerate(agenda.keys)),
            )

    def states(self) -> dict[str, tuple[str, float | None]]:
        """The status and the time limit of every piece of work, by key."""
        found = self._database.execute("SELECT key, status, time_limit FROM tasks")
        return {key: (status, limit) for key, status, limit in found}

    def count(self) -> int:
        """The number of pieces of work."""
        return int(self._database.execute("SELECT count(*) FROM tasks").fetchone()[0])

    def agenda_names(self) -> list[tuple[str, str]]:
        """Name and scale of every agenda, in order."""
        found = self._database.execute("SELECT name, scale FROM experiments ORDER BY name, scale")
        return [(str(name), str(scale)) for name, scale in found]

    def agenda(self, name: str, scale: str) -> Agenda | None:
        """The agenda of a name and scale, None if there is none."""
        at = name, scale
        head = self._database.execute(
            "SELECT content, command FROM experiments WHERE name = ? AND scale = ?", at
        ).fetchone()
        if head is None:
            return None
        keys = self._database.execute(
            "SELECT key FROM plans WHERE name = ? AND scale = ? ORDER BY position", at
        )
        return Agenda(name, scale, json.loads(head[0]), str(head[1]), tuple(str(key) for (key,) in keys))

    def records(self, agenda: Agenda | None = None) -> list[Record]:
        """All finished work, or that of an agenda in the agenda's order."""
        places = {
            number: json.loads(content)
            for number, content in self._database.execute("SELECT id, content FROM environments")
        }
        found = self._database.execute(
            "SELECT key, kind, spec, status, row, error, wall, time_limit, finished, environment FROM tasks "
            + ("" if agenda is None else "WHERE key IN (SELECT key FROM plans WHERE name = ? AND scale = ?)"),
            () if agenda is None else (agenda.name, agenda.scale),
        )
        records = [
            Record(
                key, kind, json.loads(spec), status, json.loads(row), error, wall, limit, when, places[place]
            )
            for key, kind, spec, status, row, error, wall, limit, when, place in found
        ]
        if agenda is None:
            return records
        by_key = {record.key: record for record in records}
        return [by_key[key] for key in agenda.keys if key in by_key]

    def newest(self, entry: str, where: str, values: Iterable[str]) -> str | None:
        """An entry of the spec of the newest done work for which the entry `where` is one of some values."""
        wanted = list(values)
        found = self._database.execute(
            "SELECT json_extract(spec, '$.' || ?) FROM tasks "
            f"WHERE status = 'done' AND json_extract(spec, '$.' || ?) IN ({', '.join('?' * len(wanted))}) "
            "ORDER BY finished DESC LIMIT 1",
            (entry, where, *wanted),
        ).fetchone()
        return None if found is None else found[0]

    def _number(self, environment: Mapping[str, Any]) -> int:
        """The number of an environment; equal ones have the same."""
        text = canonical(environment)
        self._database.execute("INSERT OR IGNORE INTO environments (content) VALUES (?)", (text,))
        found = self._database.execute("SELECT id FROM environments WHERE content = ?", (text,)).fetchone()
        return int(found[0])

    def _make(self) -> None:
        with self._transaction():
            for statement in _TABLES.split(";"):
                self._database.execute(statement)
            self._database.execute("INSERT INTO about VALUES ('sparsest', ?)", (__version__,))
            self._database.execute(f"PRAGMA application_id = {_MARK}")
            self._database.execute(f"PRAGMA user_version = {FORMAT}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _pragma(self, name: str) -> int:
        return int(self._database.execute(f"PRAGMA {name}").fetchone()[0])

    def _refusal(self, mark: int, version: int) -> str:
        if mark != _MARK:
            return f"{str(self.path)!r} is not a store of sparsest, but a database of something else"
        return (
            f"the store {str(self.path)!r} has format {version}, and this sparsest {__version__} reads "
            f"format {FORMAT}: use another store, or the version that wrote it. It was left as it is"
        )
