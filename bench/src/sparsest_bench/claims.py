"""The paper's claims, each under the readings that were measured, and whether it holds.

`claims.toml` lists them. A reading names an experiment, what is measured in its rows, and what the claim
expects of that number: below, above or equal to something. The number comes with a 95 % interval; a claim
holds under a reading if the whole interval is where it should be, fails if all of it is elsewhere, and is
open otherwise. A claim to be no better than something holds unless the whole interval says that it is
better. What the file says of each is compared with the published rows by a test, and with the rows of the
smoke scale, by the number alone, by another.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from statistics import StatisticsError, fmean
from typing import Any

from sparsest_bench.result_store import Kept
from sparsest_bench.starts import gathered
from sparsest_bench.starts_tables import wilson
from sparsest_bench.tables import ROW_FACTORS, Interval, Row, interval, markdown

HOLDS, FAILS, OPEN = "holds", "fails", "open"
_MARKS = {HOLDS: "yes", FAILS: "**no**", OPEN: "open"}
_ROUNDING = 1e-9
_LETTERS = {"p": "p", "n": "n", "delta": "δ/δ₀", "lam": "λ", "entries": "random weights"}


@dataclass(frozen=True)
class Reading:
    """A reading of a claim.

    Parameters
    ----------
    words : str
        What is read in which way.
    experiment : str
        Name of the experiment that measures it.
    measure : str
        The name of a function of this module, one of `MEASURES`.
    settings : mapping
        What that function is told.
    expect : str
        "below", "above", "not-below" or "equal".
    bound : float
        What the number is compared with.
    verdict : str
        What the pages say: "holds", "fails" or "open".
    smoke : mapping or None
        Settings that differ at the smoke scale; None where that scale is too small to tell.
    """

    words: str
    experiment: str
    measure: str
    settings: Mapping[str, Any]
    expect: str
    bound: float
    verdict: str
    smoke: Mapping[str, Any] | None


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, and where it says it."""

    name: str
    where: str
    says: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class Measured:
    """A number with the ends of its 95 % interval, and a sentence about it."""

    number: float
    low: float
    high: float
    words: str

    @classmethod
    def exactly(cls, number: float, words: str) -> Measured:
        """A number without an interval."""
        return cls(number, number, number, words)

    @classmethod
    def within(cls, found: Interval, words: str) -> Measured:
        """A mean with its interval."""
        return cls(found.mean, found.mean - found.half, found.mean + found.half, words)

    def verdict(self, expect: str, bound: float) -> str:
        """Whether the interval is where a claim expects it.

        Examples
        --------
        >>> Measured(-3.0, -4.0, -2.0, "").verdict("below", 0)
        'holds'
        >>> Measured(-3.0, -7.0, 1.0, "").verdict("below", 0)
        'open'
        >>> Measured.exactly(0.0, "").verdict("equal", 0)
        'holds'
        """
        low, high = self.low - bound, self.high - bound
        if expect == "equal":
            if max(abs(low), abs(high)) <= _ROUNDING:
                return HOLDS
            return OPEN if low <= 0 <= high else FAILS
        if expect == "not-below":  # nothing is claimed but that it is no better
            return FAILS if high < 0 else HOLDS
        if expect == "above":
            low, high = -high, -low
        return HOLDS if high < 0 else FAILS if low > 0 else OPEN

    def sign(self, expect: str, bound: float) -> str:
        """The verdict by the number alone, without its interval."""
        return Measured.exactly(self.number, self.words).verdict(expect, bound)


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim, in the order of the paper."""
    text = resources.files("sparsest_bench").joinpath("claims.toml").read_text(encoding="utf-8")
    return tuple(
        Claim(one["name"], one["where"], one["says"], tuple(map(_reading, one["reading"])))
        for one in tomllib.loads(text)["claim"]
    )


def _reading(content: Mapping[str, Any]) -> Reading:
    (measure,) = MEASURES.keys() & content.keys()
    expect, bound = content["expect"].split()
    return Reading(
        content["words"],
        content["experiment"],
        measure,
        content[measure],
        expect,
        float(bound),
        content["verdict"],
        content.get("smoke"),
    )


def measured(reading: Reading, kept: Kept, smoke: bool = False) -> Measured:
    """The number of a reading in the rows of its experiment.

    Parameters
    ----------
    reading : Reading
        The reading.
    kept : Kept
        Its experiment and the finished tasks.
    smoke : bool
        Whether these are those of the smoke scale.

    Returns
    -------
    Measured
    """
    differing = reading.smoke or {} if smoke else {}
    return MEASURES[reading.measure](kept, **(dict(reading.settings) | dict(differing)))


def gap(
    kept: Kept,
    method: str,
    than: str | Sequence[str],
    where: Mapping[str, Any] | None = None,
    than_where: Mapping[str, Any] | None = None,
    metric: str = "shd",
) -> Measured:
    """How much more one method has of a metric than another, table by table.

    Of several others the one with the lowest mean is taken. With `than_where` the other is looked up on other
    data of the same tables.
    """
    here, there = dict(where or {}), dict(where or {}) | dict(than_where or {})
    others = [than] if isinstance(than, str) else than
    apart = tuple(than_where or ())
    mine = _by_table(kept.rows, method, here, metric, apart)
    theirs = {other: _by_table(kept.rows, other, there, metric, apart) for other in others}
    shared = [table for table in mine if all(table in values for values in theirs.values())]
    other = min(theirs, key=lambda name: fmean(theirs[name][table] for table in shared))
    ours, found = ([values[table] for table in shared] for values in (mine, theirs[other]))
    number = interval([a - b for a, b in zip(ours, found, strict=True)])
    beside = f"`{other}`{_told(than_where)}"
    means = f"{fmean(ours):.1f} of `{method}`{_told(where)}, {fmean(found):.1f} of {beside}"
    return Measured.within(number, f"{_metric(metric)} {means}: {number}")


def _metric(name: str) -> str:
    return {"shd": "SHD", "shd_old": "SHD (old)"}.get(name, name)


def _by_table(
    rows: Sequence[Row], method: str, where: Mapping[str, Any], metric: str, apart: Sequence[str]
) -> dict[tuple[Any, ...], float]:
    """The metric of a method by table, without the factors in which the two sides differ."""
    factors = [factor for factor in ROW_FACTORS if factor not in apart]
    return {
        (*(row[factor] for factor in factors), row["seed"]): float(row[metric])
        for row in rows
        if (row["method"], row["status"]) == (method, "done")
        if all(row[factor] == value for factor, value in where.items())
    }


def _told(where: Mapping[str, Any] | None) -> str:
    told = [
        f"{_LETTERS[key]} = {value}" if key in _LETTERS else str(value)
        for key, value in (where or {}).items()
    ]
    return f" ({', '.join(told)})" if told else ""


def share(kept: Kept, of: str, **where: Any) -> Measured:
    """The percentage of random starts that end in some way; "cycle": after thresholding with a cycle."""
    groups = _cells(kept, where)
    if not groups:
        raise StatisticsError(f"no starts{_told(where)}")
    (group,) = groups
    total = group["starts"]
    count = group["shd_counts"].get("-1", 0) if of == "cycle" else group[of]
    return _percentage(count, total, f"of {total:,} starts{_told(where)}")


def models(kept: Kept, of: str, least: float, **where: Any) -> Measured:
    """The percentage of drawn models on which at least some share of the starts end in some way."""
    found = _cells(kept, where)
    if not found:
        raise StatisticsError(f"no models{_told(where)}")
    count = sum(group[of] >= least * group["starts"] for group in found)
    return _percentage(count, len(found), f"of {len(found)} models{_told(where)}")


def _cells(kept: Kept, where: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in gathered(kept.rows) if all(one[key] == value for key, value in where.items())]


def _percentage(count: int, total: int, of: str) -> Measured:
    low, high = (100 * end for end in wilson(count, total))
    number = 100 * count / total
    return Measured(number, low, high, f"{number:.3g} % ({low:.3g} to {high:.3g}) {of}")


def average(kept: Kept, method: str, where: Mapping[str, Any], metric: str = "shd") -> Measured:
    """The mean of a metric of one method."""
    found = interval(list(_by_table(kept.rows, method, where, metric, ()).values()))
    return Measured.within(found, f"{_metric(metric)} {found} of `{method}`{_told(where)}")


def number(kept: Kept, example: str, of: str = "computed", **where: Any) -> Measured:
    """A number of an example, exact to rounding."""
    (rows,) = [row["rows"] for row in kept.rows if row["example"] == example]
    (found,) = [float(row[of]) for row in rows if all(row[key] == value for key, value in where.items())]
    words = where["quantity"] if "quantity" in where else f"weight{_told(where)}"
    return Measured.exactly(found, f"{words}: {found:g}")


def curves(kept: Kept, example: str, one: str, other: str) -> Measured:
    """The largest difference between two curves."""
    (rows,) = [row["rows"] for row in kept.rows if row["example"] == example]
    values = {row["curve"]: row["value"] for row in rows}
    most = max(abs(a - b) for a, b in zip(values[one], values[other], strict=True))
    return Measured.exactly(most, f"largest difference {most:.2g}")


MEASURES: dict[str, Callable[..., Measured]] = {
    "gap": gap, "average": average, "share": share, "models": models, "number": number, "curves": curves,
}  # fmt: skip


def claims_of(kept: Kept) -> Iterator[str]:
    """What the rows of an experiment say of each claim that it measures, a line per reading.

    A reading whose rows are missing, as those of peers that are not installed, is left out. At the smoke
    scale the mean decides, and readings that it cannot tell are left out too.

    Parameters
    ----------
    kept : Kept
        The experiment and its finished tasks.

    Yields
    ------
    str
        The claim, the reading, the number and the verdict.
    """
    smoke = kept.experiment.scale == "smoke"
    for claim in claims():
        for reading in claim.readings:
            if reading.experiment == kept.experiment.name and not (smoke and reading.smoke is None):
                found = _if_measured(reading, kept, smoke)
                if found is not None:
                    verdict = (found.sign if smoke else found.verdict)(reading.expect, reading.bound)
                    yield f"claim {claim.name} {verdict}: {reading.words}: {found.words}"


def _if_measured(reading: Reading, kept: Kept, smoke: bool) -> Measured | None:
    try:
        return measured(reading, kept, smoke)
    except StatisticsError:  # no row of one of its methods
        return None


def claims_table(rows_of: Callable[[str], Kept], only: str = "") -> str:
    """The claims, their readings and what came out.

    Parameters
    ----------
    rows_of : callable
        Gives the rows of an experiment by its name.
    only : str
        The name of a claim; all by default.

    Returns
    -------
    str
        A Markdown table.
    """
    header = ["the paper", "reading", "measured", "holds", "sparsest reproduce"]
    told = [claim for claim in claims() if only in ("", claim.name)]
    return markdown(header, [line for claim in told for line in _lines(claim, rows_of)])


def _lines(claim: Claim, rows_of: Callable[[str], Kept]) -> Iterator[list[str]]:
    said = f"{claim.says} *{claim.where}*"
    for reading in claim.readings:
        found = measured(reading, rows_of(reading.experiment))
        mark = _MARKS[found.verdict(reading.expect, reading.bound)]
        yield [said, reading.words, found.words, mark, f"`{reading.experiment}`"]
        said = ""


def durations(rows_of: Callable[[str], Kept]) -> str:
    """How long the experiments of the claims take on one core, as a Markdown table.

    Parameters
    ----------
    rows_of : callable
        Gives the rows of an experiment by its name.

    Returns
    -------
    str
        One line per experiment: its tasks, and the sum of their times, peers and baselines included.
    """
    named = dict.fromkeys(reading.experiment for claim in claims() for reading in claim.readings)
    lines = []
    for name in named:
        rows = rows_of(name).rows
        minutes = sum(row["wall"] for row in rows) / 60
        lines.append(
            [f"`sparsest reproduce {name}`", str(len(rows)), f"{minutes:.0f}" if minutes >= 1 else "< 1"]
        )
    return markdown(["command", "tasks", "minutes"], lines)
