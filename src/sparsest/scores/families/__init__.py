"""The likelihoods that a column can have, one object each, and which kinds of columns they are for."""

from sparsest.data.columns.kinds import Kind
from sparsest.scores.families.base import Column, Family
from sparsest.scores.families.categorical import Bernoulli, Multinomial
from sparsest.scores.families.continuous import Gaussian, centre_and_scale
from sparsest.scores.families.counts import Poisson

GAUSSIAN, BERNOULLI, MULTINOMIAL, POISSON = Gaussian(), Bernoulli(), Multinomial(), Poisson()

#: Every likelihood by its name: a new one is a file and a line here.
FAMILIES: dict[str, Family] = {family.name: family for family in (GAUSSIAN, BERNOULLI, POISSON, MULTINOMIAL)}


def family_for(kind: Kind) -> Family | None:
    """The likelihood of a kind of column in a table of mixed kinds; None where there is none."""
    return next((family for family in FAMILIES.values() if kind in family.kinds), None)


__all__ = [
    "BERNOULLI",
    "FAMILIES",
    "GAUSSIAN",
    "MULTINOMIAL",
    "POISSON",
    "Column",
    "Family",
    "centre_and_scale",
    "family_for",
]
