"""`progress=True`: one line with the stage, the best so far and the time, in terminals and notebooks."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, TextIO

from sparsest._core.words import duration

if TYPE_CHECKING:
    from sparsest._core.progress import Step

_SILENT_SECONDS, _BETWEEN = 1.0, 0.2


class ProgressBar:
    """Callback for `fit(progress=...)` that rewrites one line; nothing for work of less than a second."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._told, self._width = 0.0, 0

    def __call__(self, step: Step) -> None:
        """Rewrite the line, if it is time."""
        if step.seconds < _SILENT_SECONDS or step.seconds - self._told < _BETWEEN:
            return
        self._told = step.seconds
        self._write(step_words(step))

    def close(self) -> None:
        """Clear the line."""
        if self._width:
            self._write("")
            self._width = 0

    def _write(self, words: str) -> None:
        stream = sys.stderr if self._stream is None else self._stream
        stream.write("\r" + words.ljust(self._width) + ("\r" if not words else ""))
        stream.flush()
        self._width = len(words)


def step_words(step: Step) -> str:
    """A step as a few words: stage, best so far, seconds, and the time left where it is known."""
    left = "" if math.isnan(step.left) else f", {duration(step.left)} left"
    if math.isnan(step.objective):  # there is no graph yet
        done = f", {step.step:,} so far" if step.step else ""
    else:
        done = f", step {step.step:,}, best so far {step.objective:.6g}"
    return f"{step.stage}{done}, {step.seconds:.0f} s{left}"
