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
            '<label>Edges from <input class="least" type="range" min="0" max="100" value="0"> '
            f'<output class="least-words">0 %: all {len(scene.edges)} edges</output></label>'
        )
    member = ""
    if any(not edge.directed for edge in scene.edges):
        member = '<label><input class="member-too" type="checkbox"> one graph of the class</label>'
    modes = "".join(
        f'<label><input class="mode" type="radio" name="mode" value="{value}"'
        f"{' checked' * (value == 'look')}> {words}</label>"
        for value, words in (
            ("look", "look"), ("forbid", "first does not cause second"), ("require", "first causes second"),
            ("before", "first comes before second"),
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
<fieldset class="bar"><legend>Draw knowledge: choose, then click two columns</legend>{modes}
<ul class="said"></ul><p class="code"></p>
<button type="button" class="again" disabled>Fit again</button></fieldset>
</div>"""


def _key(result: Result, scene: Scene) -> str:
    edges = scene.edges
    parts = []
    if any(edge.directed for edge in edges):
        parts.append("<span><b>→</b> direction identified</span>")
    if any(not edge.directed for edge in edges):
        parts.append("<span><b>–</b> direction not identified: graphs with either explain the data</span>")
    if any(edge.signed and (edge.effect or 0) > 0 for edge in edges):
        parts.append('<span class="u"><b>blue</b> positive effect</span>')
    if any(edge.signed and (edge.effect or 0) < 0 for edge in edges):
        parts.append('<span class="d"><b>orange</b> negative effect</span>')
    if any(not edge.signed and edge.effect is not None for edge in edges):
        parts.append("<span>grey: effect without a sign</span>")
    if any(edge.doubtful for edge in edges):
        parts.append("<span>dashed: in less than half of the resamples</span>")
    if result.traits.gaussian and edges:
        parts.append("<span>wider: stronger, in standard deviations, in one graph of the class</span>")
    parts.append("<span>Keys: arrows move, + and − zoom, 0 shows all, Tab and Enter choose.</span>")
    return " ".join(parts)
