"""Streams of random numbers: parts of the package that share a seed draw different numbers from it."""

from __future__ import annotations

import numpy as np

ORDER_SEARCH = 0x0DE5
LOCAL_ORDER_SEARCH = 0x10CA
GREEDY_SEARCH = 0x5A4E
PORTFOLIO = 0xD1FF
LIKELIHOOD_START = 0x90DE1
RESAMPLES = 0x5A3B1E
POSTERIOR = 0xBA7E5
FOLDS = 0xF01D5
SUBSAMPLES = 0x57A25
EFFECTS = 0xEFFEC7
SEARCH_SAMPLE = 0x5A3D1


def generator(seed: int, stream: int, *parts: int) -> np.random.Generator:
    """A generator of its own for a stream, and for parts of it where there are several."""
    return np.random.default_rng([seed, stream, *parts])
