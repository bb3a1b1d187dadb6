"""HTML from untrusted text."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from sparsest._core.words import visible


def text(words: object) -> str:
    """Words as text: no markup, no marks that turn the direction of what follows."""
    return html.escape(visible(str(words)), quote=True)


def name(words: object) -> str:
    """A name, kept apart from the direction of the text around it."""
    return f"<bdi>{text(words)}</bdi>"


def number(value: float | None, digits: int = 3) -> str:
    """A number as people write it; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.{digits}g}"


def section(identity: str, title: str, *content: str) -> str:
    """A section of the page with its heading."""
    inside = "\n".join(part for part in content if part)
    head = f'<h2 id="h-{identity}">{text(title)}</h2>'
    return f'<section id="{identity}" aria-labelledby="h-{identity}">\n{head}\n{inside}\n</section>'


def paragraphs(words: Iterable[str]) -> str:
    """Lines of plain text as paragraphs."""
    return "\n".join(f"<p>{text(line)}</p>" for line in words if line)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]], *, most: int, total: int) -> str:
    """A table that sorts and filters; cells are HTML, or (value to sort by, HTML).

    Of `total` rows the first `most` are in it, and it says so.
    """
    cells = "".join(
        f'<th scope="col"><button type="button" class="sort">{text(one)}</button></th>' for one in head
    )
    lines = ["<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows]
    left_out = f" The first {most:,} of {total:,}." if total > most else ""
    find = f'<label class="find">Filter <input type="search" aria-label="Filter: {text(caption)}"></label>'
    return "\n".join([
        f'<div class="table">{find if len(lines) > 8 else ""}',
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table>',
        f"<caption>{text(caption + left_out)}</caption><thead><tr>{cells}</tr></thead><tbody>",
        *lines,
        "</tbody></table></div></div>",
    ])  # fmt: skip


def _cell(cell: Any) -> str:
    if isinstance(cell, tuple):
        value, shown = cell
        key = "" if value is None or not math.isfinite(value) else f"{value:.6g}"
        return f'<td class="n" data-v="{key}">{shown}</td>'
    return f"<td>{cell}</td>"


def pairs(items: Iterable[tuple[str, str]]) -> str:
    """A list of terms, each with what it is; the latter is HTML."""
    return "<dl>" + "".join(f"<dt>{text(term)}</dt><dd>{said}</dd>" for term, said in items) + "</dl>"
