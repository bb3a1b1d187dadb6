"""A result in a few plain lines: what was found, how sure it is, and what cannot be known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sparsest.export.names import clipped
from sparsest.export.strength import standardized_weights
from sparsest.progress import Status

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
    parts = [_counts(result), _answer(result), _strongest(result, ascii), _unknown(result, ascii)]
    if result.evidence.same_when_rescaled is not None:
        same = "the same class" if result.evidence.same_when_rescaled else "another class: do not trust it"
        parts.append(f"learned again in other units and another order of the columns: {same}")
    parts += [f"warning: {words}" for words in result.evidence.warnings]
    return "\n".join(part for part in parts if part)


def _counts(result: Result) -> str:
    edges, known = len(result.dag.edges), len(result.cpdag.directed_edges)
    rows = "a population (no rows)" if math.isinf(result.n) else _count(result.n, "row")
    if not edges and result.status.stopped_early:
        found = "no edges yet: there was too little time to look for any"
    elif not edges:
        found = "no edges: nothing here depends on anything else as far as these data can tell"
    else:
        found = f"{_count(edges, 'edge')}, the direction of {'all' if known == edges else known} identified"
    return f"{_count(len(result.names), 'column')}, {rows}: {found}"


def _answer(result: Result) -> str:
    return (
        f"objective {result.objective:.6g} = {result.nll:.6g} (likelihood) + {len(result.dag.edges)} x "
        f"{result.cost:.4g} (cost per edge)\n"
        f"solver {result.solver}, {result.seconds:.2f} s: {_STATUS[result.status]}"
    )


def _strongest(result: Result, plain: bool) -> str:
    effects = standardized_weights(result.weights, result.noise_variances)
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
    lines = [f"{which}, effects in standard deviations (and in the columns' units):"]
    lines += [f"  {words:<{width}}  {effect:6.2f}  ({weight:.4g})" for effect, words, weight in shown]
    return "\n".join(lines)


def _unknown(result: Result, plain: bool) -> str:
    free = result.cpdag.undirected_edges
    if not free:
        return ""
    words = [_words(a, b, False, plain) for a, b in free[:_MOST_EDGES]]
    if len(free) > _MOST_EDGES:
        words.append(f"and {len(free) - _MOST_EDGES} more")
    return (
        f"not known from these data: the direction of {_count(len(free), 'edge')} "
        f"({_size(result.class_size)} graphs that differ in these explain the data equally well)\n"
        f"  {', '.join(words)}"
    )


def _size(members: int) -> str:
    return str(members) if members < 10**6 else f"{float(members):.1e}" if members < 10**300 else "countless"


def _words(a: str, b: str, directed: bool, plain: bool) -> str:
    ellipsis = "..." if plain else "…"
    mark = {(True, True): "->", (True, False): "--", (False, True): "→", (False, False): "–"}[plain, directed]
    return f"{clipped(a, _MOST_LETTERS, ellipsis)} {mark} {clipped(b, _MOST_LETTERS, ellipsis)}"


def _count(number: float, noun: str) -> str:
    return f"{number:.12g} {noun}" + ("" if number == 1 else "s")
