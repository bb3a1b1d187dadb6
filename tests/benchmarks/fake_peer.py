"""A peer that misbehaves on datasets with three columns."""

import os
import time

import numpy as np

from benchmarks import worker

METHODS = {"raises": {"trouble": "raise"}, "crashes": {"trouble": "exit"}, "lingers": {"trouble": "sleep"}}


def fit(X, trouble):
    if X.shape[1] == 3:
        if trouble == "raise":
            raise RuntimeError("three is too many")
        if trouble == "exit":
            os._exit(7)
        time.sleep(60)
    return "dag", np.triu(np.ones((2, 2)), 1)


if __name__ == "__main__":
    worker.serve(fit, METHODS)
