"""Output to stdout and stderr, as the terminal allows: Unicode or ASCII, live progress or plain lines."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from sparsest._core.errors import SparsestWarning
from sparsest._core.words import duration
from sparsest.cli.shell_words import TABLE, in_shell_words

if TYPE_CHECKING:
    from sparsest._core.progress import Step

_SILENT_SECONDS = 1.0  # before the first plain line
_SECONDS_BETWEEN = 10.0  # plain lines of the same stage
_STARTING = "reading the data; the first run also compiles, which takes a few seconds"


def say(words: str, *, err: bool = False) -> None:
    """Write a line to stdout or stderr; characters that its encoding lacks are escaped."""
    stream = sys.stderr if err else sys.stdout
    encoding = stream.encoding or "ascii"
    stream.write(words.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


def ascii_only(stream: TextIO) -> bool:
    """Whether a stream cannot show arrows, dashes and ellipses beyond ASCII."""
    try:
        "→–…⠋".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


@contextmanager
def reporting(*, quiet: bool = False) -> Iterator[Callable[[Step], None] | None]:
    """Send progress and warnings to stderr; yields the callback for `fit(progress=...)`, None if `quiet`."""
    with warnings.catch_warnings():
        _show_warnings_as_lines()
        if quiet:
            yield None
        elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with _live() as on_step:
                yield on_step
        else:
            yield PlainProgress()


def _show_warnings_as_lines() -> None:
    """Show warnings of sparsest as one line each; for use inside `catch_warnings`, which undoes it."""
    usual = warnings.showwarning
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, SparsestWarning):
            words = in_shell_words(str(message), TABLE).replace("result.columns says", "columns.csv says")
            if words not in said:  # once, however often it is issued
                said.add(words)
                say(f"sparsest: warning: {words}", err=True)
        else:
            usual(message, category, *where, **more)

    warnings.simplefilter("always", SparsestWarning)
    warnings.showwarning = show


@contextmanager
def _live() -> Iterator[Callable[[Step], None]]:
    """Progress as one line with a spinner."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    with console.status(_STARTING, spinner="line" if ascii_only(sys.stderr) else "dots") as status:
        yield lambda step: status.update(f"{escape(_words(step))}; Ctrl-C keeps the best so far")


class PlainProgress:
    """Progress as plain lines, for log files: none for short runs, one per stage and one every 10 s."""

    def __init__(self) -> None:
        self._stage = ""
        self._said = 0.0

    def __call__(self, step: Step) -> None:
        """Write a line if it is time."""
        news = step.stage != self._stage or step.seconds - self._said >= _SECONDS_BETWEEN
        if news and step.seconds >= _SILENT_SECONDS:
            say(f"sparsest: {_words(step)}", err=True)
            self._stage, self._said = step.stage, step.seconds


def _words(step: Step) -> str:
    if math.isnan(step.objective):  # there is no graph yet
        left = "" if math.isnan(step.left) else f", {duration(step.left)} left"
        return f"{step.stage}, {step.step:,} so far, {step.seconds:.0f} s{left}"
    return f"{step.stage}, step {step.step:,}, best so far {step.objective:.6g}, {step.seconds:.0f} s"
