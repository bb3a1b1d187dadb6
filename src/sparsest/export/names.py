"""Names of columns where there is little room."""

from __future__ import annotations


def clipped(name: str, most: int, ellipsis: str = "…") -> str:
    """A name on one line and of at most `most` characters; what is left out is left out in the middle.

    Long names often differ in their endings alone (pressure_left, pressure_right).
    """
    line = " ".join(name.split())
    if len(line) <= most:
        return line
    kept = most - len(ellipsis)
    tail = kept // 2
    return line[: kept - tail] + ellipsis + line[len(line) - tail :]
