"""Effects over a class at the population, as `result.effect` gives them; and how long they take.

Classes come from random graphs; every second one is refined by knowledge of some of the true arrows.

"the true effect": graphs of 8 to 20 columns and one random pair each. It must be among the values of its
class, "identified" must mean that it is the only one, and "zero by the graph" that it is zero.
"all members": graphs of up to 8 columns and all pairs. The values must be those of the members, listed and
refitted one by one, and `identified` and `zero` must say what they all agree on.
"joint": the same for a random pair of causes.
"adjustment": the same classes. Adjusting for the optimal set gives the value, and no valid set has a smaller
variance; it is compared with all subsets of the columns.
"all pairs" and "one pair": CPU seconds without intervals; of one pair, the slowest of ten.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.effects.linear import implied_covariance, joint_effects
from sparsest.graph import cpdag_to_dag, dag_to_cpdag, mec_members, refine
from sparsest.graph.types import Cpdag
from sparsest.scores.gaussian import refit
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import NOTHING, markdown

SETTINGS = {"classes": integer(1), "batch": integer(1), "first_seed": integer(0), "most_columns": integer(8)}
TIMED = (("all pairs", 100), ("one pair", 500))
SAME = 1e-10

Array = NDArray[np.float64]


@dataclass
class Tally:
    """How many questions were asked, and how many answers were right."""

    questions: int = 0
    values: int = 0
    words: int = 0
    distance: float = 0.0

    def add(self, distance: float, *, words: bool) -> None:
        """One more question: how far its values are from the truth, and whether its words are right."""
        self.questions += 1
        self.values += int(distance < SAME)
        self.words += int(words)
        self.distance = max(self.distance, float(distance))


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """Tasks of some graphs each, and the two timings."""
    first, batch = settings["first_seed"], settings["batch"]
    tasks = [
        {"what": what, "seed": first + start, "graphs": min(batch, settings["classes"] - start), "p": 0}
        for what in CHECKS
        for start in range(0, settings["classes"], batch)
    ]
    most = settings.get("most_columns", 500)
    return tasks + [{"what": what, "seed": first, "graphs": 1, "p": p} for what, p in TIMED if p <= most]


def run(spec: Mapping[str, Any]) -> Row:
    """How often values and words were right, the largest distance, and the time."""
    if spec["p"]:
        return _timed(spec["what"], spec["p"], spec["seed"])
    tally = Tally()
    for k in range(spec["graphs"]):
        CHECKS[spec["what"]](spec["seed"] + k, tally)
    return {
        "questions": tally.questions,
        "values": tally.values,
        "words": tally.words,
        "distance": tally.distance,
    }


def _class(seed: int, least: int, most: int) -> tuple[Cpdag, Array, Array]:
    """A class, the weights of a member, and their covariance."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(least, most + 1))
    weights = _weights(p, float(rng.uniform(0.5, min(2.0, (p - 1) / 2))), rng)
    dag = sp.Dag((weights != 0).astype(int))
    graph = dag_to_cpdag(dag)
    if seed % 2:
        known = dag.pattern & (rng.random((p, p)) < rng.uniform(0, 0.5))
        graph = refine(dag, None, known)
    return graph, weights, implied_covariance(weights, rng.uniform(0.3, 2, p))


def _weights(p: int, k: float, rng: np.random.Generator) -> Array:
    return sp.simulate.random_weights(sp.simulate.random_dag(p, k, "ER", rng), rng)


@cache
def _any_result(p: int) -> sp.Result:
    return sp.fit(sp.Moments(np.eye(p), n=math.inf), penalty=0.01)


def result_of(graph: Cpdag, covariance: Array) -> sp.Result:
    """What `fit` returns if it finds this class at this covariance."""
    dag = cpdag_to_dag(graph)
    weights, variances = refit(covariance, dag.pattern.copy())
    moments = sp.Moments(covariance, n=math.inf)
    like = _any_result(len(graph))
    return replace(
        like, dag=dag, cpdag=graph, weights=weights, noise_variances=variances, moments=moments
    )  # fmt: skip


def _apart(some: Array, others: Array) -> float:
    """The largest distance from a member of one set to the other set, relative to the values."""
    apart = np.abs(np.subtract.outer(some, others))
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()) / max(1.0, np.abs(others).max()))


def _true_effect(seed: int, tally: Tally) -> None:
    graph, weights, covariance = _class(seed, 8, 20)
    cause, outcome = (int(k) for k in np.random.default_rng([seed, 1]).permutation(len(graph))[:2])
    true = float(np.linalg.inv(np.eye(len(graph)) - weights)[cause, outcome])
    found = result_of(graph, covariance).effect(cause, outcome, interval=None)
    distance = float(np.abs(found.values - true).min()) / max(1.0, abs(true))
    one = not found.identified or len(found.values) == 1
    tally.add(distance, words=one and (not found.zero or abs(true) < SAME))


def _all_members(seed: int, tally: Tally) -> None:
    graph, _, covariance = _class(seed, 3, 8)
    result = result_of(graph, covariance)
    totals = [np.linalg.inv(np.eye(len(graph)) - weights) for weights in _refitted(graph, covariance)]
    for cause, outcome in itertools.permutations(range(len(graph)), 2):
        found = result.effect(cause, outcome, interval=None)
        _compare(found, [total[cause, outcome] for total in totals], tally)


def _joint(seed: int, tally: Tally) -> None:
    graph, _, covariance = _class(seed, 3, 8)
    *causes, outcome = (int(k) for k in np.random.default_rng([seed, 2]).permutation(len(graph))[:3])
    listed = [joint_effects(weights, causes, outcome).sum() for weights in _refitted(graph, covariance)]
    _compare(result_of(graph, covariance).effect(causes, outcome, interval=None), listed, tally)


def _refitted(graph: Cpdag, covariance: Array) -> list[Array]:
    """The weights of every member."""
    return [refit(covariance, one.pattern.copy())[0] for one in mec_members(graph)]


def _compare(found: sp.Effect, listed: Sequence[float], tally: Tally) -> None:
    """The values of an effect with those of listed members."""
    agree = float(np.ptp(listed)) < 1e-8
    zero = float(np.abs(listed).max()) < SAME
    right = (found.identified, found.zero) == (agree, zero)
    members = sum(case.members or 0 for case in found.cases)
    tally.add(_apart(found.values, np.array(listed)), words=right and members == len(listed))


def _adjustment(seed: int, tally: Tally) -> None:
    """A random identified pair: the optimal set against every set that gives the same coefficient."""
    graph, _, covariance = _class(seed, 3, 8)
    pairs = [
        pair
        for pair in itertools.permutations(range(len(graph)), 2)
        if graph.identified(*pair) and graph.may_affect(*pair)
    ]
    if not pairs:
        return
    cause, outcome = pairs[np.random.default_rng([seed, 3]).integers(len(pairs))]
    found = result_of(graph, covariance).effect(cause, outcome, interval=None)
    assert found.adjustment_set is not None
    chosen = [graph.position(name) for name in found.adjustment_set]
    value, variance = _regressed(covariance, cause, outcome, chosen)
    rest = [k for k in range(len(graph)) if k not in (cause, outcome)]
    valid = [
        _regressed(covariance, cause, outcome, adjusting)[1]
        for size in range(len(rest) + 1)
        for adjusting in itertools.combinations(rest, size)
        if graph.is_adjustment_set(cause, outcome, adjusting)
    ]
    smallest = variance <= min(valid) * (1 + 1e-9)
    tally.add(abs(value - found.values[0]) / max(1.0, abs(value)), words=smallest)


def _regressed(covariance: Array, cause: int, outcome: int, adjusting: Sequence[int]) -> tuple[float, float]:
    """The coefficient of a cause, and its asymptotic variance times n."""
    inside = [cause, *adjusting]
    inverse = np.linalg.inv(covariance[np.ix_(inside, inside)])
    across = covariance[inside, outcome]
    residual = covariance[outcome, outcome] - across @ inverse @ across
    return float(inverse[0] @ across), float(residual * inverse[0, 0])


CHECKS = {
    "the true effect": _true_effect,
    "all members": _all_members,
    "joint": _joint,
    "adjustment": _adjustment,
}


def _timed(what: str, p: int, seed: int) -> Row:
    rng = np.random.default_rng(seed)
    weights = _weights(p, 2, rng)
    graph = dag_to_cpdag(sp.Dag((weights != 0).astype(int)))
    result = result_of(graph, implied_covariance(weights, np.ones(p)))
    result.effect(0, 1, interval=None)
    if what == "all pairs":
        began = time.process_time()
        rows = len(result.effects())
        return {"questions": rows, "cpu_seconds": time.process_time() - began}
    seconds = []
    for _ in range(10):
        cause, outcome = (int(k) for k in rng.permutation(p)[:2])
        began = time.process_time()
        result.effect(cause, outcome, interval=None)
        seconds.append(time.process_time() - began)
    return {"questions": 1, "cpu_seconds": max(seconds)}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per question."""
    header = ["what", "classes", "questions", "values right", "words right", "largest distance", "CPU s"]
    return markdown(header, _lines(rows))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for what in CHECKS:
        here = [row for row in rows if row["what"] == what]
        if here:
            sums = [sum(row[key] for row in here) for key in ("graphs", "questions", "values", "words")]
            yield [what, *map(str, sums), f"{max(row['distance'] for row in here):.1e}", NOTHING]
    for row in rows:
        if row["p"]:
            where = f"{row['what']}, p = {row['p']}"
            yield [where, "1", str(row["questions"]), NOTHING, NOTHING, NOTHING, f"{row['cpu_seconds']:.2f}"]
