"""What a process with a limit on its memory makes of a file: so that a test survives what it tests."""

import json
import os
import subprocess
import sys

LIMIT = 3 * 2**30  # bytes beyond what is taken after the imports

_CODE = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import numpy, polars, sparsest as sp
from sparsest.data import read_table
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + {limit}
resource.setrlimit(resource.RLIMIT_AS, (most, most))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    kind, words = "read", repr(eval({code!r}))[:200]
except sp.SparsestError as error:
    kind, words = "refused", str(error)
except BaseException as error:
    kind, words = "foreign", f"{{type(error).__name__}}: {{error}}"
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([kind, words, grown / 1024]))
"""


def outcome(code, folder, limit=LIMIT):
    """How an expression ended ("read", "refused", "foreign" or "died"), its words, and memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE.format(code=code, limit=limit)],
        capture_output=True, text=True, cwd=folder, timeout=120, check=False, env=os.environ,
    )  # fmt: skip
    if not done.stdout.strip():
        return "died", done.stderr[-300:], 0.0
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def refused(code, folder, limit=LIMIT):
    """The words of a refusal that took less than a gigabyte."""
    kind, words, grown = outcome(code, folder, limit)
    assert kind == "refused", (kind, words)
    assert "\n" not in words
    assert grown < 1000, grown
    return words
