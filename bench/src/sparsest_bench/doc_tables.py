"""Tables of the README and the docs, made from published rows.

    sparsest-bench tables            # --check only says which pages are out of date

A page marks where a table goes with two comments, `<!-- table: NAME -->` and `<!-- end of table -->`; what is
between them is replaced. NAME is one of

- a file of bench/measurements, whose rows are in bench/results: its whole table;
- `linear:ER2:METHOD=label; ...`: those methods in bench/results/linear, one column per number of columns;
- `page:EXPERIMENT:METHOD=label; ...`: those methods of an experiment in docs/results, one column per size;
- `comparison:EXPERIMENT`: the reference of an experiment in docs/results against its other methods;
- `claims` or `claims:NAME`: the paper's claims, or one of them, with their readings and what came out;
- `growth:A+B`: how the times in several files of bench/results grow with the columns; docs/images/growth.svg
  is the figure of the same rows;
- `durations`: how long the experiments of the claims take.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from sparsest._core.errors import DataError
from sparsest.problem import SAME_OBJECTIVE
from sparsest_bench import catalog
from sparsest_bench.claims import claims_table, durations
from sparsest_bench.growth import draw_growth, growth
from sparsest_bench.leaderboard import leaderboard
from sparsest_bench.measures.common import mean, mean_and_error
from sparsest_bench.paired import comparison
from sparsest_bench.published_rows import read_kept
from sparsest_bench.result_store import Kept
from sparsest_bench.tables import NOTHING, Row, markdown, table

BLOCK = re.compile(r"(<!-- table: (.*?) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
PAGES = Path("docs/results")
MEASURED = Path("bench/results")
GROWTH = Path("docs/images/growth.svg")
GROWN = "scaling+scaling-large+scaling-dense"  # the measurements it shows
TRUTH = "(true graph)"
_BIC_TIE = 1e-6


def update(root: Path, check: bool) -> list[str]:
    """The pages whose tables are out of date, rewritten unless they are only checked."""
    stale = _figures(root, check)
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        fresh = BLOCK.sub(lambda block: f"{block[1]}{made(block[2], root)}\n{block[4]}", text)
        if fresh != text:
            stale.append(page.name)
            if not check:
                page.write_text(fresh, encoding="utf-8")
    return stale


def _figures(root: Path, check: bool) -> list[str]:
    """The figures that are out of date, drawn anew unless they are only checked."""
    path = root / GROWTH
    if not path.parent.is_dir():
        return []
    with TemporaryDirectory() as folder:
        fresh = Path(folder) / path.name
        draw_growth(_together(GROWN, root), fresh)
        if path.is_file() and _drawn(path) == _drawn(fresh):
            return []
        if not check:
            shutil.copyfile(fresh, path)
    return [path.name]


def _drawn(path: Path) -> list[str]:
    """The words and numbers in a figure: lines themselves depend on the version of what draws them."""
    words = re.findall(r">\s*([^<\s][^<]*)<", path.read_text(encoding="utf-8"))
    return [word for word in words if not word.startswith("Matplotlib")]


def made(name: str, root: Path) -> str:
    """The table of this name."""
    kind, _, rest = name.partition(":")
    if kind == "linear":
        graph, _, methods = rest.partition(":")
        return by_size(graph, _labels(methods), root)
    if kind == "page":
        experiment, _, methods = rest.partition(":")
        return _chosen(leaderboard(_on_page(experiment, root)), _labels(methods))
    if kind == "comparison":
        return comparison(_on_page(rest, root))
    if kind == "growth":
        return growth(_together(rest, root))
    if kind == "durations":
        return durations(lambda experiment: _on_page(experiment, root))
    if kind == "claims":
        return claims_table(lambda experiment: _on_page(experiment, root), rest)
    return _maker(name)(_measured(name, root))


def _together(names: str, root: Path) -> list[Row]:
    return [row for name in names.split("+") for row in _measured(name, root).rows]


def _measured(name: str, root: Path) -> Kept:
    return read_kept(root / MEASURED / f"{name}-paper.csv")


def _labels(methods: str) -> dict[str, str]:
    return dict(part.strip().split("=", 1) for part in methods.split(";"))


def _on_page(experiment: str, root: Path) -> Kept:
    if experiment not in catalog.names():
        raise DataError(f"no experiment is called {experiment!r}")
    return read_kept(root / PAGES / f"{experiment}.csv")


def _chosen(board: str, labels: dict[str, str]) -> str:
    """Some lines of a table, under other names."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in board.splitlines()]
    rows = {line[0]: line[1:] for line in lines}
    return markdown(["", *lines[0][1:]], [[label, *rows[method]] for method, label in labels.items()])


def by_size(graph: str, labels: dict[str, str], root: Path) -> str:
    """SHD on raw / standardised columns and CPU seconds: one line per method, one column per size."""
    files = [root / MEASURED / f"{name}-paper.csv" for name in ("linear", "linear-100")]
    here = [row for file in files for row in read_kept(file).rows if row["graph"] == graph]
    sizes = _sizes(here)
    lines = [[label, *(_size_cell(here, method, p) for p in sizes)] for method, label in labels.items()]
    return markdown([graph, *(f"p = {p}" for p in sizes)], lines)


def _size_cell(rows: Sequence[Row], method: str, p: int) -> str:
    mine = [row for row in rows if (row["method"], row["p"], row["status"]) == (method, p, "done")]
    if not mine:
        return NOTHING
    raw, standardised = (
        fmean(row["shd"] for row in mine if row["data"] == data) for data in ("raw", "standardised")
    )
    # One thread each: its CPU time is what the wall time would be if nothing else ran.
    return f"{raw:.1f} / {standardised:.1f}, {fmean(row['cpu_seconds'] for row in mine):.2g} s"


def _maker(name: str) -> Callable[[Kept], str]:
    if name.startswith("ges"):
        return at_bic
    if name.startswith("scaling") or name == "linear-300":
        return scaling
    return timed if name in ("linear", "linear-100", "fresh-10", "fresh-20") else table


def timed(kept: Kept) -> str:
    """One line per design and method: means over the seeds, times against the reference."""
    reference = kept.experiment.reference
    header = (
        "graph", "p", "n", "data", "varsortability", "method", "SHD", "≤ truth", "seconds",
        f"time / {reference}", "CPU share", "objective", "failed",
    )  # fmt: skip
    return markdown(header, _timed_lines(kept.rows, reference))


def _timed_lines(rows: Sequence[Row], reference: str) -> Iterator[list[str]]:
    for design, here in _grouped(rows, "graph", "p", "n", "data"):
        clock = {row["seed"]: row.get("seconds") for row in here if row["method"] == reference}
        head = [*design, mean(_values(here, "varsortability"), 2)]
        truth = {row["seed"]: row["true_objective"] for row in here}
        exact = mean_and_error([0.0] * len(truth))
        yield [*head, TRUTH, exact, *[NOTHING] * 4, mean(list(truth.values()), 4), "0"]
        for (method,), mine in _grouped(here, "method"):
            yield [
                *head,
                method,
                mean_and_error(_values(mine, "shd")),
                f"{sum(map(_no_higher, mine))} of {len(mine)}",
                mean(_values(mine, "seconds"), 3),
                _ratio(mine, clock),
                _cpu_share(mine),
                mean(_values(mine, "objective"), 4),
                _failures(mine),
            ]


def scaling(kept: Kept) -> str:
    """One line per method, graph and size: means over the seeds."""
    header = (
        "method", "graph", "p", "true edges", "edges", "SHD", "gap to truth", "seconds", "CPU share",
        "peak MB", "idle MB", "failed",
    )  # fmt: skip
    lines = []
    for design, mine in _grouped(kept.rows, "method", "graph", "p"):
        done = [row for row in mine if row["status"] == "done"]
        gaps = [row["objective"] - row["true_objective"] for row in done]
        sizes = (mean(_values(rows, key), 0) for rows, key in ((mine, "true_edges"), (done, "edges")))
        memory = (mean(_values(done, key), 0) for key in ("memory_mb", "idle_mb"))
        shd, seconds = mean(_values(done, "shd"), 1), mean(_values(done, "seconds"), 3)
        lines.append(
            [*design, *sizes, shd, mean(gaps, 4), seconds, _cpu_share(done), *memory, _failures(mine)]
        )
    return markdown(header, lines)


def _sizes(rows: Sequence[Row]) -> list[int]:
    return sorted({row["p"] for row in rows})


def at_bic(kept: Kept) -> str:
    """One line per size and method: all minimise NLL + BIC's cost · edges, compared with the reference."""
    reference = kept.experiment.reference
    header = (
        "graph", "p", "method", "SHD", "edges", "seconds", "speed-up", "better", "same", "worse", "failed",
    )  # fmt: skip
    lines = []
    for design, here in _grouped(kept.rows, "graph", "p"):
        theirs = {row["seed"]: row for row in here if (row["method"], row["status"]) == (reference, "done")}
        for (method,), mine in _grouped(here, "method"):
            done = [row for row in mine if row["status"] == "done"]
            pairs = [(row, theirs[row["seed"]]) for row in done if row["seed"] in theirs]
            gaps = [_bic_objective(row) - _bic_objective(other) for row, other in pairs]
            clock = [sum(row["seconds"] for row in side) for side in zip(*pairs, strict=True)]
            counts = (
                sum(gap < -_BIC_TIE for gap in gaps),
                sum(abs(gap) <= _BIC_TIE for gap in gaps),
                sum(gap > _BIC_TIE for gap in gaps),
                len(mine) - len(done),
            )
            seconds = f"{fmean(_values(done, 'seconds')):.3g}" if done else NOTHING
            speed = f"{clock[1] / clock[0]:.3g}" if clock else NOTHING
            means = (mean(_values(done, key), 1) for key in ("shd", "edges"))
            lines.append([*design, method, *means, seconds, speed, *map(str, counts)])
    return markdown(header, lines)


def _bic_objective(row: Row) -> float:
    """The objective at BIC's cost per edge, from that at ours."""
    from sparsest.penalties.criteria import cost_per_edge

    costs = (cost_per_edge(penalty, row["n"], row["p"]) for penalty in ("bic", "auto"))
    bic, ours = costs
    return float(row["objective"] + (bic - ours) * row["edges"])


def _grouped(rows: Sequence[Row], *keys: str) -> Iterator[tuple[list[str], list[Row]]]:
    """The rows of each combination of some values, in order of appearance."""
    for values in dict.fromkeys(tuple(row[key] for key in keys) for row in rows):
        yield list(map(str, values)), [row for row in rows if tuple(row[key] for key in keys) == values]


def _values(rows: Sequence[Row], key: str) -> list[float]:
    return [row[key] for row in rows if row.get(key) is not None]


def _no_higher(row: Row) -> bool:
    """Whether the objective is no higher than the truth's; False for a failure."""
    return row.get("objective") is not None and row["objective"] <= row["true_objective"] + SAME_OBJECTIVE


def _ratio(rows: Sequence[Row], clock: dict[int, float | None]) -> str:
    """Mean seconds over the reference's, on the tables that both answered."""
    pairs = [(row.get("seconds"), clock.get(row["seed"])) for row in rows]
    both = [(mine, other) for mine, other in pairs if mine is not None and other is not None]
    return f"{sum(mine for mine, _ in both) / sum(other for _, other in both):.3g}" if both else NOTHING


def _cpu_share(rows: Sequence[Row]) -> str:
    """CPU time over wall time."""
    wall, cpu = (sum(_values(rows, key)) for key in ("seconds", "cpu_seconds"))
    return f"{cpu / wall:.2f}" if wall else NOTHING


def _failures(rows: Sequence[Row]) -> str:
    """How many tables have no answer, and the first reason."""
    reasons = [row["error"] for row in rows if row["status"] != "done"]
    return f"{len(reasons)} of {len(rows)}: {reasons[0][:60]}".replace("|", "/") if reasons else "0"
