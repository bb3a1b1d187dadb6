"""docs/theory/theory.md names functions: each of them is there."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "theory.md"
ROOTS = r"(?:acyclicity|data|graph|models|penalties|problem|scores|search|simulate|solvers|rounding|theory)"
NAMES = sorted(set(re.findall(rf"`({ROOTS}(?:\.\w+)+)", PAGE.read_text(encoding="utf-8"))))
OF_OBJECTS = {"data.moments.Moments.covariance"}  # set when one is made


@pytest.mark.parametrize("name", NAMES)
def test_the_map_names_what_is_there(name):
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module("sparsest." + ".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        break
    for part in [] if name in OF_OBJECTS else parts[length:]:
        assert hasattr(found, part), f"{found} has no {part}"
        found = getattr(found, part)
