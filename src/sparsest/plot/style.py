"""Colours and line styles of drawings; the colours (Okabe & Ito 2008) are safe for colour-blind readers."""

from __future__ import annotations

from dataclasses import dataclass

from sparsest._core.errors import OptionError
from sparsest.plot.drawn_edges import DrawnEdge, Verdict

BLUE, ORANGE, SLATE, GREY = "#0072B2", "#D55E00", "#3A4756", "#98A2AE"
TEXT = "#1C2733"

_PLAIN_WIDTH = 1.3
_WIDTHS = 0.8, 3.0  # for effects of 0 and of at least one standard deviation


@dataclass(frozen=True)
class Theme:
    """Colours of the ground, boxes, text and lines, and of positive and negative effects."""

    ground: str
    box: str
    border: str
    text: str
    line: str
    faint: str
    positive: str
    negative: str

    def verdict(self, verdict: Verdict) -> str:
        """The colour of an edge that is as in the truth, or is not."""
        return {Verdict.RIGHT: self.line, Verdict.WRONG: self.negative, Verdict.MISSING: self.faint}[verdict]


LIGHT = Theme("#FFFFFF", "#F3F6FA", "#5B6B7C", TEXT, SLATE, GREY, BLUE, ORANGE)
DARK = Theme("#14181D", "#232B35", "#8695A6", "#E8EDF2", "#B9C4D0", "#6C7784", "#56B4E9", "#E69F00")
THEMES = {"light": LIGHT, "dark": DARK}


def theme_called(name: str) -> Theme:
    """The theme of a name; "auto" is dark where matplotlib's own figures have a dark ground."""
    if name == "auto":
        import matplotlib as mpl
        from matplotlib.colors import to_rgb

        ground = mpl.rcParams["figure.facecolor"]
        return LIGHT if ground == "none" or sum(to_rgb(ground)) > 1.5 else DARK
    if name not in THEMES:
        raise OptionError(f"theme is 'auto', 'light' or 'dark', not {name!r}")
    return THEMES[name]


@dataclass(frozen=True)
class LineStyle:
    """Colour, width in points, solid or dashed."""

    colour: str
    width: float = _PLAIN_WIDTH
    dashed: bool = False


def line_style(edge: DrawnEdge, *, by_strength: bool, theme: Theme = LIGHT) -> LineStyle:
    """Colour by verdict if there is one, else by the sign of the effect; width by strength if requested.

    Edges that come again in less than half of the resamples are dashed.
    """
    width = _PLAIN_WIDTH
    if by_strength and edge.effect is not None:
        thin, thick = _WIDTHS
        width = thin + (thick - thin) * min(abs(edge.effect), 1.0)
    if edge.verdict is not None:
        return LineStyle(theme.verdict(edge.verdict), width, dashed=edge.verdict is Verdict.MISSING)
    if edge.effect is None or not edge.signed:
        return LineStyle(theme.line, width, edge.doubtful)
    return LineStyle(theme.positive if edge.effect > 0 else theme.negative, width, edge.doubtful)
