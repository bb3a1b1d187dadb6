"""The fits whose answers are kept as a reference: small tables over all models, and what is asked of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsest as sp

PUBLISHED = ("notears", "golem-ev", "golem-nv", "dagma", "logll-notears", "logll-dagma")
Options = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ReferenceTable:
    """A table to learn from; `kind` decides what is asked of it."""

    kind: str
    name: str
    seed: int
    data: NDArray[np.float64]
    options: Options

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.data.shape[1])


def reference_tables() -> Iterator[ReferenceTable]:
    """Every table, in the order of the reference file."""
    for p, k, kind, n in ((3, 1, "ER", 200), (6, 1, "ER", 300), (8, 2, "ER", 500), (10, 2, "ER", 1000),
                          (12, 1, "SF", 400), (10, 2, "SF", 1000)):  # fmt: skip
        for seed in range(4):
            data = _linear(p, k, kind, n, np.random.default_rng([1, p, seed]))
            yield ReferenceTable("linear", f"linear-{kind}{k}-{p}-{seed}", seed, data, {})
    for p, k, kind, n in ((25, 2, "ER", 500), (40, 2, "SF", 800), (60, 2, "ER", 1000), (30, 4, "ER", 1000)):
        for seed in range(3):
            data = _linear(p, k, kind, n, np.random.default_rng([2, p, seed]))
            yield ReferenceTable("large", f"large-{kind}{k}-{p}-{seed}", seed, data, {})
    for seed in range(3):
        rng = np.random.default_rng([3, seed])
        yield ReferenceTable("singular", f"singular-{seed}", seed, _linear(12, 2, "ER", 10, rng), {})
        x = _linear(6, 1, "ER", 200, rng)
        yield ReferenceTable("singular", f"copy-{seed}", seed, np.column_stack([x, x[:, 0] + x[:, 1]]), {})
    yield from _of_other_models()


def _of_other_models() -> Iterator[ReferenceTable]:
    sim = sp.simulate
    makers = (
        ("logistic", 4, (4, 7, 12), 3, lambda dag, rng: sim.logistic(sim.random_weights(dag, rng), 800, rng)),
        ("poisson", 5, (4, 6, 10), 3, _poisson),
        ("additive", 6, (4, 7, 12), 3, lambda dag, rng: sim.additive(dag, 400, rng)),
        ("mixed", 7, (4, 7, 12), 3, partial(_mixed, n=500)),
        ("mlp", 8, (3, 5), 2, lambda dag, rng: sim.mlp(dag, 300, rng)),
    )
    for kind, stream, sizes, seeds, make in makers:
        for p in sizes:
            for seed in range(seeds):
                rng = np.random.default_rng([stream, p, seed])
                made = make(sim.random_dag(p, 1, "ER", rng), rng)
                options = {"kinds": _by_name(made)} if kind == "mixed" else {}
                yield ReferenceTable(kind, f"{kind}-{p}-{seed}", seed, made.data, options)


def _linear(p: int, k: int, kind: Any, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, k, kind, rng), rng)
    return sp.simulate.linear_gaussian(weights, n, rng).data


def _poisson(dag: Any, rng: np.random.Generator) -> Any:
    weights = np.clip(sp.simulate.random_weights(dag, rng), -0.3, 0.05)
    return sp.simulate.poisson(weights, 600, rng)


def _by_name(simulation: Any) -> dict[str, str]:
    """The kinds of the columns."""
    return {f"x{j}": kind for j, kind in enumerate(simulation.kinds)}


def _mixed(dag: Any, rng: np.random.Generator, n: int) -> Any:
    return sp.simulate.mixed(dag, n, rng, kinds=("continuous", "binary", "count", "categorical"))


def questions_of(table: ReferenceTable) -> Iterator[tuple[str, Options]]:
    """Label and options of every fit of a table."""
    ask = {"linear": _of_linear, "large": _of_large, "singular": _of_singular, "mlp": _of_network}
    for label, options in ask.get(table.kind, _of_regression)(table):
        yield label, table.options | options


def _of_linear(table: ReferenceTable) -> Iterator[tuple[str, Options]]:
    p, seed = table.columns, table.seed
    for solver in ("auto", "exact", "order", "ges"):
        yield solver, {"solver": solver}
    yield "bic", {"penalty": "bic"}
    yield "cost", {"penalty": 0.02, "solver": "order"}
    yield "raw", {"standardize": False}
    yield "limit", {"max_parents": 2}
    yield "limit-order", {"max_parents": 1, "solver": "order"}
    yield "check", {"check": True}
    if p <= 10 and seed < 2:
        for solver in PUBLISHED:
            yield solver, {"solver": solver}
            yield f"{solver}@0.3", {"solver": solver, "threshold": 0.3}
            yield f"limit-{solver}@0.3", {"solver": solver, "threshold": 0.3, "max_parents": 1}
        yield "differentiable", {"solver": "differentiable"}
        yield "mcp", {"solver": "logll-dagma", "penalty": sp.QuasiMCP(0.3, 0.3)}
        yield "scad", {"solver": "dagma", "penalty": sp.SCAD(0.1)}
        yield "l1", {"solver": "dagma", "penalty": sp.L1(0.05)}
    if seed < 3:
        continuous = ("logll-dagma", "differentiable", "dagma") if p <= 8 else ()
        for solver in ("exact", "order", "ges", *continuous):
            yield f"known-{solver}", {"solver": solver, "knowledge": _knowledge(p)}
    if seed == 0:
        yield from _of_ranks(p)


def _of_ranks(p: int) -> Iterator[tuple[str, Options]]:
    model: Options = {"model": "rank"}
    yield "rank", model
    for solver in ("exact", "order", "ges"):
        yield f"rank-{solver}", model | {"solver": solver}
    yield "rank-bic", model | {"penalty": "bic"}
    yield "rank-limit", model | {"max_parents": 1}
    yield "rank-known", model | {"knowledge": _knowledge(p)}
    if p <= 10:
        yield "rank-logll-dagma@0.3", model | {"solver": "logll-dagma", "threshold": 0.3}
        limited: Options = {"solver": "logll-dagma", "threshold": 0.3, "max_parents": 1}
        yield "rank-limit-logll-dagma@0.3", model | limited


def _of_large(table: ReferenceTable) -> Iterator[tuple[str, Options]]:
    for solver in ("auto", "ges"):
        yield solver, {"solver": solver}
    yield "known", {"knowledge": _knowledge(table.columns)}
    yield "limit", {"max_parents": 3}
    if table.columns <= 25:
        for solver in ("dagma", "logll-dagma"):
            yield solver, {"solver": solver}


def _of_singular(_: ReferenceTable) -> Iterator[tuple[str, Options]]:
    for solver in ("exact", "order", "ges", "logll-dagma"):
        yield solver, {"solver": solver}


def _of_network(table: ReferenceTable) -> Iterator[tuple[str, Options]]:
    p = table.columns
    yield "mlp", {"model": "mlp"}
    for solver in ("differentiable", "order", "exact"):
        yield f"mlp-{solver}", {"model": "mlp", "solver": solver}
    yield "mlp-known", {"model": "mlp", "knowledge": _knowledge(p)}
    yield "student", {"model": Student(p)}
    yield "student-notears", {"model": Student(p), "solver": "logll-notears", "threshold": 0.1}


def _of_regression(table: ReferenceTable) -> Iterator[tuple[str, Options]]:
    model: Options = {"model": table.kind}
    p, known = table.columns, _knowledge(table.columns)
    yield "auto", model | {"solver": "auto"}
    if p <= 7:
        yield "exact", model | {"solver": "exact"}
    yield "order", model | {"solver": "order"}
    yield "limit", model | {"max_parents": 1, "solver": "order"}
    yield "known", model | {"knowledge": known}
    if p <= 7:
        yield "check", model | {"check": True}
        for solver in ("differentiable", "logll-dagma", "logll-notears"):
            yield solver, model | {"solver": solver}
        yield "threshold", model | {"solver": "logll-dagma", "threshold": 0.3}
        yield "limit-threshold", model | {"solver": "logll-dagma", "threshold": 0.3, "max_parents": 1}
        yield "known-differentiable", model | {"solver": "differentiable", "knowledge": known}
    if table.kind in ("logistic", "poisson"):
        family = sp.models.Logistic if table.kind == "logistic" else sp.models.Poisson
        yield "no-intercept", {"model": family(intercept=False)}
        if p <= 7:
            without = {"model": family(intercept=False), "solver": "differentiable"}
            yield "no-intercept-differentiable", without
    if table.kind == "additive":
        yield "cam", model | {"solver": "cam"}
    yield "auto-model", {}
    yield "weights", model | {"weights": 1.0 + (np.arange(len(table.data)) % 3)}


def _knowledge(p: int) -> sp.Knowledge:
    return sp.Knowledge(forbidden=[(0, p - 1)], required=[(p - 1, 1)])


@dataclass(frozen=True)
class Student:
    """A user-defined model: linear with Student's t noise of five degrees of freedom."""

    columns: int

    def init(self, rng: np.random.Generator) -> dict[str, Any]:  # noqa: ARG002
        """Parameters to start from."""
        return {"B": np.zeros((self.columns, self.columns)), "s": np.zeros(self.columns)}

    def nll(self, params: Any, data: Any) -> Any:
        """The negative log-likelihood per row."""
        import jax.numpy as jnp

        B = params["B"] * (1 - jnp.eye(self.columns))
        r = (data - data @ B) / jnp.exp(params["s"])
        return (jnp.log1p(r**2 / 5) * 3).mean(axis=0).sum() + params["s"].sum()

    def adjacency(self, params: Any) -> Any:
        """The weights of the edges."""
        return params["B"]
