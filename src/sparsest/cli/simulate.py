"""`sparsest simulate`: a random graph and a table simulated from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Folder, Force, Targets
from sparsest.cli.terminal import Json, Quiet, tell

_FILES = ("truth.json", "data.csv")


def simulate(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")] = Path(
        "sparsest-simulation"
    ),
    graph: Annotated[
        str, typer.Option(help="ER (random) or SF (scale-free), and the edges per node.")
    ] = "ER2",
    columns: Annotated[int, typer.Option(help="Columns of the table.")] = 20,
    rows: Annotated[int, typer.Option(help="Rows of the table.")] = 1000,
    model: Annotated[str, typer.Option(help="linear, logistic, mlp, additive or mixed.")] = "linear",
    noise: Annotated[
        str, typer.Option(help="Noise of linear models: gaussian, uniform, laplace or exponential.")
    ] = "gaussian",
    weights: Annotated[
        str, typer.Option(help="Weights of linear models: strong (0.5 to 1.5 in size) or weak (-1 to 1).")
    ] = "strong",
    hidden: Annotated[int, typer.Option(help="Number of common causes to leave out of the table.")] = 0,
    r2sortability: Annotated[
        float | None,
        typer.Option(help="Of linear models: an R²-sortability near this value.  [default: any]"),
    ] = None,
    standardize: Annotated[
        bool, typer.Option("--standardize", help="Give every column mean 0 and standard deviation 1.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random graph and table.")] = 0,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Simulate a table from a random graph.

    Writes data.csv and truth.json, which `sparsest compare` reads. The table is the same as in experiments
    with this design and seed.

    Example: sparsest simulate --graph SF2 --columns 50 -o simulated
    """
    Targets({"--json": json}, force=force)
    folder = Folder(output, _FILES, force=force)
    from sparsest.export.csv import write_table
    from sparsest.graph import Dag
    from sparsest.graph.files import graph_tree, write_graph
    from sparsest.simulate.designs import Design, table
    from sparsest.simulate.factors import checked

    data = "standardised" if standardize else "raw"
    design = checked(Design(graph, columns, rows, model, noise, hidden, r2sortability, data, weights))
    drawn = table(design, seed)
    truth = Dag(drawn.dag)
    about = {"simulated": {**vars(design), "seed": seed}}
    with folder.written() as simulation:
        write_graph(truth, simulation / "truth.json", about)
        write_table(drawn.X, truth.names, simulation / "data.csv")
    words = f"simulated {rows} rows of {columns} columns from a graph with {len(truth.edges)} edges"
    tell(f"{words}\nwrote {folder}", graph_tree(truth, about | folder.told()), json, quiet=quiet)
