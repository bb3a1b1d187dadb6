"""How likely it is that one more run of a search finds a better graph.

A search that starts at random ends in a local minimum. Boender & Rinnooy Kan (1987): if N runs ended in w
different minima, those not yet seen attract w (w + 1) / (N (N − 1)) of all runs on average, with a uniform
prior. Whether one of these is lower than all w seen is a matter of rank: with chance 1 / (w + 1) if depth and
attraction have nothing to do with each other, with a smaller one if deeper minima attract more, as they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sparsest.problem import SAME_OBJECTIVE


def chance_of_better(objectives: Sequence[float]) -> float:
    """An estimate of the chance that one more run ends lower than all runs so far.

    Parameters
    ----------
    objectives : sequence of float
        Where independent runs ended; those that differ by less than `SAME_OBJECTIVE` are equal.

    Returns
    -------
    float
        w / (N (N − 1)) for N runs with w different ends, at most 1 / (N + 1): what any N runs, all of them
        different, would say.

    Examples
    --------
    >>> round(chance_of_better([-1.5, -1.5, -1.5, -1.5]), 4)
    0.0833
    >>> chance_of_better([-1.5, -1.2, -1.4, -1.1])
    0.2
    """
    runs = len(objectives)
    if runs < 2:
        return 1 / (runs + 1)
    ends = sorted(objectives)
    different = 1 + sum(later - earlier > SAME_OBJECTIVE for earlier, later in pairwise(ends))
    return min(different / (runs * (runs - 1)), 1 / (runs + 1))
