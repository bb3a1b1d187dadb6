"""What there is to know about the likelihood behind a result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Traits:
    """What a likelihood can tell, and how its numbers are to be read.

    `identifies` is "class" where all DAGs of a Markov equivalence class fit equally well, and "dag" where the
    likelihood tells them apart. `gaussian` says that it is the Gaussian likelihood of a covariance, `units`
    what its weights are in.
    """

    identifies: str = "dag"
    gaussian: bool = False
    units: str = "the columns' units"

    @classmethod
    def of_older_file(cls, model: str) -> Traits:
        """Those of a result that was saved before results had any."""
        return cls("class", gaussian=True) if model == "gaussian" else cls()
