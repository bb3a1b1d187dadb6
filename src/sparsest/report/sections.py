"""The sections of the page, each from one part of a result."""

from __future__ import annotations

import base64
import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparsest._core.words import count, percent
from sparsest.effects.all_pairs import effects
from sparsest.effects.estimating import is_linear
from sparsest.export.edges import weighted_edges
from sparsest.export.methods_paragraph import methods
from sparsest.export.strength import strengths_of
from sparsest.export.text import sentences
from sparsest.report.facts import equation, share_words
from sparsest.report.markup import name, number, pairs, paragraphs, section, table, text
from sparsest.report.scene import Scene
from sparsest.result import Result

if TYPE_CHECKING:
    from sparsest.costs import Path as Costs

_MOST_ROWS = 1500
_FEW = 5
_SIGNS = {"->": "→", "<-": "←", "--": "–", "none": "none"}
_MOST_FOR_EFFECTS = 150  # columns: the effects of more would take long
CANNOT = (
    "Hidden common causes: two columns with a common cause that was not measured look joined, or joined the "
    "wrong way.",
    "Selection: rows that were chosen by what the columns show can make dependences that nobody caused.",
    "Feedback: if columns act on each other in circles, no graph without circles is right.",
    "Effects that cancel exactly leave no trace in the data.",
    "Directions marked as not identified: only knowledge or an experiment can tell them.",
    "Identified is not sure: another sample from the same source may lead to another graph. Resamples show "
    "how far.",
)


def overview(result: Result) -> str:
    """What was found, in plain words: what a solver did is told further down, unless it was stopped."""
    lead, *rest = sentences(result)
    warned = [line for line in rest if line.startswith("warning:")]
    further = ["to be careful about", "objective ", "cost of an edge"]
    further += [] if result.status.stopped_early else ["solver "]
    calm = [line for line in rest if line not in warned and not line.startswith(tuple(further))]
    if result.audit is not None and result.audit.findings:
        remarks = count(len(result.audit.findings), "remark")
        pointer = f'<p>{remarks} about the table: <a href="#audit">see there</a>.</p>'
    else:
        pointer = ""
    lines = "".join(f'<p class="warn">{text(line)}</p>' for line in warned)
    caution = (
        '<p class="note">Arrows are read as causes only if no common cause is hidden and the model is right: '
        '<a href="#cannot">what this cannot tell</a>.</p>'
    )
    return section(
        "summary", "Summary", f'<p class="lead">{text(lead)}</p>', _tiles(result), _strongest(result),
        paragraphs(calm), pointer, caution, lines,
    )  # fmt: skip


def _tiles(result: Result) -> str:
    """The main numbers, large."""
    edges, free = len(result.dag.edges), len(result.cpdag.undirected_edges)
    numbers = [
        (str(edges), "edge" if edges == 1 else "edges"),
        (str(edges - free), "with an identified direction"),
        (str(free), "whose direction is open"),
    ]
    if result.confidence is not None and edges:
        measure = result.confidence.measure
        numbers.append((percent(result.confidence.agreement), f"{measure}, on average over the edges"))
    tiles = "".join(f"<li><b>{text(size)}</b> {text(words)}</li>" for size, words in numbers)
    return f'<ul class="tiles">{tiles}</ul>'


def _strongest(result: Result) -> str:
    """The strongest edges as a sentence."""
    effects = strengths_of(result)
    edges = sorted(weighted_edges(result), key=lambda edge: -abs(effects.effects[edge.place]))[:_FEW]
    if not edges or not effects.comparable:
        return ""
    said = []
    for edge in edges:
        sign = "→" if edge.mark == "->" else "–"
        size = number(float(effects.effects[edge.place]), 2)
        about = size if edge.mark == "->" else "direction open"
        said.append(f"{name(edge.source)} {sign} {name(edge.target)} ({about})")
    return f"<p>Strongest, by effects {text(effects.scale)}: {', '.join(said)}.</p>"


def edge_table(result: Result, scene: Scene, strength: str) -> str:
    """The edges, strongest first."""
    head = ["from", "mark", "to", f"effect {strength}", f"weight, in {result.traits.units}"]
    if result.confidence is not None:
        head.append(result.confidence.measure)
    rows = []
    for edge in sorted(scene.edges, key=lambda one: -abs(one.effect or 0)):
        a, b = edge.tail, edge.head
        weight = float(result.weights[a, b] or result.weights[b, a])
        cells: list[Any] = [
            name(result.names[a]), "→" if edge.directed else "–", name(result.names[b]),
            (edge.effect, number(edge.effect)), (weight, number(weight, 4)),
        ]  # fmt: skip
        if result.confidence is not None:
            cells.append((edge.share, share_words(edge.share)))
        rows.append(cells)
    note = "Effects and weights of edges without a direction are those in the learned DAG, one of the class."
    has_open = any(not edge.directed for edge in scene.edges)
    shown = table("Edges, strongest first.", head, rows[:_MOST_ROWS], most=_MOST_ROWS, total=len(rows))
    empty = "<p>There are no edges.</p>"
    return section("edges", "Edges", paragraphs([note] if has_open else []), shown if rows else empty)


def column_table(result: Result) -> str:
    """The columns, and how each follows from others."""
    graph = result.cpdag
    rows = []
    for k, one in enumerate(result.names):
        ends = [len(graph.parents(k)), len(graph.children(k)), len(graph.neighbors(k))]
        rows.append([name(one), *((float(n), str(n)) for n in ends), text(equation(result, k))])
    head = ["column", "causes", "effects", "direction open", "in the learned DAG"]
    return section("columns", "Columns", table("Columns.", head, rows, most=len(rows), total=len(rows)))


def confidence_part(result: Result) -> str:
    """How often each pair comes again, and what that is worth."""
    found = result.confidence
    if found is None:
        return ""
    frame = found.edges()
    keys = ["adjacency", "forward", "backward", "undirected"]
    keys += [key for key in ("probability", "forward probability") if key in frame.columns]
    rows = [
        [name(row["source"]), text(_sign(row["mark"])), name(row["target"]),
         *((row[key], percent(row[key])) for key in keys), text(_sign(row["answer"] or "not joined"))]
        for row in frame.head(_MOST_ROWS).iter_rows(named=True)
    ]  # fmt: skip
    head = ["from", "most often", "to", *keys, "from all rows"]
    said = [line for line in found.summary().splitlines() if line and not line.startswith(" ")]
    if found.calibrates:
        said.append(
            "“probability” is the share turned into a probability by maps that were fitted on simulated "
            "tables of many designs; where hidden causes are at work it still promises too much."
        )
    caption = f"Pairs, most often joined first ({found.measure})."
    shown = table(caption, head, rows, most=_MOST_ROWS, total=len(frame))
    return section("confidence", "How sure each edge is", paragraphs(said), shown)


def _sign(mark: str) -> str:
    return _SIGNS.get(mark, mark)


def effect_part(result: Result) -> tuple[str, dict[int, str]]:
    """All total effects where they are quickly computed, and a line about each cause."""
    if result.fitted is None or not is_linear(result) or len(result.names) > _MOST_FOR_EFFECTS:
        why = (
            "They are not listed here: result.effect('cause', 'outcome') computes one, with an interval; "
            "on the command line, sparsest effect."
        )
        return section("effects", "What happens if a column is changed", f"<p>{text(why)}</p>"), {}
    frame = effects(result, None, 0.95)
    rows: list[Any] = []
    words: dict[int, list[str]] = {}
    for row in frame.iter_rows(named=True):
        both = number(row["low"]) if row["identified"] else f"{number(row['low'])} to {number(row['high'])}"
        cause = result.names.index(row["cause"])
        words.setdefault(cause, []).append(f"{row['outcome']} {both}")
        if len(rows) < _MOST_ROWS:
            rows.append([
                name(row["cause"]), name(row["outcome"]), (row["low"], number(row["low"])),
                (row["high"], number(row["high"])),
                "yes" if row["identified"] else "no: differs between graphs",
                (float(row["values"]), str(row["values"])),
                (row["high_per_sd"], number(row["high_per_sd"])),
            ])  # fmt: skip
    head = ["cause", "outcome", "lowest", "highest", "identified", "different values", "highest, per sd"]
    note = (
        "If the cause is raised by one unit from outside, by how much the outcome changes, over all graphs "
        "that explain the data equally well. They hold if no common cause is hidden. "
        "result.effect(...) gives intervals."
    )
    shown = table("Total effects, strongest first.", head, rows, most=_MOST_ROWS, total=len(frame))
    said = {k: "; ".join(lines[:10]) + ("; …" if len(lines) > 10 else "") for k, lines in words.items()}
    content = shown if rows else "<p>There are none.</p>"
    return section("effects", "What happens if a column is changed", paragraphs([note]), content), said


def audit_part(result: Result) -> str:
    """What was found in the table before learning."""
    if result.audit is None or not result.audit.findings:
        return section("audit", "The table", "<p>Nothing to remark was found in the table.</p>")
    head = ["severity", "finding", "what to do"]
    rows = [[text(one.severity), text(one.words), text(one.advice)] for one in result.audit.findings]
    shown = table("Findings.", head, rows, most=len(rows), total=len(rows))
    return section("audit", "The table", shown)


def cost_part(costs: Costs | None) -> str:
    """The path over costs of an edge, if there is one."""
    if costs is None:
        return ""
    from sparsest.plot.picture import rendered

    picture = base64.b64encode(rendered(costs.plot(theme="light"), "svg")).decode("ascii")
    image = (
        '<img alt="Edges, held-out likelihood and instability over the cost of an edge, as in the table" '
        f'src="data:image/svg+xml;base64,{picture}">'
    )
    keys = ["cost", "edges", "ebic", "held_out", "instability"]
    frame = costs.table()
    rows = [
        [*((row[key], number(row[key], 5)) for key in keys), text(row["chosen"])]
        for row in frame.iter_rows(named=True)
    ]
    shown = table("Costs from high to low.", [*keys, "chosen by"], rows, most=len(rows), total=len(rows))
    return section("costs", "What an edge costs", paragraphs(str(costs).splitlines()), image, shown)


def _rows(n: float) -> str:
    """How many rows there are, or how many complete ones the answer counts as."""
    if math.isinf(n):
        return "a population"
    return f"{n:.0f}" if n == round(n) else f"counts as about {n:.0f} complete ones"


def making(result: Result) -> str:
    """How it was made: options, versions, and a fingerprint of the data."""
    kinds = {key: text(value) for key, value in result.settings.items()}
    items = [
        ("rows", _rows(result.n)),
        ("columns", str(len(result.names))),
        ("model", text(result.model)),
        ("solver", text(f"{result.solver}, {result.status.value}, {result.seconds:.2f} s")),
        ("objective", f"{result.objective:.8g}: likelihood {result.nll:.8g} and the cost of the edges"),
        ("cost of an edge", f"{result.cost:.6g}"),
        ("fingerprint", text(fingerprint(result))),
        *kinds.items(),
    ]
    because = [result.evidence.model_because, result.evidence.penalty_because]
    stages = [
        [text(one.name), (float(one.objective), number(one.objective, 8)), (float(one.steps), str(one.steps)),
         (float(one.seconds), number(one.seconds))]
        for one in result.evidence.stages
    ]  # fmt: skip
    because = [one for one in because if one]
    head = ["stage", "solver objective", "steps", "seconds"]
    shown = table("Stages of the search.", head, stages[:200], most=200, total=len(stages)) if stages else ""
    return section("making", "How it was made", pairs(items), paragraphs(because), shown)


def fingerprint(result: Result) -> str:
    """SHA-256 of the file that was read, or of the covariance or weights, so that data can be checked."""
    data = getattr(getattr(result.inquiry, "source", None), "_data", None)
    digest = hashlib.sha256()
    if isinstance(data, (str, Path)) and (source := Path(data).expanduser()).is_file():
        with source.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
        return f"sha256 {digest.hexdigest()} of the file {source.name}"
    digest.update("\0".join(result.names).encode("utf-8", "surrogatepass"))
    if result.moments is not None:
        digest.update(result.moments.covariance.astype("<f8").tobytes())
        return f"sha256 {digest.hexdigest()} of the names and the covariance"
    digest.update(result.weights.astype("<f8").tobytes())
    return f"sha256 {digest.hexdigest()} of the names and the weights"


def closing(result: Result) -> str:
    """The methods paragraph, and what none of this can tell."""
    paragraph = section("methods", "For a methods section", paragraphs(methods(result).split("\n\n")))
    return f"{paragraph}\n{limits()}"


def limits() -> str:
    """What no graph that was learned from rows alone can tell."""
    listed = "<ul>" + "".join(f"<li>{text(line)}</li>" for line in CANNOT) + "</ul>"
    return section("cannot", "What this cannot tell", listed)


def lead_words(result: Result) -> str:
    """A line under the title."""
    rows = "a population" if math.isinf(result.n) else count(result.n, "row")
    return f"{count(len(result.names), 'column')}, {rows}, {count(len(result.dag.edges), 'edge')}"
