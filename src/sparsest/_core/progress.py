"""How a long computation is watched and stopped: progress, time limits, Ctrl-C, and how it ended."""

from __future__ import annotations

import enum
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from sparsest._core.errors import OptionError
from sparsest._core.validation import number


class Status(enum.Enum):
    """How a solver stopped."""

    OPTIMAL = "optimal"  #: proved to be the global minimum
    CONVERGED = "converged"  #: a local minimum of the solver's own objective
    MAX_STEPS = "max_steps"  #: the allowed number of steps was used up
    TIME_LIMIT = "time_limit"  #: the best found when time was up
    INTERRUPTED = "interrupted"  #: the best found when Ctrl-C was pressed

    @property
    def stopped_early(self) -> bool:
        """True where the answer might have been better with more time."""
        return self in (Status.MAX_STEPS, Status.TIME_LIMIT, Status.INTERRUPTED)


@dataclass(frozen=True)
class Step:
    """One report of a running solver."""

    stage: str
    step: int
    objective: float
    seconds: float


class Watch:
    """The clock, the stop sign and the reporter that every solver polls between steps.

    `time_limit` counts from the creation of the watch. `on_step` receives a `Step` now and then.
    """

    def __init__(self, time_limit: float | None = None, on_step: Callable[[Step], None] | None = None):
        self._started = time.perf_counter()
        self._time_limit = float("inf") if time_limit is None else time_limit
        self._on_step = on_step
        self._interrupted = False

    @classmethod
    def checked(cls, time_limit: object, on_step: object) -> Watch:
        """A watch from the options of a user, refused by name where they are impossible."""
        if on_step is not None and not callable(on_step):
            raise OptionError(f"progress must be a function that takes a Step, not {on_step!r}")
        limit = None if time_limit is None else number("time_limit", time_limit, "a number of seconds")
        return cls(limit, on_step)

    @property
    def seconds(self) -> float:
        """Seconds since the watch was made."""
        return time.perf_counter() - self._started

    @property
    def stop(self) -> Status | None:
        """Why to stop now, or None to go on."""
        if self._interrupted:
            return Status.INTERRUPTED
        return Status.TIME_LIMIT if self.seconds >= self._time_limit else None

    def report(self, stage: str, step: int, objective: float) -> None:
        """Pass one step on to whoever asked for progress."""
        if self._on_step is not None:
            self._on_step(Step(stage, step, objective, self.seconds))

    def wait_for(self, work: Callable[[], object]) -> bool:
        """Run `work` in a thread; True when it is done, False when the watch said stop first.

        For what cannot be stopped half-way, such as the compilation of a kernel: it goes on by itself.
        """
        failure: list[BaseException] = []

        def run() -> None:
            try:
                work()
            except BaseException as error:  # handed to the caller's thread below
                failure.append(error)

        thread = threading.Thread(target=run, name="sparsest-compile")
        thread.start()
        while thread.is_alive():
            thread.join(0.02)
            if self.stop is not None and thread.is_alive():
                return False
        if failure:
            raise failure[0]
        return True

    @contextmanager
    def listening(self) -> Iterator[Watch]:
        """Turn the first Ctrl-C into a request to stop; a second one raises KeyboardInterrupt as usual."""
        if threading.current_thread() is not threading.main_thread():
            yield self  # only the main thread may handle signals
            return
        before = signal.getsignal(signal.SIGINT)

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
