"""Resamples of a file larger than memory: the moments of all halves, from one more pass over it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sparsest._core.errors import OptionError
from sparsest.data import Source
from sparsest.data.read.halving import Halves


@dataclass(frozen=True, eq=False)
class Streamed:
    """Halves of the rows of a file, known by their moments."""

    halves: Halves
    seed: int

    how = "half"

    @classmethod
    def checked(
        cls, source: Source, how: str, groups: Any, blocks: Any, resamples: int, seed: int
    ) -> Streamed:
        """Refuse what needs rows in memory, and pass over the file."""
        if how != "half":
            raise OptionError("the rows of a file larger than memory can be halved only: pass how='half'")
        if groups is not None or blocks is not None:
            raise OptionError(
                "groups and blocks need the rows in memory, and this file is larger than that: pass a table "
                "with fewer rows or columns"
            )
        return cls(source.halves((resamples + 1) // 2, seed), seed)

    def resample(self, prepared: Any, number: int) -> tuple[Any, int]:
        """A prepared table with the moments of a half; it cannot be drawn again."""
        return replace(prepared, moments=self.halves.moments(number, prepared.names)), 0

    def identity(self) -> dict[str, Any]:
        """What the draws depend on."""
        return {"units": "rows of a file", "seed": self.seed}
