"""Tables of binary, count and continuous columns: each by its own likelihood against all by the Gaussian.

python -m benchmarks.mixed
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not __package__:  # python benchmarks.mixed.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.likelihoods import Design, main

DESIGN = Design(
    name="mixed",
    methods=("mixed", "gaussian"),
    reference="gaussian",
    sizes=(10, 20),
    graphs=("ER1", "ER2", "SF1", "SF2"),
    n=1000,
    seeds=10,
)

if __name__ == "__main__":
    raise SystemExit(main(DESIGN))
