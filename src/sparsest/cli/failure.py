"""How commands fail: one clear line, and an exit code, 2 for errors of the user and 1 for ours."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec

import typer

from sparsest._core.errors import SparsestError
from sparsest.cli.shell_words import in_shell_words
from sparsest.cli.terminal import say

P = ParamSpec("P")

DEBUG = "SPARSEST_DEBUG"  #: environment variable; if set, an unexpected error shows its traceback


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command so that errors become one line on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (typer.Exit, typer.Abort, BrokenPipeError):  # not errors, or handled by typer
            raise
        except SparsestError as error:
            say(f"sparsest: error: {in_shell_words(str(error), kwargs)}", err=True)
            raise typer.Exit(2) from None
        except Exception as error:
            if os.environ.get(DEBUG):
                say(traceback.format_exc().rstrip(), err=True)
            hint = f"this is a bug in sparsest; set {DEBUG}=1 and run again to see where"
            say(f"sparsest: unexpected {type(error).__name__}: {_one_line(error)} ({hint})", err=True)
            raise typer.Exit(1) from None

    return run


def run() -> None:
    """The command line as a program: what typer itself cannot print is one line, too."""
    from sparsest.cli.main import app

    try:
        app()
    except OSError as error:
        with contextlib.suppress(Exception):
            sys.stderr.write(f"sparsest: error: cannot write: {error.strerror or error}\n")
            sys.stderr.flush()
        os._exit(2)  # Python would fail on the broken stream once more


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
