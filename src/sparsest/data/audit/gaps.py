"""Missing values: which, where, together with what, and what dropping rows would cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparsest._core.words import agreeing, count, percent
from sparsest.data.audit.findings import Finding, Severity
from sparsest.data.audit.profile import Flags, Profile
from sparsest.data.audit.raw import Raw


def check_missing(raw: Raw, facts: Profile) -> Iterator[Finding]:
    """Which values are missing, where, together with what, and what dropping rows would cost."""
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
    listed = raw.about.listed(where, lambda j: percent(gaps[j].mean()))
    together = ""
    if len(where) > 1 and (marks.any(axis=1) == marks.all(axis=1)).all():
        together = ", always in the same rows"
    elif len(where) > 1:
        together = f", in {count(patterns, 'pattern')}"
    have = agreeing(where, "has", "have")
    yield raw.about.finding(
        "missing", _lost_severity(lost / raw.n), where,
        f"{listed} {have} missing values{together}; dropping incomplete rows leaves {raw.n - lost} of "
        f"{raw.n}",
        _missing_advice(raw, where, marks),
    )  # fmt: skip


def _lost_severity(share: float) -> Severity:
    return "serious" if share > 0.5 else "caution" if share > 0.05 else "info"


def _missing_advice(raw: Raw, where: list[int], marks: Flags) -> str:
    general = "ask first why they are missing: if that depends on the values themselves, no method can help"
    if len(where) > 1 and marks.any(axis=1).mean() > 0.05:
        kept = raw.n - int(marks[:, 1:].any(axis=1).sum())
        if kept > 1.2 * (raw.n - int(marks.any(axis=1).sum())):
            return f"{general}; without {raw.names[where[0]]!r}, {kept} rows are complete"
    return general
