"""Random halves of a file larger than memory: their moments, for all halves in one pass.

Every row goes to one half of each pair by a fair coin, so the two halves of a pair are complements, and their
sizes are n/2 up to about √n/2. The coins depend on the seed and on the number of the row alone, not on the
blocks in which the file is read. The sums of the first half of each pair are collected; those of the second
are what is left of the sums of all rows. Sums are about values near the data, so little is lost by that.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.progress import Watch
from sparsest._core.streams import RESAMPLES, generator
from sparsest._core.words import quoted
from sparsest.data.columns.require import require_shape
from sparsest.data.moments.moments import Moments
from sparsest.data.moments.running import RunningMoments
from sparsest.data.read.options import TableOptions
from sparsest.data.read.parts import find_parts
from sparsest.data.read.streaming import Sums, add_parts, read_names

_BITS = 64  # coins of a row that one random number holds
_MEMORY = 4 * 2**30  # bytes, for the sums of all halves


@dataclass(frozen=True, eq=False)
class Halves:
    """The sums of all rows and of the first half of each pair."""

    whole: RunningMoments
    firsts: tuple[RunningMoments, ...]
    names: tuple[str, ...]

    def moments(self, number: int, names: tuple[str, ...]) -> Moments:
        """The moments of some columns in half `number`; halves 2k and 2k + 1 are complements."""
        first = self.firsts[number // 2]
        running = first if number % 2 == 0 else self.whole.without(first)
        kept = [self.names.index(name) for name in names]
        covariance, mean = running.covariance[np.ix_(kept, kept)], running.mean[kept]
        constant = [name for name, spread in zip(names, covariance.diagonal(), strict=True) if not spread > 0]
        if constant:
            raise DataError(
                f"in a half of the file {quoted(constant)} is constant, and halves of a file larger than "
                "memory cannot be drawn again: leave the column out"
            )
        return Moments(covariance, running.effective_rows, mean, names)


def stream_halves(
    path: str | os.PathLike[str], options: TableOptions, pairs: int, seed: int, watch: Watch
) -> Halves:
    """The moments of pairs of random halves of the rows, in one pass over a file or a folder of parts.

    Parameters
    ----------
    path : path
        The file, or a folder of parts.
    options : TableOptions
        How it is to be read.
    pairs : int
        How many pairs of halves.
    seed : int
        Decides which rows are in which half.
    watch : Watch
        Told how many rows have been read.

    Returns
    -------
    Halves

    Raises
    ------
    OptionError
        If the sums would need too much memory, or for `missing="pairwise"`.
    """
    if options.missing == "pairwise":
        raise OptionError(
            "resamples of a file larger than memory need complete rows: pass missing='drop', not 'pairwise'"
        )
    parts = find_parts(Path(path))
    names, _ = read_names(parts, options)
    needed = 8 * (pairs + 1) * len(names) ** 2
    if needed > _MEMORY:
        most = 2 * max(_MEMORY // (8 * len(names) ** 2) - 1, 0)
        raise OptionError(
            f"{2 * pairs} resamples of {len(names)} columns of a file larger than memory need "
            f"{needed / 2**30:.3g} GiB for their covariances (at most {_MEMORY / 2**30:.3g} GiB are used): "
            f"pass at most {most} resamples, or fewer columns"
        )
    sums = _HalfSums(names, options, pairs, seed)
    add_parts(sums, parts, names, options, watch)
    require_shape((sums.rows, len(sums.variables)))
    assert isinstance(sums.running, RunningMoments)  # not of pairs
    return Halves(sums.running, tuple(sums.firsts), sums.variables)


class _HalfSums(Sums):
    """The sums of all rows, and beside them those of the first half of each pair."""

    def __init__(self, names: tuple[str, ...], options: TableOptions, pairs: int, seed: int) -> None:
        super().__init__(names, options)
        self._pairs = pairs
        words = range(-(-pairs // _BITS))
        self._coins: list[Any] = [generator(seed, RESAMPLES, word).bit_generator for word in words]
        self.firsts: list[RunningMoments] = []

    def _take(self, block: NDArray[np.float64], weights: NDArray[np.float64] | None) -> None:
        super()._take(block, weights)
        assert self.running is not None  # made for the first block
        self.firsts = self.firsts or [RunningMoments(self.running.shift) for _ in range(self._pairs)]
        coins = [coin.random_raw(len(block)) for coin in self._coins]
        for k, first in enumerate(self.firsts):
            here = (coins[k // _BITS] >> np.uint64(k % _BITS)) & np.uint64(1) == 1
            first.add(block[here], None if weights is None else weights[here])
