"""`sparsest demo`: simulate, learn, compare with the truth."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sparsest._core.writing import header
from sparsest.cli.fit_options import Seconds
from sparsest.cli.folder import Folder, Force, Targets
from sparsest.cli.terminal import Json, Quiet, ascii_only, plain, reporting, tell

_FILES = ("result.json", "report.html", "graph.png", "data.csv")
_EDGES_PER_NODE = 1.5


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")] = Path(
        "sparsest-demo"
    ),
    nodes: Annotated[int, typer.Option(help="Columns of the simulated table.")] = 12,
    rows: Annotated[int, typer.Option(help="Rows of the simulated table.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the random graph and table.")] = 0,
    time_limit: Seconds = None,
    quiet: Quiet = False,
    json: Json = None,
    force: Force = False,
) -> None:
    """Learn a graph from simulated data and compare it with the truth.

    Writes report.html (a page to look at), result.json, graph.png (where it differs from the truth) and
    data.csv.

    Example: sparsest demo --nodes 30 --seed 1
    """
    Targets({"--json": json}, force=force)
    folder = Folder(output, _FILES, force=force)
    with reporting(quiet=quiet) as progress:
        import numpy as np

        from sparsest import simulate
        from sparsest.fit import fit

        rng = np.random.default_rng(seed)
        truth = simulate.random_dag(nodes, _EDGES_PER_NODE, "ER", rng)
        data = simulate.linear_gaussian(simulate.random_weights(truth, rng), rows, rng).data
        options: dict[str, Any] = {"seed": seed, "time_limit": time_limit, "progress": progress}
        result = fit(data, **options)
        in_other_units = fit(data * 10 ** rng.uniform(-3, 3, nodes), **options)
    from sparsest.export.comparison import compared, share_words
    from sparsest.export.csv import write_table
    from sparsest.export.json import write_json
    from sparsest.export.text import summary
    from sparsest.graph.files import Read
    from sparsest.plot.figure import draw

    found = compared(Read(truth.to_cpdag(), truth), Read(result.cpdag, result.dag))
    edges, same = found["adjacencies"], in_other_units.cpdag == result.cpdag
    title = f"{edges['correct']} of {len(truth.edges)} edges found, {edges['extra']} too many"
    with folder.written() as answer:
        write_json(result, answer / "result.json")
        result.report(answer / "report.html", title="A simulated table")
        write_table(data, result.names, answer / "data.csv")
        draw(
            result.cpdag,
            result.weights,
            answer / "graph.png",
            noise_variances=result.noise_variances,
            truth=truth,
            title=title,
        )
    ascii = ascii_only(sys.stdout)  # noqa: A001
    precision, recall = (share_words(edges[key], ascii=ascii) for key in ("precision", "recall"))
    words = [
        f"simulated {rows} rows of {nodes} columns from a random graph with {len(truth.edges)} edges",
        summary(result, ascii=ascii),
        f"compared with the truth: {edges['correct']} edges correct, {edges['extra']} too many, "
        f"{edges['missing']} missing (precision {precision}, recall {recall}); "
        f"SHD of the CPDAGs {found['shd']}",
        "in other units (columns multiplied by factors from 0.001 to 1000): "
        + ("the same graph" if same else "ANOTHER GRAPH"),
        f"wrote {folder}",
    ]
    tree = {
        **header("sparsest-demo", 1), **folder.told(), "result": result.to_dict(), "compared": found,
        "same_in_other_units": same,
    }  # fmt: skip
    tell("\n".join(words), plain(tree), json, quiet=quiet)
