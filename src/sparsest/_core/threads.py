"""Several threads for work that releases the interpreter lock: compiled kernels and BLAS."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def for_each(
    items: Sequence[T],
    work: Callable[[T], object],
    n_jobs: int,
    meanwhile: Callable[[], object] | None = None,
) -> None:
    """Call `work` with every item, on up to `n_jobs` threads; the first exception ends all and is raised.

    `meanwhile` is called from time to time in the caller's thread, such as `Watch.pass_on`.

    What is computed must not depend on which items are worked on at the same time.
    """
    if n_jobs == 1 or len(items) < 2:
        for item in items:
            work(item)
        return
    left = iter(items)  # an item goes to one thread only
    failures: list[BaseException] = []

    def run() -> None:
        for item in left:
            if failures:
                return
            try:
                work(item)
            except BaseException as error:  # raised in the caller's thread below
                failures.append(error)

    threads = [threading.Thread(target=run, name="sparsest-work") for _ in range(min(n_jobs, len(items)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.05)
            try:
                if meanwhile is not None:
                    meanwhile()
            except BaseException as error:  # raised below, when no thread works any more
                failures.append(error)
    if failures:
        raise failures[0]
