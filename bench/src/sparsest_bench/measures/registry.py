"""Measurements by name, as experiments: their tasks, and the table of what was measured."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sparsest._core.allowed import Check
from sparsest_bench import measures
from sparsest_bench.contenders import Contender, known_contenders
from sparsest_bench.identity import our_version
from sparsest_bench.tasks import Outcome, Task

if TYPE_CHECKING:
    from sparsest_bench.experiment import Experiment
    from sparsest_bench.result_store import Kept

_NOT_MEASURES = ("child", "common", "registry")
NAMES = tuple(
    module.name for module in pkgutil.iter_modules(measures.__path__) if module.name not in _NOT_MEASURES
)


def settings_of(name: str) -> dict[str, Check]:
    """What an experiment's file may say about a measurement."""
    settings: dict[str, Check] = _module(name).SETTINGS
    return settings


def plan(experiment: Experiment) -> list[Task]:
    """The tasks of a measurement."""
    settings = experiment.settings
    specs = _module(settings["of"]).plan(settings)
    head = {"measure": settings["of"], "version": our_version()}
    return [Task("measure", head | spec) for spec in specs]


def needed(experiment: Experiment) -> list[Contender]:
    """The peers' methods that a measurement asks."""
    known = known_contenders()
    return [known[name] for name in getattr(_module(experiment.settings["of"]), "NEEDS", ())]


def run(task: Task) -> Outcome:
    """Measure one thing."""
    row = _module(task.spec["measure"]).run(task.spec)
    return Outcome("done", row)


def table(kept: Kept) -> str:
    """The table of a measurement, as far as tasks were done."""
    rows = list(_flat(kept))
    if not rows:
        return "No task was done."
    shown: str = _module(kept.experiment.settings["of"]).table(rows)
    return shown


def _flat(kept: Kept) -> Iterator[Mapping[str, Any]]:
    """Every row with the spec of its task; a task may have several."""
    for row in kept.rows:
        if row["status"] == "done":
            yield from (row | inner for inner in row.get("rows") or [{}])


def _module(name: str) -> Any:
    return importlib.import_module(f"sparsest_bench.measures.{name}")
