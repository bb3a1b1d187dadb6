"""Names as cells of CSV files that spreadsheets open: text that begins like a formula is not run as one."""

from __future__ import annotations

import re

# What spreadsheets take for a formula, behind any apostrophes, which mean "this is text". Without a letter or
# a digit, as in the mark of an edge, there is nothing to run.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n|].*\w", re.DOTALL)


def safe_cell(text: str) -> str:
    """Text as a cell: an apostrophe before what a spreadsheet would run; numbers stay as they are."""
    return f"'{text}" if _FORMULA.match(text) and not _is_number(text) else text


def text_of_cell(cell: str) -> str:
    """The text that was written as a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) and not _is_number(cell[1:]) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
