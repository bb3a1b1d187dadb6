"""What `sparsest bench` and `sparsest reproduce` do: run an experiment, write its results and report them."""

from __future__ import annotations

import glob
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sparsest._core.errors import OptionError
from sparsest._core.words import duration
from sparsest._core.writing import written_whole
from sparsest.cli.terminal import say
from sparsest_bench.claims import claims_of
from sparsest_bench.experiment import Experiment
from sparsest_bench.figures import draw
from sparsest_bench.paired import COMPARISON_NOTES, comparison
from sparsest_bench.published_rows import spare_rows, write_rows
from sparsest_bench.result_store import Kept, ResultStore
from sparsest_bench.runner import Progress, Summary, ignore, run
from sparsest_bench.tables import failures, plain, table

_SECONDS_BETWEEN = 5.0  # lines of progress


@dataclass(frozen=True)
class RunOptions:
    """How tasks are run; `jobs` below 1 means one per core, `force` that files of other runs are replaced."""

    jobs: int = 1
    backend: str = "loky"
    peers: Path | None = None
    install: bool = False
    retry: bool = False
    quiet: bool = False
    force: bool = False


@dataclass(frozen=True)
class Report:
    """What an experiment found, in words and as plain values."""

    words: str
    tree: dict[str, Any]


def run_and_report(
    experiment: Experiment, store: ResultStore, command: str, output: Path, options: RunOptions
) -> Report:
    """Run an experiment, write its table, rows and figures, and say what they show."""
    stem = f"{experiment.name}-{experiment.scale}"
    if not options.force:
        others = output / f"{stem}.md", *sorted(output.glob(f"{glob.escape(stem)}*.svg"))
        spare_rows(output / f"{stem}.csv", others, store)
    summary = _run(experiment, store, command, options)
    kept = store.kept(experiment.name, experiment.scale)
    if kept is None:
        raise AssertionError("the run has planned it")
    if not kept.planned:
        raise OptionError(f"{experiment.name!r} has no task at scale {experiment.scale!r}: see its largest p")
    files = _write(kept, output)
    claims, not_done = list(claims_of(kept)), list(failures(kept))
    words = [
        tables_of(kept),
        *claims,
        *(f"not done: {reason}" for reason in not_done),
        f"{summary.tasks} tasks, {summary.run} of them run now; kept in {store.path}",
        f"wrote {', '.join(files)} in {output}",
    ]
    tree = {
        "experiment": experiment.name, "scale": experiment.scale, "title": experiment.title,
        "command": command, "tasks": summary.tasks, "run": summary.run, "claims": claims,
        "not_done": not_done, "rows": [dict(row) for row in kept.rows], "folder": str(output), "files": files,
    }  # fmt: skip
    return Report("\n".join(words), tree)


def _run(experiment: Experiment, store: ResultStore, command: str, options: RunOptions) -> Summary:
    try:
        return run(
            experiment,
            store,
            jobs=options.jobs if options.jobs > 0 else os.cpu_count() or 1,
            backend=options.backend,
            peers=options.peers,
            install=options.install,
            retry=options.retry,
            command=command,
            tell=ignore if options.quiet else _tell,
            on_progress=ignore if options.quiet else ProgressLines(),
        )
    except KeyboardInterrupt:
        kept = store.kept(experiment.name, experiment.scale)
        tasks = f"{len(kept.records)} of {kept.planned} tasks are" if kept else "what is done is"
        again = "the same command continues"
        say(f"\nsparsest: stopped: {tasks} kept in {store.path}, and {again}", err=True)
        raise typer.Exit(130) from None


def _tell(words: str) -> None:
    say(f"sparsest: {words}", err=True)


def tables_of(kept: Kept) -> str:
    """The table of an experiment, and how its reference compares with the others."""
    if not kept.experiment.reference:
        return table(kept)
    return f"{table(kept)}\n\n{comparison(kept)}\n\n{COMPARISON_NOTES}"


def summary_page(kept: Kept) -> str:
    """The page of one experiment: its title, the command that runs it again, and its tables."""
    return f"# {plain(kept.experiment.title)}\n\n```\n{kept.command}\n```\n\n{tables_of(kept)}\n"


def _write(kept: Kept, output: Path) -> list[str]:
    """The names of the files of an experiment, written."""
    stem = f"{kept.experiment.name}-{kept.experiment.scale}"
    output.mkdir(parents=True, exist_ok=True)
    with written_whole(output / f"{stem}.md") as draft:
        draft.write_text(summary_page(kept), encoding="utf-8")
    write_rows(kept, output / f"{stem}.csv")
    return [f"{stem}.md", f"{stem}.csv", *(figure.name for figure in draw(kept, output, stem))]


class ProgressLines:
    """Prints how far a run is every few seconds."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        """Print a line if one is due."""
        if time.monotonic() - self._said < _SECONDS_BETWEEN:
            return
        self._said = time.monotonic()
        left = "" if progress.seconds_left is None else f", {duration(progress.seconds_left)} left"
        failed = f", {progress.failed} not done" if progress.failed else ""
        say(f"sparsest: {progress.done} of {progress.total} tasks{failed}{left}", err=True)
