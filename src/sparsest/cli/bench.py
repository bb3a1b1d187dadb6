"""`sparsest bench`: run an experiment from the user's own file. The work is done by the project in bench/."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsest._core.errors import OptionError
from sparsest._core.writing import header
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, plain, tell

if TYPE_CHECKING:
    from sparsest_bench.reporting import Report

STORE = Path("sparsest-results.sqlite")
OUTPUT = Path("sparsest-results")

Scale = Annotated[str, typer.Option(help="smoke (seconds), small (minutes to hours) or paper (days).")]
StorePath = Annotated[
    Path, typer.Option("--store", metavar="FILE", help="Where every finished task is kept.")
]
Output = Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for tables and figures.")]
Jobs = Annotated[int, typer.Option(help="Tasks run at the same time, one thread each; -1 for one per core.")]
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
    outside: Annotated[
        bool, typer.Option("--outside", help="Trust peers whose files are outside the experiment's folder.")
    ] = False,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Run an experiment and write its table, figures and rows.

    The peers that it names are Python files, which are run. Seeds and time limits stand in the experiment. If
    it is stopped, the same command with the same store continues where it was.

    Example: sparsest bench mine.toml --scale smoke --jobs 2
    """
    require_bench("bench")
    Targets({"--json": json}, source=file, force=force)
    from sparsest_bench.experiment import read_experiment
    from sparsest_bench.reporting import RunOptions, run_and_report
    from sparsest_bench.result_store import ResultStore

    experiment = read_experiment(file, scale, outside)
    command = f"sparsest bench {shlex.quote(str(file))} --scale {scale}{' --outside' if outside else ''}"
    with ResultStore(store) as opened:
        options = RunOptions(jobs, backend, peers, install, retry, quiet, force)
        report = run_and_report(experiment, opened, command, output, options)
    tell(report.words, tree_of([report]), json, quiet=quiet)


def tree_of(reports: list[Report]) -> Any:
    """What experiments found, as plain values."""
    return plain({**header("sparsest-experiments", 1), "experiments": [one.tree for one in reports]})


def require_bench(command: str) -> None:
    """Refuse a command whose project is not installed, and say how to install it."""
    if find_spec("sparsest_bench") is None:
        raise OptionError(
            f"`sparsest {command}` needs sparsest-bench, which is not installed: "
            "run `pip install ./bench` in a clone of sparsest"
        )
