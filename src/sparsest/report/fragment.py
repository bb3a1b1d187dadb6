"""The graph with its controls, for the page and the widget."""

from __future__ import annotations

from importlib import resources

from sparsest.report.scene import Scene
from sparsest.result import Result


def asset(name: str) -> str:
    """A file of this folder."""
    return resources.files("sparsest.report").joinpath(name).read_text(encoding="utf-8")


def graph_fragment(result: Result, scene: Scene) -> str:
    """Controls, the drawing, a place for details, and the forms that draw knowledge."""
    shares = ""
    if result.confidence is not None:
        shares = (
            "<label>Hide edges that come again in less than "
            '<input class="least" type="range" min="0" max="100" value="0"> '
            f'<output class="least-words">0 %: all {len(scene.edges)} edges shown</output></label>'
        )
    member = ""
    if any(not edge.directed for edge in scene.edges):
        member = '<label><input class="member-too" type="checkbox"> heads of one graph of the class</label>'
    modes = "".join(
        f'<label><input class="mode" type="radio" name="mode" value="{value}"'
        f"{' checked' * (value == 'look')}> {words}</label>"
        for value, words in (
            ("look", "look"), ("why", "why? (joined or not)"), ("forbid", "first does not cause second"),
            ("require", "first causes second"), ("before", "first comes before second"),
        )
    )  # fmt: skip
    return f"""<div class="sparsest-graph">
<div class="bar" role="toolbar" aria-label="Graph">
<label>Find <input class="search" type="search" placeholder="a column"></label>
<button type="button" class="in" aria-label="Zoom in">+</button>
<button type="button" class="out" aria-label="Zoom out">−</button>
<button type="button" class="all">Whole graph</button>
<label><input class="only" type="checkbox"> neighbours only</label>
{member}{shares}<span class="status" role="status"></span></div>
<div class="stage">{scene.svg}
<div class="details" role="region" aria-label="Details" aria-live="polite" tabindex="0"></div></div>
<p class="key">{_key(result, scene)}</p>
<fieldset class="bar"><legend>Ask why, or draw knowledge: choose, then click two columns</legend>{modes}
<ul class="said"></ul><p class="code"></p>
<button type="button" class="again" disabled>Fit again</button></fieldset>
</div>"""


def _key(result: Result, scene: Scene) -> str:
    edges = scene.edges
    parts = []
    if any(edge.directed for edge in edges):
        parts.append(_sample("plain", "direction identified", head=True))
    if any(not edge.directed for edge in edges):
        parts.append(_sample("plain", "direction not identified: graphs with either explain the data"))
    if any(edge.signed and (edge.effect or 0) > 0 for edge in edges):
        parts.append(_sample("up", "positive effect"))
    if any(edge.signed and (edge.effect or 0) < 0 for edge in edges):
        parts.append(_sample("down", "negative effect"))
    if any(not edge.signed and edge.effect is not None for edge in edges):
        parts.append("<span>grey: effect without a sign</span>")
    if any(edge.doubtful for edge in edges):
        parts.append(_sample("plain doubt", "in less than half of the resamples"))
    if result.traits.gaussian and edges:
        which = ", in one graph of the class" if any(not edge.directed for edge in edges) else ""
        parts.append(f"<span>wider: stronger, in standard deviations{which}</span>")
    parts.append("<span>Keys: arrows move, + and − zoom, 0 shows all, Tab and Enter choose.</span>")
    return " ".join(parts)


def _sample(kind: str, words: str, *, head: bool = False) -> str:
    """A line as it is drawn, and what it means."""
    tip = '<polygon class="head" points="34,6 24,1.5 24,10.5"/>' if head else ""
    line = f'<path class="line" d="M2 6H{24 if head else 34}" stroke-width="2.4"/>'
    return (
        f'<span><svg class="sample" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">'
        f'<g class="edge {kind}">{line}{tip}</g></svg> {words}</span>'
    )
