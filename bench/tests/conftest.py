import pytest

from sparsest._core.store import Record
from sparsest_bench.experiment import parse_experiment
from sparsest_bench.result_store import Kept

TEXT = """\
title = "Mine"
kind = "grid"
figure = "lines"
[grid]
graphs = ["ER1"]
p = [5, 10]
data = ["raw", "standardised"]
methods = ["auto", "empty"]
seeds = 2
"""


def record(p, data, method, seed, shd, status="done"):
    design = {"model": "linear", "graph": "ER1", "p": p, "n": 1000, "noise": "gaussian", "hidden": 0}
    design |= {"weights": "strong", "r2sortability": None, "data": data, "method": method, "seed": seed}
    measured = (
        {"shd": shd, "seconds": 0.7, "cpu_seconds": 0.5, "varsortability": 0.9} if status == "done" else {}
    )
    error = "" if status == "done" else "why"
    return Record(f"{p}{data}{method}{seed}", "grid", design, status, measured, error, 1.0, None, "", {})


@pytest.fixture
def kept():
    records = [
        record(p, data, method, seed, 2 * seed + (p if method == "empty" else 0))
        for p in (5, 10)
        for data in ("raw", "standardised")
        for method in ("auto", "empty")
        for seed in (0, 1)
    ]
    records[-1] = record(10, "standardised", "empty", 1, None, "timeout")
    experiment = parse_experiment(TEXT, "mine.toml", "mine", "paper")
    return Kept(experiment, "command", tuple(records), len(records))
