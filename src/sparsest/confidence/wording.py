"""A Confidence in words: what is sure, what is not, and under which models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsest._core.progress import Status
from sparsest._core.words import agreeing, count, percent, printable
from sparsest.confidence.shares import FEW, POSTERIOR, SURE, marks_of

if TYPE_CHECKING:
    from sparsest.confidence.calibration import Calibrated
    from sparsest.confidence.shares import Confidence

_HOWS = {"half": "half-sample", "bootstrap": "bootstrap sample", "wishart": "simulated covariance"}
_WHY = {
    Status.INTERRUPTED: "Ctrl-C",
    Status.TIME_LIMIT: "the time limit",
    Status.WORKERS_LOST: "the loss of the workers",
}
_MOST = 10


def summary(found: Confidence) -> str:
    """A few lines about shares."""
    first = [_probable(found)] if found.how == POSTERIOR else [_counts(found), _stopped(found)]
    last = [_drawn(found)] if found.how == POSTERIOR else [*_redrawn(found), *_models(found)]
    parts = [*first, *_answer(found), *last]
    return printable("\n".join(part for part in parts if part))


def _counts(found: Confidence) -> str:
    what = count(found.resamples, _HOWS[found.how])
    under = f" under {len(found.by_model)} models ({', '.join(found.by_model)})" if found.by_model else ""
    return f"{what}{under}: the edges of the answer come again in {percent(found.agreement)} on average"


def _probable(found: Confidence) -> str:
    return (
        "posterior probability over all DAGs, equally probable beforehand but for the cost of their edges: "
        f"{percent(found.agreement)} on average for the marks of the answer"
    )


def _drawn(found: Confidence) -> str:
    if found.error is None or not found.error.any():
        return f"exact: all {count(found.graphs, 'DAG')} were listed"
    return (
        f"from {count(found.graphs, 'DAG')}, drawn independently: standard errors up to "
        f"{found.error.max():.2g}"
    )


def _stopped(found: Confidence) -> str:
    if found.resamples == found.asked:
        return ""
    return f"stopped by {_WHY.get(found.status, 'an error')} after {found.resamples} of {found.asked}"


def _answer(found: Confidence) -> list[str]:
    """The edges of the answer, sure ones apart from the others."""
    marks = sorted(
        ((found.share(i, j, mark), i, mark, j) for i, mark, j in marks_of(found.answer)), reverse=True
    )
    sure = [one for one in marks if one[0] >= SURE]
    arrows = sum(one[2] == "->" for one in sure)
    joined = [float(found.adjacency[one[1], one[3]]) for one in marks]
    kept = sum(share >= SURE for share in joined)
    directed = f"{arrows} of these {agreeing(range(arrows), 'an arrow', 'arrows')}"
    lines = [
        f"to call any of them sure takes {FEW} and more"
        if found.too_few
        else f"sure ({percent(SURE)} and more): {kept} of {count(len(marks), 'edge')} if only being joined "
        f"counts, {len(sure)} with their mark, {directed}"
    ]
    width = max((len(_edge(found, one)) for one in marks[:_MOST]), default=0)
    probable = found.calibrated if found.calibrates else None
    lines += [
        f"  {_edge(found, one):<{width}}  {percent(one[0]):>5}  (joined {percent(share)}"
        f"{_probability(one, probable)})"
        for one, share in zip(marks[:_MOST], joined, strict=False)
    ]
    if len(marks) > _MOST:
        lines.append(f"  and {len(marks) - _MOST} more: confidence.edges()")
    turned = [_edge(found, one) for one in marks if one[2] == "->" and found.arrow[one[3], one[1]] > one[0]]
    more = "more probable reversed" if found.how == POSTERIOR else "reversed more often than found"
    return [*lines, f"{more}: {', '.join(turned)}"] if turned else lines


def _probability(one: tuple[float, int, str, int], found: Calibrated | None) -> str:
    """What the share of a mark is worth: the probability of the arrow, or of being joined."""
    if found is None:
        return ""
    _, i, mark, j = one
    worth = found.arrow[i, j] if mark == "->" else found.adjacency[i, j]
    return f"; probability {percent(float(worth))}"


def _edge(found: Confidence, one: tuple[float, int, str, int]) -> str:
    return f"{found.names[one[1]]} {one[2]} {found.names[one[3]]}"


def _redrawn(found: Confidence) -> list[str]:
    if not found.redrawn:
        return []
    return [f"drawn again {count(found.redrawn, 'time')}: a column had lost a value"]


def _models(found: Confidence) -> list[str]:
    if not found.by_model:
        return []
    return [
        f"{name}: the answer comes again in {percent(one.agreement)}" for name, one in found.by_model.items()
    ]
