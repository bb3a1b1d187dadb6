"""Additive data, sums of random smooth functions plus Gaussian noise: splines against lines and networks.

python -m benchmarks.additive
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not __package__:  # python benchmarks.additive.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main

DESIGN = Design(
    name="additive",
    methods=("additive", "additive-order", "cam", "gaussian", "dagma-mlp"),
    reference="gaussian",
    sizes=(10,),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=1000,
    seeds=10,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
