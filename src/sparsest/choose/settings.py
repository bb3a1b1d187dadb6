"""What a result remembers of the options of `fit`, and of the versions that gave it."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import scipy

from sparsest._core.version import __version__
from sparsest.choose.common import Choices

_PLAIN = (str, int, float, type(None))


def settings_of(choices: Choices, threshold: float | None, missing: str) -> dict[str, Any]:
    """The options that shape the answer and the versions that gave it, as plain words and numbers."""
    asked = {
        "model": choices.model,
        "solver": choices.solver,
        "penalty": choices.penalty,
        "standardize": choices.standardize,
        "seed": int(choices.seed),
        "max_parents": int(choices.max_parents),
        "threshold": None if threshold is None else float(threshold),
        "missing": missing,
    }
    plain = {key: value if isinstance(value, _PLAIN) else _in_words(value) for key, value in asked.items()}
    versions = {
        "sparsest": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    return plain | versions


def _in_words(part: Any) -> str:
    """An object as its repr; only its type where that would be an address in memory."""
    words = repr(part)
    return type(part).__name__ if words == object.__repr__(part) else words
