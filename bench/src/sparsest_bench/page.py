"""The pages of results: an index, one page per experiment, and the errata of the paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from sparsest._core.writing import written_whole
from sparsest_bench import catalog
from sparsest_bench.figures import draw
from sparsest_bench.index import index_page
from sparsest_bench.leaderboard import LEADERBOARD_NOTES, leaderboard
from sparsest_bench.paired import COMPARISON_NOTES, comparison
from sparsest_bench.published_rows import ABOUT, spare, spare_rows, write_rows
from sparsest_bench.result_store import Kept, ResultStore
from sparsest_bench.settings_list import settings_list
from sparsest_bench.tables import failures, plain, table

_LONGEST = 40  # lines of a comparison that is shown unfolded
_LINK = re.compile(r"\[([^\]]+)\]\(([\w-]+)\.md\)")  # to a page beside this one
_PRESENTED = ("title", "where", "section", "question", "claim", "verdict", "remark")


def write_page(store: ResultStore, scale: str, folder: Path, command: str, force: bool = False) -> list[Path]:
    """Write every page, figure and file of rows that the store has results for.

    Parameters
    ----------
    store : ResultStore
        The store to read from.
    scale : str
        "smoke", "small" or "paper".
    folder : Path
        Gets `results.md`, the index, and `results/` with a page, the figures and the rows of every
        experiment.
    command : str
        The command that writes these pages, which the index names.
    force : bool
        Whether to replace pages even where the store does not hold their rows.

    Returns
    -------
    list of Path
        The files written, the index first.
    """
    assets, index = folder / "results", folder / "results.md"
    told = results_at(store, scale)
    if not force:
        spare([] if (assets / ABOUT).exists() else [index])
        for name in (kept.experiment.name for kept in told):
            spare_rows(assets / f"{name}.csv", [assets / f"{name}.md"], store)
    assets.mkdir(parents=True, exist_ok=True)
    texts: dict[str, str] = {}
    written: list[Path] = []
    for kept in told:
        name = kept.experiment.name
        figures, rows = draw(kept, assets, name), assets / f"{name}.csv"
        write_rows(kept, rows)
        links = [figure.name for figure in figures]
        texts[name] = experiment_page(kept, links, rows.name, _containing(kept, told))
        written += [*figures, rows]
    texts["errata"] = resources.files("sparsest_bench").joinpath("errata.md").read_text(encoding="utf-8")
    for name, text in texts.items():
        written.append(assets / f"{name}.md")
        with written_whole(written[-1]) as draft:
            draft.write_text(_without_dangling_links(text, texts), encoding="utf-8")
    with written_whole(index) as draft:
        draft.write_text(index_page(told, command), encoding="utf-8")
    return [index, *written, assets / ABOUT]


def results_at(store: ResultStore, scale: str) -> list[Kept]:
    """The experiments with results at a scale, in the order of the catalogue, then the user's own.

    Prose and sections come from the shipped files: remarks are written after the run.

    Parameters
    ----------
    store : ResultStore
        The store to read from.
    scale : str
        "smoke", "small" or "paper".

    Returns
    -------
    list of Kept
        Experiments with at least one finished task.
    """
    held = {name: store.kept(name, at) for name, at in store.experiments() if at == scale}
    order = [*(name for name in catalog.names() if name in held), *held]
    found = (held[name] for name in dict.fromkeys(order))
    return [_as_presented_now(kept) for kept in found if kept is not None and kept.rows]


def experiment_page(kept: Kept, figures: Sequence[str], rows: str, elsewhere: Kept | None = None) -> str:
    """The page of one experiment.

    Parameters
    ----------
    kept : Kept
        The experiment and its finished tasks.
    figures : sequence of str
        Figures to show, as links from the page.
    rows : str
        The file of its rows, as a link from the page.
    elsewhere : Kept, optional
        Another experiment whose page has the table of every design of this one.

    Returns
    -------
    str
        The page in Markdown.
    """
    blocks = [
        f"# {kept.experiment.title}",
        f"[All results](../results.md) · `{kept.experiment.name}`",
        *_question(kept),
        *(f"![{kept.experiment.title}]({figure})" for figure in figures),
        f"## Settings\n\n{settings_list(kept)}",
        *_measured(kept),
        *_remarks(kept),
        *_reproduce(kept, rows),
        *_every_design(kept, elsewhere),
    ]
    return "\n\n".join(blocks) + "\n"


def _containing(kept: Kept, told: Sequence[Kept]) -> Kept | None:
    """The largest experiment with all tasks of this one and more, whose page has its designs already."""
    mine = {record.key for record in kept.records}
    larger = (other for other in told if mine < {record.key for record in other.records})
    return max(larger, key=lambda other: len(other.records), default=None)


def _as_presented_now(kept: Kept) -> Kept:
    words: dict[str, Any]
    if kept.experiment.name in catalog.names():
        present = catalog.load(kept.experiment.name, kept.experiment.scale)
        words = {field: getattr(present, field) for field in _PRESENTED}
    else:
        words = {field: plain(getattr(kept.experiment, field)) for field in _PRESENTED}
    return replace(kept, experiment=replace(kept.experiment, **words))


def _without_dangling_links(text: str, pages: Collection[str]) -> str:
    """The text, with links to pages that are not written reduced to their words."""
    return _LINK.sub(lambda link: link[0] if link[2] in pages else link[1], text)


def _question(kept: Kept) -> Iterator[str]:
    """What is asked, what the paper says, and the answer in one sentence."""
    experiment = kept.experiment
    if experiment.question:
        yield f"**Question.** {experiment.question}"
    if experiment.claim:
        whose = f"The paper ({experiment.where})" if experiment.where else "Claim"
        yield f"**{whose}.** {experiment.claim}"
    if experiment.verdict:
        yield f"**What came out.** {experiment.verdict[:1].upper()}{experiment.verdict[1:]}."


def _measured(kept: Kept) -> Iterator[str]:
    """The tables that answer the question; every design of a grid comes at the end of the page."""
    if kept.experiment.kind != "grid":
        if shown := table(kept):
            yield f"## Measured\n\n{shown}"
        return
    yield f"## Measured\n\n{leaderboard(kept)}\n\n{LEADERBOARD_NOTES}"
    if kept.experiment.reference:
        pairs = comparison(kept)
        long = pairs.count("\n") > _LONGEST
        yield _folded(f"{kept.experiment.reference} against each other method", pairs) if long else pairs
        yield COMPARISON_NOTES


def _remarks(kept: Kept) -> Iterator[str]:
    """The remark in paragraphs, and what is missing."""
    if kept.experiment.remark:
        yield f"## Remarks\n\n{kept.experiment.remark}"
    if missing := kept.planned - len(kept.rows):
        yield f"Not finished: {missing} of {kept.planned} tasks are still to be run."
    if why := failures(kept):
        yield "Not done:\n\n" + "\n".join(f"- {reason}" for reason in why)


def _reproduce(kept: Kept, rows: str) -> Iterator[str]:
    yield f"## Reproduce\n\n```\n{kept.command}\n```"
    first, last = kept.finished
    yield f"[All rows]({rows}), one per task: finished {first} to {last}{_our_commits(kept)}."
    yield "Computed on:\n\n" + "\n".join(
        f"- {place}" for place in dict.fromkeys(map(_place, kept.environments))
    )


def _our_commits(kept: Kept) -> str:
    """Which source gave our answers; those of peers depend on the versions of their packages."""
    ours = [row for row in kept.rows if "source" in str(row.get("version"))]
    commits = dict.fromkeys(row["commit"] or "not recorded" for row in ours)
    return f", our answers at commit {', '.join(commits)}" if commits else ""


def _place(about: Mapping[str, Any]) -> str:
    return (
        f"{about['cpu']}, {about['cores']} cores, {about['system']}, Python {about['python']}, sparsest "
        f"{about['sparsest']}"
    )


def _every_design(kept: Kept, elsewhere: Kept | None) -> Iterator[str]:
    """The long table of a grid, folded, or a link to it."""
    if kept.experiment.kind != "grid":
        return
    if elsewhere is not None:
        other = elsewhere.experiment
        yield (
            "## Every design\n\nThese tasks are all among those of "
            f"[{other.title}]({other.name}.md#every-design), whose page has the table."
        )
        return
    yield "## Every design"
    yield _folded("One line per design and method", table(kept))


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"
