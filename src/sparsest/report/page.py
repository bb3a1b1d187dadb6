"""The page: one HTML file without any request to the outside.

A content security policy lists the hashes of the one script and the one style sheet; nothing else runs,
whatever a name of a column may hold.
"""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sparsest._core.errors import OptionError
from sparsest._core.paths import given_path
from sparsest._core.version import __version__
from sparsest._core.writing import written_whole
from sparsest.export.strength import strengths_of
from sparsest.report import sections
from sparsest.report.facts import as_json, facts_of
from sparsest.report.fragment import asset, graph_fragment
from sparsest.report.markup import section, text
from sparsest.report.scene import scene_of
from sparsest.result import Result

if TYPE_CHECKING:
    from sparsest.costs import Path as Costs

MARK = '<meta name="generator" content="sparsest'
_START = """
document.querySelectorAll(".sparsest-graph").forEach((root) => {
  mountGraph(root, JSON.parse(document.getElementById("facts").textContent), null);
});
mountTables(document);
"""


def write_report(
    result: Result, path: str | os.PathLike[str], title: str | None = None, costs: Costs | None = None
) -> Path:
    """Write the page; an existing file is replaced."""
    target = given_path(path, OptionError)
    if target.suffix.lower() not in (".html", ".htm"):
        wanted = str(target.with_suffix(".html")) if target.name else "report.html"
        raise OptionError(f"a report is a page: call it {wanted!r}, not {str(target)!r}")
    content = page(result, title, costs)
    with written_whole(target) as draft:
        draft.write_text(content, encoding="utf-8", errors="replace", newline="\n")
    return target


def page(result: Result, title: str | None = None, costs: Costs | None = None) -> str:
    """The text of the page."""
    scene = scene_of(result)
    facts = facts_of(result, scene)
    shown_effects, facts["effects"] = sections.effect_part(result)
    parts = {
        "summary": sections.overview(result),
        "graph": section("graph", "The graph", graph_fragment(result, scene)),
        "edges": sections.edge_table(result, scene, strengths_of(result).scale),
        "confidence": sections.confidence_part(result),
        "effects": shown_effects,
        "columns": sections.column_table(result),
        "audit": sections.audit_part(result),
        "costs": sections.cost_part(costs),
        "making": sections.making(result),
        "methods": sections.closing(result),
    }
    links = "".join(
        f'<li><a href="#{key}">{words}</a></li>'
        for key, words in _LINKS.items()
        if parts.get(key) or key == "cannot"
    )
    style, script = asset("page.css"), asset("graph.js") + _START
    heading = text(title or "What causes what, as far as the data tell")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{MARK} {__version__}">
<title>{heading}</title>
<style>{style}</style>
</head>
<body class="sparsest">
<a class="skip" href="#main">Skip to the content</a>
<header><h1>{heading}</h1><p>{text(sections.lead_words(result))}</p>
<nav aria-label="Sections"><ul>{links}</ul></nav></header>
<main id="main">
{chr(10).join(part for part in parts.values() if part)}
</main>
<footer><p>Made with sparsest {__version__}. This file asks no other computer for anything.</p></footer>
<script type="application/json" id="facts">{as_json(facts)}</script>
<script>{script}</script>
</body>
</html>
"""


_LINKS = {
    "summary": "Summary", "graph": "Graph", "edges": "Edges", "confidence": "How sure", "effects": "Effects",
    "columns": "Columns", "audit": "The table", "costs": "Costs", "making": "How it was made",
    "methods": "Methods", "cannot": "What this cannot tell",
}  # fmt: skip


def policy(style: str, script: str) -> str:
    """A content security policy under which these two texts are all that counts."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
