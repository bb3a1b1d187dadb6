"""What an audit returns: findings as values, and their words."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sparsest._core.words import count, quoted

Severity = Literal["serious", "caution", "info"]
"""How much a finding matters.

- "serious": the answer would be about this flaw, or meaningless, until something is done;
- "caution": the answer may be weaker or mean something else than it seems;
- "info": worth knowing, often harmless.
"""

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_HEADINGS = {"serious": "serious", "caution": "caution", "info": "for information"}
_WIDTH = 100


@dataclass(frozen=True)
class Finding:
    """One thing about a table that a careful analyst would want to know."""

    check: str  #: which check found it, for programs: "collinear", "outliers", ...
    severity: Severity
    columns: tuple[str, ...]  #: all columns concerned, in the order of the table; empty: the whole table
    words: str  #: what was found
    advice: str  #: what to do

    def __str__(self) -> str:
        return f"{self.words}: {self.advice}"

    def to_dict(self) -> dict[str, Any]:
        """Plain strings and lists, ready for JSON."""
        return {
            "check": self.check,
            "severity": self.severity,
            "columns": list(self.columns),
            "words": self.words,
            "advice": self.advice,
        }


@dataclass(frozen=True)
class Audit:
    """The findings about a table, the most serious first.

    `n` is the number of rows (None for a population) and `p` the number of columns, as they were given. An
    audit is true (`if audit:`) where it found anything.
    """

    findings: tuple[Finding, ...]
    n: float | None
    p: int

    @classmethod
    def of(cls, findings: Iterable[Finding], n: float | None, p: int) -> Audit:
        """The audit with these findings, sorted by severity, else in the order in which they come."""
        return cls(tuple(sorted(findings, key=lambda each: SEVERITIES.index(each.severity))), n, p)

    @property
    def serious(self) -> tuple[Finding, ...]:
        """The findings on which something should be done before learning."""
        return tuple(each for each in self.findings if each.severity == "serious")

    def about(self, check: str) -> tuple[Finding, ...]:
        """The findings of one check."""
        return tuple(each for each in self.findings if each.check == check)

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __len__(self) -> int:
        """The number of findings."""
        return len(self.findings)

    def __str__(self) -> str:
        return self.summary()

    def summary(self) -> str:
        """The findings in plain words, grouped by severity, each with what to do."""
        lines = [self._heading()]
        for severity in SEVERITIES:
            chosen = [each for each in self.findings if each.severity == severity]
            if chosen:
                lines += ["", _HEADINGS[severity]]
                for each in chosen:
                    lines += _wrapped(f"{each.words}.", "  * ", "    ")
                    lines += _wrapped(f"{each.advice[:1].upper()}{each.advice[1:]}.", "    -> ", "       ")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, ready for JSON."""
        return {"rows": self.n, "columns": self.p, "findings": [each.to_dict() for each in self.findings]}

    def _heading(self) -> str:
        rows = "a population" if self.n is None else count(self.n, "row")
        table = f"{count(self.p, 'column')}, {rows}"
        if not self.findings:
            return f"{table}: nothing to remark"
        tally = [sum(each.severity == severity for each in self.findings) for severity in SEVERITIES]
        return f"{table}: {tally[0]} serious, {tally[1]} to be careful about, {tally[2]} for information"


@dataclass
class Found:
    """Findings while they are collected."""

    names: Sequence[str]
    findings: list[Finding] = field(default_factory=list)

    def add(self, check: str, severity: Severity, columns: Iterable[int], words: str, advice: str) -> None:
        """Note a finding about the columns at these positions."""
        concerned = tuple(self.names[j] for j in sorted({int(j) for j in columns}))
        self.findings.append(Finding(check, severity, concerned, words, advice))

    def listed(self, columns: Iterable[int], describe: Callable[[int], str] | None = None) -> str:
        """`column 'a' (3 values), 'b' (2 values)`: names, each with a few words about it."""
        positions = [int(j) for j in columns]
        noun = "column" if len(positions) == 1 else "columns"
        if describe is None:
            return f"{noun} {quoted([self.names[j] for j in positions])}"
        shown = ", ".join(f"{self.names[j]!r} ({describe(j)})" for j in positions[:5])
        return f"{noun} {shown}" + (f" and {len(positions) - 5} more" if len(positions) > 5 else "")


def percent(share: float) -> str:
    """A share in percent, with as many digits as it takes to tell it from 0 and 100."""
    if 0.01 <= share <= 0.99 or share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{100 * share:.2g} %" if share < 0.5 else f"{100 * share:.4g} %"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
