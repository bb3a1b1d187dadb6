"""How two graphs differ, in numbers and edge by edge, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsest._core.errors import GraphError
from sparsest._core.words import listed
from sparsest._core.writing import header
from sparsest.export.edges import edge_text
from sparsest.graph import Cpdag, Matches, Mpdag, compare, cpdag_shd, shd
from sparsest.graph._reading import read_two
from sparsest.graph.files import Read

_ARROW, _BACK, _LINE = "->", "<-", "--"


def compared(truth: Read, estimate: Read) -> dict[str, Any]:
    """Distances, matches and differences of two graphs, as plain values.

    The classes are compared, those of the DAGs if the files hold DAGs; the DAGs too if both files have one. A
    graph that is not a class, because knowledge or a method directed further edges, is compared unchanged.
    """
    _refuse_strangers(truth, estimate)
    truth, estimate = truth.with_nodes(estimate.graph.names), estimate.with_nodes(truth.graph.names)
    agreement = compare(truth.graph, estimate.graph)
    both = truth.dag is not None and estimate.dag is not None
    return {
        "nodes": len(truth.graph),
        "edges": [len(read.graph.edges) for read in (truth, estimate)],
        "is_class": [not isinstance(read.graph, Mpdag) for read in (truth, estimate)],
        "shd": cpdag_shd(truth.graph, estimate.graph),
        "shd_arrow_against_line_is_no_difference": cpdag_shd(truth.graph, estimate.graph, "causal-learn"),
        "shd_dag": shd(truth.dag, estimate.dag) if both else None,  # type: ignore[arg-type]
        "adjacencies": _counts(agreement.adjacencies),
        "arrows": _counts(agreement.arrows),
        "differences": _differences(truth.graph, estimate.graph),
    }


def comparison_words(found: dict[str, Any], most: int | None = 10, *, ascii: bool = False) -> str:  # noqa: A002
    """What `compared` found as text; at most `most` differences are listed, all if it is None."""
    edges, old = found["edges"], found["shd_arrow_against_line_is_no_difference"]
    lines = [
        f"{found['nodes']} nodes, {edges[0]} edges in the first and {edges[1]} in the second",
        f"SHD of the classes {found['shd']} ({old} if directed against undirected edges do not count)"
        + (f", of the DAGs {found['shd_dag']}" if found["shd_dag"] is not None else ""),
        *(f"{what}: {_matches(found[what], ascii)}" for what in ("adjacencies", "arrows")),
    ]
    if found["is_class"][0] != found["is_class"][1]:
        which = "second" if found["is_class"][0] else "first"
        lines.append(
            f"only the {which} has arrows that its class does not imply, from knowledge or from its method: "
            "these count as differences"
        )
    shown = found["differences"][:most]
    if shown:
        lines.append("the pairs that differ, as they are in the first and in the second:")
        pairs = [tuple(_pair(one, which, ascii) for which in ("first", "second")) for one in shown]
        width = max(len(first) for first, _ in pairs)
        lines += [f"  {first:<{width}}  {second}" for first, second in pairs]
        left = len(found["differences"]) - len(shown)
        lines += [f"  and {left} more"] if left else []
    return "\n".join(lines)


def comparison_tree(truth: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """What `compared` found, by file name, as plain values."""
    return {
        **header("sparsest-comparison", 1),
        "truth": truth,
        "compared": [{"graph": name, **one} for name, one in found.items()],
    }


def _refuse_strangers(truth: Read, estimate: Read) -> None:
    """Refuse graphs over different nodes; only a list of edges may lack some."""
    first, second = set(truth.graph.names), set(estimate.graph.names)
    if not first | second:
        raise GraphError(f"{truth.source} and {estimate.source} have no edges, so the nodes are unknown")
    if first and second and not first & second:
        raise GraphError(
            f"the graphs have no node in common: {truth.source} has {listed(sorted(first))}, and "
            f"{estimate.source} has {listed(sorted(second))}"
        )
    for these, mine, other in ((first - second, truth, estimate), (second - first, estimate, truth)):
        if these and not other.open:
            raise GraphError(
                f"graphs can only be compared over the same nodes: {mine.source} has "
                f"{listed(sorted(these))}, and {other.source} does not"
            )


def _counts(matches: Matches) -> dict[str, float | None]:
    return {
        "correct": matches.correct,
        "extra": matches.extra,
        "missing": matches.missing,
        "precision": matches.precision,
        "recall": matches.recall,
        "f1": matches.f1,
    }


def _differences(truth: Cpdag, estimate: Cpdag) -> list[dict[str, str | None]]:
    first, second, names = read_two(truth, estimate)
    differs = (first != second) | (first != second).T
    return [
        {
            "a": names[i],
            "b": names[j],
            "first": _mark(first[i, j], first[j, i]),
            "second": _mark(second[i, j], second[j, i]),
        }
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if differs[i, j]
    ]


def _mark(there: bool, back: bool) -> str | None:
    if there and back:
        return _LINE
    return _ARROW if there else _BACK if back else None


def _matches(counts: dict[str, float | None], plain: bool) -> str:
    precision, recall, f1 = (share_words(counts[key], ascii=plain) for key in ("precision", "recall", "f1"))
    return (
        f"{counts['correct']} right, {counts['extra']} too many, {counts['missing']} missing "
        f"(precision {precision}, recall {recall}, F1 {f1})"
    )


def share_words(share: float | None, *, ascii: bool) -> str:  # noqa: A002
    """A precision, recall or F1 with two decimals; a dash if it is undefined."""
    if share is None:
        return "-" if ascii else "–"
    return f"{share:.2f}"


def _pair(difference: dict[str, Any], which: str, plain: bool) -> str:
    mark = difference[which]
    if mark is None:
        return "not joined"
    a, b = difference["a"], difference["b"]
    return edge_text(b, _ARROW, a, ascii=plain) if mark == _BACK else edge_text(a, mark, b, ascii=plain)
