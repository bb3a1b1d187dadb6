"""Tables of the initialisation study: of starts on one model of each graph, and over many drawn models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sparsest_bench.result_store import Kept
from sparsest_bench.starts import gathered
from sparsest_bench.tables import interval, markdown

NEARLY_ALL, HARDLY_ANY = 0.95, 0.05  # shares of the starts on a model
_QUANTILE = 1.959964  # of the normal distribution, for 95 %

Group = Mapping[str, Any]
_FACTORS = ("structure", "score", "delta", "lam", "entries", "solver")


def starts_table(kept: Kept) -> str:
    """Table of the initialisation study with one line per cell; over its models if there are several.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "starts".

    Returns
    -------
    str
        A Markdown table.
    """
    groups = gathered(kept.rows)
    if any(group["drawn"] is not None for group in groups):
        return _models_table(groups)
    header = ("graph", "score", "δ/δ₀", "δ₀", "λ", "random entries", "starts", "SHD 0", "SHD > 0",
              "cyclic (−1)", "mean SHD", "mean distance",
              "at a sparsest model", "at a model of E(Θ)", "seconds")  # fmt: skip
    return markdown(header, map(_starts_line, groups))


def _starts_line(group: Group) -> list[str]:
    counts = {int(value): count for value, count in group["shd_counts"].items()}
    total, cyclic, right = group["starts"], counts.get(-1, 0), counts.get(0, 0)
    errors = sum(value * count for value, count in counts.items() if value > 0)
    return [
        group["structure"], group["score"], f"{group['delta']:g}", f"{group['delta_0']:.3g}",
        f"{group['lam']:g}", group["entries"], str(total),
        f"{right / total:.1%}", f"{(total - cyclic - right) / total:.1%}", f"{cyclic / total:.2%}",
        f"{errors / max(total - cyclic, 1):.2f}",
        f"{group['distance_sum'] / total:.3f}", f"{group['sparsest'] / total:.1%}",
        f"{group['in_class'] / total:.1%}", f"{group['wall']:.0f}",
    ]  # fmt: skip


def cells_over_models(groups: Sequence[Group]) -> list[tuple[Group, list[Group]]]:
    """The models of each cell.

    Parameters
    ----------
    groups : sequence of mapping
        What `gathered` gives: one mapping per cell and model.

    Returns
    -------
    list of tuple of mapping and list of mapping
        The factors of each cell, and what was found on each of its models.
    """
    cells: dict[tuple[Any, ...], tuple[Group, list[Group]]] = {}
    for group in groups:
        factors = {name: group[name] for name in _FACTORS}
        cells.setdefault(tuple(factors.values()), (factors, []))[1].append(group)
    return list(cells.values())


def shares(models: Sequence[Group], key: str) -> list[float]:
    """Share of the starts on each model that are counted under a key.

    Parameters
    ----------
    models : sequence of mapping
        What was found on each model.
    key : str
        "sparsest", "in_class", "first_shared" or "last_shared".

    Returns
    -------
    list of float
        One share per model.
    """
    return [model[key] / model["starts"] for model in models]


def _models_table(groups: Sequence[Group]) -> str:
    header = ("graph", "score", "δ/δ₀", "λ", "solver", "models", "starts per model",
              "models with ≥ 95 % of the starts at a sparsest model", "models with ≤ 5 %",
              "starts at a sparsest model", "starts with the commonest end",
              "after the first subproblem", "seconds")  # fmt: skip
    return markdown(header, (_models_line(*cell) for cell in cells_over_models(groups)))


def _models_line(factors: Group, models: Sequence[Group]) -> list[str]:
    sparsest = shares(models, "sparsest")
    return [
        factors["structure"], factors["score"], f"{factors['delta']:g}", f"{factors['lam']:g}",
        factors["solver"], str(len(models)), f"{models[0]['starts']}",
        counted(sum(share >= NEARLY_ALL for share in sparsest), len(models)),
        counted(sum(share <= HARDLY_ANY for share in sparsest), len(models)),
        *(_mean(shares(models, key)) for key in ("sparsest", "last_shared", "first_shared")),
        f"{sum(model['wall'] for model in models):.0f}",
    ]  # fmt: skip


def _mean(values: Sequence[float]) -> str:
    """A mean share and its 95 % confidence interval, in per cent."""
    found = interval(values)
    return f"{found.mean:.1%}" + (f" ± {100 * found.half:.1f}" if found.count > 1 else "")


def counted(count: int, total: int) -> str:
    """A share with its 95 % confidence interval, as text.

    Parameters
    ----------
    count : int
        How many.
    total : int
        Out of how many.

    Returns
    -------
    str
        The share and the interval of Wilson, in per cent.

    Examples
    --------
    >>> counted(35, 40)
    '88% (74–95)'
    """
    low, high = wilson(count, total)
    return f"{count / total:.0%} ({100 * low:.0f}–{100 * high:.0f})"


def wilson(count: int, total: int) -> tuple[float, float]:
    """95 % confidence interval of a share, by Wilson.

    Parameters
    ----------
    count : int
        How many.
    total : int
        Out of how many; at least one.

    Returns
    -------
    tuple of float
        The ends of the interval, within [0, 1].

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0, 10)]
    [0.0, 0.278]
    """
    share, weight = count / total, _QUANTILE**2 / total
    middle = share + weight / 2
    half = math.sqrt(weight * (share * (1 - share) + weight / 4))
    return max((middle - half) / (1 + weight), 0.0), min((middle + half) / (1 + weight), 1.0)
