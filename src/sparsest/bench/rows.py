"""Rows as files: what a page of results publishes, and what a store can be filled with again.

A CSV file an experiment has a line a task: the columns before `key` are what the task depends on, those after
it what was measured and how it ended. `environments.json` beside it says where and with which versions.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparsest.bench import catalog
from sparsest.bench.store import Kept, Record, Store
from sparsest.bench.tasks import canonical
from sparsest.errors import DataError

ENVIRONMENTS = "environments.json"
_ENDED = ("status", "error", "wall", "time_limit", "finished", "environment", "commit")  # the last columns


def rows_csv(kept: Kept) -> str:
    """Every finished task of an experiment as CSV."""
    depends = dict.fromkeys(name for record in kept.records for name in record.spec)
    measured = dict.fromkeys(name for record in kept.records for name in record.row)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*depends, "key", "kind", *measured, *_ENDED])
    for record in kept.records:
        ended = {
            **{name: getattr(record, name) for name in _ENDED[:5]},
            "environment": _name(record.environment),
            "commit": record.environment.get("commit"),
        }
        values = [record.spec.get(name) for name in depends] + [record.key, record.kind]
        values += [record.row.get(name) for name in measured] + [ended[name] for name in _ENDED]
        writer.writerow(map(_written, values))
    return out.getvalue()


def write_rows(kept: Kept, file: Path) -> None:
    """The rows of an experiment into a file, and where they were computed into the one beside it."""
    file.write_text(rows_csv(kept), encoding="utf-8")
    beside = file.with_name(ENVIRONMENTS)
    known = _environments(beside) if beside.exists() else {}
    known |= {_name(environment): environment for environment in kept.environments}
    beside.write_text(
        json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def take(store: Store, source: Path, scale: str) -> int:
    """Fill a store from another one, or from a folder of rows; how many tasks were new to it.

    An experiment of the catalog that the store knows nothing of is planned as its rows say.
    """
    if source.is_file():
        with Store(source) as other:
            return store.take(other.records())
    files = sorted(source.glob("*.csv"))
    if not files:
        raise DataError(f"{str(source)!r} is neither a store nor a folder with the rows of results in it")
    places = _environments(source / ENVIRONMENTS)
    taken = 0
    for file in files:
        records = list(_read(file, places))
        taken += store.take(records)
        if records and file.stem in catalog.names() and store.kept(file.stem, scale) is None:
            experiment = catalog.load(file.stem, scale)
            command = f"sparsest reproduce {file.stem} --scale {scale}"
            store.plan(experiment, [record.key for record in records], command, records[-1].environment)
    return taken


def _read(file: Path, places: Mapping[str, Any]) -> Iterator[Record]:
    with file.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        header = list(reader.fieldnames or ())
        missing = [name for name in ("key", "kind", *_ENDED) if name not in header]
        if missing:
            raise DataError(f"{str(file)!r} is not a file of rows: it has no column {missing[0]!r}")
        at = header.index("key")
        measured = header[at + 2 : -len(_ENDED)]
        for number, line in enumerate(reader, start=2):
            if line["environment"] not in places:
                raise DataError(
                    f"{str(file)!r}, line {number}: the environment {line['environment']!r} is not in "
                    f"{ENVIRONMENTS} beside it"
                )
            yield Record(
                line["key"],
                line["kind"],
                {name: _value(line[name]) for name in header[:at]},
                line["status"],
                {name: _value(line[name]) for name in measured if line[name]},
                line["error"],
                float(line["wall"]),
                float(line["time_limit"]) if line["time_limit"] else None,
                line["finished"],
                places[line["environment"]],
            )


def _environments(file: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {str(file)!r}, which says where rows were computed: {error}") from None
    return content


def _name(environment: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(environment).encode()).hexdigest()[:8]


def _written(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value) if isinstance(value, dict | list) else value


def _value(cell: str) -> Any:
    """A number or a table where the cell is one, text as it is, None where it is empty."""
    if not cell:
        return None
    try:
        return json.loads(cell)
    except ValueError:
        return cell
