"""Binary data from logistic models (appendix D: n = 10 000, no intercept): ours against the package `dagma`.

python -m benchmarks.logistic
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not __package__:  # python benchmarks/logistic.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main

DESIGN = Design(
    name="logistic",
    methods=("logistic", "logistic-order", "gaussian", "dagma-logistic"),
    reference="dagma-logistic",
    sizes=(10,),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=10_000,
    seeds=10,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
