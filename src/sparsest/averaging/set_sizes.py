"""How many elements sets have whose elements are the bits of a number."""

import numpy as np
from numpy.typing import NDArray

_OF_A_BYTE = np.array([byte.bit_count() for byte in range(256)])


def set_sizes(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of bits of each non-negative number; `numpy.bitwise_count` is there from NumPy 2 on only."""
    octets = np.ascontiguousarray(sets, dtype=np.int64).view(np.uint8).reshape(-1, 8)
    return _OF_A_BYTE[octets].sum(axis=1)
