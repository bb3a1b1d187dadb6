"""Sets of nodes as Python integers: bit k stands for node k.

Subset tests and intersections of sets of a thousand nodes then take about a tenth of a microsecond, fast
enough to keep the graph algorithms in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparsest.graph._matrix import Pattern


def row_masks(pattern: Pattern) -> list[int]:
    """Set of the true columns of each row."""
    packed = np.packbits(pattern, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def bits(mask: int) -> Iterator[int]:
    """Members of a set, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def lowest(mask: int) -> int:
    """Smallest member of a nonempty set."""
    return (mask & -mask).bit_length() - 1


def is_subset(a: int, b: int) -> bool:
    """Whether every member of a is in b."""
    return a & ~b == 0
