"""The page of results: what the paper claims, what was measured, where they differ and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from sparsest_bench import catalog
from sparsest_bench.figures import draw
from sparsest_bench.paired import COMPARISON_NOTES, comparison
from sparsest_bench.published_rows import ABOUT, write_rows
from sparsest_bench.result_store import Kept, ResultStore
from sparsest_bench.tables import failures, leaderboard, markdown, table

_COMMITS = (
    "Each part says which commit gave our answers. Where it is not recorded, or marked -dirty, the clone had "
    "changes that are in no commit: such numbers say where the package stood, and a release may differ."
)
_HOW = """\
How to read the tables:

- *SHD*: pairs of nodes whose mark (none, →, ←, –) differs between the CPDAGs of answer and truth.
  *SHD (old)* is what causal-learn counted up to release 0.1.3.3: an arrow against an undirected edge is no
  difference. *DAG-SHD* compares DAGs and says little where directions are not identified.
- *AID*: the share of pairs of nodes for which adjusting by the answer would give a wrong causal effect
  (parent adjustment identification distance, Henckel, Würtzen & Weichwald 2024), for the answer as it is: a
  DAG is taken at its word, and where a CPDAG leaves an effect open, that counts as wrong. So compare DAGs
  (answers with a *DAG-SHD*) with DAGs. *MB*: the most memory that the method's process had held by then.
- A mean ± half the width of its 95 % confidence interval (Student's t, over the seeds). Figures show the same
  intervals; SHD is on a square-root scale, so that errors from 0 to hundreds can be told apart.
- *var-sort.* and *R²-sort.*: the share of directed paths along which the variance, or the explained share of
  it, grows. Near 1 the causal order can be read off: methods that do so (`varsort`, `r2sort`) need no search.
- *not done*: tasks that failed, ran out of time, or whose peer was not installed. Means are over the others.
- `@0.3`: the graph is read off the weights by a threshold, as published. `our-…`: our implementation of a
  published method. `@ours`: a peer at our cost per edge. `-population`: learned from the true covariance.
- One thread each, warm; CPU seconds, which do not count waiting on a busy machine. Parts of this page may be
  of machines of different speed: compare times within a part only. Seeds: of `numpy.random.default_rng`.
"""


def write_page(store: ResultStore, scale: str, folder: Path, command: str) -> list[Path]:
    """Write `results.md` and, in `results/`, figures and rows of all that the store holds at a scale."""
    assets = folder / "results"
    assets.mkdir(parents=True, exist_ok=True)
    held = {name: _in_present_words(store.kept(name, at)) for name, at in store.experiments() if at == scale}
    order = [name for name in catalog.names() if name in held]
    order += [name for name in held if name not in order]
    told = [kept for name in order if (kept := held[name]) is not None and kept.rows]
    parts, written = [_head(command, told)], []
    for kept in told:
        name = kept.experiment.name
        figures = draw(kept, assets, name)
        rows = assets / f"{name}.csv"
        write_rows(kept, rows)
        parts.append(section(kept, [f"results/{figure.name}" for figure in figures], f"results/{name}.csv"))
        written += [*figures, rows]
    left_out = [name for name in catalog.names() if name not in held]
    if left_out:
        parts.append(
            "## Not run here\n\n" + "\n".join(f"- `sparsest reproduce {name}`" for name in left_out) + "\n"
        )
    parts.append(resources.files("sparsest_bench").joinpath("errata.md").read_text(encoding="utf-8"))
    page = folder / "results.md"
    page.write_text("\n".join(parts), encoding="utf-8")
    return [page, *written, assets / ABOUT]


def _in_present_words(kept: Kept | None) -> Kept | None:
    """What was run, with what the shipped file says about it by now: remarks are written after the run."""
    if kept is None or kept.experiment.name not in catalog.names():
        return kept
    present = catalog.load(kept.experiment.name, kept.experiment.scale)
    words = {key: getattr(present, key) for key in ("title", "where", "claim", "verdict", "remark")}
    return replace(kept, experiment=replace(kept.experiment, **words))


def section(kept: Kept, figures: Sequence[str], rows: str) -> str:
    """One experiment: claim, figure, table, remark, command."""
    experiment = kept.experiment
    lines = [
        f"## {experiment.title}",
        "",
        f"`{kept.command}`",
    ]
    if experiment.where:
        lines[-1] += f" ({experiment.where})"
    if experiment.claim:
        words = "**The paper.** " if experiment.where else ""
        lines += ["", f"{words}{experiment.claim}"]
    lines += [f"\n![{experiment.title}]({figure})" for figure in figures]
    measured = table(kept)
    lines += ["", "**Measured.**"]
    if experiment.kind == "grid" and len(kept.rows) > 1:
        lines += [
            "",
            leaderboard(kept),
            "",
            "Means over all graphs and seeds; CPU seconds. A cell marked (k of m) has only k of m "
            "answers, and is not to be compared with whole ones.",
        ]
        if experiment.reference:
            lines += ["", comparison(kept), "", COMPARISON_NOTES]
        lines += ["", "<details><summary>Every design</summary>", "", measured, "", "</details>"]
    elif measured:
        lines += ["", measured]
    if experiment.remark:
        head = "Where they differ, and why" if experiment.where else "What it shows"
        lines += ["", f"**{head}.** {experiment.remark}"]
    if len(kept.rows) < kept.planned:
        lines += [
            "",
            f"Not finished: {kept.planned - len(kept.rows)} of {kept.planned} tasks are still to be run.",
        ]
    why = failures(kept)
    if why:
        lines += ["", "Not done:", "", *(f"- {reason}" for reason in why)]
    finished = f"[All rows]({rows}); finished {kept.finished[0]} to {kept.finished[1]}"
    return "\n".join([*lines, "", f"{finished}{_our_commits(kept)}.", ""])


def _our_commits(kept: Kept) -> str:
    """Which source gave our answers; those of peers depend on the versions of theirs."""
    ours = [row for row in kept.rows if "source" in str(row.get("version"))]
    commits = dict.fromkeys(row["commit"] or "not recorded" for row in ours)
    return f", our answers at commit {', '.join(commits)}" if commits else ""


def _head(command: str, held: Sequence[Kept]) -> str:
    """How the page was made, what came out of the paper's claims, and how to read the rest."""
    lines = ["# Results", "", "This page is made by", "", "```", command, "```", ""]
    claimed = [kept.experiment for kept in held if kept.experiment.verdict]
    if claimed:
        rows = [[link(one.title), one.where, one.verdict] for one in claimed]
        lines += ["What became of the paper's claims, at the small scale:", ""]
        lines += [markdown(["experiment", "in the paper", "what came out"], rows), ""]
    others = [kept.experiment.title for kept in held if kept.experiment not in claimed]
    if others:
        lines += [f"{'Beyond the paper' if claimed else 'Here'}: {', '.join(map(link, others))}.", ""]
    lines += ["Its rows were computed on:", ""]
    places = dict.fromkeys(_place(about) for kept in held for about in kept.environments)
    return "\n".join([*lines, *(f"- {place}" for place in places), "", _COMMITS, "", _HOW])


def link(title: str) -> str:
    """A link to a heading, as Markdown's usual readers name it."""
    kept = "".join(one for one in title.lower() if one.isalpha() or one.isdecimal() or one in " -_")
    return f"[{title}](#{kept.replace(' ', '-')})"


def _place(about: Mapping[str, Any]) -> str:
    return (
        f"{about['cpu']}, {about['cores']} cores, {about['system']}, Python {about['python']}, sparsest "
        f"{about['sparsest']}"
    )
