"""One table of a design, outside of any experiment: what `sparsest simulate` writes."""

from __future__ import annotations

from typing import Any

from sparsest.bench.designs import Dataset, Design, parse_graph, simulate
from sparsest.bench.experiment import FACTORS
from sparsest.errors import OptionError

_NAMES = {"columns": "p", "rows": "n"}  # of factors, where a shell has other words
_LINEAR = ("noise", "weights", "r2sortability")


def design_of(**values: Any) -> Design:
    """A design from values by name, each checked as in an experiment's file; None leaves a default.

    The names are those of the factors, but graph, columns and rows.
    """
    given = {name: value for name, value in values.items() if value is not None}
    graph = given.pop("graph")
    parse_graph(graph)
    for name, value in given.items():
        if (words := FACTORS[_NAMES.get(name, name)](value)) is not None:
            raise OptionError(f"{name} must be {words}, not {value!r}")
    design = Design(graph, given.pop("columns"), given.pop("rows"), **given)
    changed = [name for name in _LINEAR if name in design.split()[0]]
    if changed and design.model != "linear":
        raise OptionError(f"{changed[0]} is for linear models, not for {design.model!r}: leave it out")
    return design


def table(design: Design, seed: int) -> Dataset:
    """The table and the truth that experiments of this design and seed are run on."""
    if seed < 0:
        raise OptionError(f"seed must be 0 or more, not {seed}")
    return simulate(design, seed)
