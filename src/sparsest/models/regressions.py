"""Logistic and Poisson regressions as objects, for what their words leave no choice about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sparsest._core.errors import OptionError


@dataclass(frozen=True)
class Logistic:
    """All columns binary, log-odds linear in the parents: `model="logistic"`, with or without intercepts.

    Without, as in Appendix D, a column without parents is a fair coin.
    """

    intercept: bool = True

    name: ClassVar[str] = "logistic"

    def __post_init__(self) -> None:
        _require_bool(self.intercept)


@dataclass(frozen=True)
class Poisson:
    """All columns counts, log-rates linear in the parents: `model="poisson"`, with or without intercepts.

    Without, a column without parents has rate 1.
    """

    intercept: bool = True

    name: ClassVar[str] = "poisson"

    def __post_init__(self) -> None:
        _require_bool(self.intercept)


Regressions = Logistic | Poisson


def _require_bool(intercept: object) -> None:
    if not isinstance(intercept, bool):
        raise OptionError(f"intercept must be True or False, not {intercept!r}")
