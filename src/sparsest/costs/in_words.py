"""A path in words: what each rule chooses, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsest._core.progress import Status
from sparsest._core.words import count
from sparsest.costs.points import BETA

if TYPE_CHECKING:
    from sparsest.costs.points import Path, Point

_WHY = {
    Status.INTERRUPTED: "Ctrl-C",
    Status.TIME_LIMIT: "the time limit",
    Status.WORKERS_LOST: "the loss of the workers",
}


def summary(found: Path) -> str:
    """A few lines about a path."""
    first, last = found.points[0], found.points[-1]
    head = (
        f"{count(len(found.points), 'cost')} per edge from {first.cost:.4g} to {last.cost:.4g}: "
        f"{first.edges} to {count(last.edges, 'edge')} on {count(len(found.names), 'column')}"
    )
    chosen = [(rule, found.choose(rule)) for rule in found.rules]
    lines = [
        f"  {rule:<6}  {point.cost:.4g}, {count(point.edges, 'edge')}: {reason(found, rule, point)}"
        for rule, point in chosen
    ]
    return "\n".join([head, *_stopped(found), *lines, *found.notes])


def reason(found: Path, rule: str, point: Point) -> str:
    """Why a rule prefers a point."""
    if rule in ("bic", "ebic"):
        name = "BIC" if rule == "bic" else "extended BIC"
        return f"the lowest {name}, {getattr(point, rule):.6g} per row"
    if rule == "stars":
        over = count(found.subsamples, "subsample")
        return f"{_agreement(point)}: instability {point.instability:.3f} over {over}"
    over = (
        f"{point.held_out:.6g} per row over {count(found.folds, 'fold')} (standard error "
        f"{point.held_out_error:.2g})"
    )
    if rule == "cv":
        return f"the highest held-out log-likelihood, {over}"
    return f"the highest cost that is behind the best by at most one standard error, {over}"


def _agreement(point: Point) -> str:
    if (point.instability or 0.0) <= BETA:
        return "the lowest cost at which subsamples agree"
    return "the highest cost, where subsamples disagree already"


def _stopped(found: Path) -> list[str]:
    if found.status not in _WHY:
        return []
    done = (len(found.points), found.folds, found.subsamples)
    parts = [
        f"{have} of {count(asked, what)}"
        for have, asked, what in zip(done, found.asked, ("cost", "fold", "subsample"), strict=True)
        if asked
    ]
    return [f"stopped by {_WHY[found.status]} after {', '.join(parts)}"]
