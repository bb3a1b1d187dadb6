"""The picture of an effect: its possible values with the interval, or dose-response curves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from sparsest._core.words import clipped, percent
from sparsest._core.writing import named_trouble
from sparsest.plot.figure import _kind

if TYPE_CHECKING:
    from sparsest.effects import Effect

_MOST_LINES = 8
_NAME = 28


def draw_effect(found: Effect, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw an effect; curves where the model is not linear and there is one cause, otherwise values."""
    result = found.result
    curved = result is not None and not result.traits.gaussian and len(found.causes) == 1
    figure = Figure(figsize=(6.0, 3.6 if curved else 1.6 + 0.3 * min(len(found.cases), _MOST_LINES)), dpi=150)
    axes = figure.add_subplot()
    (_curves if curved else _values)(axes, found)
    axes.set_title(
        f"{clipped(', '.join(found.causes), _NAME)} on {clipped(found.outcome, _NAME)}", fontsize=10
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    if path is not None:
        kind = _kind(Path(path))
        with named_trouble(Path(path)):
            figure.savefig(path, format=kind, facecolor="white")
    return figure


def _values(axes: Any, found: Effect) -> None:
    shown = found.cases[:_MOST_LINES]
    for row, case in enumerate(shown):
        if case.interval is not None:
            axes.plot(case.interval, [row, row], color="0.55", lw=1.5)
        axes.plot([case.value], [row], "o", color="C0")
    if found.interval is not None:
        axes.axvspan(*found.interval, color="C0", alpha=0.12, lw=0)
        axes.set_xlabel(
            f"{clipped(found.change, 60)}\nband: {percent(found.level)} interval, {found.how}", fontsize=8
        )
    axes.axvline(0, color="0.7", lw=0.8, zorder=0)
    labels = ["" if case.share is None else f"{percent(case.share)} of graphs" for case in shown]
    axes.set_yticks(range(len(shown)), labels, fontsize=8)
    axes.set_ylim(len(shown) - 0.5, -0.5)


def _curves(axes: Any, found: Effect) -> None:
    curve = found.curve()
    for k, case in enumerate(found.cases[:_MOST_LINES]):
        learned = case.dag
        axes.plot(
            curve[:, 0], curve[:, k + 1], color="C0" if learned else "0.6", lw=2 if learned else 1,
            label="learned graph" if learned else None,
        )  # fmt: skip
    if len(found.cases) > 1:
        axes.plot([], [], color="0.6", lw=1, label="other members of its class")
        axes.legend(frameon=False, fontsize=8)
    axes.set_xlabel(f"{clipped(found.causes[0], _NAME)} set to", fontsize=9)
    mean = f"mean of {found.outcome}"
    axes.set_ylabel(clipped(found.unit if found.ratios is not None else mean, 2 * _NAME), fontsize=9)
