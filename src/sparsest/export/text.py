"""A summary of a result in a few lines: what was found, how certain it is, and what is not identified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparsest._core.progress import Status
from sparsest._core.words import count, percent
from sparsest.export.edges import WeightedEdge, edge_text, weighted_edges
from sparsest.export.strength import strengths_of

if TYPE_CHECKING:
    from sparsest.result import Result

_STATUS = {
    Status.OPTIMAL: "proved to be the best graph for this objective",
    Status.CONVERGED: "converged: no small change improves it, but a better graph may exist",
    Status.MAX_STEPS: "stopped after the allowed number of steps, best so far",
    Status.TIME_LIMIT: "stopped by the time limit, best so far",
    Status.INTERRUPTED: "stopped by Ctrl-C, best so far",
    Status.WORKERS_LOST: "stopped when the workers were lost, best so far",
}
_MOST_EDGES = 10


def summary(result: Result, *, ascii: bool = False) -> str:  # noqa: A002
    """A few lines about a result; if `ascii`, only the names of columns have other characters."""
    parts = [_counts(result), _answer(result), _strongest(result, ascii), *_further(result, ascii)]
    return "\n".join(part for part in parts if part)


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


def _further(result: Result, plain: bool) -> list[str]:
    parts = [_knowledge(result, plain), _unknown(result, plain), _sure(result)]
    if result.evidence.same_when_rescaled is not None:
        what = "class" if result.identifies == "class" else "graph"
        same = (
            f"the same {what}"
            if result.evidence.same_when_rescaled
            else f"a different {what}: do not trust it"
        )
        parts.append(f"learned again in other units and another order of the columns: {same}")
    return [*parts, _audit(result), *(f"warning: {words}" for words in result.evidence.warnings)]


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
        f"solver {result.solver}, {result.seconds:.2f} s{once}: {_STATUS[result.status]}"
    )


def _strongest(result: Result, plain: bool) -> str:
    found = strengths_of(result)
    rows = [
        (
            found.effects[edge.place],
            edge_text(edge.source, edge.mark, edge.target, ascii=plain),
            edge.weight,
            _share(result, edge),
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
            lines + [f"  {words:<{width}}  {weight:.4g}{share}" for _, words, weight, share in shown]
        )
    again = "" if result.confidence is None else ", and how often the edge comes again"
    lines = [f"{which}, effects {found.scale} (and in {result.traits.units}){again}:"]
    lines += [
        f"  {words:<{width}}  {effect:6.2f}  ({weight:.4g}){share}" for effect, words, weight, share in shown
    ]
    return "\n".join(lines)


def _share(result: Result, edge: WeightedEdge) -> str:
    """How often an edge comes again, where that is known."""
    if result.confidence is None:
        return ""
    return f"  {percent(result.confidence.share(*edge.place, edge.mark))}"


def _sure(result: Result) -> str:
    """What resamples say; without any, that a direction may be identified and yet not sure."""
    if result.confidence is not None:
        found = result.confidence
        if found.resamples == 0:
            return f"{found.measure} of the edges: {percent(found.agreement)} on average"
        return f"{count(found.resamples, 'half-sample')}: the edges come again in {percent(found.agreement)}"
    if not result.dag.edges or math.isinf(result.n) or result.status.stopped_early:
        return ""
    return "identified is not sure: resamples=100 (--resamples 100) says how often each edge comes again"


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
    counted = said.format(count(len(free), "edge"), _size(result.class_size))
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


def _size(members: int) -> str:
    return str(members) if members < 10**6 else f"{float(members):.1e}" if members < 10**300 else "countless"
