"""Runs the tasks that the store does not hold yet, one thread each, and stores each when it is finished."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from sparsest_bench import examples, grid, starts
from sparsest_bench.environment import describe
from sparsest_bench.experiment import Experiment
from sparsest_bench.measures import registry
from sparsest_bench.peer_homes import Home, default_peers_folder, homes
from sparsest_bench.result_store import ResultStore
from sparsest_bench.tasks import Outcome, Task

_RUN: Mapping[str, Callable[[Task], Outcome]] = {
    "grid": grid.run,
    "starts": starts.run,
    "example": examples.run,
    "measure": registry.run,
}


def ignore(_: object) -> None:
    """Ignore a report."""


@dataclass(frozen=True)
class Progress:
    """How far a run is; `seconds_left` is None while unknown."""

    done: int
    total: int
    failed: int
    seconds_left: float | None


@dataclass(frozen=True)
class Summary:
    """The number of tasks of an experiment, how many were run now, and how those ended."""

    tasks: int
    run: int
    statuses: Mapping[str, int]


def run(
    experiment: Experiment,
    store: ResultStore,
    *,
    jobs: int = 1,
    backend: str | None = None,
    peers: Path | None = None,
    install: bool = False,
    retry: bool = False,
    command: str = "",
    tell: Callable[[str], None] = ignore,
    on_progress: Callable[[Progress], None] = ignore,
) -> Summary:
    """Run an experiment into a store, continuing from what it holds.

    Tasks go through joblib: `backend` names one of its backends; None takes that of the surrounding
    `joblib.parallel_config`, such as a cluster's. Peers that are not installed are installed if `install`,
    and recorded as missing otherwise.
    """
    found = places(experiment, store, peers, install, tell)
    tasks = plan(experiment, found)
    environment = describe(jobs, {peer: home.version for peer, home in found.items()})
    store.start(experiment, [task.key for task in tasks], command, environment)
    waiting = store.unfinished(tasks, retry)
    statuses: dict[str, int] = defaultdict(int)
    clock = _Clock(waiting, jobs)
    for task, outcome in _outcomes(waiting, jobs, backend):
        store.keep(task, outcome, environment)
        statuses[outcome.status] += 1
        on_progress(clock.after(task, outcome, len(tasks) - len(waiting), statuses))
    return Summary(len(tasks), len(waiting), dict(statuses))


def places(
    experiment: Experiment,
    store: ResultStore,
    peers: Path | None = None,
    install: bool = False,
    tell: Callable[[str], None] = ignore,
) -> dict[str, Home]:
    """Where each peer of an experiment runs; measurements look for theirs in the default folder."""
    if experiment.kind == "measure":
        found = homes(registry.needed(experiment), default_peers_folder(), install, tell)
        for peer, home in found.items():
            if home.missing:
                tell(f"{peer} is {home.missing}")
        return found
    if experiment.kind != "grid":
        return {}
    found = homes(grid.needed(experiment), peers or default_peers_folder(), install, tell)
    return {peer: _as_remembered(peer, home, experiment, store) for peer, home in found.items()}


def _as_remembered(peer: str, home: Home, experiment: Experiment, store: ResultStore) -> Home:
    """A missing peer takes the version whose answers the store holds, so that they are found."""
    if not home.missing:
        return home
    mine = [method.name for method in grid.needed(experiment) if method.peer == peer]
    version = store.last_version("version", "method", mine) or store.last_version("network", "graph", mine)
    return replace(home, version=version or home.version)


def plan(experiment: Experiment, places: Mapping[str, Home]) -> list[Task]:
    """The tasks of an experiment."""
    if experiment.kind == "grid":
        return grid.plan(experiment, places)
    plans = {"starts": starts.plan, "example": examples.plan, "measure": registry.plan}
    return plans[experiment.kind](experiment)


def execute(task: Task) -> tuple[Task, Outcome]:
    """Run one task in a worker process; any error becomes its outcome."""
    if current_process().name.startswith("Loky"):
        _end_with_parent()
    began = time.perf_counter()
    try:
        outcome = _RUN[task.kind](task)
    except Exception as error:  # a bug in one task must not end a run that takes days
        outcome = Outcome("failed", error=f"{type(error).__name__}: {error}")
    return task, replace(outcome, wall=time.perf_counter() - began)


@cache
def _end_with_parent() -> None:
    """End this worker when the run is killed; otherwise it would wait for work for minutes."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="sparsest-parent", daemon=True).start()


def _outcomes(tasks: Sequence[Task], jobs: int, backend: str | None) -> Any:
    """Pairs of task and outcome, in the order in which they finish."""
    from joblib import Parallel, delayed, parallel_config

    context: AbstractContextManager[Any] = nullcontext()
    if backend is not None:
        threads = {"inner_max_num_threads": 1} if backend == "loky" else {}
        context = parallel_config(backend=backend, **threads)
    with context:
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(execute)(task) for task in tasks)


class _Clock:
    """Estimates the time left from similar tasks, or from the average of all."""

    def __init__(self, waiting: Sequence[Task], jobs: int) -> None:
        self._jobs = max(1, jobs)
        self._left: dict[Any, int] = defaultdict(int)
        for task in waiting:
            self._left[_like(task)] += 1
        self._took: dict[Any, list[float]] = defaultdict(list)
        self._total = len(waiting)

    def after(self, task: Task, outcome: Outcome, before: int, statuses: Mapping[str, int]) -> Progress:
        """The progress once a task has ended."""
        self._left[_like(task)] -= 1
        self._took[_like(task)].append(outcome.wall)
        every = [wall for walls in self._took.values() for wall in walls]
        average = sum(every) / len(every)
        left = sum(
            count * (sum(walls) / len(walls) if (walls := self._took.get(like)) else average)
            for like, count in self._left.items()
        )
        failed = sum(count for status, count in statuses.items() if status != "done")
        return Progress(before + len(every), before + self._total, failed, left / self._jobs)


def _like(task: Task) -> Any:
    return task.kind, task.spec.get("method"), task.spec.get("p"), task.spec.get("structure")
