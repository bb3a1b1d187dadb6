"""Figures of experiments in one style, made from the rows of the store alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sparsest._core.writing import written_whole
from sparsest_bench.canvas import figure_style
from sparsest_bench.grid_figures import boxes, lines
from sparsest_bench.result_store import Kept
from sparsest_bench.study_figures import bias, dots, models, penalty

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The kinds of figure that an experiment may ask for: each yields parts of file names and figures.
_MAKERS: Mapping[str, Callable[[Kept], Iterator[tuple[str, Figure]]]] = {
    "lines": lambda kept: lines(kept, kept.experiment.metric),
    "times": lambda kept: lines(kept, "cpu_seconds"),
    "boxes": boxes,
    "dots": dots,
    "models": models,
    "penalty": penalty,
    "bias": bias,
}


def draw(kept: Kept, folder: Path, stem: str) -> list[Path]:
    """Write the figures of an experiment as SVG files.

    Parameters
    ----------
    kept : Kept
        The experiment and its finished tasks.
    folder : Path
        Where the files go; made if it is missing.
    stem : str
        What the names of the files start with.

    Returns
    -------
    list of Path
        The files; none where the experiment asks for no figure or no task is done.
    """
    kind = kept.experiment.figure
    if kind not in _MAKERS or not any(row["status"] == "done" for row in kept.rows):
        return []
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with figure_style():
        for part, figure in _MAKERS[kind](kept):
            path = folder / (f"{stem}-{part}.svg" if part else f"{stem}.svg")
            with written_whole(path) as draft:
                figure.savefig(draft, format="svg", metadata={"Date": None})
            written.append(path)
    return written
