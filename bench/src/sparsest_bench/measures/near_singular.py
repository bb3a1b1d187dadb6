"""Tables in which some columns are sums of others, up to rounding.

Twenty columns of a random linear model and ten sums of two to four of them, all rounded to `digits` digits,
shuffled. What should come: each sum is left out and named with its terms, and the graph of the other columns
is that of fitting them alone; the same after rounding to one digit less.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest_bench.measures.common import Row, mean, simulated
from sparsest_bench.tables import markdown

SETTINGS = {"seeds": integer(1), "first": integer(0)}
DIGITS = (3, 2)
_BASE, _SUMS, _ROWS = 20, 10, 500


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per table and rounding."""
    first = settings.get("first", 0)
    return [
        {"digits": digits, "seed": seed}
        for digits in DIGITS
        for seed in range(first, first + settings["seeds"])
    ]


def run(spec: Mapping[str, Any]) -> Row:
    """How many sums were named with their terms, and whether the graph is that of the others alone."""
    rng = np.random.default_rng(spec["seed"])
    base = simulated("ER1", _BASE, _ROWS, rng).data
    terms = [sorted(rng.choice(_BASE, rng.integers(2, 5), replace=False).tolist()) for _ in range(_SUMS)]
    sums = np.column_stack([base[:, each].sum(axis=1) for each in terms])
    values = np.round(np.column_stack([base, sums]), spec["digits"])
    place = rng.permutation(_BASE + _SUMS)
    where = {int(column): f"x{k}" for k, column in enumerate(place)}
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = sp.fit(values[:, place])
        spent = time.process_time() - began
        alone = [name for name in (f"x{k}" for k in range(_BASE + _SUMS)) if name in result.names]
        again = sp.fit(values[:, place], columns=alone)
    said = {row["column"]: set(re.findall(r"'(\w+)'", row["done"])) for row in result.columns.to_dicts()}
    named = [said[where[_BASE + k]] == {where[j] for j in each} for k, each in enumerate(terms)]
    return {
        "named": sum(named),
        "left_out": _BASE + _SUMS - len(result.names),
        "same": result.cpdag == again.cpdag and set(alone) == {where[j] for j in range(_BASE)},
        "edges": len(result.dag.edges),
        "cpu": spent,
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per rounding."""
    lines = []
    for digits in DIGITS:
        mine = [row for row in rows if row["digits"] == digits]
        lines.append(
            [
                str(digits),
                str(len(mine)),
                f"{sum(row['named'] for row in mine)} of {_SUMS * len(mine)}",
                f"{sum(row['same'] for row in mine)} of {len(mine)}",
                mean([row["edges"] for row in mine], 1),
                mean([row["cpu"] for row in mine], 2),
            ]
        )
    head = (
        "digits",
        "tables",
        "sums named with their terms",
        "graph of the others alone",
        "edges",
        "CPU seconds",
    )
    return markdown(head, lines)
