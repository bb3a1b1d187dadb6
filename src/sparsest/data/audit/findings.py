"""What an audit returns: findings as values, with their wording."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from sparsest._core.display import table_html
from sparsest._core.words import count, printable, quoted
from sparsest.data.columns.account import Account

if TYPE_CHECKING:
    import polars

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
    """One thing about a table that a careful analyst would want to know.

    Attributes
    ----------
    check : str
        Which check found it, for programs: "collinear", "outliers", ...
    severity : {"serious", "caution", "info"}
        How much it matters.
    columns : tuple of str
        All columns concerned, in the order of the table; empty if it concerns the whole table.
    words : str
        What was found.
    advice : str
        What to do about it.
    """

    check: str
    severity: Severity
    columns: tuple[str, ...]
    words: str
    advice: str

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

    An audit is true (`if audit:`) where it found anything; its length is the number of findings.

    Attributes
    ----------
    findings : tuple of Finding
        Sorted by severity.
    n : number or None
        The number of rows; None for a population.
    p : int
        The number of columns, as they were given.
    account : Account
        What each column is and why, and what `fit` would do with it; empty in the audit of a result, which
        has `result.columns`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> audit = sp.audit(np.column_stack([x, np.ones(100)]))
    >>> len(audit)
    1
    >>> audit.serious[0].columns
    ('x2',)
    >>> audit.about("constant") == audit.serious
    True
    >>> audit.to_dict()["findings"][0]["words"]
    "column 'x2' (all 1) does not vary"
    """

    findings: tuple[Finding, ...]
    n: float | None
    p: int
    account: Account = Account()

    @classmethod
    def of(
        cls, findings: Iterable[Finding], n: float | None, p: int, account: Account | None = None
    ) -> Audit:
        """The audit with these findings, sorted by severity and otherwise in the given order.

        Parameters
        ----------
        findings : iterable of Finding
            The findings in any order.
        n : float or None
            The number of rows; None for a population.
        p : int
            The number of columns.
        account : Account, optional
            What each column is.

        Returns
        -------
        Audit
        """
        found = tuple(sorted(findings, key=lambda each: SEVERITIES.index(each.severity)))
        return cls(found, n, p, Account() if account is None else account)

    @property
    def columns(self) -> polars.DataFrame:
        """Every column: its kind and why, its levels, missing values, and what `fit` would do with it."""
        return self.account.table()

    @property
    def serious(self) -> tuple[Finding, ...]:
        """The findings to be dealt with before learning."""
        return tuple(each for each in self.findings if each.severity == "serious")

    def about(self, check: str) -> tuple[Finding, ...]:
        """The findings of one check.

        Parameters
        ----------
        check : str
            The name of the check, such as "collinear" or "outliers".

        Returns
        -------
        tuple of Finding
        """
        return tuple(each for each in self.findings if each.check == check)

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __len__(self) -> int:
        """The number of findings."""
        return len(self.findings)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        rows = [(one.severity, one.words, one.advice) for one in self.findings]
        return table_html(self._heading(), ("severity", "finding", "what to do"), rows)

    def summary(self) -> str:
        """The findings as text, grouped by severity, each with what to do about it.

        Returns
        -------
        str
        """
        lines = [self._heading()]
        for severity in SEVERITIES:
            chosen = [each for each in self.findings if each.severity == severity]
            if chosen:
                lines += ["", _HEADINGS[severity]]
                for each in chosen:
                    lines += _wrapped(f"{each.words}.", "  * ", "    ")
                    lines += _wrapped(f"{each.advice[:1].upper()}{each.advice[1:]}.", "    -> ", "       ")
        if self.account.notes:
            lines += ["", "columns", *self.account.lines()]
        return printable("\n".join(lines))

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain numbers, strings and lists that can be written as JSON.

        Returns
        -------
        dict
        """
        found = [each.to_dict() for each in self.findings]
        tree: dict[str, Any] = {"rows": self.n, "columns": self.p, "findings": found}
        return tree | ({"account": self.account.to_dict()} if self.account.notes else {})

    def _heading(self) -> str:
        rows = "a population" if self.n is None else count(self.n, "row")
        table = f"{count(self.p, 'column')}, {rows}"
        if not self.findings:
            return f"{table}: nothing to remark"
        tally = [sum(each.severity == severity for each in self.findings) for severity in SEVERITIES]
        return f"{table}: {tally[0]} serious, {tally[1]} to be careful about, {tally[2]} for information"


@dataclass(frozen=True)
class Describer:
    """Makes findings about columns that are given by their positions."""

    names: Sequence[str]

    def finding(
        self, check: str, severity: Severity, columns: Iterable[int], words: str, advice: str
    ) -> Finding:
        """A finding about the columns at these positions."""
        concerned = tuple(self.names[j] for j in sorted({int(j) for j in columns}))
        return Finding(check, severity, concerned, words, advice)

    def listed(self, columns: Iterable[int], describe: Callable[[int], str] | None = None) -> str:
        """`column 'a' (3 values), 'b' (2 values)`: names, each with a few words about it."""
        positions = [int(j) for j in columns]
        noun = "column" if len(positions) == 1 else "columns"
        if describe is None:
            return f"{noun} {quoted([self.names[j] for j in positions])}"
        shown = ", ".join(f"{self.names[j]!r} ({describe(j)})" for j in positions[:5])
        return f"{noun} {shown}" + (f" and {len(positions) - 5} more" if len(positions) > 5 else "")


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
