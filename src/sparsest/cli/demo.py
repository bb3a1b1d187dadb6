"""`sparsest demo`: simulate, learn, compare with the truth."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sparsest.cli.folder import Folder, Force
from sparsest.cli.terminal import Quiet, ascii_only, reporting, say

_FILES = ("result.json", "report.html", "graph.png", "data.csv")
_EDGES_PER_NODE = 1.5


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")] = Path(
        "sparsest-demo"
    ),
    nodes: Annotated[int, typer.Option(help="Columns of the simulated table.")] = 12,
    rows: Annotated[int, typer.Option(help="Rows of the simulated table.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the random graph and table.")] = 0,
    quiet: Quiet = False,
    force: Force = False,
) -> None:
    """Learn a graph from simulated data and compare it with the truth.

    Writes report.html (a page to look at), result.json, graph.png (where it differs from the truth) and
    data.csv.

    Example: sparsest demo --nodes 30 --seed 1
    """
    folder = Folder(output, _FILES, force=force)
    with reporting(quiet=quiet) as progress:
        import numpy as np

        from sparsest import graph, simulate
        from sparsest.fit import fit

        rng = np.random.default_rng(seed)
        truth = simulate.random_dag(nodes, _EDGES_PER_NODE, "ER", rng)
        data = simulate.linear_gaussian(simulate.random_weights(truth, rng), rows, rng).data
        result = fit(data, seed=seed, progress=progress)
        in_other_units = fit(data * 10 ** rng.uniform(-3, 3, nodes), seed=seed, progress=progress)
    from sparsest.export.comparison import share_words
    from sparsest.export.csv import write_table
    from sparsest.export.json import write_json
    from sparsest.export.text import summary
    from sparsest.plot.figure import draw

    edges = graph.compare(truth, result.cpdag).adjacencies
    title = f"{edges.correct} of {len(truth.edges)} edges found, {edges.extra} too many"
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
    if quiet:
        return
    same = "the same graph" if in_other_units.cpdag == result.cpdag else "ANOTHER GRAPH"
    say(f"simulated {rows} rows of {nodes} columns from a random graph with {len(truth.edges)} edges")
    say(summary(result, ascii=ascii_only(sys.stdout)))
    plain = ascii_only(sys.stdout)
    precision, recall = (share_words(share, ascii=plain) for share in (edges.precision, edges.recall))
    say(
        f"compared with the truth: {edges.correct} edges correct, {edges.extra} too many, "
        f"{edges.missing} missing (precision {precision}, recall {recall}); "
        f"SHD of the CPDAGs {graph.cpdag_shd(truth, result.cpdag)}"
    )
    say(f"in other units (columns multiplied by factors from 0.001 to 1000): {same}")
    say(f"wrote {folder}")
