"""Tables of binary, count and continuous columns: each by its own likelihood against all by the Gaussian.

python -m benchmarks.mixed
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__" and not __package__:  # python benchmarks.mixed.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main
from sparsest.simulate import mixed, random_dag
from sparsest.simulate.models import Simulation


def simulate(kind: str, k: int, p: int, n: int, rng: np.random.Generator) -> Simulation:
    """A graph, a kind a column, and rows."""
    return mixed(random_dag(p, k, kind, rng), n, rng)


DESIGN = Design(
    name="mixed",
    simulate=simulate,
    methods=("mixed", "gaussian"),
    reference="gaussian",
    sizes=(10, 20),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=1000,
    seeds=10,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
