"""From shares to probabilities: two small logistic maps, fitted on simulated tables of many designs.

A share over half-samples is not a probability: half of the rows show less than all of them, so that a
middling share is right more often than it says; and where the model is wrong, wrong arrows come again and
again. The first map gives the probability that a pair is joined in the true DAG, the second that a joined
pair points forward. Their product is the probability of i → j, so that i → j and i ← j add up to the
probability of being joined.

Each map is two: one for rows that look as the model says, one for rows that do not, and in between they are
mixed as far as the rows can be trusted (`Misfit.trust`). More signs of trouble than this one number, or more
properties of the table, fit the simulated tables better and others worse. The coefficients are in
`calibration.json`; bench's `calibration` fitted them.
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

if TYPE_CHECKING:
    from sparsest.confidence.shares import Confidence

Array = NDArray[np.float64]

#: The models on whose shares the maps were fitted.
MODELS = ("gaussian", "rank")
#: The trust in a table without rows to look at.
UNKNOWN = 0.5
_FILE = "calibration.json"
_FAINT = 0.03  # strengths below this are alike
_STRONGEST = 0.9999  # keeps the transformed strength finite


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
    strength : array of shape (p, p)
        Partial correlations of the pairs that were ever joined (`strengths`).
    trust : float
        Between 0 and 1: how far the rows look as the model says (`Misfit.trust`).
    """

    arrow: Array
    undirected: Array
    answer: NDArray[np.bool_]
    strength: Array
    trust: float

    @classmethod
    def of(cls, found: Confidence) -> Evidence:
        """What the shares of a table have to say; without rows nobody knows how far to trust them."""
        if found.strength is None:
            raise AssertionError("shares without strengths are refused")
        trust = UNKNOWN if found.misfit is None else found.misfit.trust
        return cls(found.arrow, found.undirected, found.answer.matrix != 0, found.strength, trust)

    def of_joining(self) -> dict[str, Array]:
        """What speaks for a pair being joined, the same for (i, j) and (j, i)."""
        joined = self.arrow + self.arrow.T + self.undirected
        return {
            "1": np.ones_like(joined),
            "joined, log-odds": _log_odds(joined),
            "never joined": (joined == 0).astype(float),
            "in the answer": (self.answer | self.answer.T).astype(float),
            "strength, log": np.log(_FAINT + np.arctanh(np.minimum(self.strength, _STRONGEST))),
        }

    def of_direction(self) -> dict[str, Array]:
        """What speaks for i → j rather than j → i, with the opposite sign for (j, i)."""
        odds, answer = _log_odds(self.arrow), self.answer.astype(float)
        return {"forward, log-odds": odds - odds.T, "arrow in the answer": answer - answer.T}


def _log_odds(share: Array) -> Array:
    """Log-odds of shares, kept finite as if of 101 resamples one were split between the outcomes."""
    odds: Array = logit((100 * np.minimum(share, 1.0) + 0.5) / 101)
    return odds


@dataclass(frozen=True)
class LogisticMap:
    """A logistic regression whose coefficients depend on the trust in the rows.

    Parameters
    ----------
    coefficients : mapping of str to (float, float)
        By feature, without any trust and with full trust; in between they are interpolated.
    """

    coefficients: Mapping[str, tuple[float, float]]

    def __call__(self, features: Mapping[str, Array], trust: float) -> Array:
        """The probabilities."""
        total = sum(
            ((1 - trust) * without + trust * full) * features[name]
            for name, (without, full) in self.coefficients.items()
        )
        probability: Array = expit(total)
        return probability


@cache
def _maps() -> tuple[LogisticMap, LogisticMap]:
    content = json.loads(resources.files("sparsest.confidence").joinpath(_FILE).read_text(encoding="utf-8"))
    return LogisticMap(content["joining"]), LogisticMap(content["direction"])


def probabilities(evidence: Evidence) -> Calibrated:
    """The probabilities that the maps give."""
    joining, direction = _maps()
    adjacency = joining(evidence.of_joining(), evidence.trust)
    np.fill_diagonal(adjacency, 0.0)
    return Calibrated(adjacency, adjacency * direction(evidence.of_direction(), evidence.trust))


def marks_to_trust(evidence: Evidence) -> tuple[Array, Array]:
    """Shares of i → j and of i – j, mixed with the marks of the answer as far as the rows can be trusted.

    All rows show more than half of them; where the model is wrong, what halves disagree on is doubtful.
    """
    answer, trust = evidence.answer, evidence.trust
    directed, open_ = answer & ~answer.T, answer & answer.T
    return (
        (1 - trust) * evidence.arrow + trust * directed,
        (1 - trust) * evidence.undirected + trust * open_,
    )


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
    return probabilities(Evidence.of(found))


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
    if found.strength is None:
        return "these shares were saved without the strengths of the edges: run `confidence` again"
    return None
