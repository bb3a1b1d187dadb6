"""Reading knowledge from files, TOML or Tetrad's format."""

from __future__ import annotations

import os

from sparsest._core.errors import DataError
from sparsest._core.paths import existing_file
from sparsest.knowledge import tetrad, toml
from sparsest.knowledge.statement import Knowledge


def read(path: str | os.PathLike[str]) -> Knowledge:
    """Knowledge from a TOML file (.toml) or a Tetrad knowledge file (anything else)."""
    file = existing_file(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"cannot read {str(file)!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{str(file)!r} is not encoded in UTF-8: save it as UTF-8 text") from error
    parse = toml.parse if file.suffix.lower() == ".toml" else tetrad.parse
    return parse(text, str(file))
