"""Progress reports, time limits and Ctrl-C for long computations, and how they ended."""

from __future__ import annotations

import enum
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, FunctionType

from sparsest._core.compiling import Compiling
from sparsest._core.errors import OptionError
from sparsest._core.progress_bar import ProgressBar
from sparsest._core.validation import number

_NOTICEABLE = 0.5  # seconds: loading compiled kernels takes less
_finished: set[Callable[[], object]] = set()  # what was compiled in this process


class Status(enum.Enum):
    """How a solver stopped.

    Attributes
    ----------
    OPTIMAL
        The graph is proved to be the global minimum.
    CONVERGED
        A local minimum of the solver's own objective was reached.
    MAX_STEPS
        The maximum number of steps was reached.
    TIME_LIMIT
        The time limit was reached; the result is the best graph found until then.
    INTERRUPTED
        Ctrl-C was pressed; the result is the best graph found until then.
    WORKERS_LOST
        The processes or the cluster that did the work went away; what they had finished is kept.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> result = sp.fit(np.random.default_rng(0).normal(size=(100, 3)))
    >>> result.status is sp.Status.OPTIMAL
    True
    >>> result.status.stopped_early
    False
    """

    OPTIMAL = "optimal"
    CONVERGED = "converged"
    MAX_STEPS = "max_steps"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"
    WORKERS_LOST = "workers_lost"

    @property
    def stopped_early(self) -> bool:
        """Whether the answer might have been better with more time."""
        return self not in (Status.OPTIMAL, Status.CONVERGED)


@dataclass(frozen=True)
class Step:
    """A progress report: the stage, the step, the objective, and the seconds so far and still to go.

    `objective` is NaN where there is no graph yet, `left` where nothing can be said about the time.
    """

    stage: str
    step: int
    objective: float
    seconds: float
    left: float = math.nan


class Stopped(Exception):  # noqa: N818 (it is a signal, not an error, and never leaves a solver)
    """Raised by `Watch.check` deep inside a search, and caught by the solver, which keeps its best graph."""


class Watch:
    """Clock, stop signal and progress reporter, which every solver polls between steps.

    `time_limit` counts from the creation of the watch. `on_step` is called with a `Step` from time to time;
    if it returns True, the work stops with the best so far.
    """

    def __init__(self, time_limit: float | None = None, on_step: Callable[[Step], object] | None = None):
        self._started = time.perf_counter()
        self._time_limit = float("inf") if time_limit is None else time_limit
        self._on_step = on_step
        self._interrupted = False
        self._thread = threading.get_ident()
        self._waiting: Step | None = None
        self.compiling = 0.0  #: seconds spent on compiling kernels

    @classmethod
    def checked(cls, time_limit: object, on_step: object) -> Watch:
        """A watch from the options of `fit`; an invalid one is refused by name."""
        if on_step is True:
            on_step = ProgressBar()
        elif on_step is False:
            on_step = None
        if on_step is not None and not callable(on_step):
            raise OptionError(f"progress must be True, or a function that takes a Step, not {on_step!r}")
        limit = None if time_limit is None else number("time_limit", time_limit, "a number of seconds")
        return cls(limit, on_step)

    @property
    def seconds(self) -> float:
        """Seconds since the watch was created."""
        return time.perf_counter() - self._started

    @property
    def remaining(self) -> float:
        """Seconds until the time limit; infinite if there is none."""
        return max(self._time_limit - self.seconds, 0.0)

    @property
    def stop(self) -> Status | None:
        """The reason to stop now, or None to continue."""
        if self._interrupted:
            return Status.INTERRUPTED
        return Status.TIME_LIMIT if self.seconds >= self._time_limit else None

    def check(self) -> None:
        """Raise `Stopped` if it is time to stop: for work that is many calls below its solver."""
        if self.stop is not None:
            raise Stopped

    def report(self, stage: str, step: int, objective: float, left: float = math.nan) -> None:
        """Report one step to the `on_step` callback, if there is one.

        The callback belongs to the thread that made the watch: it may draw, or touch what only that thread
        may. From another thread the newest step waits until that thread calls `pass_on`.
        """
        if self._on_step is None:
            return
        self._waiting = Step(stage, step, objective, self.seconds, left)
        self.pass_on()

    def pass_on(self) -> None:
        """Report what other threads have reported meanwhile; does nothing in those."""
        if threading.get_ident() != self._thread:
            return
        step, self._waiting = self._waiting, None
        if step is None or self._on_step is None:
            return
        try:
            asked_to_stop = self._on_step(step)
        except BaseException:
            self._interrupted = True  # nobody wants the answer any more: other threads stop, too
            raise
        self._interrupted = self._interrupted or asked_to_stop is True

    def silent(self) -> Watch:
        """A watch that stops when this one does, and reports nothing: for one of many fits."""
        return _Silent(self)

    def for_a_start(self) -> Watch:
        """A silent watch that stops with this one, or earlier: after a third of the time that is left."""
        return _Silent(self, self.remaining / 3)

    def wait_for(self, work: Callable[[], object]) -> bool:
        """Compile in a thread; True if that finished, False if it was time to stop first.

        The thread is then told to end, which it does between two passes of the compiler. What takes
        noticeable time is announced, and counted in `compiling`. A function of a module is called once per
        process: what it compiles stays.
        """
        if work in _finished:
            return True
        began, announced, thread = self.seconds, False, Compiling(work)
        while thread.running:
            thread.wait(0.02)
            self.pass_on()
            if not announced and self.seconds - began > _NOTICEABLE:
                self.report("compiling for this machine, once", 0, math.nan)
                announced = True
            if self.stop is not None and thread.running:
                thread.give_up()
                self.compiling += self.seconds - began
                return False
        if announced:
            self.compiling += self.seconds - began
        thread.wait(0.0)
        if isinstance(work, FunctionType) and work.__closure__ is None and "<" not in work.__qualname__:
            _finished.add(work)
        return True

    @contextmanager
    def listening(self) -> Iterator[Watch]:
        """Turn the first Ctrl-C into a request to stop; a second one raises KeyboardInterrupt as usual.

        Only where Ctrl-C would interrupt the program anyway: a program that ignores it, or handles it in its
        own way, keeps its way.
        """
        before = signal.getsignal(signal.SIGINT)
        # Only the main thread may handle signals.
        if threading.current_thread() is not threading.main_thread() or not _interrupts(before):
            try:
                yield self
            finally:
                self._close()
            return

        def on_interrupt(_number: int, _frame: FrameType | None) -> None:
            if self._interrupted:
                signal.signal(signal.SIGINT, before)
                raise KeyboardInterrupt
            self._interrupted = True

        signal.signal(signal.SIGINT, on_interrupt)
        try:
            yield self
        finally:
            signal.signal(signal.SIGINT, before)
            self._close()

    def _close(self) -> None:
        if isinstance(self._on_step, ProgressBar):
            self._on_step.close()


def _interrupts(handler: object) -> bool:
    """Whether a handler of SIGINT is Python's own, or that of `asyncio.run`, which interrupts, too."""
    inner = getattr(handler, "func", None)  # a partial of a method
    of_asyncio = getattr(inner, "__qualname__", "") == "Runner._on_sigint"
    return handler is signal.default_int_handler or of_asyncio


class _Silent(Watch):
    """Stops with another watch, or at a limit of its own, and reports nothing."""

    def __init__(self, other: Watch, time_limit: float | None = None):
        super().__init__(time_limit)
        self._other = other

    @property
    def stop(self) -> Status | None:
        return self._other.stop or super().stop
