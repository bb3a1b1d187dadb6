"""Output to stdout and stderr, as the terminal allows: Unicode or ASCII, live progress or plain lines."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from sparsest._core.errors import OptionError, SparsestWarning
from sparsest._core.progress_bar import step_words
from sparsest._core.words import printable
from sparsest._core.writing import write_tree
from sparsest.cli.shell_words import TABLE, in_shell_words

if TYPE_CHECKING:
    from sparsest._core.progress import Step

_SILENT_SECONDS = 1.0  # before the first plain line
_SECONDS_BETWEEN = 10.0  # plain lines of the same stage
_BAR = 20  # letters
_STARTING = "reading the data; the first run also compiles, which takes a few seconds"


def say(words: str, *, err: bool = False) -> None:
    """Write a line to stdout or stderr; what its encoding lacks or a terminal would act on is escaped.

    Nobody reads a stderr that is closed or full, and the work goes on; stdout is what was asked for, so that
    is an error.
    """
    try:
        _write(sys.stderr if err else sys.stdout, printable(words))
    except BrokenPipeError:  # whoever read it has seen enough
        raise
    except (OSError, ValueError) as error:
        _give_up("stderr" if err else "stdout")
        if not err:
            why = getattr(error, "strerror", None) or error
            raise OptionError(f"cannot write to the standard output: {why}") from None


def _write(stream: TextIO | None, words: str) -> None:
    if stream is None:
        raise OSError(errno.EBADF, "it is closed")
    encoding = stream.encoding or "ascii"
    stream.write(words.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


def _give_up(name: str) -> None:
    """Send what a broken stream still holds nowhere, or Python would fail on it when it ends."""
    setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


Json = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write JSON to this file; - prints it, and nothing else."),
]

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Only warnings, errors and files.")]


def tell(words: str, tree: Any, target: Path | None, *, quiet: bool = False) -> None:
    """Say something in words, or as JSON if that was asked for; with a file, both; if `quiet`, no words."""
    if target is not None and str(target) == "-":
        say(json.dumps(tree, allow_nan=False))
        return
    if target is not None:
        write_tree(tree, target)  # first: what cannot be written is all that is said
    if not quiet:
        say(words)
        if target is not None:
            say(f"wrote {target}")


def plain(value: Any) -> Any:
    """Plain values in which what is no number, such as a share that is not known, is None."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def ascii_only(stream: TextIO | None) -> bool:
    """Whether a stream cannot show arrows, dashes and ellipses beyond ASCII."""
    if stream is None:
        return True
    try:
        "→–…⠋".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


@contextmanager
def reporting(
    *, quiet: bool = False, columns: str = "`sparsest audit` says"
) -> Iterator[Callable[[Step], object] | None]:
    """Send progress and warnings to stderr; yields the callback for `fit(progress=...)`, None if `quiet`.

    `columns` names what says what was done with the columns.
    """
    with warnings.catch_warnings():
        _show_warnings_as_lines(columns)
        if quiet:
            yield None
        elif sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with _live() as on_step:
                yield on_step
        else:
            yield PlainProgress()


def _show_warnings_as_lines(columns: str) -> None:
    """Show warnings of sparsest as one line each; for use inside `catch_warnings`, which undoes it."""
    usual = warnings.showwarning
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, SparsestWarning):
            words = in_shell_words(str(message), TABLE).replace("result.columns says", columns)
            if words not in said:  # once, however often it is issued
                said.add(words)
                say(f"sparsest: warning: {words}", err=True)
        else:
            usual(message, category, *where, **more)

    warnings.simplefilter("always", SparsestWarning)
    warnings.showwarning = show


@contextmanager
def _live() -> Iterator[Callable[[Step], object]]:
    """Progress as one line with a bar, once it takes longer than a second."""
    from rich.console import Console
    from rich.markup import escape

    plain = ascii_only(sys.stderr)
    status = Console(stderr=True).status(_STARTING, spinner="line" if plain else "dots")
    later = threading.Timer(_SILENT_SECONDS, status.start)
    later.daemon = True
    later.start()

    def show(step: Step) -> None:
        words = f"{bar(step, ascii=plain)}{printable(step_words(step))}"
        status.update(escape(f"{words}; Ctrl-C keeps the best so far"))
        if step.seconds >= _SILENT_SECONDS:
            status.start()

    try:
        yield show
    finally:
        later.cancel()
        later.join()
        status.stop()


def bar(step: Step, *, ascii: bool) -> str:  # noqa: A002
    """How far the work is, where the time left is known; else nothing."""
    total = step.seconds + step.left
    if not (math.isfinite(total) and total > 0):
        return ""
    done = round(_BAR * step.seconds / total)
    full, rest = "#-" if ascii else "━─"
    return f"{full * done}{rest * (_BAR - done)} {step.seconds / total:.0%}  "


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
