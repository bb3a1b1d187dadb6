"""`sparsest reproduce`: an experiment of the paper again, or the pages of all results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sparsest._core.errors import OptionError
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
)
from sparsest.cli.terminal import say

if TYPE_CHECKING:
    from sparsest_bench.reporting import RunOptions


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
) -> None:
    """Run an experiment of the paper again, with its baselines and ours.

    If it is stopped, the same command with the same store continues where it was.

    Examples: sparsest reproduce --list; sparsest reproduce linear-grid --scale smoke
    """
    require_bench("reproduce")
    from sparsest_bench.reporting import RunOptions

    if show_list:
        _list(scale)
    elif take is not None:
        _take(take, store)
    elif page is not None:
        _page(page, scale, store)
    elif figure is None:
        raise OptionError("name a figure, or pass --list to see which there are")
    else:
        _run(figure, scale, store, output, RunOptions(jobs, backend, peers, install, retry))


def _list(scale: str) -> None:
    from sparsest_bench import catalog
    from sparsest_bench.claims import claims

    for name in catalog.names():
        experiment = catalog.load(name, scale)
        where = f" ({experiment.where})" if experiment.where else ""
        say(f"{name:30}{experiment.title}{where}")
    say("\nclaims of the paper, and what measures them:")
    for claim in claims():
        measuring = ", ".join(dict.fromkeys(reading.experiment for reading in claim.readings))
        say(f"{claim.name:30}{measuring} ({claim.where})")


def _take(source: Path, store: Path) -> None:
    from sparsest_bench import published_rows
    from sparsest_bench.result_store import ResultStore

    found = published_rows.published(source)
    with ResultStore(store) as opened:
        new = published_rows.take(opened, found)
    say(f"took {new} tasks into {store}, which had the other {len(found.records) - new}")


def _page(folder: Path, scale: str, store: Path) -> None:
    from sparsest_bench.page import write_page
    from sparsest_bench.result_store import ResultStore

    if not store.exists():
        raise OptionError(f"there is no store {str(store)!r} to write a page from: run some figures first")
    with ResultStore(store) as opened:
        scales = {at for _, at in opened.experiments()}
        if scale not in scales:
            has = f"it has them at {', '.join(sorted(scales))}" if scales else "it is empty"
            raise OptionError(f"the store {str(store)!r} has no results at scale {scale!r}: {has}")
        written = write_page(opened, scale, folder, f"sparsest reproduce --page {folder} --scale {scale}")
    say(f"wrote {written[0]} and {len(written) - 1} files in {folder / 'results'}")


def _run(figure: str, scale: str, store: Path, output: Path, options: RunOptions) -> None:
    from sparsest_bench import catalog
    from sparsest_bench.reporting import run_and_report
    from sparsest_bench.result_store import ResultStore

    names = catalog.names() if figure == "all" else [figure]
    with ResultStore(store) as opened:
        for name in names:
            command = f"sparsest reproduce {name} --scale {scale}"
            run_and_report(catalog.load(name, scale), opened, command, output, options)
