"""lavaan (R): a regression per node of a DAG.

Its names are words of letters, digits, dots and underscores: others are replaced by v1, v2, ..., and
comments say which column each stands for.
"""

from __future__ import annotations

import json
import re

from sparsest.graph.types import Dag

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9._]*")


def write_lavaan(dag: Dag) -> str:
    """The model syntax: `y ~ x1 + x2` for every node with parents."""
    words = lavaan_names(dag)
    lines = [f"# {words[name]} is {json.dumps(name)}" for name in dag.names if words[name] != name]
    for name in dag.names:
        parents = dag.parents(name)
        if parents:
            lines.append(f"{words[name]} ~ {' + '.join(words[parent] for parent in parents)}")
    alone = [name for name in dag.names if not dag.parents(name) and not dag.children(name)]
    lines += [f"{words[name]} ~~ {words[name]}" for name in alone]
    return "\n".join(lines) + "\n"


def lavaan_names(dag: Dag) -> dict[str, str]:
    """A word for every name: itself where it is one."""
    taken = {name for name in dag.names if _WORD.fullmatch(name)}
    words, number = {}, 0
    for name in dag.names:
        if name in taken:
            words[name] = name
            continue
        number += 1
        while f"v{number}" in taken:
            number += 1
        words[name] = f"v{number}"
    return words
