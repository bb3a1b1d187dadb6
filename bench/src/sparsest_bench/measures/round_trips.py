"""Random graphs with awkward names, written for other programs and read again: each must come back unchanged.

DAGs, classes and classes refined by knowledge, of up to twelve nodes. *changed*: another graph came back;
*failed*: an error where there should be none. Both must never happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sparsest._core.allowed import integer
from sparsest.graph import Cpdag, Dag, Mpdag, read, refine
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

AWKWARD = (
    " ", "a b", "a;b", "a,b", 'quo"te', "back\\slash", "end\\", "two\nlines", "\r", "tab\t", "% 25%20", "%",
    "</script>", "<b>&amp;", "&#38;", "\u202eright\u202c", "价格", "גיל", "e\u0301", "->", "a -> b", "dag",
    "graph", "node", "{", "[x]", "#", "//", "/*", "\x00", "\x7f", "\x85", "\u2028", "None", "n0", "1", "-1",
    "x" * 300, "\\n", "\\u0041", "Graph Edges:", "\ufeff", "=1+1", "'=x", "+a", "@sum",
)  # fmt: skip
TEXTS = ("dot", "dagitty", "tetrad", "caugi", "graphml", "gml")
SETTINGS = {"drawn": integer(1), "seed": integer(0)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per way out and in again."""
    fixed = {"drawn": settings["drawn"], "seed": settings.get("seed", 0)}
    return [{"way": name} | fixed for name in WAYS]


def run(spec: Mapping[str, Any]) -> Row:
    """How many graphs came back as they were."""
    found: Counter[str] = Counter()
    examples: list[str] = []
    for number in range(spec["drawn"]):
        graph = random_graph(np.random.default_rng([spec["seed"], number]))
        try:
            back = WAYS[spec["way"]](graph)
            found["same" if back == graph else "changed"] += 1
            examples += [] if back == graph else [f"{number}: {graph.names!r}"]
        except Exception as error:
            found["failed"] += 1
            examples.append(f"{number}: {type(error).__name__}: {error}")
    return {**{key: found[key] for key in ("same", "changed", "failed")}, "examples": examples[:5]}


def random_graph(rng: np.random.Generator) -> Dag | Cpdag:
    """A DAG, its class, or its class refined by knowledge."""
    p = int(rng.integers(1, 13))
    order = rng.permutation(p)
    names = [_name(rng, k) for k in range(p)]
    names = [name if names.index(name) == k else f"{name} {k}" for k, name in enumerate(names)]
    dag = Dag(np.triu(rng.random((p, p)) < rng.uniform(0.1, 0.7), 1)[np.ix_(order, order)], names)
    kind = rng.integers(3)
    if kind == 0:
        return dag
    if kind == 1:
        return dag.to_cpdag()
    allowed = ~np.eye(p, dtype=bool)
    for i, j in np.argwhere(dag.pattern)[:2]:
        allowed[j, i] = False
    return Mpdag(refine(dag, allowed, np.zeros((p, p), dtype=bool)))


def _name(rng: np.random.Generator, k: int) -> str:
    if rng.random() < 0.5:
        return str(rng.choice(AWKWARD))
    letters = rng.integers(1, 0xD7FF, size=rng.integers(1, 8))
    return "".join(map(chr, letters)) if rng.random() < 0.5 else f"column {k}"


def _text(name: str) -> Callable[[Dag | Cpdag], Any]:
    def way(graph: Dag | Cpdag) -> Any:
        return getattr(type(graph), f"from_{name}")(getattr(graph, f"to_{name}")())

    return way


def _file(graph: Dag | Cpdag) -> Any:
    with TemporaryDirectory() as folder:
        graph.write(Path(folder) / "graph.json")
        return read(Path(folder) / "graph.json")


WAYS: dict[str, Callable[[Dag | Cpdag], Any]] = {
    **{name: _text(name) for name in TEXTS},
    "networkx": lambda graph: type(graph).from_networkx(graph.to_networkx()),
    "data frame": lambda graph: type(graph).from_edges(graph.to_frame(), names=graph.names),
    "JSON file": _file,
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per way, then what went wrong."""
    keys = ("drawn", "same", "changed", "failed")
    lines = [[row["way"], *(str(row[key]) for key in keys)] for row in rows]
    wrong = [f"- {row['way']} {example}" for row in rows for example in row["examples"]]
    return "\n".join([markdown(("way", *keys), lines), *wrong])
