"""The formats by name and by the ending of a file, and which format a text is in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sparsest._core.errors import OptionError
from sparsest.graph.formats.caugi import parse_caugi, write_caugi
from sparsest.graph.formats.dot import parse_dot, write_dagitty, write_dot
from sparsest.graph.formats.gml import parse_gml, write_gml
from sparsest.graph.formats.graphml import parse_graphml, write_graphml
from sparsest.graph.formats.tetrad_text import parse_tetrad, write_tetrad
from sparsest.graph.tables import Marked
from sparsest.graph.types import Graph


@dataclass(frozen=True)
class Format:
    """How a graph is written and read, and how files of it end."""

    suffixes: tuple[str, ...]
    write: Callable[[Graph], str]
    parse: Callable[[str], Marked]


FORMATS = {
    "dot": Format((".dot", ".gv"), write_dot, parse_dot),
    "dagitty": Format((".dagitty",), write_dagitty, parse_dot),
    "tetrad": Format((".txt", ".tetrad"), write_tetrad, parse_tetrad),
    "caugi": Format((".caugi.json", ".caugi"), write_caugi, parse_caugi),
    "graphml": Format((".graphml",), write_graphml, parse_graphml),
    "gml": Format((".gml",), write_gml, parse_gml),
}


def format_by_suffix(path: Path) -> str | None:
    """The name of the format that a file has by its ending."""
    for name, one in FORMATS.items():
        if path.name.lower().endswith(one.suffixes):
            return name
    return None


def format_called(name: str) -> Format:
    """The format of a name."""
    if name not in FORMATS:
        raise OptionError(f"there is no format {name!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_text(text: str) -> str | None:
    """The name of the format that a text is in, by how it begins."""
    start = text.lstrip("\ufeff \t\r\n")[:4000]
    if re.match(r"(strict\s+)?(di)?graph\b[^\[]*\{|(p?dag|mag|pag)\s*\{", start, re.IGNORECASE):
        return "dot"
    if start.startswith("Graph Nodes:"):
        return "tetrad"
    if start.startswith("<") and "graphml" in start:
        return "graphml"
    if re.match(r"(Creator\b[^\n]*\s+)?graph\s*\[", start):
        return "gml"
    if start.startswith("{") and _is_caugi(text):
        return "caugi"
    return None


def _is_caugi(text: str) -> bool:
    try:
        return bool(json.loads(text).get("format") == "caugi")
    except (ValueError, AttributeError, RecursionError):
        return False
