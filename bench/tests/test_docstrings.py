"""The examples in docstrings run."""

import doctest
import importlib
from pathlib import Path

import pytest

import sparsest_bench

SOURCE = Path(sparsest_bench.__file__).parent
WITH_EXAMPLES = sorted(path for path in SOURCE.rglob("*.py") if ">>>" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_examples_in_docstrings_run(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    outcome = doctest.testmod(importlib.import_module(".".join(parts)))
    assert outcome.failed == 0, "see the captured output"
    assert outcome.attempted == path.read_text(encoding="utf-8").count(">>> ")  # none was overlooked
