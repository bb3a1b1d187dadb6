"""Additive data, sums of random smooth functions plus Gaussian noise: splines against lines and networks.

python -m benchmarks.additive
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__" and not __package__:  # python benchmarks.additive.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main
from sparsest.simulate import additive, random_dag
from sparsest.simulate.models import Simulation


def simulate(kind: str, k: int, p: int, n: int, rng: np.random.Generator) -> Simulation:
    """A graph, a function an edge, and rows."""
    return additive(random_dag(p, k, kind, rng), n, rng)


DESIGN = Design(
    name="additive",
    simulate=simulate,
    methods=("additive", "additive-order", "cam", "gaussian", "dagma-mlp"),
    reference="gaussian",
    sizes=(10,),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=1000,
    seeds=10,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
