"""One table of a design, outside of any experiment: what `sparsest simulate` writes."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.bench.designs import Dataset, Design, _simulation, parse_graph, simulate
from sparsest.bench.experiment import FACTORS, ignored
from sparsest.simulate import Simulation

_SHELL = {"graphs": "graph", "p": "columns", "n": "rows"}  # what a shell calls the factors, where it differs
_MOST_DRAWS = 100


def checked(design: Design) -> Design:
    """A design whose factors are checked as those of an experiment's file are."""
    parse_graph(design.graph)  # no network of a package
    factors = dict(zip(FACTORS, astuple(design), strict=True))
    for factor, value in factors.items():
        if value is not None and (words := FACTORS[factor](value)) is not None:
            raise OptionError(f"{_SHELL.get(factor, factor)} must be {words}, not {value!r}")
    if (found := ignored({factor: [value] for factor, value in factors.items()})) is not None:
        raise OptionError(" ".join(found))
    return design


def table(design: Design, seed: int) -> Dataset:
    """The table and the truth that experiments of this design and seed are run on."""
    if seed < 0:
        raise OptionError(f"seed must be 0 or more, not {seed}")
    draws = iter(range(_MOST_DRAWS))

    def draw(rows: int, rng: np.random.Generator) -> Simulation:
        if next(draws, None) is None:
            raise OptionError(f"with {rows} rows some column never varies: ask for more rows")
        return _simulation(design, rng)

    return simulate(design, seed, draw)
