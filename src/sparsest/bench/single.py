"""One table of a design, outside of any experiment: what `sparsest simulate` writes."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np

from sparsest.bench.designs import Dataset, Design, _simulation, parse_graph, simulate
from sparsest.bench.experiment import FACTORS
from sparsest.errors import OptionError
from sparsest.simulate import Simulation

_SHELL = {"graphs": "graph", "p": "columns", "n": "rows"}  # what a shell calls the factors, where it differs
_LINEAR = ("noise", "weights", "r2sortability")
_MOST_DRAWS = 100


def checked(design: Design) -> Design:
    """A design whose factors are checked as those of an experiment's file are."""
    parse_graph(design.graph)  # no network of a package
    for (factor, check), value in zip(FACTORS.items(), astuple(design), strict=True):
        if value is not None and (words := check(value)) is not None:
            raise OptionError(f"{_SHELL.get(factor, factor)} must be {words}, not {value!r}")
    changed = [factor for factor in _LINEAR if factor in design.split()[0]]
    if changed and design.model != "linear":
        raise OptionError(f"{changed[0]} is for linear models, not for {design.model!r}: leave it out")
    if len(changed) > 1 and "r2sortability" in changed:
        raise OptionError(
            f"r2sortability chooses the weights itself, with Gaussian noise: leave {changed[0]} out"
        )
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
