"""`sparsest reproduce`: an experiment of the paper again, or the pages of all results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsest._core.errors import OptionError
from sparsest._core.writing import header
from sparsest.cli.bench import (
    OUTPUT,
    STORE,
    Backend,
    Install,
    Jobs,
    Output,
    Peers,
    Retry,
    Scale,
    StorePath,
    require_bench,
    tree_of,
)
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, say, tell

if TYPE_CHECKING:
    from sparsest_bench.reporting import Report, RunOptions

Told = tuple[str, dict[str, Any]]  # in words, and as plain values


def reproduce(
    figure: Annotated[
        str | None, typer.Argument(metavar="[FIGURE]", help="A name from --list, or all.")
    ] = None,
    scale: Scale = "small",
    store: StorePath = STORE,
    output: Output = OUTPUT,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    peers: Peers = None,
    install: Install = False,
    retry: Retry = False,
    show_list: Annotated[bool, typer.Option("--list", help="Name every figure and claim, and stop.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write results.md from the store and stop.")
    ] = None,
    take: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Take finished tasks from another store, or from a folder of published rows "
            "such as docs/results, and stop.",
        ),
    ] = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Run an experiment of the paper again, with its baselines and ours.

    If it is stopped, the same command with the same store continues where it was.

    With --json, the rows of what was run, or what the other ways of asking say.

    Examples: sparsest reproduce --list; sparsest reproduce linear-grid --scale smoke
    """
    require_bench("reproduce")
    from sparsest_bench.reporting import RunOptions

    Targets({"--json": json}, force=force)
    if show_list:
        words, tree = _list(scale)
    elif take is not None:
        words, tree = _take(take, store)
    elif page is not None:
        words, tree = _page(page, scale, store, force)
    elif figure is None:
        raise OptionError("name a figure, or pass --list to see which there are")
    else:
        options = RunOptions(jobs, backend, peers, install, retry, quiet, force)
        words, tree = _run(figure, scale, store, output, options, not quiet and str(json) != "-")
    tell(words, tree, json, quiet=quiet)


def _list(scale: str) -> Told:
    from sparsest_bench import catalog
    from sparsest_bench.claims import claims

    lines, figures, told = [], [], []
    for name in catalog.names():
        experiment = catalog.load(name, scale)
        where = f" ({experiment.where})" if experiment.where else ""
        lines.append(f"{name:30}{experiment.title}{where}")
        figures.append({"name": name, "title": experiment.title, "where": experiment.where})
    lines.append("\nclaims of the paper, and what measures them:")
    for claim in claims():
        measuring = list(dict.fromkeys(reading.experiment for reading in claim.readings))
        lines.append(f"{claim.name:30}{', '.join(measuring)} ({claim.where})")
        told.append({"name": claim.name, "experiments": measuring, "where": claim.where})
    return "\n".join(lines), {**header("sparsest-figures", 1), "figures": figures, "claims": told}


def _take(source: Path, store: Path) -> Told:
    from sparsest_bench import published_rows
    from sparsest_bench.result_store import ResultStore

    found = published_rows.published(source)
    with ResultStore(store) as opened:
        new = published_rows.take(opened, found)
    old = len(found.records) - new
    tree = {**header("sparsest-taken", 1), "store": str(store), "taken": new, "known": old}
    return f"took {new} tasks into {store}, which had the other {old}", tree


def _page(folder: Path, scale: str, store: Path, force: bool) -> Told:
    from sparsest_bench.page import write_page
    from sparsest_bench.result_store import ResultStore

    if not store.exists():
        raise OptionError(f"there is no store {str(store)!r} to write a page from: run some figures first")
    with ResultStore(store) as opened:
        scales = {at for _, at in opened.experiments()}
        if scale not in scales:
            has = f"it has them at {', '.join(sorted(scales))}" if scales else "it is empty"
            raise OptionError(f"the store {str(store)!r} has no results at scale {scale!r}: {has}")
        command = f"sparsest reproduce --page {folder} --scale {scale}"
        written = write_page(opened, scale, folder, command, force)
    tree = {**header("sparsest-pages", 1), "files": [str(file) for file in written]}
    return f"wrote {written[0]} and {len(written) - 1} files in {folder / 'results'}", tree


def _run(figure: str, scale: str, store: Path, output: Path, options: RunOptions, aloud: bool) -> Told:
    from sparsest_bench import catalog
    from sparsest_bench.reporting import run_and_report
    from sparsest_bench.result_store import ResultStore

    names = catalog.names() if figure == "all" else [figure]
    reports: list[Report] = []
    with ResultStore(store) as opened:
        for name in names:
            if reports and aloud:  # what is known, hours before the rest
                say(reports[-1].words)
            command = f"sparsest reproduce {name} --scale {scale}"
            reports.append(run_and_report(catalog.load(name, scale), opened, command, output, options))
    return reports[-1].words, tree_of(reports)
