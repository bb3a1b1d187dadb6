"""Knowledge as TOML: the keys of the file are the keywords of `Knowledge`.

    tiers = [
        ["age", "sex"],
        { columns = ["smoking", "diet"], edges_within = false },
        ["cholesterol"],
    ]
    required = ["smoking -> cholesterol"]
    forbidden = [["sex", "diet"]]

    [groups]
    habits = ["smoking", "diet"]

An edge is text or a pair; a column is a name, a wildcard, a group or a position.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sparsest._core.errors import OptionError
from sparsest._core.toml_text import toml_content

if TYPE_CHECKING:
    from sparsest.knowledge.column_lookup import Column
    from sparsest.knowledge.statement import Knowledge

KEYS = ("forbidden", "required", "tiers", "roots", "leaves", "groups")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str, source: str) -> Knowledge:
    """Knowledge from the text of a TOML file; `source` names it in errors."""
    from sparsest.knowledge.statement import Knowledge

    content = toml_content(text, source)
    for key in content:
        if key not in KEYS:
            line = _line_of(key, text)
            raise OptionError(f"{source!r}{line}: {key!r} is not known; the keys are {', '.join(KEYS)}")
    try:
        return Knowledge(**content)
    except OptionError as error:
        key = next((key for key in KEYS if str(error).startswith((key, key[:-1] + " "))), "")
        raise OptionError(f"{source!r}{_line_of(key, text)}: {error}") from error


def _line_of(key: str, text: str) -> str:
    """Line of a key, for messages; empty if it cannot be found."""
    pattern = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[\].=]")
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if pattern.match(line)]
    return f", line {lines[0]}" if key and lines else ""


def to_toml(knowledge: Knowledge) -> str:
    """Knowledge as the text of a TOML file."""
    ends = {"roots": knowledge.roots, "leaves": knowledge.leaves}
    parts = [f"{name} = {_columns(columns)}" for name, columns in ends.items() if columns]
    if knowledge.tiers:
        tiers = [
            _columns(tier.columns)
            if tier.edges_within
            else f"{{ columns = {_columns(tier.columns)}, edges_within = false }}"
            for tier in knowledge.tiers
        ]
        parts.append(_lines("tiers", tiers))
    edges = {"required": knowledge.required, "forbidden": knowledge.forbidden}
    parts += [_lines(name, map(_columns, pairs)) for name, pairs in edges.items() if pairs]
    if knowledge.groups:
        groups = [f"{_key(name)} = {_columns(members)}" for name, members in knowledge.groups.items()]
        parts.append("\n".join(["[groups]", *groups]))
    return "\n\n".join(parts) + "\n" if parts else ""


def _lines(name: str, items: Iterable[str]) -> str:
    return "\n".join([f"{name} = [", *(f"    {item}," for item in items), "]"])


def _columns(columns: Iterable[Column]) -> str:
    return "[" + ", ".join(str(c) if isinstance(c, int) else _text(c) for c in columns) + "]"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """TOML basic string: a JSON string with DEL escaped as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
