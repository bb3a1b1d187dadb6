"""Plain text and tables as HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from sparsest._core.words import visible


def text_html(words: object) -> str:
    """Lines of text as they are."""
    return f'<pre style="white-space: pre-wrap">{_safe(words)}</pre>'


def table_html(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A title and a table of text."""
    names = "".join(f'<th style="text-align: left">{_safe(one)}</th>' for one in head)
    lines = "".join(
        "<tr>" + "".join(f'<td style="text-align: left">{_safe(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<p>{_safe(title)}</p><table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"


def _safe(words: object) -> str:
    return html.escape(visible(str(words)))
