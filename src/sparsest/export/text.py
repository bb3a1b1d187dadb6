"""A summary of a result in a few lines: what was found, how certain it is, and what is not identified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparsest._core.progress import Status
from sparsest._core.words import count, listed, percent, printable
from sparsest.data.columns.name_words import root_reason
from sparsest.export.edges import WeightedEdge, edge_text, weighted_edges
from sparsest.export.strength import strengths_of

if TYPE_CHECKING:
    from sparsest.confidence.shares import Confidence
    from sparsest.result import Result

_STATUS = {
    Status.OPTIMAL: "proved to be the best graph for this objective",
    Status.CONVERGED: "converged: no small change improves it, but a better graph may exist",
    Status.MAX_STEPS: "stopped after the allowed number of steps, best so far",
    Status.TIME_LIMIT: "stopped by the time limit, best so far",
    Status.INTERRUPTED: "stopped by Ctrl-C, best so far",
    Status.WORKERS_LOST: "stopped when the workers were lost, best so far",
}
_MOST_EDGES, _FEWEST = 10, 4


def summary(result: Result, *, ascii: bool = False, warnings: bool = True) -> str:  # noqa: A002
    """A few lines about a result; if `ascii`, only the names of columns have other characters."""
    parts = [_counts(result), _answer(result), _strongest(result, ascii), *_further(result, ascii, warnings)]
    return printable("\n".join(part for part in parts if part))


def brief(result: Result) -> str:
    """The main things in at most five lines: what, how found, the strongest edges, what is open, how sure."""
    heading = (
        f"<Result: {count(len(result.dag.edges), 'edge')} on {count(len(result.names), 'column')}, "
        f"objective {result.objective:.6g}, {result.status.value}, solver {result.solver!r}>"
    )
    effects = strengths_of(result).effects
    strongest = sorted(weighted_edges(result), key=lambda edge: -abs(effects[edge.place]))
    shown = [edge_text(edge.source, edge.mark, edge.target, ascii=True) for edge in strongest]
    free = result.cpdag.undirected_edges
    lines = [
        f"strongest: {listed(shown, _FEWEST)}" if shown else "",
        f"direction not identified: {len(free)} of {len(shown)}" if free else "",
        _sure(result),
        "more: .summary() .plot() .report('report.html') .effect(cause, outcome)",
    ]
    return printable("\n  ".join([heading, *(line for line in lines if line)]))


def sentences(result: Result) -> list[str]:
    """The same, a sentence each, without the list of edges."""
    parts = [_counts(result), _answer(result), *_further(result, plain=False)]
    lines: list[str] = []
    for line in (line for part in parts for line in part.splitlines()):
        if line.startswith(" ") and lines:  # what the line before announces
            lines[-1] += f": {line.strip()}"
        else:
            lines.append(line)
    return lines


def _further(result: Result, plain: bool, warnings: bool = True) -> list[str]:
    parts = [_knowledge(result, plain), _unknown(result, plain), _roots(result), _sure(result)]
    if result.evidence.same_when_rescaled is not None:
        what = "class" if result.identifies == "class" else "graph"
        same = (
            f"the same {what}"
            if result.evidence.same_when_rescaled
            else f"a different {what}: do not trust it"
        )
        parts.append(f"learned again in other units and another order of the columns: {same}")
    return [*parts, _audit(result), *(f"warning: {words}" for words in result.evidence.warnings if warnings)]


def _counts(result: Result) -> str:
    edges, known = len(result.dag.edges), len(result.cpdag.directed_edges)
    rows = "a population (no rows)" if math.isinf(result.n) else count(result.n, "row")
    if not edges and result.status.stopped_early:
        found = "no edges yet: there was too little time to find any"
    elif not edges:
        found = "no edges: these data show no dependence between the columns"
    else:
        found = f"{count(edges, 'edge')}, the direction of {'all' if known == edges else known} identified"
        if result.identifies == "dag" and known < edges:
            found += " by the class, of the others by the form of the likelihood"
    return f"{count(len(result.names), 'column')}, {rows}: {found}"


def _answer(result: Result) -> str:
    count, paid = len(result.dag.edges), "edge"
    if result.cost > 0 and round((result.objective - result.nll) / result.cost) != count:
        count, paid = round((result.objective - result.nll) / result.cost), "parameter of an edge"
    because = ""
    if result.model != "gaussian":
        why = result.evidence.model_because
        because = f"model {result.model}{f' ({why})' if why else ''}\n"
    if result.evidence.penalty_because:
        because += f"cost of an edge {result.evidence.penalty_because}\n"
    compiled = result.evidence.compile_seconds
    once = f" (and {compiled:.0f} s compiling, once on this machine)" if compiled else ""
    return (
        f"{because}objective {result.objective:.6g} = {result.nll:.6g} (likelihood) + {count} x "
        f"{result.cost:.4g} (cost per {paid})\n"
        f"solver {result.solver}, {_seconds(result.seconds)}{once}: {_STATUS[result.status]}{_gap(result)}"
    )


def _gap(result: Result) -> str:
    """How far above the minimum the objective may be, where there is a bound and no proof."""
    bound = result.evidence.bound
    if bound is None or result.status is Status.OPTIMAL:
        return ""
    return f"; its objective is at most {max(result.objective - bound, 0.0):.3g} above the minimum"


def _seconds(seconds: float) -> str:
    """A time with two digits: `0.01 s`, `7.9 s`, `79 s`."""
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _strongest(result: Result, plain: bool) -> str:
    found = strengths_of(result)
    rows = [
        (
            found.effects[edge.place],
            edge_text(edge.source, edge.mark, edge.target, ascii=plain),
            edge,
            _share(result, edge) + _doubt(result, edge),
        )
        for edge in weighted_edges(result)
    ]
    if not rows:
        return ""
    shown = sorted(rows, key=lambda row: -abs(row[0]))[:_MOST_EDGES]
    width = max(len(words) for _, words, _, _ in shown)
    which = "edges" if len(shown) == len(rows) else f"{len(shown)} strongest edges"
    if not found.comparable:
        lines = [f"{which}, strengths {found.scale}:"]
        return "\n".join(
            lines + [f"  {words:<{width}}  {edge.weight:.4g}{share}" for _, words, edge, share in shown]
        )
    again = "" if result.confidence is None else ", and how often the edge comes again"
    lines = [f"{which}, effects {found.scale} (and in {result.traits.units}){again}:"]
    lines += [
        f"  {words:<{width}}  {_size(result, edge, effect)}{share}" for effect, words, edge, share in shown
    ]
    return "\n".join(lines)


def _size(result: Result, edge: WeightedEdge, effect: float) -> str:
    """How large an effect is; a number that holds for one direction only says for which."""
    if edge.mark == "--" and result.identifies == "class":
        return "direction open"
    about = "" if result.fitted is None else result.fitted.contrasts(*edge.place)
    numbers = f"{effect:6.2f}  ({edge.weight:.4g}{f': {about}' if about else ''})"
    return numbers if edge.mark == "->" else f"{numbers} as {edge.source} -> {edge.target}"


def _open_roots(result: Result) -> list[str]:
    """Columns that the others can hardly cause, by their names, where no knowledge says so."""
    allowed = None if result.knowledge is None else result.knowledge.allowed
    return [
        name
        for j, name in enumerate(result.names)
        if root_reason(name) and (allowed is None or allowed[:, j].any())
    ]


def _doubt(result: Result, edge: WeightedEdge) -> str:
    """A mark for an arrow into a column that the others can hardly cause."""
    into = edge.mark == "->" and edge.target in _open_roots(result) and not root_reason(edge.source)
    return "  against common sense?" if into else ""


def _roots(result: Result) -> str:
    """The suggestion to say that nothing causes age, sex or time."""
    roots = _open_roots(result)
    if not roots or len(roots) == len(result.names):
        return ""
    listed = ", ".join(repr(name) for name in roots)
    return f"can others cause {listed}? If not, say so: knowledge=sp.Knowledge(roots=[{listed}])"


def _share(result: Result, edge: WeightedEdge) -> str:
    """How often an edge comes again, where that is known."""
    if result.confidence is None:
        return ""
    return f"  {percent(result.confidence.share(*edge.place, edge.mark))}"


def _sure(result: Result) -> str:
    """What resamples say; without any, that a direction may be identified and yet not sure."""
    if result.confidence is not None:
        found = result.confidence
        if found.how == "posterior":
            return f"{found.measure} of the edges: {percent(found.agreement)} on average"
        if found.resamples == 0:
            return "no half-sample was finished: how sure the edges are is not known"
        return (
            f"{count(found.resamples, 'half-sample')}: the edges come again in {percent(found.agreement)}; "
            f"{_surest(found)}"
        )
    if not result.dag.edges or math.isinf(result.n) or result.status.stopped_early:
        return ""
    return "identified is not sure: resamples=100 (--resamples 100) says how often each edge comes again"


def _surest(found: Confidence) -> str:
    """How many arrows are both identified and sure."""
    from sparsest.confidence.shares import FEW, SURE, marks_of

    if found.too_few:
        return f"to call any of them sure takes {FEW} and more"
    shares = [found.share(i, j, mark) for i, mark, j in marks_of(found.answer) if mark == "->"]
    sure = sum(share >= SURE for share in shares)
    return f"sure (in {percent(SURE)} and more): {sure} of {count(len(shares), 'identified arrow')}"


def _unknown(result: Result, plain: bool) -> str:
    free = result.cpdag.undirected_edges
    if not free:
        return ""
    if result.identifies == "dag":
        said = (
            "less certain: the direction of {} follows from the form of the likelihood alone, not from the "
        )
        said += "independences in the data (the class has {} graphs)"
    else:
        said = "not known from these data: the direction of {} ({} graphs that differ in these explain the "
        said += "data equally well)"
    counted = said.format(count(len(free), "edge"), _members(result.class_size))
    return f"{counted}\n  {_first_few(free, '--', plain)}"


def _knowledge(result: Result, plain: bool) -> str:
    arrows = result.arrows_from_knowledge
    if not arrows:
        return ""
    known = f"known beforehand, not from these data: the direction of {count(len(arrows), 'edge')}"
    return f"{known}\n  {_first_few(arrows, '->', plain)}"


def _first_few(edges: Sequence[tuple[str, str]], mark: str, plain: bool) -> str:
    words = [edge_text(a, mark, b, ascii=plain) for a, b in edges[:_MOST_EDGES]]
    more = len(edges) - _MOST_EDGES
    return ", ".join([*words, f"and {more} more"] if more > 0 else words)


def _audit(result: Result) -> str:
    """The other findings of the audit; serious ones are among the warnings."""
    findings = () if result.audit is None else result.audit.findings
    careful = sorted({each.check for each in findings if each.severity == "caution"})
    return f"to be careful about ({', '.join(careful)}): print(result.audit) says more" if careful else ""


def _members(members: int) -> str:
    return str(members) if members < 10**6 else f"{float(members):.1e}" if members < 10**300 else "countless"
