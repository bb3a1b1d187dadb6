"""Figures of the initialisation study and of the examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparsest.plot.style import BLUE, GREY, ORANGE, SLATE
from sparsest_bench.canvas import GREEN, entitle, grid_of_panels, shared_legend, single_panel
from sparsest_bench.result_store import Kept
from sparsest_bench.starts import gathered
from sparsest_bench.starts_tables import cells_over_models, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Group = Mapping[str, Any]
_MEASURES = (("shd_counts", "SHD"), ("distance_counts", "distance to E_min"))


def dots(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """The initialisation study: dots by frequency, a line through the means, δ₀ marked; scores by rows.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "starts" and its finished tasks.

    Yields
    ------
    tuple of str and Figure
        An empty string, and the figure.
    """
    groups = gathered(kept.rows)
    told = [key for key in ("structure", "lam", "entries") if len({group[key] for group in groups}) > 1]
    panels = list(dict.fromkeys(tuple(group[key] for key in told) for group in groups))
    scores = list(dict.fromkeys(group["score"] for group in groups))
    figure, axes = grid_of_panels(2 * len(scores) * len(panels), len(panels))
    for row, score in enumerate(scores):
        for column, panel in enumerate(panels):
            here = [one for one in groups if (one["score"], *(one[key] for key in told)) == (score, *panel)]
            mine = sorted(here, key=lambda group: group["delta"])
            for axis, (key, words) in zip(axes[2 * row : 2 * row + 2, column], _MEASURES, strict=True):
                _draw_dots(axis, mine, key)
                axis.set_ylabel(words)
            name = ", ".join([mine[0]["structure"], *_levels(mine[0], told)])
            axes[2 * row][column].set_title(f"{name}, {score}")
    entitle(figure, f"{kept.experiment.title}: {groups[0]['starts']:,} starts per δ")
    yield "", figure


def models(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """The initialisation study over drawn models: the share of starts at a sparsest model, models in order.

    Parameters
    ----------
    kept : Kept
        An experiment of kind "starts" with drawn models and its finished tasks.

    Yields
    ------
    tuple of str and Figure
        An empty string, and the figure.
    """
    cells = cells_over_models(gathered(kept.rows))
    graphs = list(dict.fromkeys(factors["structure"] for factors, _ in cells))
    arms = list(dict.fromkeys((factors["score"], factors["solver"]) for factors, _ in cells))
    names = {
        arm: ", ".join(words for words in arm if any(words not in other for other in arms)) for arm in arms
    }
    colours = dict(zip(arms, (ORANGE, BLUE, GREEN, GREY), strict=False))
    figure, axes = grid_of_panels(len(graphs), len(graphs))
    for factors, found in cells:
        axis = axes[0][graphs.index(factors["structure"])]
        arm, ordered = (factors["score"], factors["solver"]), sorted(shares(found, "sparsest"))
        axis.plot(range(1, len(ordered) + 1), ordered, "o-", color=colours[arm], label=names[arm])
        axis.set(title=factors["structure"], xlabel="models, in order", ylim=(-0.04, 1.04))
    axes[0][0].set_ylabel("starts at a sparsest model")
    shared_legend(figure, axes, names.values())
    entitle(figure, kept.experiment.title)
    yield "", figure


def _draw_dots(axis: Axes, mine: Sequence[Group], key: str) -> None:
    deltas = [group["delta"] for group in mine]
    for group in mine:
        counts = {float(value): count for value, count in group[key].items()}
        sizes = [max(2.0, 160 * count / group["starts"]) for count in counts.values()]
        axis.scatter(
            [group["delta"]] * len(counts), list(counts), s=sizes, color=BLUE, alpha=0.6, linewidth=0
        )
    axis.plot(deltas, [_mean_of(group, key) for group in mine], color=ORANGE, label="mean")
    axis.axvline(1.0, color=SLATE, linestyle=":", linewidth=0.9)
    axis.set_xscale("log")
    axis.set_xticks(deltas, [f"{delta:g}" for delta in deltas])
    axis.minorticks_off()
    axis.set_xlabel("δ / δ₀")


def _levels(group: Group, told: Sequence[str]) -> list[str]:
    words = {"lam": f"λ = {group['lam']:g}", "entries": f"{group['entries']} random"}
    return [words[key] for key in told if key in words]


def _mean_of(group: Group, key: str) -> float:
    if key == "distance_counts":
        return float(group["distance_sum"]) / float(group["starts"])
    counts = {int(value): count for value, count in group[key].items() if int(value) >= 0}
    total = sum(value * count for value, count in counts.items())
    return float(total / max(sum(counts.values()), 1))


def penalty(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """The curves of the penalties (the figure of Section 4).

    Parameters
    ----------
    kept : Kept
        An experiment of kind "example" with the example "quasi-mcp".

    Yields
    ------
    tuple of str and Figure
        An empty string, and the figure.
    """
    figure, axis = single_panel(kept, "t", "p(t)")
    (rows,) = [row["rows"] for row in kept.rows]
    for row, colour, line in zip(rows, (BLUE, ORANGE, GREEN, GREY), ("-", "--", "-.", ":"), strict=True):
        axis.plot(row["t"], row["value"], color=colour, linestyle=line, label=row["curve"])
    axis.legend()
    yield "", figure


def bias(kept: Kept) -> Iterator[tuple[str, Figure]]:
    """Estimates along λ under ℓ1 and under quasi-MCP (Appendix C.4).

    Parameters
    ----------
    kept : Kept
        An experiment of kind "example"; nothing is drawn without the example "l1-bias".

    Yields
    ------
    tuple of str and Figure
        An empty string, and the figure.
    """
    rows = [one for row in kept.rows for one in row.get("rows", []) if "penalty" in one]
    if not rows:
        return
    figure, axis = single_panel(kept, "λ", "minimising a (truth: 1)")
    for name, colour in (("l1", ORANGE), ("quasi-MCP", BLUE)):
        mine = [row for row in rows if row["penalty"] == name]
        axis.plot([r["lam"] for r in mine], [r["estimate"] for r in mine], "o-", color=colour, label=name)
    axis.axhline(1.0, color=SLATE, linestyle=":", linewidth=0.9)
    axis.legend()
    yield "", figure
