"""The content of TOML that somebody else wrote."""

from __future__ import annotations

import tomllib
from typing import Any

from sparsest._core.errors import DataError


def toml_content(text: str, source: str) -> dict[str, Any]:
    """What a text in TOML says; `source` names it in errors."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        words = "its brackets are nested too deeply"
    except tomllib.TOMLDecodeError as error:
        words = str(error)
    except ValueError:  # Python's limit on digits
        words = "a number has thousands of digits"
    raise DataError(f"{source!r} is not valid TOML: {words}")
