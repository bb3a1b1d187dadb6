"""Checks of single columns: constant, coded, identifying, dated, missing, heavy-tailed."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import count
from sparsest.data.audit.findings import Found, Severity, percent
from sparsest.data.audit.profile import MANY, Flags, Profile
from sparsest.data.audit.raw import Raw, Words
from sparsest.data.columns.kinds import Kind

_NEARLY_CONSTANT = 0.95
_HEAVY = 3.0  # excess kurtosis: that of a t distribution with 6 degrees of freedom
_FEW_LEVELS = 10
_LEAST_ROWS = 20  # fewer rows are too few to guess kinds from
_IDENTIFIERS = {"id", "ids", "index", "idx", "key", "uuid", "guid", "rownames", "rowname", "rowid", "unnamed"}
_YEARS = {"year", "date", "day", "time", "timestamp", "datetime"}
_MISSING_CODES = (-9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
_UNIMPORTANT = {Kind.IDENTIFIER, Kind.DATE}


def tokens(name: str) -> set[str]:
    """The words in a name: `patientID_2` has patient, id and 2."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}


def check_columns(raw: Raw, facts: Profile, found: Found) -> tuple[Flags, Flags]:
    """Note what single columns show. Which columns of `raw.values` vary, and which of these measure."""
    _words(raw, found)
    varying, hardly = _variation(raw, facts, found)
    measured = varying & ~_identifiers(raw, facts, varying, found)
    _dates(raw, facts, measured, found)
    _missing_codes(raw, facts, varying, found)
    _kinds(raw, facts, measured & ~hardly, found)
    _tails(raw, facts, measured & ~hardly, found)
    return varying, measured


def _words(raw: Raw, found: Found) -> None:
    """Columns that are not numbers."""
    once = [j for j, words in raw.words.items() if words.kind is Kind.IDENTIFIER]
    dates = [j for j, words in raw.words.items() if words.kind is Kind.DATE]
    others = [j for j in raw.words if j not in once and j not in dates]
    if once:
        found.add(
            "identifier", "caution", once,
            f"{found.listed(once)} {_hold(once)} different text in every row: a name of the row, no "
            "measurement",
            "leave it out with columns=[...]",
        )  # fmt: skip
    if dates:
        found.add(
            "dates", "caution", dates, f"{found.listed(dates)} {_hold(dates)} dates or times",
            "leave them out, or turn them into a number that can be a cause (age, season, days since the "
            "start)",
        )  # fmt: skip
    if others:
        what = found.listed(others, lambda j: _what(raw.words[j]))
        found.add(
            "text", "caution", others, f"{what}: no numbers",
            "leave them out, or say what kind they are; a number for each word means something only if the "
            "words have an order, or there are two of them",
        )  # fmt: skip


def _what(words: Words) -> str:
    return f"{words.what}, {count(words.levels, 'value')}" if words.levels else words.what


def _variation(raw: Raw, facts: Profile, found: Found) -> tuple[Flags, Flags]:
    """Empty, infinite, constant and nearly constant columns; which vary at all, and which hardly."""
    at = raw.numeric
    empty = (facts.finite == 0) & (facts.infinite == 0)
    infinite = facts.infinite > 0
    constant = ~empty & ~infinite & (facts.low == facts.high)
    nearly = ~(empty | infinite | constant) & (facts.share >= _NEARLY_CONSTANT)
    if empty.any():
        what = f"{found.listed(at[empty])} {_hold(at[empty])} no value at all"
        found.add("empty", "serious", at[empty], what, "leave it out")
    if infinite.any():
        what = _listed(found, at, infinite, lambda k: count(facts.infinite[k], "row"))
        found.add("infinite", "serious", at[infinite], f"{what} {_hold(at[infinite])} infinite values",
                  "find out how they came about (a division by zero?) and mend them")  # fmt: skip
    if constant.any():
        what = _listed(found, at, constant, lambda k: f"all {facts.low[k]:g}")
        found.add("constant", "serious", at[constant], f"{what} {_do(at[constant])} not vary",
                  "what does not vary has no place in a graph: leave it out")  # fmt: skip
    if nearly.any():
        what = _listed(found, at, nearly, lambda k: f"{percent(facts.share[k])} are {facts.commonest[k]:g}")
        found.add(
            "near-constant", "caution", at[nearly],
            f"{what} hardly {'varies' if nearly.sum() == 1 else 'vary'}",
            "edges of such a column hang on a few rows: leave it out unless these are what you study",
        )  # fmt: skip
    return ~(empty | infinite | constant), nearly


def _identifiers(raw: Raw, facts: Profile, usable: Flags, found: Found) -> Flags:
    """Whole numbers that count the rows, or that name them."""
    result = np.zeros(len(raw.numeric), dtype=bool)
    for k in np.flatnonzero(usable & facts.whole & (raw.n >= _LEAST_ROWS)):
        j = int(raw.numeric[k])
        column = raw.values[:, k]
        counts_rows = facts.high[k] - facts.low[k] == facts.finite[k] - 1
        named = bool(tokens(raw.names[j]) & _IDENTIFIERS)
        if (counts_rows or named) and facts.distinct[k] > min(MANY, facts.finite[k] - 1):
            result[k] = len(np.unique(column[np.isfinite(column)])) == facts.finite[k]
    result |= np.array([raw.kinds.get(int(j)) in _UNIMPORTANT for j in raw.numeric], dtype=bool)
    if result.any():
        where = raw.numeric[result]
        found.add(
            "identifier", "caution", where,
            f"{found.listed(where)} {_hold(where)} a different whole number in every row: a name or number "
            "of the row, or its place in time, no measurement",
            "leave it out with columns=[...]",
        )  # fmt: skip
    return result


def _dates(raw: Raw, facts: Profile, usable: Flags, found: Found) -> None:
    """Dates written as numbers: 20240531, or years."""
    low, high = facts.low, facts.high
    days = usable & facts.whole & (low >= 19000101) & (high <= 21001231)
    for k in np.flatnonzero(days):
        column = raw.values[np.isfinite(raw.values[:, k]), k]
        month, day = column // 100 % 100, column % 100
        days[k] = bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())
    named = np.array([bool(tokens(raw.names[int(j)]) & _YEARS) for j in raw.numeric], dtype=bool)
    years = usable & facts.whole & (low >= 1800) & (high <= 2200) & named
    if days.any() or years.any():
        where = raw.numeric[days | years]
        found.add(
            "dates", "caution", where, f"{found.listed(where)} {_hold(where)} dates written as numbers",
            "turn them into a number that can be a cause (age, days since the start), or leave them out",
        )  # fmt: skip


def _missing_codes(raw: Raw, facts: Profile, usable: Flags, found: Found) -> None:
    """-999 and its like: a number that stands for 'not known'."""
    chosen = np.zeros(len(raw.numeric), dtype=bool)
    code = np.zeros(len(raw.numeric))
    for k in np.flatnonzero(
        usable & (np.isin(facts.low, _MISSING_CODES) | np.isin(facts.high, _MISSING_CODES))
    ):
        column = raw.values[np.isfinite(raw.values[:, k]), k]
        for extreme in (facts.low[k], facts.high[k]):
            rest = column[column != extreme]
            gap = np.abs(rest - extreme).min(initial=np.inf)
            often = len(column) - len(rest) >= max(2, len(column) // 1000)
            if extreme in _MISSING_CODES and often and rest.size and gap > max(np.ptp(rest), 3.0):
                chosen[k], code[k] = True, extreme
    if chosen.any():
        what = _listed(found, raw.numeric, chosen, lambda k: f"{code[k]:g}")
        found.add(
            "missing-codes", "serious", raw.numeric[chosen],
            f"{what} {_hold(raw.numeric[chosen])} a number far from all others again and again: it looks "
            "like a code for a missing value",
            "replace the code by a missing value; as a number it decides every correlation of the column",
        )  # fmt: skip


def _kinds(raw: Raw, facts: Profile, usable: Flags, found: Found) -> None:
    """Columns of numbers that are perhaps not quantities."""
    if raw.n < _LEAST_ROWS:
        return
    kinds = [raw.kinds.get(int(j)) for j in raw.numeric]
    binary = usable & (facts.distinct == 2)
    few = usable & facts.whole & (facts.distinct > 2) & (facts.distinct <= _FEW_LEVELS)
    few &= np.array([kind in (None, Kind.CONTINUOUS, Kind.COUNT) for kind in kinds], dtype=bool)
    if few.any():
        what = _listed(found, raw.numeric, few, lambda k: f"{facts.distinct[k]} whole numbers")
        found.add(
            "kinds", "caution", raw.numeric[few], f"{what} may be codes or ranks rather than quantities",
            "if the numbers are names of categories, leave the column out or split it into columns of zeros "
            "and ones; if they are ordered steps, they may stay, as an approximation",
        )  # fmt: skip
    if binary.any():
        what = _listed(found, raw.numeric, binary, lambda k: _two_shares(facts.share[k]))
        found.add(
            "kinds", "info", raw.numeric[binary],
            f"{what} {'has' if binary.sum() == 1 else 'have'} two values only; the Gaussian model treats "
            "them as a number",
            "read edges into such a column as a linear approximation",
        )  # fmt: skip


def _two_shares(share: float) -> str:
    return f"{percent(share)} and {percent(1 - share)}"


def _tails(raw: Raw, facts: Profile, usable: Flags, found: Found) -> None:
    """Tails so heavy that a few rows make up the variance."""
    with np.errstate(invalid="ignore"):
        # The standard error of a Gaussian sample's kurtosis is √(24/n).
        heavy = usable & (facts.distinct > _FEW_LEVELS)
        heavy &= facts.kurtosis > np.maximum(_HEAVY, 8 * np.sqrt(24 / np.maximum(facts.finite, 1)))
    if heavy.any():
        order = np.flatnonzero(heavy)[np.argsort(-facts.kurtosis[heavy], kind="stable")]
        what = found.listed(
            [int(raw.numeric[k]) for k in order],
            lambda j: _tail_words(facts, int(np.searchsorted(raw.numeric, j))),
        )
        logs = any(facts.low[k] > 0 and facts.skewness[k] > 1 for k in order)
        found.add(
            "heavy-tails", "caution", raw.numeric[heavy],
            f"{what} {_hold(order)} tails far heavier than a Gaussian's, so that a few rows weigh as much as "
            "all the others",
            "look at a histogram; "
            + ("positive and skewed columns are often better as logarithms" if logs else
               "a rank or another transformation may serve better than the raw numbers"),
        )  # fmt: skip


def _tail_words(facts: Profile, k: int) -> str:
    skewed = f", skewness {facts.skewness[k]:.2g}" if abs(facts.skewness[k]) > 1 else ""
    return f"excess kurtosis {facts.kurtosis[k]:.3g}{skewed}"


def check_missing(raw: Raw, facts: Profile, found: Found) -> None:
    """Note which values are missing, where, together with what, and what dropping rows would cost."""
    some = np.flatnonzero((facts.finite + facts.infinite < raw.n) & (facts.finite > 0))
    gaps = {int(raw.numeric[k]): np.isnan(raw.values[:, k]) for k in some}
    worded = {j: np.isnan(words.codes) for j, words in raw.words.items() if words.codes is not None}
    gaps |= {j: gap for j, gap in worded.items() if gap.any() and not gap.all()}
    if not gaps:
        return
    where = sorted(gaps, key=lambda j: -int(gaps[j].sum()))
    marks = np.column_stack([gaps[j] for j in where])
    lost = int(marks.any(axis=1).sum())
    patterns = len(np.unique(np.packbits(marks, axis=1), axis=0))
    listed = found.listed(where, lambda j: percent(gaps[j].mean()))
    together = ""
    if len(where) > 1 and (marks.any(axis=1) == marks.all(axis=1)).all():
        together = ", always in the same rows"
    elif len(where) > 1:
        together = f", in {count(patterns, 'pattern')}"
    found.add(
        "missing", _lost_severity(lost / raw.n), where,
        f"{listed} {_hold(where)} missing values{together}; dropping incomplete rows leaves {raw.n - lost} "
        f"of {raw.n}",
        _missing_advice(found, where, marks, raw.n),
    )  # fmt: skip


def _lost_severity(share: float) -> Severity:
    return "serious" if share > 0.5 else "caution" if share > 0.05 else "info"


def _missing_advice(found: Found, where: list[int], marks: Flags, n: int) -> str:
    general = "ask first why they are missing: if it has to do with the values themselves, no method mends it"
    if len(where) > 1 and marks.any(axis=1).mean() > 0.05:
        kept = n - int(marks[:, 1:].any(axis=1).sum())
        if kept > 1.2 * (n - int(marks.any(axis=1).sum())):
            return f"{general}; without {found.names[where[0]]!r}, {kept} rows are complete"
    return general


def _listed(found: Found, at: NDArray[np.intp], chosen: Flags, describe: Callable[[int], str]) -> str:
    """`found.listed` for columns chosen among the numeric ones, described by their place among these."""
    place = {int(j): k for k, j in enumerate(at)}
    return found.listed([int(j) for j in at[chosen]], lambda j: describe(place[j]))


def _hold(columns: list[int] | NDArray[np.intp]) -> str:
    return "holds" if len(columns) == 1 else "hold"


def _do(columns: list[int] | NDArray[np.intp]) -> str:
    return "does" if len(columns) == 1 else "do"
