"""The likelihoods that a column can have, and the kinds of columns they are for."""

from sparsest.data.columns.kinds import Kind
from sparsest.scores.families.base import Column, Family
from sparsest.scores.families.categorical import BernoulliFamily, MultinomialFamily
from sparsest.scores.families.continuous import GaussianFamily, centre_and_scale
from sparsest.scores.families.counts import PoissonFamily

GAUSSIAN, BERNOULLI, MULTINOMIAL, POISSON = (
    GaussianFamily(),
    BernoulliFamily(),
    MultinomialFamily(),
    PoissonFamily(),
)

#: Every likelihood by name. A new one is a new file and an entry here.
FAMILIES: dict[str, Family] = {family.name: family for family in (GAUSSIAN, BERNOULLI, POISSON, MULTINOMIAL)}


def family_for(kind: Kind) -> Family | None:
    """The likelihood for a kind of column in a table of mixed kinds; None if there is none.

    Later entries take precedence, so that a new family can claim a kind of column from an older one.
    """
    return next((family for family in reversed(FAMILIES.values()) if kind in family.kinds), None)


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
