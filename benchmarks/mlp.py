"""Data of networks with 100 hidden units (appendix D): our networks against NOTEARS-MLP and DAGMA-MLP.

python -m benchmarks.mlp
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not __package__:  # python benchmarks/mlp.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main

DESIGN = Design(
    name="mlp",
    methods=("mlp", "additive", "gaussian", "gcastle-notears-mlp-10", "dagma-mlp"),
    reference="mlp",
    sizes=(10, 20, 40),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=1000,
    seeds=3,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
