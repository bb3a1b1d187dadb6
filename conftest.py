"""Runs the Python examples of README.md and docs/ as tests, each page in a folder of its own."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

# Laws say nothing about time, and a busy machine takes longer than Hypothesis allows.
settings.register_profile("laws", deadline=None)
settings.load_profile("laws")

# What a script starts in the background ignores Ctrl-C, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that an example may write files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()],
    patterns=["*.md"],
    fixtures=["scratch"],
).pytest()
