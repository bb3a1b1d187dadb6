import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys, warnings
import numpy
from sparsest._core.errors import SparsestWarning
from sparsest._core.jit import kernel

@kernel
def one(x):
    return x + 1

@kernel
def other(x):
    return x + 2

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always", SparsestWarning)
    assert one(1) + other(1) == one(1.0) + other(1.0) == 5
print(*(str(one.message) for one in said), sep="\\n")
print(sum(one.stats.cache_hits.values()))
"""


def run(folder, largest_file=10**9):
    done = subprocess.run(
        [sys.executable, "program.py", str(largest_file)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *said, hits = filter(None, done.stdout.splitlines())
    return said, int(hits)


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_cache_that_cannot_be_written_is_said_once_and_a_damaged_one_is_made_again(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (words,), hits = run(tmp_path, largest_file=500)
    assert "compiled code cannot be kept" in words
    assert "NUMBA_CACHE_DIR" in words
    assert hits == 0
    assert run(tmp_path) == ([], 0)
    assert run(tmp_path) == ([], 2)
    for file in (tmp_path / "cache").rglob("*.nb?"):  # the index, and the code
        file.write_bytes(file.read_bytes()[:-20])
    assert run(tmp_path) == ([], 0)
    assert run(tmp_path) == ([], 2)
