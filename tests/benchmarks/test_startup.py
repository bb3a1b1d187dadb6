import json
import sys

import pytest

from benchmarks import startup

# Fails where the folder of the compile cache is there already.
NEEDS_EMPTY = "import os; os.mkdir(os.environ['NUMBA_CACHE_DIR'])"


@pytest.mark.parametrize(("cache", "failed"), [("empty", False), ("warm", True)])
def test_the_compile_cache_is_new_in_every_repetition_only_where_it_should_be_empty(cache, failed):
    row = startup.measure(startup.Case("mkdir", (sys.executable, "-c", NEEDS_EMPTY), cache), repetitions=2)
    assert (row["error"] is not None) is failed
    assert len(row["seconds"]) == (0 if failed else 2)


def test_a_command_that_is_missing_is_reported_and_the_others_are_measured(tmp_path, monkeypatch):
    cases = (
        startup.Case("absent", (str(tmp_path / "absent"),)),
        startup.Case("pass", (sys.executable, "-c", "pass"), limit=60),
    )
    monkeypatch.setattr(startup, "CASES", cases)
    assert startup.main(["--repetitions", "2", "--results", str(tmp_path)]) == 0
    absent, measured = json.loads((tmp_path / "startup.json").read_text())["rows"]
    assert "absent" in absent["error"]
    assert len(measured["seconds"]) == 2
    assert "| pass " in (tmp_path / "startup.md").read_text()
