"""The benchmark runner.

python -m benchmarks.run linear --p 10 20 50 --graphs ER2 SF2 --methods auto logll-dagma dagma boss
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__" and not __package__:  # python benchmarks/run.py
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from sparsest.bench.designs import DATA, parse_graph

from benchmarks.asking import chosen
from benchmarks.linear import Experiment, run
from benchmarks.report import RESULTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, run, store under benchmarks/results."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(given)
    methods = chosen(options.methods)
    if options.reference not in options.methods:
        raise SystemExit(f"the reference {options.reference!r} must be among the methods")
    experiment = Experiment(
        methods=methods,
        reference=options.reference,
        graphs=options.graphs,
        sizes=options.p,
        n=options.n,
        seeds=options.seeds,
        scales=options.scales,
        time_limit=options.time_limit,
        first=options.first,
    )
    run(experiment, options.name, f"python -m benchmarks.run {shlex.join(given)}", options.results)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description="Our methods against peers."
    )
    linear = parser.add_subparsers(dest="experiment", required=True).add_parser(
        "linear",
        help="linear Gaussian data with unequal variances",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = linear.add_argument
    add("--p", type=int, nargs="+", default=[10, 20, 50], help="numbers of columns")
    add("--graphs", type=_graph, nargs="+", default=["ER2", "SF2"], help="ER or SF and the edges a node")
    add("--n", type=int, default=1000, help="rows")
    add("--seeds", type=int, default=5, help="datasets of each design: seeds 0, 1, ...")
    add("--first", type=int, default=0, help="the first seed: others than those a method was made on")
    add("--scales", choices=DATA, nargs="+", default=list(DATA), help="units of the columns")
    add(
        "--methods",
        nargs="+",
        default=["auto", "logll-dagma", "logll-dagma@0.3", "dagma", "boss"],
        help="ours and peers",
    )
    add("--reference", default="dagma", help="the method whose time is 1")
    add("--time-limit", type=float, default=600.0, help="seconds a dataset")
    add("--name", default="linear", help="of the files written")
    add("--results", type=Path, default=RESULTS, help="folder to write to")
    return parser


def _graph(text: str) -> str:
    try:
        parse_graph(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


if __name__ == "__main__":
    raise SystemExit(main())
