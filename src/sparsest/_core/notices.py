"""Notices: what the user should know although an answer is possible, issued as warnings at the end.

What a step has to say is a field of what it returns, and only the outermost function warns. Catching or
filtering warnings on the way would not be safe where several threads read tables at once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from sparsest._core.errors import DataWarning

_PACKAGE = str(Path(__file__).parents[1])


def tell(notices: Iterable[str]) -> None:
    """Issue each notice as a warning that points at the line outside of sparsest that led here."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice, DataWarning, stacklevel=level)
