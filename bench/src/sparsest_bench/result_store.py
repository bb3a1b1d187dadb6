"""Results of experiments in a store: plans, tasks and outcomes in the terms of `sparsest._core.store`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from sparsest._core.store import Agenda, Record, Store, canonical
from sparsest_bench.experiment import Experiment
from sparsest_bench.tasks import Outcome, Task


@dataclass(frozen=True)
class Kept:
    """What the store holds of an experiment: its finished tasks in the order of the agenda."""

    experiment: Experiment
    command: str
    records: tuple[Record, ...]
    planned: int

    @cached_property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """The tasks as flat rows: what each depends on, what was measured, how it ended, and the commit."""
        return tuple(map(_flat, self.records))

    @property
    def finished(self) -> tuple[str, str]:
        """When the first and the last of its tasks were finished."""
        times = [record.finished for record in self.records] or [""]
        return min(times), max(times)

    @property
    def environments(self) -> tuple[Mapping[str, Any], ...]:
        """The environments in which the tasks were run, each once."""
        return tuple({canonical(record.environment): record.environment for record in self.records}.values())


class ResultStore(Store):
    """A store that knows experiments, tasks and outcomes."""

    def start(
        self, experiment: Experiment, keys: Iterable[str], command: str, environment: Mapping[str, Any]
    ) -> None:
        """Write which tasks an experiment consists of, in place of its last agenda at this scale."""
        content = asdict(experiment)
        self.put_agenda(Agenda(experiment.name, experiment.scale, content, command, tuple(keys)), environment)

    def unfinished(self, tasks: Iterable[Task], retry: bool = False) -> list[Task]:
        """Tasks that are not in the store, exceeded a shorter time limit, or lacked a peer that is now there.

        With `retry`, failed ones too.
        """
        held = self.states()
        waiting: dict[str, Task] = {}
        for task in tasks:
            status, limit = held.get(task.key, ("", None))
            longer = status == "timeout" and (task.time_limit is None or task.time_limit > (limit or 0.0))
            here_now = status == "missing" and not task.call.get("missing")
            if not status or longer or here_now or (retry and status != "done"):
                waiting.setdefault(task.key, task)
        return list(waiting.values())

    def keep(self, task: Task, outcome: Outcome, environment: Mapping[str, Any]) -> None:
        """Write a task that has just been finished; one that is done already stays as it is."""
        spec = dict(task.implied) | dict(task.spec)
        ended = asdict(outcome)
        self.put(
            Record(task.key, task.kind, spec, **ended, time_limit=task.time_limit, environment=environment)
        )

    def kept(self, name: str, scale: str) -> Kept | None:
        """What is known of an experiment; None if it was never run into this store."""
        agenda = self.agenda(name, scale)
        if agenda is None:
            return None
        records = tuple(self.records(agenda))
        return Kept(Experiment.stored(agenda.content), agenda.command, records, len(agenda.keys))

    def experiments(self) -> list[tuple[str, str]]:
        """Name and scale of every experiment that was planned here."""
        return self.agenda_names()

    def planned(self) -> list[tuple[Experiment, str, list[str]]]:
        """Every experiment that was planned here, with its command and the keys of its tasks."""
        plans = [agenda for at in self.agenda_names() if (agenda := self.agenda(*at)) is not None]
        return [(Experiment.stored(agenda.content), agenda.command, list(agenda.keys)) for agenda in plans]

    def last_version(self, role: str, of: str, names: Iterable[str]) -> str | None:
        """The version behind the newest finished tasks whose `of` ("method", "graph") is one of some names.

        `role` says which version: "version" is that of the method's package, "network" that of the network's.
        """
        return self.newest(role, of, names)


def _flat(record: Record) -> dict[str, Any]:
    ended = {"status": record.status, "error": record.error, "wall": record.wall}
    return {**record.spec, **record.row, **ended, "commit": record.environment.get("commit")}
