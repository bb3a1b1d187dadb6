"""What a user passed as `knowledge`, as masks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from sparsest._core.errors import OptionError
from sparsest.knowledge.masks import Masks
from sparsest.knowledge.statement import Knowledge
from sparsest.knowledge.toml import KEYS


def masks_of(
    knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None,
    names: Sequence[str],
    absent: Sequence[str] = (),
) -> Masks:
    """The masks of a `Knowledge`, of a dictionary or a file of it, or of nothing.

    `absent` are columns of the table that are not modelled: what is said of them is ignored. Errors in a file
    say which one.
    """
    if knowledge is None:
        return Masks.unconstrained(len(names))
    if isinstance(knowledge, str | os.PathLike):
        try:
            return Knowledge.read(knowledge).masks(names, absent)
        except OptionError as error:
            place = repr(os.fspath(knowledge))
            raise error if str(error).startswith(place) else OptionError(f"{place}: {error}") from error
    if isinstance(knowledge, Mapping):
        return of_mapping(knowledge).masks(names, absent)
    if not isinstance(knowledge, Knowledge):
        raise OptionError(
            f"knowledge must be a Knowledge, a dictionary or a file, not {type(knowledge).__name__}"
        )
    return knowledge.masks(names, absent)


def of_mapping(knowledge: Mapping[str, Any]) -> Knowledge:
    """Knowledge from a dictionary whose keys are the keywords of `Knowledge`."""
    for key in knowledge:
        if key not in KEYS:
            raise OptionError(f"knowledge: {key!r} is not known; the keys are {', '.join(KEYS)}")
    return Knowledge(**knowledge)
