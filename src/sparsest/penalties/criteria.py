"""Information criteria as a cost per edge, in units of the NLL per row."""

import math

from sparsest._core.errors import OptionError

_CRITERIA = ("auto", "bic", "ebic")
#: Rules that choose a cost from a path over costs; `fit` follows them.
FROM_A_PATH = ("stars", "cv", "cv-1se")


def cost_per_edge(criterion: str, n: float, p: int) -> float:
    """The cost c of an edge with one parameter under an information criterion.

    Parameters
    ----------
    criterion : {"auto", "bic", "ebic"}
        "bic" is log(n) / 2n. "ebic" is (log(n) + 2 log(p)) / 2n, the extended BIC of Foygel & Drton (2010)
        with γ = ½, which accounts for the number of graphs there are to choose from. "auto" is "ebic".
    n : float
        The number of rows.
    p : int
        The number of columns.

    Returns
    -------
    float
        The cost, in units of the NLL per row.

    Raises
    ------
    OptionError
        If the criterion is unknown, or n is infinite.

    Examples
    --------
    >>> round(cost_per_edge("bic", n=1000, p=20), 6)
    0.003454
    >>> round(cost_per_edge("auto", n=1000, p=20), 6)
    0.00645
    """
    if criterion in FROM_A_PATH:
        raise OptionError(
            f"penalty={criterion!r} is chosen by sparsest.fit, from a path over costs: learn with it first, "
            "and here pass the cost that it chose as a number, penalty=result.cost"
        )
    if criterion not in _CRITERIA:
        known = ", ".join(map(repr, (*_CRITERIA, *FROM_A_PATH)))
        raise OptionError(
            f"unknown penalty {criterion!r}: use {known}, a number (the cost per edge), or a penalty object "
            "such as QuasiMCP(lam, delta)"
        )
    if math.isinf(n):
        raise OptionError(
            f"penalty={criterion!r} depends on the number of rows, and a population covariance (n = inf) has "
            "none: pass the cost per edge as a number, for example penalty=0.01"
        )
    extension = 0.0 if criterion == "bic" else 2 * math.log(p)
    return (math.log(n) + extension) / (2 * n)
