"""What names say about causes: nothing in a table causes age, sex or time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparsest.data.audit.findings import Describer, Finding
from sparsest.data.columns.name_words import root_reason


def check_roots(names: Sequence[str]) -> Iterator[Finding]:
    """Columns that the others can hardly cause, with the line of code that says so."""
    found = [j for j, name in enumerate(names) if root_reason(name)]
    if not found or len(found) == len(names):
        return
    about = Describer(names)
    roots = ", ".join(repr(names[j]) for j in found)
    yield about.finding(
        "roots", "info", found,
        f"{about.listed(found, lambda j: root_reason(names[j]))} can hardly be caused by the others; nothing "
        "enforces that unless you say so",
        f"pass knowledge=sp.Knowledge(roots=[{roots}])",
    )  # fmt: skip
