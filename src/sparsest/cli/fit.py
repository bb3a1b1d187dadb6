"""`sparsest fit`: from a file to a graph in a folder."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from sparsest.cli.fit_options import learning
from sparsest.cli.folder import Folder, Force, Targets
from sparsest.cli.terminal import Json, Quiet, ascii_only, reporting, say, tell
from sparsest.models.registry import MODELS, solver_sentences

_FILES = ("result.json", "report.html", "graph.png", "edges.csv", "columns.csv", "result.sparsest")
# The most columns for which a picture is drawn: larger ones take long and are unreadable.
_READABLE, _QUICKLY_DRAWN = 500, 30

_MODEL_SENTENCES = {entry.name: entry.sentence for entry in MODELS.values()}
_SOLVER_SENTENCES = solver_sentences()


class FitCommand(TyperCommand):
    """The command with help that ends with a sentence about every model and solver, from the registry."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the two lists."""
        for title, sentences in (("Models", _MODEL_SENTENCES), ("Solvers", _SOLVER_SENTENCES)):
            with formatter.section(title):
                formatter.write_dl(list(sentences.items()))


@learning()
def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table with one row per observation: .csv, .tsv, .txt, .xlsx, .parquet, .feather, .arrow, "
            "possibly compressed, or a folder of parts.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.  [default: FILE-sparsest]"),
    ] = None,
    resamples: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT", help="Say how often each edge comes again in so many halves of the rows."
        ),
    ] = None,
    path: Annotated[
        bool,
        typer.Option(
            "--path", help="Also learn over a range of costs of an edge, for the report; takes longer."
        ),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Processes for resamples and paths.")
    ] = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
    *,
    options: dict[str, Any],
) -> None:
    """Learn a graph from a table.

    Writes report.html (a page to look at), result.json, graph.png, edges.csv, columns.csv (what was done with
    each column) and result.sparsest (for sparsest.load in Python) to a folder and prints a summary. Ctrl-C
    stops the search and keeps the best graph so far.

    Examples: sparsest fit table.csv -o answer --resamples 100; sparsest fit table.xlsx --kind stage=ordinal
    --knowledge known.toml --time-limit 60
    """
    Targets({"--json": json}, source=file, force=force)
    folder = Folder(
        Path(f"{file.stem}-sparsest") if output is None else output, _FILES, source=file, force=force
    )
    with reporting(quiet=quiet, columns="columns.csv says") as progress:
        from sparsest import fit as learn

        result = learn(file, progress=progress, resamples=resamples, n_jobs=jobs, **options)
        costs = _over_costs(file, progress, jobs, options) if path else None
    from sparsest._core.progress import Status
    from sparsest.export.csv import write_edges, write_frame
    from sparsest.export.json import write_json
    from sparsest.export.text import summary

    drawn = len(result.names) <= (_QUICKLY_DRAWN if result.status is Status.INTERRUPTED else _READABLE)
    with folder.written() as answer:
        write_json(result, answer / "result.json")
        write_edges(result, answer / "edges.csv")
        write_frame(result.columns, answer / "columns.csv")
        result.save(answer / "result.sparsest")
        result.report(answer / "report.html", title=f"What causes what in {file.name}", costs=costs)
        if drawn:
            result.plot(answer / "graph.png")
    if json is not None:
        words = summary(result, ascii=ascii_only(sys.stdout), warnings=False)
        tell(words, result.to_dict(), json, quiet=quiet)
    elif not quiet:  # warnings are on stderr already
        say(summary(result, ascii=ascii_only(sys.stdout), warnings=False))
        if not drawn:
            say(f"too many columns for a picture ({len(result.names)}): the edges are in edges.csv")
        say(f"wrote {folder}")


def _over_costs(file: Path, progress: Any, jobs: int | None, options: dict[str, Any]) -> Any:
    from sparsest.costs import path as over_costs

    same = {name: value for name, value in options.items() if name not in ("penalty", "threshold")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `fit` has just said them
        return over_costs(file, progress=progress, n_jobs=jobs, **same)
