"""What a forked process may do after its parent has read a file."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # forks beside threads are the point
import numpy as np
import sparsest as sp

x = np.random.default_rng(0).normal(size=(60, 3))
np.savetxt("t.csv", x, delimiter=",", header="a,b,c", comments="")
here = sp.fit("t.csv").objective
process = os.fork()
if not process:
    assert abs(sp.fit(x).objective - here) < 1e-12
    assert abs(sp.fit("t.csv" if {read} else x).objective - here) < 1e-12
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""


def child(folder, *, read):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(read=read)],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_forked_child_may_fit_arrays_and_is_refused_files(tmp_path):
    assert child(tmp_path, read=False).returncode == 0
    refused = child(tmp_path, read=True)
    assert refused.returncode == 1
    assert "DataError: this process was forked from one that had read a file" in refused.stderr
    assert "get_context('spawn')" in refused.stderr
