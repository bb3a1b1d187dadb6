"""The index of results: what was claimed, what came out, where sparsest stands, and how to read the pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from sparsest_bench import catalog
from sparsest_bench.contenders import is_rival
from sparsest_bench.identity import our_version
from sparsest_bench.leaderboard import Board, Entry, board
from sparsest_bench.result_store import Kept
from sparsest_bench.tables import NOTHING, markdown

_PAPER, _OTHER = "The paper's experiments", "Other experiments"
_SECTIONS = {"beyond": "Beyond the paper", "robustness": "Robustness and speed"}
# Where sparsest stands: experiment, level and kind of data of each line. The lines are a choice: the sizes at
# which peers have complete answers, and those at which one of them is ahead.
_STANDINGS = (
    ("linear-grid", 10, "raw"),
    ("linear-grid", 50, "standardised"),
    ("beyond-tetrad", 50, "standardised"),
    ("beyond-tetrad", 100, "standardised"),
    ("beyond-tetrad-dense", 50, "standardised"),
    ("beyond-large", 200, "standardised"),
    ("beyond-dense", 100, "standardised"),
    ("beyond-networks", 64, "standardised"),
    ("beyond-networks", 107, "standardised"),
    ("beyond-sachs", 11, "standardised"),
    ("logistic-grid", 40, "raw"),
    ("mlp-grid", 10, "raw"),
    ("mlp-grid-slow", 40, "raw"),
    ("beyond-additive", 40, "raw"),
)


def index_page(told: Sequence[Kept], command: str) -> str:
    """The index of the pages of results.

    Parameters
    ----------
    told : sequence of Kept
        The experiments that have a page, in order.
    command : str
        The command that writes the pages.

    Returns
    -------
    str
        The page in Markdown.
    """
    blocks = [
        "# Results",
        _introduction(told),
        *_claims(told),
        *_standings(told),
        *_others(told),
        _shipped("how_to_read.md"),
        _shipped("reproduce.md").format(command=command),
        *_earlier(told),
        *_not_run(told),
    ]
    return "\n\n".join(block.rstrip("\n") for block in blocks) + "\n"


def heading(kept: Kept) -> str:
    """The heading of the index under which an experiment stands.

    Parameters
    ----------
    kept : Kept
        The experiment.

    Returns
    -------
    str
        The heading: the paper's own, beyond it, robustness and speed, or the user's own experiments.
    """
    if kept.experiment.where:
        return _PAPER
    return _SECTIONS.get(kept.experiment.section, _OTHER)


def _introduction(told: Sequence[Kept]) -> str:
    scales = ", ".join(dict.fromkeys(kept.experiment.scale for kept in told))
    return (
        f"What the paper claims, what was measured (at the {scales} scale), and where sparsest stands among "
        "other methods. Every line links to a page with its question, settings, figures, tables, remarks and "
        "raw rows."
    )


def _claims(told: Sequence[Kept]) -> Iterator[str]:
    """The paper's claims beside what came out."""
    here = [kept for kept in told if heading(kept) == _PAPER]
    if here:
        lines = [[_text(one.experiment.claim), _outcome(one), _link(one)] for one in here]
        yield f"## {_PAPER}\n\n{markdown(['claim', 'what came out', 'page'], lines)}"
    words = "Numbers in the paper that do not follow from its own models are listed in the"
    yield f"{words} [errata](results/errata.md)."


def _others(told: Sequence[Kept]) -> Iterator[str]:
    for title in (*_SECTIONS.values(), _OTHER):
        lines = [[_link(kept), _outcome(kept)] for kept in told if heading(kept) == title]
        if lines:
            yield f"## {title}\n\n{markdown(['page', 'what came out'], lines)}"


def _outcome(kept: Kept) -> str:
    return _text(kept.experiment.verdict)


def _text(words: str) -> str:
    """Prose as a cell of a table."""
    return words.replace("|", r"\|") or NOTHING


def _link(kept: Kept) -> str:
    return f"[{kept.experiment.title}](results/{kept.experiment.name}.md)"


def _standings(told: Sequence[Kept]) -> Iterator[str]:
    """Ours beside the closest other method, at some sizes of some experiments."""
    held = {kept.experiment.name: kept for kept in told}
    boards = {name: board(held[name]) for name, _, _ in dict.fromkeys(_STANDINGS) if name in held}
    lines = [
        line
        for name, level, kind in _STANDINGS
        if (shown := boards.get(name)) is not None
        if (line := _standing(held[name], shown, level, kind)) is not None
    ]
    if lines:
        header = ["tables", "measure", "sparsest", "closest other method", "empty graph"]
        yield (
            f"## Where sparsest stands\n\n{markdown(header, lines)}\n\n"
            "Means, with CPU seconds in parentheses. The closest other method is the best of those, in our "
            "implementation or another, that answered every table."
        )


def _standing(kept: Kept, shown: Board, level: Any, kind: str) -> list[str] | None:
    """One line; None where the level, the kind of data or any other method's answers are missing."""
    if level not in shown.levels or kind not in shown.kinds:
        return None
    place = shown.kinds.index(kind)
    here = {
        method: shown.entries[method, level] for method in shown.methods if (method, level) in shown.entries
    }
    mine = here.get(kept.experiment.settings["methods"][0])
    others = {name: entry for name, entry in here.items() if is_rival(name) and _comparable(entry, place)}
    if mine is None or not others:
        return None
    best = _closest(others, shown.metric, place)
    tables = f"{_link(kept)}, {shown.factor} = {level}, {kind}"
    return [
        tables,
        shown.metric.upper(),
        _cell(mine, place),
        f"`{best}` {_cell(others[best], place)}",
        here["empty"].mean(place) if "empty" in here else NOTHING,
    ]


def _comparable(entry: Entry, place: int) -> bool:
    return entry.means[place] is not None and entry.complete


def _closest(others: Mapping[str, Entry], metric: str, place: int) -> str:
    sign = 1 if metric.startswith("shd") else -1
    return min(others, key=lambda name: sign * float(others[name].means[place] or 0.0))


def _cell(entry: Entry, place: int) -> str:
    return f"{entry.mean(place)} ({entry.time} s)"


def _earlier(told: Sequence[Kept]) -> Iterator[str]:
    """What there is to say where our rows are of a version that answered otherwise."""
    versions = {str(row.get("version") or "") for kept in told for row in kept.rows}
    others = sorted(version for version in versions if ", source " in version and version != our_version())
    if others:
        yield (
            f"Our own rows here were measured with version {'; '.join(others)}. The present one is "
            f"{our_version()}: it answers some tables otherwise, and `sparsest reproduce` runs its rows "
            "again."
        )


def _not_run(told: Sequence[Kept]) -> Iterator[str]:
    held = {kept.experiment.name for kept in told}
    missing = [name for name in catalog.names() if name not in held]
    if missing:
        yield "## Not run here\n\n" + "\n".join(f"- `sparsest reproduce {name}`" for name in missing)


def _shipped(name: str) -> str:
    return resources.files("sparsest_bench").joinpath(name).read_text(encoding="utf-8")
