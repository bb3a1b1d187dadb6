"""A result learned again from the same table with more knowledge, as it is drawn in the widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sparsest._core.errors import OptionError
from sparsest._core.progress import Step, Watch
from sparsest.knowledge import Knowledge, Masks
from sparsest.result import Result

Pair = Sequence[str]


def refitted(
    result: Result,
    forbidden: Sequence[Pair],
    required: Sequence[Pair],
    on_step: Callable[[Step], object] | None = None,
) -> Result:
    """The answer to the same question if these edges, by name, cannot or must be."""
    if result.inquiry is None:
        raise OptionError("this result was loaded, and saved results hold no rows: fit the table again first")
    names = result.names
    drawn = Knowledge(
        forbidden=[(str(a), str(b)) for a, b in forbidden],
        required=[(str(a), str(b)) for a, b in required],
    ).masks(names)
    known = result.inquiry.known
    both = Masks(known.allowed & drawn.allowed, known.required | drawn.required)
    clash = both.required & ~both.allowed
    if clash.any():
        i, j = (int(k[0]) for k in clash.nonzero())
        raise OptionError(f"{names[i]} -> {names[j]} is required and forbidden: remove one of the two")
    again: Result = replace(result.inquiry, known=both).answer(Watch(on_step=on_step))
    return again
