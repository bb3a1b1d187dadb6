"""`sparsest bench`: run an experiment from a file of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sparsest._core.errors import OptionError
from sparsest.cli.terminal import say

if TYPE_CHECKING:
    from sparsest.bench.experiment import Experiment
    from sparsest.bench.runner import Progress
    from sparsest.bench.store import Store

STORE = Path("sparsest-results.sqlite")
OUTPUT = Path("sparsest-results")
_SECONDS_BETWEEN = 5.0  # lines of progress

Scale = Annotated[str, typer.Option(help="smoke (seconds), small (minutes to hours) or paper (days).")]
StorePath = Annotated[
    Path, typer.Option("--store", metavar="FILE", help="Where every finished task is kept.")
]
Output = Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for tables and figures.")]
Jobs = Annotated[int, typer.Option(help="Tasks at a time, one thread each; -1 is one a core.")]
Backend = Annotated[str, typer.Option(help="joblib's backend: loky, threading, dask, ...")]
Peers = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Environments of the peers.  [default: the user's cache]")
]
Install = Annotated[
    bool, typer.Option("--install", help="Install peers that are missing (needs the network).")
]
Retry = Annotated[bool, typer.Option("--retry", help="Run failed tasks again.")]


def bench(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An experiment: a TOML file.")],
    scale: Scale = "paper",
    store: StorePath = STORE,
    output: Output = OUTPUT,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    peers: Peers = None,
    install: Install = False,
    retry: Retry = False,
) -> None:
    """Run an experiment and write its table, figures and rows.

    Stopped at any moment, it goes on where it was when started again with the same store.
    """
    from sparsest.bench.experiment import read_experiment
    from sparsest.bench.store import Store

    experiment = read_experiment(file, scale)
    command = f"sparsest bench {shlex.quote(str(file))} --scale {scale}"
    with Store(store) as opened:
        carry_out(experiment, opened, command, output, jobs, backend, peers, install, retry)


def carry_out(
    experiment: Experiment,
    store: Store,
    command: str,
    output: Path,
    jobs: int,
    backend: str,
    peers: Path | None,
    install: bool,
    retry: bool,
) -> None:
    """Run, draw, write, and say what there is."""
    import os

    from sparsest.bench.figures import draw
    from sparsest.bench.paired import COMPARISON_NOTES, comparison
    from sparsest.bench.rows import write_rows
    from sparsest.bench.runner import run
    from sparsest.bench.tables import failures, table

    try:
        summary = run(
            experiment,
            store,
            jobs=jobs if jobs > 0 else os.cpu_count() or 1,
            backend=backend,
            peers=peers,
            install=install,
            retry=retry,
            command=command,
            tell=lambda words: say(f"sparsest: {words}", err=True),
            on_progress=_Plain(),
        )
    except KeyboardInterrupt:
        kept = store.kept(experiment.name, experiment.scale)
        tasks = f"{len(kept.records)} of {kept.planned} tasks are" if kept else "what is done is"
        say(f"\nsparsest: stopped: {tasks} kept in {store.path}, and the same command goes on", err=True)
        raise typer.Exit(130) from None
    kept = store.kept(experiment.name, experiment.scale)
    if kept is None:
        raise AssertionError("the run has planned it")
    if not kept.planned:
        raise OptionError(f"{experiment.name!r} has no task at scale {experiment.scale!r}: see its largest p")
    stem = f"{experiment.name}-{experiment.scale}"
    output.mkdir(parents=True, exist_ok=True)
    shown = table(kept)
    if experiment.reference:
        shown += f"\n\n{comparison(kept)}\n\n{COMPARISON_NOTES}"
    (output / f"{stem}.md").write_text(
        f"# {experiment.title}\n\n```\n{command}\n```\n\n{shown}\n", encoding="utf-8"
    )
    write_rows(kept, output / f"{stem}.csv")
    figures = draw(kept, output, stem)
    say(shown)
    for reason in failures(kept):
        say(f"not done: {reason}")
    files = ", ".join([f"{stem}.md", f"{stem}.csv", *(figure.name for figure in figures)])
    say(f"{summary.tasks} tasks, {summary.run} of them run now; kept in {store.path}")
    say(f"wrote {files} in {output}")


class _Plain:
    """A line of progress now and then."""

    def __init__(self) -> None:
        import time

        self._clock = time.monotonic
        self._said = self._clock()

    def __call__(self, progress: Progress) -> None:
        """Say how far it is, if it is time."""
        if self._clock() - self._said < _SECONDS_BETWEEN:
            return
        self._said = self._clock()
        left = "" if progress.seconds_left is None else f", about {_time(progress.seconds_left)} left"
        failed = f", {progress.failed} not done" if progress.failed else ""
        say(f"sparsest: {progress.done} of {progress.total} tasks{failed}{left}", err=True)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
