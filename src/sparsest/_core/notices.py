"""What the user should know though an answer is possible: collected as words, said once at the end.

The functions of this room take a list and append to it. Nothing is caught or filtered on the way, which would
not be safe where several threads read tables at once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from sparsest._core.errors import DataWarning

_PACKAGE = str(Path(__file__).parents[1])


def tell(notices: Iterable[str]) -> None:
    """Warn of each notice, pointing at the line outside of sparsest that led here."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice, DataWarning, stacklevel=level)
