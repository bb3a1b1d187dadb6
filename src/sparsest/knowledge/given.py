"""What a user passed as `knowledge`, as masks."""

from __future__ import annotations

import os
from collections.abc import Sequence

from sparsest._core.errors import OptionError
from sparsest.knowledge.masks import Masks
from sparsest.knowledge.statement import Knowledge


def masks_of(knowledge: Knowledge | str | os.PathLike[str] | None, names: Sequence[str]) -> Masks:
    """The masks of a `Knowledge`, of a file of it, or of nothing; errors in a file say which one."""
    if knowledge is None:
        return Masks.unconstrained(len(names))
    if isinstance(knowledge, str | os.PathLike):
        try:
            return Knowledge.read(knowledge).masks(names)
        except OptionError as error:
            place = repr(os.fspath(knowledge))
            raise error if str(error).startswith(place) else OptionError(f"{place}: {error}") from error
    if not isinstance(knowledge, Knowledge):
        raise OptionError(f"knowledge must be a Knowledge or a file, not {type(knowledge).__name__}")
    return knowledge.masks(names)
