"""Many tasks of one piece of work, spread over the workers that joblib is set to use.

What all tasks share, such as the rows of a table, goes to each worker once, and not with each task: processes
on this machine read it from a file, and Dask workers get it from the scheduler's scatter. Threads share it.
Other engines of joblib get it with each handful of tasks.
"""

from __future__ import annotations

import functools
import pickle
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sparsest._core.progress import Watch

_STARTS = 3  # of a pool of processes in which a worker died
_HANDFUL = 4  # tasks a worker, of engines that give their answers all at once
_POLL = 0.02  # seconds between two looks at a cluster
_WITHOUT_WORKERS = 60.0  # seconds that a cluster may be without any worker

Work = Callable[[Any, Watch], Any]
Shared = Callable[[int, Any], Any]


class WorkersLostError(Exception):
    """The workers are gone, and tasks are left over: never shown to users, but told in words."""


def spread(work: Work, tasks: Sequence[Any], n_jobs: int | None, watch: Watch) -> Iterator[Any]:
    """What a piece of work makes of each task, as soon as it is finished, until it is time to stop.

    Parameters
    ----------
    work : callable
        Takes a task and a watch that says when to stop, and returns what it leads to. It is the same
        for all tasks, and may be large.
    tasks : list
        Small values.
    n_jobs : int, optional
        How many workers; by default what a surrounding `joblib.parallel_config` says, else one.
    watch : Watch
        Says when to stop; tasks that have not begun are then dropped. Its time limit reaches tasks in other
        processes, Ctrl-C only those in this one.

    Yields
    ------
    object
        What the work returns, in no particular order.

    Raises
    ------
    WorkersLostError
        If no worker is left.
    """
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    wanted = n_jobs if n_jobs is not None else configured
    wanted = backend.default_n_jobs if wanted is None else wanted
    if not tasks or wanted == 1:
        yield from _here(work, tasks, watch)
    elif type(backend).__name__ == "DaskDistributedBackend":
        yield from _on_dask(backend.client, work, tasks, watch)
    elif backend.effective_n_jobs(wanted) == 1:
        yield from _here(work, tasks, watch)
    else:
        yield from _in_pool(work, tasks, wanted, watch)


def _here(work: Work, tasks: Sequence[Any], watch: Watch) -> Iterator[Any]:
    for task in tasks:
        if watch.stop is not None:
            return
        yield work(task, watch.silent())


def _in_pool(work: Work, tasks: Sequence[Any], n_jobs: int, watch: Watch) -> Iterator[Any]:
    """Through joblib; where a process dies, the tasks that are left are started again."""
    left = dict(enumerate(tasks))
    with _handed_over(work, watch) as (shared, received):
        for _ in range(_STARTS):
            with suppress(BrokenProcessPool):
                for answer in _joblib(shared, left, n_jobs, watch):
                    number, found = received(answer)
                    del left[number]
                    yield found
            if not left or watch.stop is not None:  # joblib may also end without a word when a process dies
                return
        raise WorkersLostError(f"worker processes died {_STARTS} times (were they short of memory?)")


def _joblib(shared: Shared, tasks: Mapping[int, Any], n_jobs: int, watch: Watch) -> Iterator[Any]:
    """Answers as they come; from engines that only give all at once, such as Ray, in handfuls."""
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    calls = [delayed(shared)(number, task) for number, task in tasks.items()]
    backend, _ = get_active_backend()
    if not backend.supports_return_generator:
        handful = _HANDFUL * backend.effective_n_jobs(n_jobs)
        for first in range(0, len(calls), handful):
            yield from Parallel(n_jobs=n_jobs)(calls[first : first + handful])
            if watch.stop is not None:
                return
        return
    answers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)
    try:
        for answer in answers:
            yield answer
            if watch.stop is not None:
                return
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib says that tasks are dropped, which is the point
            answers.close()


@contextmanager
def _handed_over(work: Work, watch: Watch) -> Iterator[tuple[Shared, Callable[[Any], tuple[int, Any]]]]:
    """The work in a form that costs nothing to send, and what turns its answers into numbers and results.

    For processes on this machine the work and its results are files, and the answers small numbers. A process
    that is killed while it sends more than a pipe holds would leave half an answer behind, and its reader
    would wait for the other half for ever.
    """
    from joblib.parallel import get_active_backend

    engine = type(get_active_backend()[0]).__name__
    if engine == "ThreadingBackend":
        yield functools.partial(_watched, work, watch.silent()), tuple
    elif engine not in ("LokyBackend", "MultiprocessingBackend"):
        yield functools.partial(_bounded, work, watch.remaining), tuple
    else:
        with tempfile.TemporaryDirectory(prefix="sparsest-", ignore_cleanup_errors=True) as folder:
            with Path(folder, "work").open("wb") as file:
                _cloudpickle().dump(work, file, protocol=5)
            deadline = time.time() + watch.remaining
            yield functools.partial(_from_file, folder, deadline), functools.partial(_received, folder)


def _watched(work: Work, watch: Watch, number: int, task: Any) -> tuple[int, Any]:
    return number, work(task, watch)


def _bounded(work: Work, seconds: float, number: int, task: Any) -> tuple[int, Any]:
    """Clocks of other machines may differ, but no task takes longer than the time there was at the start."""
    return number, work(task, Watch(seconds))


def _cloudpickle() -> Any:
    """What joblib itself pickles with: it also knows classes of the user's script."""
    try:
        import cloudpickle
    except ImportError:  # joblib before 1.6 brings its own
        from joblib.externals import cloudpickle
    return cloudpickle


def _from_file(folder: str, deadline: float, number: int, task: Any) -> int:
    """Do a task of the work that is kept in a folder, and leave the result there."""
    with _deaf():
        found = _loaded(folder)(task, Watch(max(deadline - time.time(), 0.0)))
        with Path(folder, str(number)).open("wb") as file:
            _cloudpickle().dump(found, file, protocol=5)
    return number


def _received(folder: str, number: int) -> tuple[int, Any]:
    path = Path(folder, str(number))
    found = pickle.loads(path.read_bytes())
    path.unlink()
    return number, found


@contextmanager
def _deaf() -> Iterator[None]:
    """Without an ear for Ctrl-C, which is for the process that started this one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@functools.lru_cache(maxsize=1)
def _loaded(folder: str) -> Work:
    work: Work = pickle.loads(Path(folder, "work").read_bytes())
    return work


def _on_dask(client: Any, work: Work, tasks: Sequence[Any], watch: Watch) -> Iterator[Any]:
    """On the workers of a Dask cluster, which starts tasks of dead workers again by itself."""
    from distributed import as_completed

    futures: list[Any] = []
    try:
        with _connection():
            shared = client.scatter(work, broadcast=True, hash=False)
            futures = client.map(_apply, tasks, work=shared, seconds=watch.remaining, pure=False)
        waiting, seen = as_completed(futures), time.monotonic()
        for _ in futures:
            while not waiting.has_ready():
                if watch.stop is not None:
                    return
                _require_workers(client, time.monotonic() - seen)
                time.sleep(_POLL)
            with _connection():
                found = next(waiting).result()
            seen = time.monotonic()
            yield found
            if watch.stop is not None:
                return
    finally:
        if futures and client.status == "running":
            client.cancel(futures, force=True)


def _apply(task: Any, work: Work, seconds: float) -> Any:
    return work(task, Watch(seconds))


def _require_workers(client: Any, silent: float) -> None:
    """Refuse to wait for a cluster that is closed, or has been without workers for a while."""
    if client.status in ("closed", "closing"):
        raise WorkersLostError("the Dask cluster went away")
    if silent < 1:
        return
    with _connection():
        if silent > _WITHOUT_WORKERS and not client.nthreads():
            raise WorkersLostError(f"the Dask cluster had no workers for {silent:.0f} s")


@contextmanager
def _connection() -> Iterator[None]:
    """What Dask raises where a cluster is gone, as ours; errors of tasks pass."""
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as Cancelled

    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except (CancelledError, Cancelled, KilledWorker, CommClosedError) as error:
        raise WorkersLostError(f"the Dask cluster went away ({type(error).__name__})") from None
