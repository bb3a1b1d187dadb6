"""Validation of the matrices that users pass, and the error messages.

`matrix[i, j] == 1` means i -> j; `[i, j] == [j, i] == 1` means i -- j. Validated patterns are Boolean copies,
so that nothing here can change the caller's array.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sparsest._core.errors import GraphError
from sparsest._core.words import default_names

Matrix: TypeAlias = npt.NDArray[Any] | Sequence[Sequence[float]]
IntMatrix: TypeAlias = npt.NDArray[np.int64]
Pattern: TypeAlias = npt.NDArray[np.bool_]


def edge_pattern(matrix: Matrix, *, weighted: bool = False) -> Pattern:
    """Nonzero pattern of a square matrix; entries other than 0 and 1 raise unless `weighted`."""
    try:
        array = np.asarray(matrix)
    except ValueError as error:  # rows of unequal length
        raise GraphError(f"a graph must be a square matrix, but this is not one: {error}") from error
    if array.dtype.kind not in "biuf":
        raise GraphError(
            f"a graph matrix must be numeric, but this one has dtype {array.dtype}; call .toarray() on a "
            "sparse matrix"
        )
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(
            f"a graph must be a square matrix, one row and one column per node, but has shape {array.shape}"
        )
    if array.dtype.kind == "f":
        _refuse(array, ~np.isfinite(array), "every entry must be finite")
    if not weighted and array.dtype.kind != "b":
        hint = "entries must be 0 (no edge) or 1 (edge); for a weighted matrix pass (weights != 0)"
        _refuse(array, (array != 0) & (array != 1), hint)
    return np.array(array != 0, order="C")


def _refuse(array: npt.NDArray[Any], bad: Pattern, rule: str) -> None:
    if bad.any():
        row, column = (int(k) for k in np.argwhere(bad)[0])
        raise GraphError(f"matrix[{row}, {column}] is {array[row, column]!s}: {rule}")


def refuse_loops(pattern: Pattern, names: Sequence[str]) -> None:
    """Raise GraphError naming the first node with an edge to itself."""
    loops = np.flatnonzero(pattern.diagonal())
    if loops.size:
        k = int(loops[0])
        raise GraphError(
            f"matrix[{k}, {k}] is not 0: {names[k]} would be its own cause; set the diagonal to 0"
        )


def check_names(names: Iterable[object] | None, count: int) -> tuple[str, ...]:
    """One distinct name per node, as a tuple of str; default names if None."""
    if names is None:
        return default_names(count)
    if isinstance(names, str):
        raise GraphError(f"names must be a list of names, not the single string {names!r}")
    checked = tuple(str(name) for name in names)
    if len(checked) != count:
        raise GraphError(f"{len(checked)} names for {count} nodes: pass one name per row of the matrix")
    if len(set(checked)) < count:
        twice = next(name for k, name in enumerate(checked) if name in checked[:k])
        raise GraphError(f"the name {twice!r} is given to more than one node: names must be distinct")
    return checked
