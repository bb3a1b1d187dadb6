"""Files are read by Polars, whose threads do not come along into a forked process."""

import os

from sparsest._core.errors import DataError

_reader: int | None = None  # the process that was the first to read a file


def require_no_fork() -> None:
    """Refuse a file in a child of a process that has read one: Polars would wait there for ever."""
    global _reader
    if _reader is None:
        _reader = os.getpid()
    elif _reader != os.getpid():
        raise DataError(
            "this process was forked from one that had read a file, and cannot read any: start it with "
            "multiprocessing.get_context('spawn'), or read the table before and pass it as a data frame"
        )
