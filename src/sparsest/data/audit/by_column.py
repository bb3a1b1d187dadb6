"""Checks of single columns: what they hold, whether they vary, codes, heavy tails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sparsest._core.words import agreeing, count, percent
from sparsest.data.audit.findings import Finding
from sparsest.data.audit.profile import Flags, Profile
from sparsest.data.audit.raw import Raw
from sparsest.data.audit.unmeasured import (
    LEAST_ROWS,
    check_dates,
    check_identifiers,
    check_words,
    identifiers,
)
from sparsest.data.columns.absent_marks import missing_code
from sparsest.data.columns.kinds import Kind

_NEARLY_CONSTANT = 0.95
_HEAVY = 3.0  # excess kurtosis: that of a t distribution with 6 degrees of freedom
_FEW_LEVELS = 10


@dataclass(frozen=True)
class ColumnChecks:
    """What single columns show; which columns of `raw.values` vary, and which of these measure."""

    findings: tuple[Finding, ...]
    varying: Flags
    measured: Flags


def check_columns(raw: Raw, facts: Profile) -> ColumnChecks:
    """The checks of single columns."""
    variation = _Variation.of(facts)
    named = identifiers(raw, facts, variation.varying)
    measured = variation.varying & ~named
    solid = measured & ~variation.hardly
    findings = (
        *check_words(raw),
        *_still(raw, facts, variation),
        *check_identifiers(raw, named),
        *check_dates(raw, facts, measured),
        *_missing_codes(raw, variation.varying),
        *_kinds(raw, facts, solid),
        *_tails(raw, facts, solid),
    )
    return ColumnChecks(findings, variation.varying, measured)


@dataclass(frozen=True)
class _Variation:
    """Which columns are empty, infinite somewhere, constant, or hardly vary."""

    empty: Flags
    infinite: Flags
    constant: Flags
    hardly: Flags

    @classmethod
    def of(cls, facts: Profile) -> _Variation:
        empty = (facts.finite == 0) & (facts.infinite == 0)
        infinite = facts.infinite > 0
        constant = ~empty & ~infinite & (facts.low == facts.high)
        hardly = ~(empty | infinite | constant) & (facts.share >= _NEARLY_CONSTANT)
        return cls(empty, infinite, constant, hardly)

    @property
    def varying(self) -> Flags:
        """Finite and not constant."""
        return ~(self.empty | self.infinite | self.constant)


def _still(raw: Raw, facts: Profile, variation: _Variation) -> Iterator[Finding]:
    """Empty, infinite, constant and nearly constant columns."""
    at, about = raw.numeric, raw.about
    empty, infinite = variation.empty, variation.infinite
    constant, nearly = variation.constant, variation.hardly
    if empty.any():
        what = f"{about.listed(at[empty])} {agreeing(at[empty], 'holds', 'hold')} no value at all"
        yield about.finding("empty", "serious", at[empty], what, "leave it out")
    if infinite.any():
        what = _listed(raw, infinite, lambda k: count(facts.infinite[k], "row"))
        hold = agreeing(at[infinite], "holds", "hold")
        yield about.finding(
            "infinite", "serious", at[infinite], f"{what} {hold} infinite values",
            "find out how they came about (a division by zero?) and correct them",
        )  # fmt: skip
    if constant.any():
        what = _listed(raw, constant, lambda k: f"all {facts.low[k]:g}")
        do = agreeing(at[constant], "does", "do")
        yield about.finding(
            "constant", "serious", at[constant], f"{what} {do} not vary",
            "what does not vary has no place in a graph: leave it out",
        )  # fmt: skip
    if nearly.any():
        what = _listed(raw, nearly, lambda k: f"{percent(facts.share[k])} are {facts.commonest[k]:g}")
        yield about.finding(
            "near-constant", "caution", at[nearly],
            f"{what} hardly {agreeing(at[nearly], 'varies', 'vary')}",
            "edges of such a column depend on a few rows: leave it out unless these are what you study",
        )  # fmt: skip


def _missing_codes(raw: Raw, usable: Flags) -> Iterator[Finding]:
    """-999 and the like: a number that stands for a missing value."""
    code: dict[int, float] = {}
    for k in map(int, np.flatnonzero(usable)):
        found = missing_code(raw.values[:, k])
        if found is not None:
            code[k] = found
    chosen = np.isin(np.arange(len(raw.numeric)), list(code))
    if chosen.any():
        what = _listed(raw, chosen, lambda k: f"{code[k]:g}")
        yield raw.about.finding(
            "missing-codes", "serious", raw.numeric[chosen],
            f"{what} {agreeing(raw.numeric[chosen], 'repeats', 'repeat')} a number far from all others: it "
            "looks like a code for a missing value",
            "replace the code by a missing value; as a number it dominates every correlation of the column",
        )  # fmt: skip


def _kinds(raw: Raw, facts: Profile, usable: Flags) -> Iterator[Finding]:
    """Columns of numbers that are perhaps not quantities."""
    about = raw.about
    if raw.n < LEAST_ROWS:
        return
    kinds = [raw.kinds.get(int(j)) for j in raw.numeric]
    binary = usable & (facts.distinct == 2)
    few = usable & facts.whole & (facts.distinct > 2) & (facts.distinct <= _FEW_LEVELS)
    few &= np.array([kind in (None, Kind.CONTINUOUS, Kind.COUNT) for kind in kinds], dtype=bool)
    if few.any():
        what = _listed(raw, few, lambda k: f"{facts.distinct[k]} whole numbers")
        yield about.finding(
            "kinds", "caution", raw.numeric[few], f"{what} may be codes or ranks rather than quantities",
            "if the numbers are names of categories, leave the column out or split it into columns of zeros "
            "and ones; if they are ordered steps, they may stay, as an approximation",
        )  # fmt: skip
    if binary.any():
        have = agreeing(raw.numeric[binary], "has", "have")
        what = _listed(raw, binary, lambda k: _two_shares(facts.share[k]))
        yield about.finding(
            "kinds", "info", raw.numeric[binary],
            f"{what} {have} two values only; the Gaussian model treats them as a number",
            "read edges into such a column as a linear approximation",
        )  # fmt: skip


def _two_shares(share: float) -> str:
    return f"{percent(share)} and {percent(1 - share)}"


def _tails(raw: Raw, facts: Profile, usable: Flags) -> Iterator[Finding]:
    """Tails so heavy that a few rows make up the variance."""
    about = raw.about
    with np.errstate(invalid="ignore"):
        # The standard error of a Gaussian sample's kurtosis is √(24/n).
        heavy = usable & (facts.distinct > _FEW_LEVELS)
        heavy &= facts.kurtosis > np.maximum(_HEAVY, 8 * np.sqrt(24 / np.maximum(facts.finite, 1)))
    if heavy.any():
        order = np.flatnonzero(heavy)[np.argsort(-facts.kurtosis[heavy], kind="stable")]
        what = about.listed(
            [int(raw.numeric[k]) for k in order],
            lambda j: _tail_words(facts, int(np.searchsorted(raw.numeric, j))),
        )
        logs = any(facts.low[k] > 0 and facts.skewness[k] > 1 for k in order)
        yield about.finding(
            "heavy-tails", "caution", raw.numeric[heavy],
            f"{what} {agreeing(order, 'has', 'have')} tails far heavier than a Gaussian's, so that a few "
            "rows weigh as much as all the others",
            "look at a histogram; "
            + ("positive and skewed columns are often better as logarithms" if logs else
               "ranks or another transformation may serve better than the raw numbers"),
        )  # fmt: skip


def _tail_words(facts: Profile, k: int) -> str:
    skewed = f", skewness {facts.skewness[k]:.2g}" if abs(facts.skewness[k]) > 1 else ""
    return f"excess kurtosis {facts.kurtosis[k]:.3g}{skewed}"


def _listed(raw: Raw, chosen: Flags, describe: Callable[[int], str]) -> str:
    """`listed` for columns chosen among the numeric ones, described by their place among these."""
    place = {int(j): k for k, j in enumerate(raw.numeric)}
    return raw.about.listed(map(int, raw.numeric[chosen]), lambda j: describe(place[j]))
