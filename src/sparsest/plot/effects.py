"""The picture of an effect: its possible values with the interval, or dose-response curves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from sparsest._core.words import clipped, percent, visible
from sparsest.plot.picture import format_of, new_picture, save_picture
from sparsest.plot.style import Theme, theme_called

if TYPE_CHECKING:
    from sparsest.effects import Effect

_MOST_LINES = 8
_NAME = 28


def draw_effect(
    found: Effect, path: str | os.PathLike[str] | None = None, ax: Any = None, theme: str = "auto"
) -> Figure:
    """Draw an effect; curves where the model is not linear and there is one cause, otherwise values."""
    if path is not None:
        format_of(Path(path))
    result, colours = found.result, theme_called(theme)
    curved = result is not None and not result.traits.gaussian and len(found.causes) == 1
    if ax is None:
        high = 3.6 if curved else 1.6 + 0.3 * min(len(found.cases), _MOST_LINES)
        figure = new_picture((6.0, high), colours.ground, layout="constrained")
        ax = figure.add_subplot()
    (_curves if curved else _values)(ax, found, colours)
    causes = clipped(visible(", ".join(found.causes)), _NAME)
    ax.set_title(f"{causes} on {clipped(visible(found.outcome), _NAME)}", fontsize=10, color=colours.text)
    dressed(ax, colours)
    if path is not None:
        save_picture(ax.figure, path)
    return ax.figure  # type: ignore[no-any-return]


def dressed(ax: Any, theme: Theme) -> None:
    """Axes in the colours of a theme, without the upper and right side; names are never mathematics."""
    ax.set_facecolor(theme.ground)
    for side, spine in ax.spines.items():
        spine.set_visible(side not in ("top", "right"))
        spine.set_color(theme.border)
    ax.tick_params(colors=theme.text)
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set_color(theme.text)
        text.set_parse_math(False)


def _values(axes: Any, found: Effect, theme: Theme) -> None:
    shown = found.cases[:_MOST_LINES]
    for row, case in enumerate(shown):
        if case.interval is not None:
            axes.plot(case.interval, [row, row], color=theme.border, lw=1.5)
        axes.plot([case.value], [row], "o", color=theme.positive)
    if found.interval is not None:
        axes.axvspan(*found.interval, color=theme.positive, alpha=0.15, lw=0)
        axes.set_xlabel(
            f"{clipped(visible(found.change), 60)}\nband: {percent(found.level)} interval, {found.how}",
            fontsize=8,
        )
    axes.axvline(0, color=theme.faint, lw=0.8, zorder=0)
    labels = ["" if case.share is None else f"{percent(case.share)} of graphs" for case in shown]
    axes.set_yticks(range(len(shown)), labels, fontsize=8)
    axes.set_ylim(len(shown) - 0.5, -0.5)


def _curves(axes: Any, found: Effect, theme: Theme) -> None:
    curve = found.curve()
    for k, case in enumerate(found.cases[:_MOST_LINES]):
        learned = case.dag
        axes.plot(
            curve[:, 0], curve[:, k + 1], color=theme.positive if learned else theme.faint,
            lw=2 if learned else 1, label="learned graph" if learned else None,
        )  # fmt: skip
    if len(found.cases) > 1:
        axes.plot([], [], color=theme.faint, lw=1, label="other members of its class")
        axes.legend(frameon=False, fontsize=8, labelcolor=theme.text)
    axes.set_xlabel(f"{clipped(visible(found.causes[0]), _NAME)} set to", fontsize=9)
    mean = f"mean of {visible(found.outcome)}"
    axes.set_ylabel(clipped(found.unit if found.ratios is not None else mean, 2 * _NAME), fontsize=9)
