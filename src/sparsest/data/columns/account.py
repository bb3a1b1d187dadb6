"""The account of a table: every column, what it is and why, and what was done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from sparsest._core.words import percent, quoted

if TYPE_CHECKING:
    import polars

_MOST_NAMED = 8


@dataclass(frozen=True)
class ColumnNote:
    """One column of the account.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        What it is: a `Kind`, or what else it holds.
    why : str
        Why it was taken for that.
    used : bool
        Whether the model has it.
    modelled : str
        How: its likelihood; "" for a column that was left out.
    levels : tuple of str
        The words or numbers behind its codes; empty for plain numbers.
    missing : float
        The share of rows in which it has no value.
    done : str
        What was done with it, such as "left out: an identifier" or "12 rare levels merged".
    """

    name: str
    kind: str
    why: str
    used: bool = True
    modelled: str = ""
    levels: tuple[str, ...] = ()
    missing: float = 0.0
    done: str = ""

    def left_out(self, because: str) -> ColumnNote:
        """The note of a column that the model does not have."""
        return replace(self, used=False, modelled="", done=f"left out: {because}")

    def also(self, done: str) -> ColumnNote:
        """The note with one more thing that was done."""
        return replace(self, done=f"{self.done}; {done}" if self.done else done)


@dataclass(frozen=True)
class Account:
    """What was done with each column of a table, in the table's order.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> table = np.column_stack([np.arange(50), rng.normal(size=(50, 2))])
    >>> account = sp.audit(table).account
    >>> [(note.name, note.kind, note.used) for note in account.notes]
    [('x0', 'identifier', False), ('x1', 'continuous', True), ('x2', 'continuous', True)]
    """

    notes: tuple[ColumnNote, ...] = ()

    @property
    def left_out(self) -> tuple[ColumnNote, ...]:
        """The columns that the model does not have."""
        return tuple(note for note in self.notes if not note.used)

    def with_models(self, modelled: Mapping[str, str]) -> Account:
        """The account with how each column is modelled."""
        notes = (replace(note, modelled=modelled.get(note.name, "")) for note in self.notes)
        return Account(tuple(notes))

    def on_scales(self, words: Mapping[str, str]) -> Account:
        """The account with the scale of each column that has another one, said once."""
        notes = []
        for note in self.notes:
            done = f"taken as {words.get(note.name, '')}"
            new = note.used and note.name in words and done not in note.done
            notes.append(note.also(done) if new else note)
        return Account(tuple(notes))

    def table(self) -> polars.DataFrame:
        """The account as a data frame with a row per column.

        Returns
        -------
        polars.DataFrame
        """
        import polars

        rows = [{**vars(note), "levels": _first_few(note.levels)} for note in self.notes]
        words, others = polars.String, {"used": polars.Boolean, "missing": polars.Float64}
        schema = {each.name: others.get(each.name, words) for each in fields(ColumnNote)}
        return polars.DataFrame(rows, schema=schema).rename({"name": "column"})

    def notices(self) -> tuple[str, ...]:
        """What there is to tell the user, the columns that were left out together."""
        told = []
        if self.left_out:
            reasons: dict[str, list[str]] = {}
            for note in self.left_out:
                reasons.setdefault(note.done.removeprefix("left out: "), []).append(note.name)
            parts = [f"{quoted(names)} ({reason})" for reason, names in list(reasons.items())[:_MOST_NAMED]]
            more = len(reasons) - _MOST_NAMED
            also = f", and {more} more reasons" if more > 0 else ""
            told.append(
                f"left out {'; '.join(parts)}{also}: result.columns says more, strict=True refuses instead"
            )
        done: dict[str, list[str]] = {}
        for note in self.notes:
            if note.used and note.done:
                done.setdefault(note.done, []).append(note.name)
        told += [f"column {quoted(names)}: {what}" for what, names in done.items()]
        return tuple(told)

    def lines(self) -> list[str]:
        """The account as lines of text, for a terminal."""
        width = max((len(note.name) for note in self.notes), default=0)
        lines = []
        for note in self.notes:
            gaps = f", {percent(note.missing)} missing" if note.missing else ""
            done = f" [{note.done}]" if note.done else ""
            lines.append(f"  {note.name:<{width}}  {note.kind}{gaps} ({note.why}){done}")
        return lines

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain values, ready for JSON."""
        return [{**vars(note), "levels": list(note.levels)} for note in self.notes]


def _first_few(words: tuple[str, ...]) -> str:
    return ", ".join(words[:_MOST_NAMED]) + (", ..." if len(words) > _MOST_NAMED else "")
