"""`sparsest reproduce`: a figure of the paper again, or the page of them all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    carry_out,
)
from sparsest.cli.terminal import say


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
    show_list: Annotated[bool, typer.Option("--list", help="Name every figure, and stop.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write results.md from the store, and stop.")
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

    Stopped at any moment, it goes on where it was when started again with the same store.
    """
    from sparsest.bench import catalog
    from sparsest.bench.store import Store

    if show_list:
        for name in catalog.names():
            experiment = catalog.load(name, scale)
            where = f" ({experiment.where})" if experiment.where else ""
            say(f"{name:30}{experiment.title}{where}")
        return
    if take is not None:
        from sparsest.bench import rows

        found = rows.published(take)
        with Store(store) as opened:
            new = rows.take(opened, found)
        say(f"took {new} tasks into {store}, which had the other {len(found.records) - new}")
        return
    if page is not None:
        from sparsest.bench.page import write_page

        if not store.exists():
            raise OptionError(
                f"there is no store {str(store)!r} to write a page from: run some figures first"
            )
        with Store(store) as opened:
            scales = {at for _, at in opened.experiments()}
            if scale not in scales:
                has = f"it has them at {', '.join(sorted(scales))}" if scales else "it is empty"
                raise OptionError(f"the store {str(store)!r} has no results at scale {scale!r}: {has}")
            written = write_page(opened, scale, page, f"sparsest reproduce --page {page} --scale {scale}")
        say(f"wrote {written[0]} and {len(written) - 1} files in {page / 'results'}")
        return
    if figure is None:
        raise OptionError("name a figure, or pass --list to see which there are")
    names = catalog.names() if figure == "all" else [figure]
    with Store(store) as opened:
        for name in names:
            command = f"sparsest reproduce {name} --scale {scale}"
            experiment = catalog.load(name, scale)
            carry_out(experiment, opened, command, output, jobs, backend, peers, install, retry)
