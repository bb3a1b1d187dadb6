"""From shares to probabilities: two logistic maps, fitted on simulated tables of many designs.

A share over half-samples is not a probability: half of the rows show less than all of them, so that a
middling share is right more often than it says; and where the model is wrong, wrong arrows come again and
again. The first map gives the probability that a pair is joined in the true DAG, the second that a joined
pair points forward. Their product is the probability of i → j, so that i → j and i ← j add up to the
probability of being joined. Both take the shares, the answer from all rows, the size of the table and its
`Misfit` into account. The coefficients are in `calibration.json`; bench's `calibration` fitted them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from sparsest._core.errors import OptionError
from sparsest.confidence.misfit import Misfit

if TYPE_CHECKING:
    from sparsest.confidence.shares import Confidence

Array = NDArray[np.float64]

#: The models on whose shares the maps were fitted.
MODELS = ("gaussian", "rank")
_FILE = "calibration.json"


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Shares turned into probabilities.

    Attributes
    ----------
    adjacency : array of shape (p, p)
        The probability that i and j are joined in the true DAG.
    arrow : array of shape (p, p)
        The probability that the true DAG has i → j; with that of j → i it adds up to `adjacency`. Where the
        class leaves a direction open, both are about half of it.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 500))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
    >>> found = sp.confidence(np.column_stack([rain, sprinkler, wet]), resamples=20).calibrated
    >>> bool(found.arrow[0, 2] > 0.8 > 0.2 > found.arrow[2, 0])
    True
    """

    adjacency: Array
    arrow: Array


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the maps look at.

    Parameters
    ----------
    arrow, undirected : array of shape (p, p)
        The shares of i → j and of i – j.
    answer : bool array of shape (p, p)
        The class learned from all rows.
    n : float
        The number of rows.
    misfit : Misfit
        How well the model fits.
    """

    arrow: Array
    undirected: Array
    answer: NDArray[np.bool_]
    n: float
    misfit: Misfit

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.arrow)

    def of_table(self) -> dict[str, float]:
        """What is the same for all pairs."""
        joined = self.arrow + self.arrow.T + self.undirected
        return {
            "log n": float(np.log(self.n)),
            "log p": float(np.log(self.p)),
            "degree": float(joined.sum() / self.p),
            "tails": self.misfit.tails,
            "curvature": self.misfit.curvature,
            "spread": self.misfit.spread,
            "classes": self.misfit.classes,
        }

    def of_joining(self) -> dict[str, Array]:
        """What speaks for a pair being joined, the same for (i, j) and (j, i)."""
        joined = self.arrow + self.arrow.T + self.undirected
        degrees = joined.sum(axis=0)
        directed = self.answer ^ self.answer.T
        return {
            "joined, log-odds": _log_odds(joined),
            "joined": joined,
            "never joined": (joined == 0).astype(float),
            "one way": np.maximum(self.arrow, self.arrow.T),
            "either way": np.minimum(self.arrow, self.arrow.T),
            "open": self.undirected,
            "in the answer": (self.answer | self.answer.T).astype(float),
            "arrow in the answer": directed.astype(float),
            "neighbours": (degrees[:, None] + degrees[None, :]) / 2,
        }

    def of_direction(self) -> dict[str, Array]:
        """What speaks for i → j rather than j → i, with the opposite sign for (j, i)."""
        odds, answer = _log_odds(self.arrow), self.answer.astype(float)
        return {
            "forward, log-odds": odds - odds.T,
            "forward": self.arrow - self.arrow.T,
            "arrow in the answer": answer - answer.T,
        }


def _log_odds(share: Array) -> Array:
    """Log-odds of shares, kept finite as if of 101 resamples one were split between the outcomes."""
    odds: Array = logit((100 * share + 0.5) / 101)
    return odds


@dataclass(frozen=True)
class LogisticMap:
    """A logistic regression on named terms; a term is a feature, or a product "feature * property of table".

    Parameters
    ----------
    coefficients : mapping of str to float
        By term; "1" is the intercept.
    ranges : mapping of str to (float, float)
        The range of each property of a table in the fit; others count as the nearest end.
    """

    coefficients: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]

    def __call__(self, features: Mapping[str, Array], table: Mapping[str, float]) -> Array:
        """The probabilities."""
        inside = {name: float(np.clip(table[name], *self.ranges[name])) for name in self.ranges}
        terms = terms_of(features, inside)
        total = sum(value * terms[name] for name, value in self.coefficients.items())
        probability: Array = expit(total)
        return probability


def terms_of(features: Mapping[str, Array], table: Mapping[str, float]) -> dict[str, Array]:
    """All terms that a map may have: features, their products with properties of the table, and these."""
    ones = np.ones_like(next(iter(features.values())))
    products = {
        f"{feature} * {name}": values * value
        for feature, values in features.items()
        for name, value in table.items()
    }
    return {"1": ones} | {name: ones * value for name, value in table.items()} | dict(features) | products


@cache
def _maps() -> tuple[LogisticMap, LogisticMap]:
    content = json.loads(resources.files("sparsest.confidence").joinpath(_FILE).read_text(encoding="utf-8"))
    ranges = {name: (low, high) for name, (low, high) in content["ranges"].items()}
    return LogisticMap(content["joining"], ranges), LogisticMap(content["direction"], ranges)


def probabilities(evidence: Evidence) -> Calibrated:
    """The probabilities that the maps give."""
    joining, direction = _maps()
    table = evidence.of_table()
    adjacency = joining(evidence.of_joining(), table)
    np.fill_diagonal(adjacency, 0.0)
    return Calibrated(adjacency, adjacency * direction(evidence.of_direction(), table))


def calibrated(found: Confidence) -> Calibrated:
    """Shares over half-samples as probabilities.

    Parameters
    ----------
    found : Confidence
        From half-samples.

    Returns
    -------
    Calibrated

    Raises
    ------
    OptionError
        If the shares are of another kind than those the maps were fitted on.
    """
    if (why := refusal(found)) is not None:
        raise OptionError(why)
    evidence = Evidence(
        found.arrow,
        found.undirected,
        found.answer.matrix != 0,
        found.n,
        found.misfit or Misfit(),
    )
    return probabilities(evidence)


def refusal(found: Confidence) -> str | None:
    """Why shares cannot be calibrated; None if they can."""
    if found.how == "posterior":
        return "these are probabilities already, given the model: only shares are calibrated"
    if found.how not in ("half", "wishart"):
        return f"only shares of half-samples are calibrated, not how={found.how!r}: leave `how` out"
    others = [model for model in found.models if model not in MODELS]
    if others:
        return (
            f"shares under the model {others[0]!r} are not calibrated, only those under "
            f"{' and '.join(map(repr, MODELS))}: read them as shares, or pass models={list(MODELS)}"
        )
    if not found.resamples:
        return "no resample was finished: there is nothing to calibrate"
    return None
