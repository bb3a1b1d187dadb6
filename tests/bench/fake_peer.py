"""A peer that behaves in every way a peer can."""

import os
import sys
import time

REQUIREMENTS = None
METHODS = {"good": {}, "raises": {"how": "raise"}, "crashes": {"how": "crash"}, "lingers": {"how": "linger"}}


def fit(arrays, how=""):
    print("what a peer prints must not reach the replies")  # noqa: T201
    if how == "raise":
        raise RuntimeError("three is too many")
    if how == "crash":
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os._exit(7)
    if how == "linger":
        time.sleep(60)
    p = arrays["X"].shape[1]
    return "dag", [[int(i == 0 and j == 1) for j in range(p)] for i in range(p)]
