"""`sparsest fit`: from a file to a graph in a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from sparsest.cli.folder import Folder, Force
from sparsest.cli.table_options import (
    Columns,
    Decimal,
    Exclude,
    Kinds,
    Marks,
    Scales,
    Separator,
    Thousands,
    Transpose,
    column_names,
    kinds_by_name,
    scales,
    separator_mark,
)
from sparsest.cli.terminal import Json, ascii_only, reporting, say, tell
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
    model: Annotated[str, typer.Option(help="Likelihood: a name from Models, below.")] = "auto",
    solver: Annotated[str, typer.Option(help="Solver: a name from Solvers, below.")] = "auto",
    penalty: Annotated[
        str,
        typer.Option(
            help="Cost of an edge: auto, bic, ebic, a number, or stars, cv, cv-1se (chosen from a path)."
        ),
    ] = "auto",
    knowledge: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Background knowledge about edges: TOML, or a Tetrad knowledge file."
        ),
    ] = None,
    columns: Columns = None,
    exclude: Exclude = None,
    drop_constant: Annotated[
        bool, typer.Option("--drop-constant", help="With --strict, leave constant columns out.")
    ] = False,
    kinds: Kinds = None,
    missing: Annotated[
        str,
        typer.Option(help="Missing values: auto (use what is known), error, drop (rows), pairwise or em."),
    ] = "auto",
    na: Marks = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what cannot be modelled instead of leaving it out.")
    ] = False,
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the weights of the rows.")
    ] = None,
    transform: Scales = None,
    transpose: Transpose = False,
    separator: Separator = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after this time with the best graph so far.")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(help="Maximum number of parents of a column.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="For solvers with soft weights: keep weights above this, instead of pruning by score."
        ),
    ] = None,
    search_rows: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT",
            help="Search on a sample of so many rows and refit on all; 0 searches on all rows.  "
            "[default: 100000, networks 20000, Gaussian models all]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random starts.")] = 0,
    standardize: Annotated[
        bool | None,
        typer.Option(
            "--standardize/--no-standardize",
            help="Standardise the columns for the solver.  [default: the solver decides]",
        ),
    ] = None,
    resamples: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT", help="Say how often each edge comes again in so many halves of the rows."
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Processes for resamples and paths.")
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Only warnings, errors and files.")] = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Learn a graph from a table.

    Writes report.html (a page to look at), result.json, graph.png, edges.csv, columns.csv (what was done with
    each column) and result.sparsest (for sparsest.load in Python) to a folder and prints a summary. Ctrl-C
    stops the search and keeps the best graph so far.

    Example: sparsest fit table.csv -o answer --resamples 100
    """
    folder = Folder(
        Path(f"{file.stem}-sparsest") if output is None else output, _FILES, source=file, force=force
    )
    with reporting(quiet=quiet) as progress:
        from sparsest import fit as learn

        result = learn(
            file,
            model=model,
            solver=solver,
            penalty=word_or_number(penalty),
            knowledge=knowledge,
            standardize="auto" if standardize is None else standardize,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            columns=column_names(columns),
            exclude=column_names(exclude),
            drop_constant=drop_constant,
            kinds=kinds_by_name(kinds),
            missing=missing,
            na=column_names(na),
            strict=strict,
            weights=weights,
            transform=scales(transform),
            transpose=transpose,
            separator=separator_mark(separator),
            decimal=decimal,
            thousands=thousands,
            max_parents=max_parents,
            threshold=threshold,
            search_rows="auto" if search_rows is None else search_rows or None,
            resamples=resamples,
            n_jobs=jobs,
        )
    from sparsest._core.progress import Status
    from sparsest.export.csv import write_edges
    from sparsest.export.json import write_json
    from sparsest.export.text import summary

    folder.write("result.json", lambda path: write_json(result, path))
    folder.write("edges.csv", lambda path: write_edges(result, path))
    folder.write("columns.csv", lambda path: result.columns.write_csv(path))
    folder.write("result.sparsest", result.save)
    folder.write("report.html", lambda path: result.report(path, title=f"What causes what in {file.name}"))
    drawn = len(result.names) <= (_QUICKLY_DRAWN if result.status is Status.INTERRUPTED else _READABLE)
    if drawn:
        folder.write("graph.png", result.plot)
    else:
        folder.leave_out("graph.png")
    if json is not None:
        tell(summary(result, ascii=ascii_only(sys.stdout), warnings=False), result.to_dict(), json)
    elif not quiet:  # warnings are on stderr already
        say(summary(result, ascii=ascii_only(sys.stdout), warnings=False))
        if not drawn:
            say(f"too many columns for a picture ({len(result.names)}): the edges are in edges.csv")
        say(f"wrote {folder}")


def word_or_number(text: str) -> str | float:
    """A number where the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text
