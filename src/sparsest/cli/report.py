"""`sparsest report`: the page about a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsest._core.writing import header
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, tell


def report(
    source: Annotated[
        Path,
        typer.Argument(metavar="RESULT", help="A result.sparsest, or the folder that `sparsest fit` wrote."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Page to write.  [default: report.html beside it]"
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Write a page about a result: one HTML file with the graph to explore, tables and the evidence.

    Example: sparsest report table-sparsest -o report.html
    """
    from sparsest.export.archive import load

    file = source / "result.sparsest" if source.is_dir() else source
    target = file.with_name("report.html") if output is None else output
    Targets({"-o": target, "--json": json}, source=file, force=force)
    result = load(file)
    result.report(target, title=title)
    written = {"result": str(file), "report": str(target), "bytes": target.stat().st_size}
    told = {"columns": len(result.names), "edges": len(result.cpdag.edges)}
    tell(f"wrote {target}", {**header("sparsest-report", 1), **written, **told}, json, quiet=quiet)
