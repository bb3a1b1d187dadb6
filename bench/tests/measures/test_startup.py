import sys

import pytest

from sparsest_bench.measures import startup

# Fails where the folder of the compile cache is there already.
NEEDS_EMPTY = "import os; os.mkdir(os.environ['NUMBA_CACHE_DIR'])"


@pytest.mark.parametrize(("cache", "failed"), [("empty", False), ("warm", True)])
def test_the_compile_cache_is_new_in_every_repetition_only_where_it_should_be_empty(cache, failed):
    row = startup.measure(startup.Case("mkdir", (sys.executable, "-c", NEEDS_EMPTY), cache), repetitions=2)
    assert (row["failure"] is not None) is failed
    assert len(row["seconds"]) == (0 if failed else 2)


def test_a_command_that_is_missing_is_reported_and_the_others_are_measured(tmp_path, monkeypatch):
    cases = (
        startup.Case("absent", (str(tmp_path / "absent"),)),
        startup.Case("pass", (sys.executable, "-c", "pass"), limit=60),
    )
    monkeypatch.setattr(startup, "CASES", cases)
    specs = startup.plan({"repetitions": 2})
    absent, measured = (spec | startup.run(spec) for spec in specs)
    assert "absent" in absent["failure"]
    assert len(measured["seconds"]) == 2
    assert "| pass " in startup.table([absent, measured])
