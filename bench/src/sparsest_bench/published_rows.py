"""Published rows: results as CSV files, from which a store can be filled again.

There is one CSV file per experiment and one line per task. The columns before `key` are what the task depends
on, those after it what was measured and how it ended. `about.json` beside the files says which experiment
each belongs to, and where and with which versions its rows were computed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sparsest._core.errors import DataError, OptionError
from sparsest._core.paths import existing_file
from sparsest._core.store import Record, canonical
from sparsest._core.writing import written_whole
from sparsest_bench.experiment import Experiment, require_file_name
from sparsest_bench.result_store import Kept, ResultStore

ABOUT = "about.json"
_ENDED = ("status", "error", "wall", "time_limit", "finished", "environment", "commit")  # the last columns
_TEXTS = ("options", "version", "network")  # text, even if it looks like something else


@dataclass(frozen=True)
class Published:
    """Finished tasks, each once, and their experiments with the command and the keys of each."""

    records: list[Record]
    plans: list[tuple[Experiment, str, list[str]]]


def rows_csv(kept: Kept) -> str:
    """Every finished task of an experiment as CSV."""
    depends = dict.fromkeys(name for record in kept.records for name in record.spec)
    known = [{name: 0 for name, value in one.row.items() if value is not None} for one in kept.records]
    measured = dict.fromkeys(name for names in sorted(known, key=len, reverse=True) for name in names)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*depends, "key", "kind", *measured, *_ENDED])
    for record in kept.records:
        place = record.environment
        values = [record.spec.get(name) for name in depends] + [record.key, record.kind]
        values += [record.row.get(name) for name in measured]
        values += [record.status, record.error, record.wall, record.time_limit, record.finished]
        writer.writerow(map(_written, [*values, _name(place), place.get("commit")]))
    return out.getvalue()


def write_rows(kept: Kept, file: Path) -> None:
    """Write the rows of an experiment to a file, and describe them in `about.json` beside it."""
    with written_whole(file) as draft:
        draft.write_text(rows_csv(kept), encoding="utf-8")
    beside = file.with_name(ABOUT)
    about = _read_about(beside) if beside.exists() else {"experiments": {}, "environments": {}}
    places = {_name(environment): environment for environment in kept.environments}
    about["experiments"][file.name] = {
        "experiment": asdict(kept.experiment),
        "command": kept.command,
        "environments": sorted(places),
    }
    about["environments"] |= places
    here = {name: one for name, one in about["experiments"].items() if file.with_name(name).exists()}
    used = {place for one in here.values() for place in one["environments"]}
    about = {
        "experiments": here,
        "environments": {name: place for name, place in about["environments"].items() if name in used},
    }
    with written_whole(beside) as draft:
        draft.write_text(
            json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
        )


def published(source: Path) -> Published:
    """What another store holds, or a folder of published rows."""
    if source.is_file():
        with ResultStore(source, read_only=True) as other:
            return Published(other.records(), other.planned())
    if not source.exists():
        raise DataError(f"there is no {str(source)!r} to take results from")
    if not (source / ABOUT).is_file():
        raise DataError(
            f"{str(source)!r} is neither a store nor a folder of published rows: there is no {ABOUT} in it"
        )
    about = _read_about(source / ABOUT)
    records: dict[str, Record] = {}  # experiments share tasks
    plans = []
    for name, one in about["experiments"].items():
        require_file_name(name)
        mine = {record.key: record for record in _read(source / name, about["environments"])}
        records |= mine
        plans.append((*_told(one, source / ABOUT), list(mine)))
    return Published(list(records.values()), plans)


def read_kept(file: Path) -> Kept:
    """What was published of one experiment, from its file of rows."""
    about = _read_about(file.with_name(ABOUT))
    if file.name not in about["experiments"]:
        raise DataError(f"{ABOUT} beside {str(file)!r} does not know it")
    experiment, command = _told(about["experiments"][file.name], file.with_name(ABOUT))
    records = tuple(_read(file, about["environments"]))
    return Kept(experiment, command, records, len(records))


def spare(files: Iterable[Path]) -> None:
    """Refuse to replace files that have nothing to do with what is going to be written."""
    for file in files:
        if file.exists():
            raise OptionError(
                f"{str(file)!r} is there already, not from sparsest: choose another folder, or pass --force"
            )


def spare_rows(rows: Path, others: Iterable[Path], store: ResultStore) -> None:
    """Refuse to replace rows that the store does not hold, or what stands where rows should be."""
    if not rows.exists():
        spare(others)
        return
    try:
        found = read_kept(rows)
    except DataError as error:
        raise OptionError(
            f"{str(rows)!r} is there already: {error}; choose another folder, or pass --force"
        ) from None
    held = store.states()
    lost = sum(record.key not in held for record in found.records)
    if lost:
        raise OptionError(
            f"{str(rows)!r} holds {lost} tasks that the store {str(store.path)!r} does not: choose another "
            f"folder, fill the store with `sparsest reproduce --take {rows.parent}`, or pass --force"
        )


def take(store: ResultStore, found: Published) -> int:
    """Fill a store with published rows; returns how many tasks were new. Plans in the store stay."""
    new = store.put_new(found.records)
    places = {record.key: record.environment for record in found.records}
    for experiment, command, keys in found.plans:
        if keys and store.kept(experiment.name, experiment.scale) is None:
            store.start(experiment, keys, command, places.get(keys[0], {}))
    return new


def _told(one: Any, file: Path) -> tuple[Experiment, str]:
    """An experiment and its command, from the entry of a file of rows."""
    if not isinstance(one, dict) or not isinstance(one.get("command"), str):
        raise DataError(f"{str(file)!r} does not say which command computed its rows")
    return Experiment.stored(one.get("experiment")), one["command"]


def _read(file: Path, places: Mapping[str, Any]) -> Iterator[Record]:
    try:
        content = existing_file(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, DataError) as error:
        raise DataError(f"cannot read {str(file)!r}, which {ABOUT} names: {error}") from None
    reader = csv.DictReader(io.StringIO(content, newline=""))
    header = list(reader.fieldnames or ())
    missing = [name for name in ("key", "kind", *_ENDED) if name not in header]
    if missing:
        raise DataError(f"{str(file)!r} is not a file of rows: it has no column {missing[0]!r}")
    at = header.index("key")
    measured = header[at + 2 : -len(_ENDED)]
    try:
        for line in reader:
            if None in line or None in line.values():
                raise ValueError(f"it must have {len(header)} cells")
            yield _record(line, header[:at], measured, places)
    except (csv.Error, ValueError, RecursionError) as error:
        raise DataError(f"{str(file)!r}, line {reader.line_num}: {error}") from None


def _record(
    line: Mapping[str, str], depends: Sequence[str], measured: Sequence[str], places: Mapping[str, Any]
) -> Record:
    if not isinstance(places.get(line["environment"]), dict):
        raise ValueError(f"{ABOUT} does not know the environment {line['environment']!r}")
    return Record(
        line["key"],
        line["kind"],
        {
            name: line[name] if name in _TEXTS else _value(line[name])
            for name in depends
            # None may be a level of a factor; among starts, an empty cell is a factor that came later.
            if line[name] or line["kind"] != "starts"
        },
        line["status"],
        {name: _value(line[name]) for name in measured if line[name]},
        line["error"],
        float(line["wall"]),
        float(line["time_limit"]) if line["time_limit"] else None,
        line["finished"],
        places[line["environment"]],
    )


def _read_about(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(existing_file(file).read_text(encoding="utf-8"))
        return {key: dict(content[key]) for key in ("experiments", "environments")}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"cannot read {str(file)!r}, which says what rows are: {error!r}") from None


def _name(environment: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(environment).encode()).hexdigest()[:8]


def _written(value: Any) -> str:
    """Text unchanged, nothing for None, all else as JSON; numbers to twelve digits."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(float(f"{value:.12g}") if isinstance(value, float) else value)


def _value(cell: str) -> Any:
    """The inverse of `_written`."""
    if not cell:
        return None
    try:
        return json.loads(cell)
    except ValueError:
        return cell
