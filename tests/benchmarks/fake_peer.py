"""A peer that misbehaves on tables of five rows."""

import os
import time

import numpy as np

REQUIREMENTS = None
METHODS = {"raises": {"trouble": "raise"}, "crashes": {"trouble": "exit"}, "lingers": {"trouble": "sleep"}}


def fit(arrays, trouble):
    if len(arrays["X"]) == 5:
        if trouble == "raise":
            raise RuntimeError("five is too many")
        if trouble == "exit":
            os._exit(7)
        time.sleep(60)
    return "dag", np.triu(np.ones((2, 2)), 1)
