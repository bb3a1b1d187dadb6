"""Questions to a graph: adjustment sets against every member, and the time of d-separation in a large DAG.

A set is valid if, at the population of a linear model with random weights, the regression gives the total
effect of every member of the class. Graphs have 4 to 7 nodes; a third each are DAGs, classes and classes
refined by knowledge.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.graph import Mpdag, mec_members, refine
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

SETTINGS = {"queries": integer(1), "nodes": integer(2), "edges": integer(1)}
KINDS = ("DAG", "class", "refined class")
TIMED = 60  # questions of d-separation
TOLERANCE = 1e-7

Array = NDArray[np.float64]


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per kind of graph, and one for the time."""
    size = {"nodes": settings["nodes"], "edges": settings["edges"]}
    shares = [settings["queries"] // 3 + (k < settings["queries"] % 3) for k in range(3)]
    asked = [{"graphs": kind, "queries": share} for kind, share in zip(KINDS, shares, strict=True)]
    return [*asked, {"graphs": "one large DAG", **size}]


def run(spec: Mapping[str, Any]) -> Row:
    """How often the answer agreed, or how long it took."""
    rng = np.random.default_rng([7000, *spec["graphs"].encode()])
    if "nodes" in spec:
        return _timed(spec["nodes"], spec["edges"], rng)
    outcomes = [_query(spec["graphs"], rng) for _ in range(spec["queries"])]
    return {
        "agree": sum(answer == truth for answer, truth in outcomes),
        "valid": sum(truth for _, truth in outcomes),
    }


def _query(kind: str, rng: np.random.Generator) -> tuple[bool, bool]:
    """The answer about one random set, and the truth."""
    p = int(rng.integers(4, 8))
    dag = sp.Dag(_random_dag(p, rng))
    graph = _graph(kind, dag, rng)
    members = [dag.to_numpy()] if kind == "DAG" else [m.to_numpy() for m in mec_members(graph)]
    order = [int(k) for k in rng.permutation(p)]
    several = 1 + int(rng.random() < 0.3)
    causes, outcome = order[:several], order[several]
    chosen = order[several + 1 : several + 1 + int(rng.integers(0, p - several))]
    cov = _covariance(dag.to_numpy(), rng)
    found = _slopes(cov, outcome, [*causes, *chosen])[: len(causes)]
    effects = [_effects(member, cov, causes, outcome) for member in members]
    truth = all(np.allclose(found, effect, atol=TOLERANCE) for effect in effects)
    return graph.is_adjustment_set(causes, outcome, chosen), truth


def _graph(kind: str, dag: sp.Dag, rng: np.random.Generator) -> sp.Dag | sp.Cpdag:
    if kind == "DAG":
        return dag
    if kind == "class":
        return dag.to_cpdag()
    known = dag.pattern & (rng.random((len(dag), len(dag))) < 0.3)
    return Mpdag(refine(dag, required=known))


def _random_dag(p: int, rng: np.random.Generator) -> NDArray[np.int64]:
    order = rng.permutation(p)
    upper = np.triu(rng.random((p, p)) < rng.uniform(0.2, 0.9), 1)
    return upper[np.ix_(order, order)].astype(np.int64)


def _covariance(dag: NDArray[np.int64], rng: np.random.Generator) -> Array:
    p = len(dag)
    weights = dag * rng.uniform(0.3, 1.5, (p, p)) * rng.choice([-1, 1], (p, p))
    root = np.linalg.inv(np.eye(p) - weights)
    cov: Array = root.T @ np.diag(rng.uniform(0.5, 2, p)) @ root
    return cov


def _slopes(cov: Array, outcome: int, regressors: Sequence[int]) -> Array:
    chosen = list(regressors)
    return np.asarray(np.linalg.solve(cov[np.ix_(chosen, chosen)], cov[chosen, outcome]), dtype=np.float64)


def _effects(member: NDArray[np.int64], cov: Array, causes: Sequence[int], outcome: int) -> Array:
    """Effects of a joint intervention if a member is true."""
    weights = np.zeros(cov.shape)
    for node in range(len(cov)):
        parents = np.flatnonzero(member[:, node]).tolist()
        if parents and node not in causes:
            weights[parents, node] = _slopes(cov, node, parents)
    total = np.linalg.inv(np.eye(len(cov)) - weights)
    return np.asarray(total[list(causes), outcome], dtype=np.float64)


def _timed(nodes: int, edges: int, rng: np.random.Generator) -> Row:
    """CPU seconds to make a large DAG, and for questions with 0, 5 and a twentieth of the nodes given."""
    order = rng.permutation(nodes).tolist()
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < edges:
        a, b = sorted(int(k) for k in rng.integers(0, nodes, 2))
        if a < b:
            pairs.add((order[a], order[b]))
    began = time.process_time()
    dag = sp.Dag.from_edges(pairs, names=[f"x{k}" for k in range(nodes)])
    made = time.process_time() - began
    dag.d_separated(0, 1)  # the lists of neighbours, once
    seconds = []
    for k in range(TIMED):
        asked = [int(i) for i in rng.choice(nodes, 2 + (0, 5, nodes // 20)[k % 3], replace=False)]
        began = time.process_time()
        dag.d_separated(asked[0], asked[1], asked[2:])
        seconds.append(time.process_time() - began)
    return {"made": made, "median": float(np.median(seconds)), "longest": max(seconds)}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per kind of graph, and one for the time."""
    return markdown(["graphs", "measured", "result"], [_line(row) for row in rows])


def _line(row: Mapping[str, Any]) -> list[str]:
    if "agree" in row:
        words = f"{row['agree']} of {row['queries']} ({row['valid']} valid)"
        return [row["graphs"], "validity of an adjustment set agrees with every member", words]
    size = f"{row['graphs']}, {row['nodes']} nodes, {row['edges']} edges"
    words = f"{1000 * row['median']:.1f} ms, at most {1000 * row['longest']:.1f} ms"
    return [size, f"CPU time of d_separated (the graph was made in {row['made']:.1f} s)", words]
