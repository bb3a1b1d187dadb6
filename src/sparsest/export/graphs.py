"""Graphs in whatever holds them: the files of `graph/files.py`, results, and folders that a command wrote."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from sparsest._core.errors import DataError
from sparsest._core.folders import COMPLETE
from sparsest._core.paths import existing_file, given_path
from sparsest.export import json as results
from sparsest.export.archive import load
from sparsest.graph.files import Read, parse_file

_IN_FOLDERS = ("result.json", "truth.json")  # written by the commands


def graph_file(path: str | os.PathLike[str]) -> Path:
    """The file of a graph: the path itself, or the file in a folder that a command wrote."""
    file = given_path(path)
    if file.is_dir():
        held = file / COMPLETE if (file / COMPLETE).is_dir() else file
        inside = [held / name for name in _IN_FOLDERS if (held / name).is_file()]
        if len(inside) != 1:
            found = "both" if inside else "neither"
            raise DataError(
                f"the folder {str(file)!r} has {found} of {' and '.join(_IN_FOLDERS)}: name a file"
            )
        file = inside[0]
    return existing_file(file)


def read_graph(path: str | os.PathLike[str]) -> Read:
    """Read a graph from a file, or from a folder that a command wrote.

    Reads sparsest's JSON, saved results, and CSV or TSV with a list of edges or a matrix.
    """
    return replace(_read(graph_file(path)), source=repr(os.fspath(path)))


def _read(file: Path) -> Read:
    if file.suffix == ".sparsest":
        result = load(file)
        return Read(result.cpdag, result.dag)
    return parse_file(file, {results.FORMAT: results.VERSION})
