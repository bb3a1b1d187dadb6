"""The settings of an experiment in words, as its page lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sparsest_bench.networks import COLUMNS
from sparsest_bench.result_store import Kept
from sparsest_bench.starts import gathered

_MODELS = {
    "linear": "linear",
    "logistic": "logistic regressions (binary columns)",
    "mlp": "random neural networks",
    "additive": "sums of smooth curves",
    "mixed": "binary, count and continuous columns",
}
_WEIGHTS = {"strong": "±[0.5, 1.5]", "weak": "[−1, 1]"}
_ENTRIES = {"all": "of all pairs", "skeleton": "of adjacent pairs", "edges": "of true edges"}


def settings_list(kept: Kept) -> str:
    """The settings that an experiment was run with, as a Markdown list.

    Parameters
    ----------
    kept : Kept
        An experiment and its finished tasks.

    Returns
    -------
    str
        One line per setting.
    """
    words = {"grid": _grid, "starts": _starts, "example": _example, "measure": _measure}[kept.experiment.kind]
    return "\n".join(f"- {name}: {value}" for name, value in words(kept) if value)


def _grid(kept: Kept) -> Iterator[tuple[str, str]]:
    settings = kept.experiment.settings
    drawn = [graph for graph in settings["graphs"] if graph not in COLUMNS]
    yield "Graphs", _graphs(settings["graphs"])
    yield "Columns (p)", _listed(dict.fromkeys(row["p"] for row in kept.rows))
    yield "Rows (n)", _listed(dict.fromkeys(row["n"] for row in kept.rows))
    if drawn:
        yield "Effects", _effects(settings)
    yield from _unusual(settings)
    yield "Data", f"{' and '.join(settings['data'])} columns"
    yield "Seeds", _seeds(settings)
    yield "Methods", _methods(settings["methods"])
    yield "Limits", _limits(settings)


def _graphs(names: Iterable[str]) -> str:
    kinds = {"ER": "Erdős–Rényi", "SF": "scale-free"}
    told = [f"{short} is {long}" for short, long in kinds.items() if any(name[:2] == short for name in names)]
    explained = f" ({', '.join(told)}; the number is that of expected edges per node)" if told else ""
    return f"{_listed(names)}{explained}"


def _effects(settings: Mapping[str, Any]) -> str:
    models = [_MODELS[model] for model in settings["model"]]
    if settings["model"] == ["linear"] and settings["r2sortability"] == [None]:
        weights = " or ".join(_WEIGHTS[one] for one in settings["weights"])
        return f"linear, weights uniform on {weights}"
    return _listed(models)


def _unusual(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Factors that most experiments leave at their defaults."""
    if settings["noise"] != ["gaussian"]:
        yield "Noise", _listed(settings["noise"])
    if settings["hidden"] != [0]:
        yield "Hidden common causes", _listed(settings["hidden"])
    if settings["r2sortability"] != [None]:
        yield "R²-sortability", _listed(settings["r2sortability"])


def _seeds(settings: Mapping[str, Any]) -> str:
    first, count = settings["first_seed"], settings["seeds"]
    return f"{first} to {first + count - 1}, one table each per design" if count > 1 else str(first)


def _methods(names: Iterable[str]) -> str:
    return _listed(f"`{name}`" for name in names)


def _limits(settings: Mapping[str, Any]) -> str:
    """Seconds per table, and methods that were not run on every table."""
    parts = [f"{settings['time_limit']:g} seconds per table"]
    parts += [f"`{name}` up to p = {p}" for name, p in settings["largest"].items()]
    parts += [f"`{name}` on {data} data only" for name, data in settings.get("only", {}).items()]
    parts += [
        f"`{name}` on {count} seed{'s' if count > 1 else ''} per design"
        for name, count in settings["fewer"].items()
    ]
    return "; ".join(parts)


def _starts(kept: Kept) -> Iterator[tuple[str, str]]:
    # From the rows, not the settings: λ and the kind of start became settings only later.
    groups = gathered(kept.rows)
    yield "Graphs", _levels(groups, "structure")
    yield "Models of a graph", _drawn(groups)
    scores = dict.fromkeys(group["score"] for group in groups)
    yield "Score", f"the Gaussian likelihood, {' or '.join(scores)}"
    yield "Solver of the subproblems", _levels(groups, "solver")
    yield "δ/δ₀", _levels(groups, "delta")
    yield "λ", _levels(groups, "lam")
    entries = (_ENTRIES[one] for one in dict.fromkeys(group["entries"] for group in groups))
    yield "Random weights of a start", f"those {', or '.join(entries)}; all others are 0"
    width = _listed(dict.fromkeys(f"[−{row['width']:g}, {row['width']:g}]" for row in kept.rows))
    yield "Starts", f"{_levels(groups, 'starts')} of each kind, with weights uniform on {width}"


def _drawn(groups: Iterable[Mapping[str, Any]]) -> str:
    numbers = {group["drawn"] for group in groups} - {None}
    if not numbers:
        return "one, whose weights are in the rows"
    return (
        f"{len(numbers)}, numbers {min(numbers)} to {max(numbers)}: weights uniform on ±[0.5, 1.5], "
        "standard deviations of the noise on [0.1, 0.7]"
    )


def _levels(groups: Iterable[Mapping[str, Any]], factor: str) -> str:
    return _listed(dict.fromkeys(group[factor] for group in groups))


def _example(kept: Kept) -> Iterator[tuple[str, str]]:
    yield "Examples", _listed(kept.experiment.settings["examples"])


def _measure(kept: Kept) -> Iterator[tuple[str, str]]:
    settings = dict(kept.experiment.settings)
    yield "Measurement", f"`{settings.pop('of')}`"
    for name, value in settings.items():
        yield f"`{name}`", _listed(value) if isinstance(value, list) else str(value)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))
