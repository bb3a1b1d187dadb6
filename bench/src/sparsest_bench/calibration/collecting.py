"""Shares of simulated tables beside their true graphs: what the maps are fitted on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest.confidence.calibration import Evidence
from sparsest_bench.calibration.families import Drawn, Family

RESAMPLES = 100


@dataclass(frozen=True, eq=False)
class Example:
    """What resamples say of a table, and the DAG behind it."""

    family: str
    well: bool
    evidence: Evidence
    dag: NDArray[np.bool_]

    @property
    def density(self) -> float:
        """The share of the pairs that is joined."""
        p = len(self.dag)
        return float(self.dag.sum() / (p * (p - 1) / 2))


def drawn(family: Family, number: int, seed: int, stream: int) -> Drawn:
    """A table of a family; the fit and the report draw from different streams."""
    return family.draw(np.random.default_rng([seed, number, stream]))


def example(family: Family, table: Drawn) -> Example:
    """Half-samples of a table under the Gaussian model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparsestWarning)
        found = sp.confidence(table.X, resamples=RESAMPLES, model="gaussian")
    return Example(family.name, family.well, Evidence.of(found), table.dag)
