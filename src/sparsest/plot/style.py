"""Line styles of edges; the colours (Okabe & Ito 2008) are safe for colour-blind readers."""

from __future__ import annotations

from dataclasses import dataclass

from sparsest.plot.drawn_edges import DrawnEdge, Verdict

BLUE, ORANGE, SLATE, GREY = "#0072B2", "#D55E00", "#3A4756", "#98A2AE"
BOX_FACE, BOX_EDGE, TEXT = "#F3F6FA", "#5B6B7C", "#1C2733"

_PLAIN_WIDTH = 1.3
_WIDTHS = 0.8, 3.0  # for effects of 0 and of at least one standard deviation


@dataclass(frozen=True)
class LineStyle:
    """Colour, width in points, solid or dashed."""

    colour: str
    width: float = _PLAIN_WIDTH
    dashed: bool = False


VERDICTS = {Verdict.RIGHT: SLATE, Verdict.WRONG: ORANGE, Verdict.MISSING: GREY}


def line_style(edge: DrawnEdge, *, by_strength: bool) -> LineStyle:
    """Colour by verdict if there is one, else by the sign of the effect; width by strength if requested.

    Edges that come again in less than half of the resamples are dashed.
    """
    width = _PLAIN_WIDTH
    if by_strength and edge.effect is not None:
        thin, thick = _WIDTHS
        width = thin + (thick - thin) * min(abs(edge.effect), 1.0)
    if edge.verdict is not None:
        return LineStyle(VERDICTS[edge.verdict], width, dashed=edge.verdict is Verdict.MISSING)
    if edge.effect is None:
        return LineStyle(SLATE, width, edge.doubtful)
    return LineStyle(BLUE if edge.effect > 0 else ORANGE, width, edge.doubtful)
