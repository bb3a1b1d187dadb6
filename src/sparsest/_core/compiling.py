"""Compiling in a thread that can be given up: nothing interrupts a compiler from outside.

The compiler announces each of its passes. One that nobody waits for any more is ended there, which frees the
compiler's lock, so that other threads, forked processes and the end of this process need not wait for long.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

_LONGEST = 60.0  # seconds a fork waits for a thread that was given up: one pass of the compiler takes a few


class _GivenUp(SystemExit):
    """Ends a thread whose work nobody waits for any more."""


class Compiling:
    """Work that compiles, in a thread of its own from the start."""

    def __init__(self, work: Callable[[], object]):
        self._work = work
        self._failure: BaseException | None = None
        self._given_up = False
        self._thread = threading.Thread(target=self._run, name="sparsest-compile")
        self._thread.start()

    def _run(self) -> None:
        from numba.core import event

        try:
            with event.install_listener("numba:run_pass", _listener()(self._check)):
                self._work()
        except _GivenUp:
            pass
        except BaseException as error:  # re-raised in the thread that waits
            self._failure = error

    def _check(self) -> None:
        """Called before each pass, whichever thread compiles."""
        if self._given_up and threading.current_thread() is self._thread:
            raise _GivenUp

    @property
    def running(self) -> bool:
        """Whether the work goes on."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait for the end, not longer than this; an exception of the work is raised here."""
        self._thread.join(seconds)
        if not self.running and self._failure is not None:
            raise self._failure

    def give_up(self) -> None:
        """Let the thread end before the next pass."""
        self._given_up = True
        _let_forks_wait()
        _given_up.append(self._thread)


def _listener() -> Any:
    """The class of what calls a function before each pass. Importing the compiler takes time."""
    from numba.core import event

    class _BeforeEach(event.Listener):  # type: ignore[misc]  # numba has no types
        def __init__(self, check: Callable[[], None]):
            self._check = check

        def on_start(self, _event: Any) -> None:
            self._check()

        def on_end(self, _event: Any) -> None:
            pass

    return _BeforeEach


_given_up: list[threading.Thread] = []
_forks_wait = False


def _let_forks_wait() -> None:
    """A process that is forked while a thread compiles inherits a lock that nobody will ever release."""
    global _forks_wait  # handlers cannot be unregistered: once per process
    if not _forks_wait and hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_wait_for_the_given_up)
        _forks_wait = True


def _wait_for_the_given_up() -> None:
    while _given_up:
        thread = _given_up.pop()
        if thread is not threading.current_thread():
            thread.join(_LONGEST)
