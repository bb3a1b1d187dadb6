"""How much memory may be asked for: told before the work, so that nothing dies half-way.

A small file can ask for much: a compressed one unpacks, a graph of many nodes is a square matrix. What a file
makes of itself is limited to `EXPANSION`; what the user's own table needs, to the memory that is free.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparsest._core.errors import DataError, OptionError
from sparsest._core.words import bytes_words

EXPANSION = 2**29  #: bytes that a file may turn into, beyond a fair multiple of its own size
FAIR = 200  #: times its own size: packed, tables that hold little but zeros shrink to about a hundredth
VARIABLE = "SPARSEST_MEMORY"  #: the environment variable that says how much may be used instead
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([KMGT]?)I?B?\s*", re.IGNORECASE)


def require_room(needed: float, what: str, instead: str) -> None:
    """Refuse work on the user's own data that needs more memory than there is.

    Parameters
    ----------
    needed : float
        Bytes.
    what : str
        What needs them, as the subject of a sentence.
    instead : str
        The way out.
    """
    allowed = _asked_for()
    allowed = free_memory() if allowed is None else allowed
    if needed > allowed:
        raise DataError(
            f"{what} would need about {bytes_words(needed)} of memory, and {bytes_words(allowed)} can be "
            f"used: {instead} (the environment variable {VARIABLE} sets another limit)"
        )


def expansion_limit(size: int) -> int:
    """The bytes that a file of `size` bytes may turn into."""
    asked = _asked_for()
    return max(EXPANSION, FAIR * size) if asked is None else int(asked)


def require_modest(needed: float, size: int, what: str, instead: str) -> None:
    """Refuse a file of `size` bytes (0: of any size) that would turn into more than it may."""
    allowed = expansion_limit(size)
    if needed > allowed:
        raise DataError(
            f"{what} would need {bytes_words(needed)} of memory, and a file of its size may ask for "
            f"{bytes_words(allowed)}: {instead}, or set the environment variable {VARIABLE} to more"
        )


@contextmanager
def enough_memory(what: str) -> Iterator[None]:
    """Turn a MemoryError into a DataError that says what was too large."""
    try:
        yield
    except MemoryError:
        raise DataError(f"there is not enough memory for {what}: pass fewer rows or columns") from None


def free_memory() -> float:
    """Bytes that this process can still take: of the machine, its container and its own limit."""
    return min(_of_machine(), _of_container(), _of_process())


def _asked_for() -> float | None:
    """The limit in the environment variable, if there is one."""
    text = os.environ.get(VARIABLE, "")
    if not text.strip():
        return None
    size = _SIZE.fullmatch(text)
    if size is None:
        raise OptionError(f"the environment variable {VARIABLE} is a size such as 8GB, not {text!r}")
    return float(size[1]) * _UNITS[size[2].upper()]


def _of_machine() -> float:
    try:
        found = re.search(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text())
        if found:
            return 1024.0 * int(found[1])
    except OSError:
        pass
    try:  # all of it, where the system does not say what is free
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return float("inf")  # Windows pages to its disk before it refuses


def _of_container() -> float:
    """What a Linux control group leaves."""
    try:
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text()
        return float("inf") if most == "max" else max(0.0, float(most) - float(used))
    except (OSError, ValueError):
        return float("inf")


def _of_process() -> float:
    """What is left of a limit on this process's address space."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return float("inf")
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return max(0.0, most - pages * float(resource.getpagesize()))
    except (ImportError, OSError, ValueError, IndexError):
        return float("inf")
