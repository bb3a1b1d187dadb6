"""Plain text and tables as HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from sparsest._core.words import visible

# Notebooks give such text other letters and break it anywhere.
_AS_IT_IS = "white-space: pre-wrap; font-family: monospace; word-break: normal; overflow-wrap: anywhere"

_CELL = "text-align: left; padding: 0.2em 0.6em"


def text_html(words: object) -> str:
    """Lines of text as they are: columns stay aligned, and only what has no blank is broken within."""
    return f'<pre style="{_AS_IT_IS}">{_safe(words)}</pre>'


def table_html(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A title and, if there are rows, a table of text."""
    names = "".join(f'<th style="{_CELL}">{_safe(one)}</th>' for one in head)
    lines = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{_safe(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    if not lines:
        return f"<p>{_safe(title)}</p>"
    return f"<p>{_safe(title)}</p><table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"


def _safe(words: object) -> str:
    return html.escape(visible(str(words)))
