"""`sparsest`: the commands, `--version` and `--help`."""

from __future__ import annotations

from typing import Annotated

import typer

from sparsest._core.version import __version__
from sparsest.cli.app import app as open_app
from sparsest.cli.audit import audit
from sparsest.cli.bench import bench
from sparsest.cli.compare import compare
from sparsest.cli.confidence import confidence
from sparsest.cli.convert import convert
from sparsest.cli.demo import demo
from sparsest.cli.effect import effect
from sparsest.cli.failure import guarded
from sparsest.cli.fit import FitCommand, fit
from sparsest.cli.path import path
from sparsest.cli.posterior import posterior
from sparsest.cli.report import report
from sparsest.cli.reproduce import reproduce
from sparsest.cli.simulate import simulate
from sparsest.cli.terminal import say
from sparsest.cli.warm_up import warm_up

# Help without rich: plain, and twice as fast.
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"sparsest {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """The sparsest causal graph that explains a table, whatever the units of its columns."""


app.command("app")(guarded(open_app))
app.command()(guarded(audit))
app.command()(guarded(bench))
app.command()(guarded(compare))
app.command()(guarded(confidence))
app.command()(guarded(convert))
app.command()(guarded(demo))
app.command()(guarded(effect))
app.command(cls=FitCommand)(guarded(fit))
app.command()(guarded(path))
app.command()(guarded(posterior))
app.command()(guarded(report))
app.command()(guarded(reproduce))
app.command()(guarded(simulate))
app.command("warm-up")(guarded(warm_up))
