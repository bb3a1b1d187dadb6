"""Output to stdout and stderr, as the terminal allows: Unicode or ASCII, live progress or plain lines."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from sparsest._core.errors import SparsestWarning
from sparsest._core.progress_bar import step_words
from sparsest._core.writing import write_tree
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


Json = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write JSON to this file; - prints it, and nothing else."),
]


def tell(words: str, tree: Any, target: Path | None) -> None:
    """Say something in words, or as JSON if that was asked for; with a file, both."""
    if target is not None and str(target) == "-":
        say(json.dumps(tree, allow_nan=False))
        return
    if target is not None:
        write_tree(tree, target)  # first: what cannot be written is all that is said
    say(words)
    if target is not None:
        say(f"wrote {target}")


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
        yield lambda step: status.update(f"{escape(step_words(step))}; Ctrl-C keeps the best so far")


class PlainProgress:
    """Progress as plain lines, for log files: none for short runs, one per stage and one every 10 s."""

    def __init__(self) -> None:
        self._stage = ""
        self._said = 0.0

    def __call__(self, step: Step) -> None:
        """Write a line if it is time."""
        news = step.stage != self._stage or step.seconds - self._said >= _SECONDS_BETWEEN
        if news and step.seconds >= _SILENT_SECONDS:
            say(f"sparsest: {step_words(step)}", err=True)
            self._stage, self._said = step.stage, step.seconds
