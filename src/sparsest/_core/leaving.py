"""Work that nothing interrupts from outside, left behind when it is time to stop."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from sparsest._core.progress import Watch

_T = TypeVar("_T")
_POLL = 0.02  # seconds


def unless_stopped(work: Callable[[], _T], watch: Watch) -> _T | None:
    """What `work` returns, or None if it was time to stop first.

    It runs in a thread of its own, which is not waited for then: it must see by itself that it is time to
    stop.
    """
    answers: list[_T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            with np.errstate(**error_state):
                answers.append(work())
        except BaseException as error:  # re-raised in the thread that waits
            failures.append(error)

    error_state: Any = np.geterr()  # before NumPy 2 each thread had its own
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name="sparsest-left-behind", daemon=True)
    thread.start()
    while thread.is_alive() and watch.stop is None:
        thread.join(_POLL)
        watch.pass_on()
    if failures:
        raise failures[0]
    return answers[0] if answers else None
