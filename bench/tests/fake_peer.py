"""A peer that behaves in every way a peer can."""

import os
import subprocess
import sys
import time

REQUIREMENTS = None
METHODS = {
    "good": {},
    "raises": {"how": "raise"},
    "crashes": {"how": "crash"},
    "lingers": {"how": "linger"},
    "calls": {"how": "call"},
    "weights": {"how": "weight"},
    "real-weights": {"how": "real"},
    "no-kind": {"how": "no kind"},
    "wrong-kind": {"how": "kind"},
    "wrong-shape": {"how": "shape"},
    "nan": {"how": "nan"},
    "loop": {"how": "loop"},
}


def fit(arrays, how=""):
    print("what a peer prints must not reach the replies")  # noqa: T201
    if how == "raise":
        raise RuntimeError("three is too many")
    if how == "crash":
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os._exit(7)
    if how == "linger" and arrays["X"].shape[1] > 3:  # not while it is warmed up
        time.sleep(60)
    if how == "call":
        busy = "import time\nwhile time.process_time() < 0.3: pass"
        subprocess.run([sys.executable, "-c", busy], check=True)
    p = arrays["X"].shape[1]
    entry = {"weight": -0.3, "real": -0.3, "nan": float("nan")}.get(how, 1)
    matrix = [[entry if (i, j) == (0, 1) else 0 for j in range(p)] for i in range(p)]
    if how == "loop":
        matrix[1][1] = 1
    if how == "no kind":
        return matrix
    if how == "real":
        return "weights", matrix
    return "DAG" if how == "kind" else "dag", matrix[:1] if how == "shape" else matrix
