"""The columns of a table that can be modelled, and the account of all of them.

What cannot be modelled is left out with a reason, not refused: `strict=True` refuses (`interpret.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError
from sparsest._core.words import count, quoted
from sparsest.data.columns.account import Account, ColumnNote
from sparsest.data.columns.coding import Coded
from sparsest.data.columns.kinds import CONSECUTIVE, Kind
from sparsest.data.columns.lenient import Asked, Reading, read_leniently
from sparsest.data.columns.numbers import NotNumbersError, cells_of, column_type_error, floats
from sparsest.data.columns.rare_levels import merged, present
from sparsest.data.columns.require import require_finite, require_room_for
from sparsest.data.columns.table import Table
from sparsest.data.moments.rounded import rounded_relations
from sparsest.data.read.missing import HINT, complete_rows, dropped_rows
from sparsest.data.read.options import TableOptions
from sparsest.data.read.sheets import Sheet, chosen_positions, positions
from sparsest.data.read.weights import read_weights

Array = NDArray[np.float64]

_MOSTLY_MISSING = 0.75  # of the rows: a column that has no more values than that is left out
_FEWEST_KNOWN = 5  # values of a column
_MEASURED = (Kind.CONTINUOUS, Kind.COUNT)  # kinds of columns that may be sums of others
_DISCRETE = (Kind.BINARY, Kind.CATEGORICAL)  # kinds of columns that may be others under other labels
_QUICK = 10**9  # products of numbers: of larger tables some rows are searched for relations
_MOST_TERMS = 8  # of a sum that are named


@dataclass(frozen=True)
class Selected:
    """The table of the columns that can be modelled, and the account of all columns."""

    table: Table
    account: Account


@dataclass
class _Draft:
    """Columns on their way into a table: readings by name, in the table's order, and what there is to say."""

    readings: dict[str, Reading]
    weights: Array | None
    notices: list[str]

    @property
    def used(self) -> dict[str, Coded]:
        return {name: each.coded for name, each in self.readings.items() if each.coded is not None}

    def leave_out(self, name: str, because: str) -> None:
        self.readings[name] = Reading(None, self.readings[name].note.left_out(because))

    def keep_rows(self, rows: NDArray[np.bool_]) -> None:
        """Leave the other rows out, and with them the levels that occur in no other."""
        for name, coded in self.used.items():
            short = present(replace(coded, values=coded.values[rows]))
            note = self.readings[name].note
            gone = len(coded.levels or ()) - len(short.levels or ())
            if gone:
                note = note.also(f"{count(gone, 'level')} only in rows that were dropped")
            if short.kind is Kind.CATEGORICAL:  # what is left of a level may be rare now
                short, rare = merged(short)
                note = (
                    note.also(f"{count(rare, 'level')} rare without the rows that were dropped")
                    if rare
                    else note
                )
            self.readings[name] = Reading(short, replace(note, levels=short.levels or ()))
        if self.weights is not None:
            self.weights = self.weights[rows]

    def values(self) -> Array:
        """The columns side by side."""
        return np.asfortranarray(np.column_stack([coded.values for coded in self.used.values()]))


def selected(sheet: Sheet, options: TableOptions, numbers_only: bool) -> Selected:
    """Read every column, leave out what cannot be modelled, and give an account of it."""
    draft = _read(sheet, options, numbers_only)
    _require_some(draft)
    if options.missing == "error":
        require_finite(draft.values(), list(draft.used), hint=HINT)
    _without_gaps(draft, options.missing)
    if options.missing == "auto":
        _without_strangers(draft)
    _require_some(draft)
    _rows(draft, options.missing)
    for name, coded in draft.used.items():
        if same := _constant(coded):
            draft.leave_out(name, same)
    _without_combinations(draft)
    _without_relabelled(draft)
    _require_some(draft)
    used, account = draft.used, Account(tuple(each.note for each in draft.readings.values()))
    values = _borrowed(sheet, used) if draft.weights is None else None
    values = draft.values() if values is None else values
    values.flags.writeable = False
    table = Table(
        values,
        tuple(used),
        tuple(coded.kind for coded in used.values()),
        tuple(coded.levels for coded in used.values()),
        draft.weights,
        (*sheet.notices, *account.notices(), *draft.notices),
    )
    return Selected(table, account)


def account_of(sheet: Sheet, options: TableOptions) -> Account:
    """The account of the columns, whether or not any is left to learn from."""
    draft = _read(sheet, options, numbers_only=False)
    _without_gaps(draft, "auto")
    for name, coded in draft.used.items():
        if same := _constant(coded):
            draft.leave_out(name, same)
    return Account(tuple(each.note for each in draft.readings.values()))


def _borrowed(sheet: Sheet, used: dict[str, Coded]) -> Array | None:
    """The caller's own numbers, where all columns are used as they were given."""
    matrix = sheet.matrix
    if matrix is None or tuple(used) != sheet.names:
        return None
    same = all(np.may_share_memory(matrix[:, j], coded.values) for j, coded in enumerate(used.values()))
    return matrix.view() if same and len(matrix) == len(next(iter(used.values())).values) else None


def _read(sheet: Sheet, options: TableOptions, numbers_only: bool) -> _Draft:
    """The columns that the options choose, each as what it appears to be."""
    places = chosen_positions(options, sheet.names)
    weights, named = read_weights(options.weights, sheet)
    unknown = [name for name in options.wanted if name not in sheet.names and options.columns is None]
    positions(unknown, sheet.names)  # raises
    readings: dict[str, Reading] = {}
    refused: dict[str, NotNumbersError] = {}
    wanted = options.wanted
    for j in places:
        name = sheet.names[j]
        if name == named:
            continue
        asked = Asked(wanted.get(name), options.marks(name), numbers_only)
        try:
            readings[name] = read_leniently(sheet.column(j), name, asked)
        except NotNumbersError as reason:
            refused[name] = reason
    if refused:
        raise column_type_error(refused)
    _bring_back_ranks(readings, sheet)
    require_room_for(sum(reading.note.used for reading in readings.values()))
    return _Draft(readings, weights, [])


def _bring_back_ranks(readings: dict[str, Reading], sheet: Sheet) -> None:
    """Several columns of consecutive numbers in different orders are ranks: rows have one numbering."""
    found = {}
    for name, reading in readings.items():
        if reading.note.why == CONSECUTIVE and not reading.note.used:
            found[name] = floats(cells_of(sheet.column(sheet.names.index(name))))
    if len(found) < 2:
        return
    first, *others = found.values()
    if all((np.argsort(other, kind="stable") == np.argsort(first, kind="stable")).all() for other in others):
        return
    for name, values in found.items():
        note = ColumnNote(name, str(Kind.CONTINUOUS), "consecutive whole numbers, as other columns: ranks")
        readings[name] = Reading(Coded(values, Kind.CONTINUOUS), note)


def _without_gaps(draft: _Draft, missing: str) -> None:
    """Leave out columns with (nearly) no values."""
    for name, coded in draft.used.items():
        rows = len(coded.values)
        known = int((~np.isnan(coded.values)).sum())
        if known == 0:
            draft.leave_out(name, "no values")
        elif missing == "auto" and known < min(rows, max(_FEWEST_KNOWN, (1 - _MOSTLY_MISSING) * rows)):
            draft.leave_out(name, f"known in only {known} of {count(rows, 'row')}")


def _without_strangers(draft: _Draft) -> None:
    """Leave out columns that are hardly ever known together with others, those with the most such first."""
    names = sorted(draft.used)
    if len(names) < 2:
        return
    known = np.column_stack([~np.isnan(draft.used[name].values) for name in names]).astype(np.float32)
    if known.all():
        return
    enough = min(len(known), _FEWEST_KNOWN)
    strange = known.T @ known < enough
    while strange.any():
        worst = int(np.lexsort((-np.arange(len(names)), known.sum(axis=0), -strange.sum(axis=0)))[0])
        partner = names[int(np.argmax(strange[worst]))]
        draft.leave_out(names[worst], f"hardly ever known in the same rows as {partner!r} and the like")
        strange[worst], strange[:, worst] = False, False


def _rows(draft: _Draft, missing: str) -> None:
    """Leave out rows of weight 0, rows without any value, and incomplete ones where these are dropped."""
    values = draft.values()
    kept = np.ones(len(values), dtype=bool) if draft.weights is None else draft.weights > 0
    if missing == "drop":
        complete = complete_rows(values)
        draft.notices += dropped_rows(int(complete.sum()), len(values))
        kept &= complete
    else:
        empty = np.isnan(values).all(axis=1)
        if empty.any():
            draft.notices.append(f"dropped {count(int(empty.sum()), 'row')} without any value")
        kept &= ~empty
    if kept.sum() < 2:
        raise DataError(
            f"too few rows: {int(kept.sum())} of {len(values)} can be used, and a minimum of 2 is required"
        )
    if not kept.all():
        draft.keep_rows(kept)
        if missing == "drop" and np.isnan(draft.values()).any():  # rows of levels that have become rare
            _rows(draft, missing)


def _constant(coded: Coded) -> str:
    """Why a column that does not vary is left out; "" if it varies."""
    known = coded.values[~np.isnan(coded.values)]
    if known.size and (known != known[0]).any():
        return ""
    if not known.size:
        return "no values"
    value = f"{known[0]:g}" if coded.levels is None else coded.levels[int(known[0])]
    return f"constant (all {value})"


def _without_combinations(draft: _Draft) -> None:
    """Leave out columns of numbers that follow from others up to rounding: sums, differences, copies."""
    used = draft.used
    numbers = sorted(name for name, coded in used.items() if coded.kind in _MEASURED)
    if len(numbers) < 2:
        return
    values = np.column_stack([used[name].values for name in numbers])
    if len(values) * len(numbers) ** 2 > _QUICK:
        values = values[:: -(-len(values) * len(numbers) ** 2 // _QUICK)]
    for relation in rounded_relations(values):
        terms = [
            f"{c:.4g} x {numbers[k]!r}" for k, c in zip(relation.parts, relation.coefficients, strict=True)
        ]
        shown = " + ".join(terms[:_MOST_TERMS]).replace("+ -", "- ") + (
            " + ..." if len(terms) > _MOST_TERMS else ""
        )
        what = "a copy" if len(terms) == 1 else "a combination"
        draft.leave_out(numbers[relation.column], f"{what} of others up to rounding and a constant: {shown}")


def _without_relabelled(draft: _Draft) -> None:
    """Leave out columns with the same categories as another one under other labels: a year and its dummy."""
    first: dict[bytes, str] = {}
    for name, coded in sorted(draft.used.items()):
        if coded.kind not in _DISCRETE:
            continue
        _, place, codes = np.unique(coded.values, return_index=True, return_inverse=True, equal_nan=True)
        pattern = place[codes.reshape(-1)].tobytes()  # each row by the first one with its category
        if first.setdefault(pattern, name) != name:
            draft.leave_out(name, f"a copy of {first[pattern]!r} under other labels")


def _require_some(draft: _Draft) -> None:
    """Refuse a table of which nothing is left, in one line that gives the reasons."""
    left = len(draft.used)
    if left == len(draft.readings) or left >= 2:
        return
    gone = [each.note for each in draft.readings.values() if not each.note.used]
    reasons = ", ".join(f"{note.name!r} ({note.done.removeprefix('left out: ')})" for note in gone[:5])
    more = f" and {len(gone) - 5} more" if len(gone) > 5 else ""
    what = "no column is" if not left else f"only {quoted(list(draft.used))} is"
    raise DataError(
        f"{what} left to learn from: {reasons}{more} cannot be used. Say what they are with "
        "kinds={...}, or pass a table with at least two columns of measurements"
    )
