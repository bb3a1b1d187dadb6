"""A result in a few plain lines: what was found, how sure it is, and what cannot be known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sparsest._core.progress import Status
from sparsest._core.words import clipped, count
from sparsest.export.strength import standardized_weights
from sparsest.models.registry import model_entry

if TYPE_CHECKING:
    from sparsest.result import Result

_STATUS = {
    Status.OPTIMAL: "proved to be the best graph for this objective",
    Status.CONVERGED: "converged: no small change improves it, but a better graph may exist",
    Status.MAX_STEPS: "stopped after the allowed number of steps, best so far",
    Status.TIME_LIMIT: "stopped by the time limit, best so far",
    Status.INTERRUPTED: "stopped by Ctrl-C, best so far",
}
_MOST_EDGES = 10
_MOST_LETTERS = 40


def summary(result: Result, *, ascii: bool = False) -> str:  # noqa: A002
    """A few lines about a result; only ASCII signs besides the columns' own names if `ascii`."""
    parts = [_counts(result), _answer(result), _strongest(result, ascii)]
    parts += [_knowledge(result, ascii), _unknown(result, ascii)]
    if result.evidence.same_when_rescaled is not None:
        what = "class" if result.identifies == "class" else "graph"
        same = (
            f"the same {what}" if result.evidence.same_when_rescaled else f"another {what}: do not trust it"
        )
        parts.append(f"learned again in other units and another order of the columns: {same}")
    parts += [_audit(result)]
    parts += [f"warning: {words}" for words in result.evidence.warnings]
    return "\n".join(part for part in parts if part)


def _counts(result: Result) -> str:
    edges, known = len(result.dag.edges), len(result.cpdag.directed_edges)
    rows = "a population (no rows)" if math.isinf(result.n) else count(result.n, "row")
    if not edges and result.status.stopped_early:
        found = "no edges yet: there was too little time to look for any"
    elif not edges:
        found = "no edges: nothing here depends on anything else as far as these data can tell"
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
    return (
        f"{because}objective {result.objective:.6g} = {result.nll:.6g} (likelihood) + {count} x "
        f"{result.cost:.4g} (cost per {paid})\n"
        f"solver {result.solver}, {result.seconds:.2f} s: {_STATUS[result.status]}"
    )


def _strongest(result: Result, plain: bool) -> str:
    known = bool(np.isfinite(result.noise_variances).all())  # not of a model of the user's own
    entry = model_entry(result.model)
    gaussian = entry.gaussian or result.fitted is None
    if not known:
        effects = result.weights
    elif gaussian or result.fitted is None:
        effects = standardized_weights(result.weights, result.noise_variances)
    else:
        effects = result.fitted.effects
    place = {name: k for k, name in enumerate(result.names)}
    arrows = set(result.cpdag.directed_edges)
    rows = []
    for edge in result.dag.edges:
        i, j = (place[name] for name in edge)
        rows.append((effects[i, j], _words(*edge, edge in arrows, plain), result.weights[i, j]))
    if not rows:
        return ""
    shown = sorted(rows, key=lambda row: -abs(row[0]))[:_MOST_EDGES]
    width = max(len(words) for _, words, _ in shown)
    which = "edges" if len(shown) == len(rows) else f"{len(shown)} strongest edges"
    if not known:
        lines = [f"{which}, strengths as the model gives them:"]
        return "\n".join(lines + [f"  {words:<{width}}  {weight:.4g}" for _, words, weight in shown])
    of = "in standard deviations" if gaussian else "of one standard deviation on mean, log-odds or log-rate"
    lines = [f"{which}, effects {of} (and in {entry.units}):"]
    lines += [f"  {words:<{width}}  {effect:6.2f}  ({weight:.4g})" for effect, words, weight in shown]
    return "\n".join(lines)


def _unknown(result: Result, plain: bool) -> str:
    free = result.cpdag.undirected_edges
    if not free:
        return ""
    words = [_words(a, b, False, plain) for a, b in free[:_MOST_EDGES]]
    if len(free) > _MOST_EDGES:
        words.append(f"and {len(free) - _MOST_EDGES} more")
    if result.identifies == "dag":
        said = "less certain: the direction of {} rests on the form of the likelihood alone, not on the "
        said += "independences in the data (the class has {} graphs)"
    else:
        said = "not known from these data: the direction of {} ({} graphs that differ in these explain the "
        said += "data equally well)"
    counted = said.format(count(len(free), "edge"), _size(result.class_size))
    return f"{counted}\n  {', '.join(words)}"


def _knowledge(result: Result, plain: bool) -> str:
    arrows = result.arrows_from_knowledge
    if not arrows:
        return ""
    words = [_words(a, b, True, plain) for a, b in arrows[:_MOST_EDGES]]
    if len(arrows) > _MOST_EDGES:
        words.append(f"and {len(arrows) - _MOST_EDGES} more")
    known = f"known beforehand, not from these data: the direction of {count(len(arrows), 'edge')}"
    return f"{known}\n  {', '.join(words)}"


def _audit(result: Result) -> str:
    """What else the audit found; what is serious is among the warnings."""
    findings = () if result.audit is None else result.audit.findings
    careful = sorted({each.check for each in findings if each.severity == "caution"})
    return f"to be careful about ({', '.join(careful)}): print(result.audit) says more" if careful else ""


def _size(members: int) -> str:
    return str(members) if members < 10**6 else f"{float(members):.1e}" if members < 10**300 else "countless"


def _words(a: str, b: str, directed: bool, plain: bool) -> str:
    ellipsis = "..." if plain else "…"
    mark = {(True, True): "->", (True, False): "--", (False, True): "→", (False, False): "–"}[plain, directed]
    return f"{clipped(a, _MOST_LETTERS, ellipsis)} {mark} {clipped(b, _MOST_LETTERS, ellipsis)}"
