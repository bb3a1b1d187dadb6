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
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from sparsest._core.errors import DataError
from sparsest._core.paths import existing_file, given_path
from sparsest._core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

FORMAT = 1
_MARK = 0x53505253  # "SPRS": SQLite's application_id of our stores
_PATIENCE = 60.0  # seconds to wait for other processes that write
_NAMES = ("about", "tasks", "experiments", "plans", "environments")

T = TypeVar("T")

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
        self.path = path = given_path(path)
        self._require_place(read_only)
        where = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        with self._named_trouble():
            self._database = sqlite3.connect(where, uri=True, isolation_level=None, timeout=_PATIENCE)
        try:
            self._open(read_only)
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def put(self, record: Record) -> None:
        """Write a finished piece of work; one that is done already stays as it is."""
        self._run(
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
            self._run(
                "INSERT OR REPLACE INTO experiments VALUES (?, ?, ?, ?, ?, ?)",
                (*at, canonical(agenda.content), agenda.command, now(), self._number(environment)),
            )
            self._run("DELETE FROM plans WHERE name = ? AND scale = ?", at)
            for position, key in enumerate(agenda.keys):
                self._run("INSERT INTO plans VALUES (?, ?, ?, ?)", (*at, position, key))

    def states(self) -> dict[str, tuple[str, float | None]]:
        """The status and the time limit of every piece of work, by key."""
        found = self._run("SELECT key, status, time_limit FROM tasks")
        return {key: (status, limit) for key, status, limit in found}

    def count(self) -> int:
        """The number of pieces of work."""
        return int(self._run("SELECT count(*) FROM tasks")[0][0])

    def agenda_names(self) -> list[tuple[str, str]]:
        """Name and scale of every agenda, in order."""
        found = self._run("SELECT name, scale FROM experiments ORDER BY name, scale")
        return [(str(name), str(scale)) for name, scale in found]

    def agenda(self, name: str, scale: str) -> Agenda | None:
        """The agenda of a name and scale, None if there is none."""
        at = name, scale
        heads = self._run("SELECT content, command FROM experiments WHERE name = ? AND scale = ?", at)
        if not heads:
            return None
        content, command = heads[0]
        keys = self._run("SELECT key FROM plans WHERE name = ? AND scale = ? ORDER BY position", at)
        return Agenda(
            name, scale, self._plain(content, dict), str(command), tuple(str(key) for (key,) in keys)
        )

    def records(self, agenda: Agenda | None = None) -> list[Record]:
        """All finished work, or that of an agenda in the agenda's order."""
        places = {
            number: self._plain(content, dict)
            for number, content in self._run("SELECT id, content FROM environments")
        }
        found = self._run(
            "SELECT key, kind, spec, status, row, error, wall, time_limit, finished, environment FROM tasks "
            + ("" if agenda is None else "WHERE key IN (SELECT key FROM plans WHERE name = ? AND scale = ?)"),
            () if agenda is None else (agenda.name, agenda.scale),
        )
        records = [self._record(line, places.get(place, {})) for *line, place in found]
        if agenda is None:
            return records
        by_key = {record.key: record for record in records}
        return [by_key[key] for key in agenda.keys if key in by_key]

    def newest(self, entry: str, where: str, values: Iterable[str]) -> str | None:
        """An entry of the spec of the newest done work for which the entry `where` is one of some values."""
        wanted = list(values)
        found = self._run(
            "SELECT json_extract(spec, '$.' || ?) FROM tasks "
            f"WHERE status = 'done' AND json_extract(spec, '$.' || ?) IN ({', '.join('?' * len(wanted))}) "
            "ORDER BY finished DESC LIMIT 1",
            (entry, where, *wanted),
        )
        return found[0][0] if found else None

    def _record(self, line: Sequence[Any], environment: Mapping[str, Any]) -> Record:
        """A line of the table of tasks."""
        key, kind, spec, status, row, error, wall, limit, finished = line
        if not all(isinstance(text, str) for text in (key, kind, status, error, finished)):
            raise DataError(self._damage("a task has a number in place of a word"))
        if not isinstance(wall, float) or not isinstance(limit, float | None):
            raise DataError(self._damage("a task has seconds that are no number"))
        plain = self._plain(spec, dict), self._plain(row, dict)
        return Record(key, kind, plain[0], status, plain[1], error, wall, limit, finished, environment)

    def _number(self, environment: Mapping[str, Any]) -> int:
        """The number of an environment; equal ones have the same."""
        text = canonical(environment)
        self._run("INSERT OR IGNORE INTO environments (content) VALUES (?)", (text,))
        return int(self._run("SELECT id FROM environments WHERE content = ?", (text,))[0][0])

    def _require_place(self, read_only: bool) -> None:
        """Refuse a path at which there cannot be a store."""
        if self.path.exists():
            existing_file(self.path)
        elif read_only:
            raise DataError(f"there is no store {str(self.path)!r}")
        elif not self.path.parent.is_dir():
            raise DataError(f"there is no folder {str(self.path.parent)!r} for the store")

    def _open(self, read_only: bool) -> None:
        if read_only:
            with self._transaction("BEGIN"):
                self._require_ours(empty_allowed=False)
            return
        with self._transaction():  # of several processes that make one store, one does, and the others wait
            if not self._require_ours(empty_allowed=True):
                self._make()
        self._keep_a_log()

    def _require_ours(self, empty_allowed: bool) -> int:
        """The number of tables; a file of something else, or of another format, is refused."""
        mark, version = self._pragma("application_id"), self._pragma("user_version")
        held = {str(name) for (name,) in self._run("SELECT name FROM sqlite_master")}
        if not held and empty_allowed:
            return 0
        if mark != _MARK or version != FORMAT:
            raise DataError(self._refusal(mark, version))
        lost = [name for name in _NAMES if name not in held]
        if lost:
            raise DataError(self._damage(f"it has no table {lost[0]!r}"))
        return len(held)

    def _keep_a_log(self) -> None:
        """Let others read while one writes; SQLite does not wait by itself for its turn to change to that."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise DataError(self._damage(str(error))) from None
                time.sleep(0.01)
        self._run("PRAGMA synchronous = NORMAL")

    def _make(self) -> None:
        for statement in _TABLES.split(";"):
            self._run(statement)
        self._run("INSERT INTO about VALUES ('sparsest', ?)", (__version__,))
        self._run(f"PRAGMA application_id = {_MARK}")
        self._run(f"PRAGMA user_version = {FORMAT}")

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Everything that a statement finds."""
        with self._named_trouble():
            return self._database.execute(statement, values).fetchall()

    @contextmanager
    def _named_trouble(self) -> Iterator[None]:
        """What SQLite raises, as a DataError that names the store."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise DataError(self._damage(str(error))) from None

    def _damage(self, why: str) -> str:
        name = repr(str(self.path))
        if "not a database" in why:
            return f"{name} is not a store of sparsest ({why})"
        if "full" in why or "locked" in why or "unable to open" in why or "readonly" in why:
            return f"cannot use the store {name}: {why}"
        return f"the store {name} is damaged ({why}): use another one, or delete it"

    def _plain(self, text: Any, kind: type[T]) -> T:
        """A value that was kept as JSON."""
        try:
            value = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(self._damage(f"an entry is not JSON ({error})")) from None
        if not isinstance(value, kind):
            raise DataError(self._damage(f"an entry is not of the kind that was expected ({text[:40]!r})"))
        return value

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        """All or nothing."""
        self._run(begin)
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # where the disk is full, it is rolled back already
                self._database.execute("ROLLBACK")
            raise

    def _pragma(self, name: str) -> int:
        return int(self._run(f"PRAGMA {name}")[0][0])

    def _refusal(self, mark: int, version: int) -> str:
        if mark != _MARK:
            return f"{str(self.path)!r} is not a store of sparsest, but a database of something else"
        return (
            f"the store {str(self.path)!r} has format {version}, and this sparsest {__version__} reads "
            f"format {FORMAT}: use another store, or the version that wrote it. It was left as it is"
        )
