"""An Effect in words: how large, in which graphs, how sure, and what to adjust for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sparsest._core.words import count, percent, printable

if TYPE_CHECKING:
    from sparsest.effects.effect import Case, Effect

_MOST_CASES = 6
_SAID = 1e-4  # of a value: smaller Monte Carlo errors do not show in its four digits


def summary(found: Effect) -> str:
    """A few lines of plain text."""
    lines = [_first(found), *_cases(found), *_scaled(found), *_contrasts(found), *_interval(found)]
    return printable("\n".join([*lines, *_identified(found), *found.notes]))


def _first(found: Effect) -> str:
    causes = " and ".join(found.causes)
    if found.zero:
        return (
            f"{causes} on {found.outcome}: 0 by the graph. No directed path leads from {causes} to "
            f"{found.outcome} in any graph that explains the data"
        )
    pause = "," if ", " in found.change else ""  # "raising a by 1, on average around its mean, raises b"
    return f"{found.change}{pause} {_verb(found)}"


def _verb(found: Effect) -> str:
    low, high = found.bounds
    scaled = found.unit.startswith(("the probability", "log(", "the normal score of"))
    what = found.unit if scaled else found.outcome
    main = found.value
    if main is not None:
        size = f" by {abs(main):.4g}{_error(found)}"
        verb = (
            f"raises {what}{size}"
            if main > 0
            else f"lowers {what}{size}"
            if main < 0
            else f"leaves {what} as it is"
        )
        if found.identifies == "dag" and len(found.cases) > 1:
            verb += " in the learned graph"
        return verb
    if low < 0 < high:
        return f"raises or lowers {what}, by between {low:.4g} and {high:.4g}"
    ends = sorted((abs(low), abs(high)))
    word = "raises" if high > 0 else "lowers"
    if ends[0] == 0:
        return f"{word} {what} by {ends[1]:.4g} at most, or not at all"
    return f"{word} {what} by between {ends[0]:.4g} and {ends[1]:.4g}"


def _error(found: Effect) -> str:
    size = max(map(abs, found.bounds))
    return f" (Monte Carlo error {found.error:.2g})" if found.error > _SAID * size else ""


def _cases(found: Effect) -> Iterator[str]:
    if found.zero or len(found.cases) == 1:
        return
    if found.tied:
        yield f"directions at {' and '.join(found.causes)} are not told apart: another graph fits as well"
    elif found.identifies == "dag":
        yield "cautiously, without relying on the form of the likelihood for directions:"
    elif found.members is not None:
        yield f"{count(found.members, 'graph')} explain the data equally well:"
    else:
        yield "many graphs explain the data equally well; the possible values:"
    for case in found.cases[:_MOST_CASES]:
        yield f"  {_where(found, case)}{case.value:.4g}  ({_parents(found, case)}{_behind(case)})"
    if len(found.cases) > _MOST_CASES:
        yield f"  and {len(found.cases) - _MOST_CASES} more values between these bounds: effect.cases"


def _where(found: Effect, case: Case) -> str:
    if case.dag and found.identifies == "dag":
        return "in the learned graph "
    if case.members is None or case.share is None:
        return ""
    if found.members is not None and found.members < 10_000:
        them = "them" if found.identifies == "class" else f"the {count(found.members, 'graph')} of its class"
        return f"in {case.members} of {them} "
    return f"in {percent(case.share)} of them "


def _behind(case: Case) -> str:
    """How much worse a graph fits than the learned one."""
    if case.behind is None:
        return ""
    if abs(case.behind) < 0.05:
        return "; the same log-likelihood"
    return f"; log-likelihood {'lower' if case.behind > 0 else 'higher'} by {abs(case.behind):.1f}"


def _parents(found: Effect, case: Case) -> str:
    said = [
        f"parents of {cause}: {', '.join(parents)}" if parents else f"{cause} has no parents"
        for cause, parents in zip(found.causes, case.parents, strict=True)
    ]
    return "; ".join(said)


def _scaled(found: Effect) -> Iterator[str]:
    if (values := found.values_per_sd) is not None and not found.zero:
        low, high = float(values.min()), float(values.max())
        size = f"{values[0]:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        yield f"in standard deviations: {size}"
    ratios = found.ratios
    if ratios is not None and not found.zero and found.outcome:
        low, high = float(ratios.min()), float(ratios.max())
        yield f"ratio of risks: {ratios[0]:.3g}" + (f" ({low:.3g} to {high:.3g})" if low < high else "")


def _contrasts(found: Effect) -> Iterator[str]:
    if found.contrasts:
        each = ", ".join(f"{name} {value:+.4g}" for name, value in found.contrasts.items())
        yield f"against the first category: {each}"


def _interval(found: Effect) -> Iterator[str]:
    if found.interval is None:
        return
    from sparsest.effects.intervals import words_of

    low, high = found.interval
    if found.how == "naive" and found.zero:
        yield (
            "the graph is taken for granted: fit(resamples=50) gives an interval that accounts for its choice"
        )
        return
    yield f"{percent(found.level)} interval [{low:.4g}, {high:.4g}]: {words_of(found)}"
    yield from _resamples(found)


def _resamples(found: Effect) -> Iterator[str]:
    """In how many of the resamples the effect may have which sign."""
    result = found.result
    if result is None or result.confidence is None or not result.traits.gaussian:
        return
    if not result.confidence.classes():
        return
    table = found.over_resamples()
    total = float(table["resamples"].sum())
    signs = {
        "positive": table.filter(table["low"] > 0),
        "negative": table.filter(table["high"] < 0),
        "zero": table.filter((table["low"] == 0) & (table["high"] == 0)),
    }
    shares = {name: float(rows["resamples"].sum()) / total for name, rows in signs.items()}
    said = [f"{name} in {percent(share)}" for name, share in shares.items() if share]
    if sum(shares.values()) < 1 - 1e-9:
        said.append(f"open in {percent(1 - sum(shares.values()))}")
    yield f"in the graphs of the resamples it is {', '.join(said)}"


def _identified(found: Effect) -> Iterator[str]:
    if found.zero:
        return
    if not found.identified:
        yield "not identified: the graphs differ in the direction of edges at " + " and ".join(found.causes)
    elif found.adjustment_set is not None:
        what = ", ".join(found.adjustment_set) if found.adjustment_set else "nothing"
        yield f"identified: all graphs agree; adjust for {what}"
    else:
        yield "identified: all graphs agree"
    yield "it is the causal effect only if no common cause is hidden and the model is right"
