"""Tables under each model, for measurements of time: what a user of that model would bring."""

from __future__ import annotations

from typing import Any

import numpy as np

import sparsest as sp

MODELS = ("gaussian", "rank", "logistic", "poisson", "additive", "mixed", "mlp")


def table_for(model: str, p: int, n: int, seed: int = 0) -> Any:
    """A random graph (ER2, from 100 columns on ER1) and rows under a model; a data frame for mixed kinds."""
    rng = np.random.default_rng([seed, p, n])
    weights = sp.simulate.random_weights(sp.simulate.random_dag(p, 1 if p >= 100 else 2, "ER", rng), rng)
    if model == "logistic":
        return sp.simulate.logistic(weights, n, rng).data
    if model == "poisson":
        return sp.simulate.poisson(-0.3 * np.abs(weights), n, rng).data
    rows = sp.simulate.linear_gaussian(weights, n, rng).data
    if model in ("additive", "mlp"):
        return np.tanh(rows) + 0.3 * rng.normal(size=rows.shape)
    return _of_all_kinds(rows, rng) if model == "mixed" else rows


def _of_all_kinds(rows: Any, rng: np.random.Generator) -> Any:
    """Numbers, two values, counts and words of four categories, in turn."""
    import polars

    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    kinds = (
        lambda x: x,
        lambda x: (x > 0).astype(int),
        lambda x: rng.poisson(np.exp(0.5 * x)),
        lambda x: np.array(["a", "b", "c", "d"])[np.digitize(x, (-0.7, 0.0, 0.7))],
    )
    return polars.DataFrame({f"x{j}": kinds[j % 4](x) for j, x in enumerate(standard.T)})


def diamonds(n: int, seed: int = 0) -> Any:
    """Simulated diamonds: seven numbers and three categories (5, 7 and 8 words) that depend on one another.

    Two hidden causes, size and grade, effects that no linear or softmax model has, and rounded numbers make
    it about as hard for a mixed model as the well-known table of 53 940 real ones.
    """
    import polars

    rng = np.random.default_rng([seed, n])
    grade, sizes = rng.normal(size=n), rng.choice([-1.1, -0.6, 0.0, 0.45], p=[0.3, 0.3, 0.28, 0.12], size=n)
    size = sizes + 0.12 * rng.normal(size=n) + 0.12 * np.abs(rng.normal(size=n))

    def drawn(*log_odds: Any) -> Any:
        return (np.column_stack(log_odds) + rng.gumbel(size=(n, len(log_odds)))).argmax(axis=1)

    clarity = drawn(*(-0.18 * k**2 + 0.35 * k * (0.5 * grade - 0.6 * size) for k in range(-3, 5)))
    tone = 0.25 * (0.3 * grade - 0.7 * size) + 0.05 * (clarity - 3)
    color = drawn(*(-0.12 * k**2 + k * tone for k in range(-3, 4)))
    carat = np.round(np.clip(np.exp(size), 0.2, 5), 2)
    depth = np.round(61.75 + 1.12 * rng.standard_t(5, size=n), 1)
    table = np.round(57.5 - 0.45 * (depth - 61.75) + 2.0 * rng.normal(size=n))
    off, wide = np.abs(depth - 61.8), np.abs(table - 56)
    shapes = ((-2.5, -0.2, 0.0), (-1.0, 0.2, 0.1), (0.0, 0.5, 0.2), (0.2, 0.5, 0.1), (1.2, 0.9, 0.45))
    cut = drawn(
        *(a - b * off - c * wide + k * (0.15 * grade - 0.2 * size) for k, (a, b, c) in enumerate(shapes))
    )
    x = np.round(
        6.43 * np.cbrt(carat) * (1 - 0.004 * (depth - 61.75)) * np.exp(0.008 * rng.normal(size=n)), 2
    )
    y = np.round(x * np.exp(0.004 * rng.normal(size=n) + 0.003 * (cut < 2)), 2)
    z = np.round(depth / 100 * (x + y) / 2 * np.exp(0.003 * rng.normal(size=n)), 2)
    worth = 8.45 + 1.75 * np.log(carat) + 0.11 * (clarity - 3) + 0.075 * (color - 3) + 0.03 * cut
    price = np.round(np.exp(worth + (0.1 + 0.03 * np.abs(grade)) * rng.normal(size=n)))
    words = {
        "cut": np.array(["Fair", "Good", "Very Good", "Premium", "Ideal"])[cut],
        "color": np.array(list("JIHGFED"))[color],
        "clarity": np.array(["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"])[clarity],
    }
    numbers = {"carat": carat, "depth": depth, "table": table, "price": price, "x": x, "y": y, "z": z}
    return polars.DataFrame(numbers | words)
