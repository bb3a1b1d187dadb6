"""Data of networks with 100 hidden units (appendix D): our networks against NOTEARS-MLP and DAGMA-MLP.

python -m benchmarks.mlp
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__" and not __package__:  # python benchmarks/mlp.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main
from sparsest.simulate import mlp, random_dag
from sparsest.simulate.models import Simulation


def simulate(kind: str, k: int, p: int, n: int, rng: np.random.Generator) -> Simulation:
    """A graph, a network a column, and rows."""
    return mlp(random_dag(p, k, kind, rng), n, rng)


DESIGN = Design(
    name="mlp",
    simulate=simulate,
    methods=("mlp", "additive", "gaussian", "gcastle-notears-mlp", "dagma-mlp"),
    reference="mlp",
    sizes=(10, 20, 40),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=1000,
    seeds=3,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
