"""Options for reading a table, shared by `fit`, `read_table` and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sparsest._core.errors import OptionError
from sparsest._core.words import quoted
from sparsest.data.columns.kinds import Kind, Wanted
from sparsest.data.columns.transforms import checked_transform

MISSING = ("auto", "error", "drop", "pairwise", "em", "keep")


@dataclass(frozen=True)
class TableOptions:
    """Options for reading a table, checked; `read_table` explains them.

    Examples
    --------
    >>> from sparsest.data import TableOptions
    >>> TableOptions(columns=["a", "b"], missing="drop").given()
    ['columns', 'missing']
    """

    columns: Sequence[str] | None = None
    kinds: Mapping[str, Any] | None = None
    drop_constant: bool = False
    missing: str = "error"
    weights: Any = None
    transpose: bool = False
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    exclude: Sequence[str] | None = None
    na: Any = None
    strict: bool = True
    connection: Any = None
    transform: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _columns(self.columns, "columns"))
        object.__setattr__(self, "exclude", _columns(self.exclude, "exclude") if self.exclude else None)
        object.__setattr__(self, "na", _na(self.na))
        object.__setattr__(self, "kinds", _kinds(self.kinds))
        object.__setattr__(self, "transform", checked_transform(self.transform))
        if self.missing not in MISSING:
            known = ", ".join(map(repr, MISSING[:-1]))
            raise OptionError(f"missing must be one of {known}, not {self.missing!r}")
        for name in ("drop_constant", "transpose", "strict"):
            if not isinstance(getattr(self, name), (bool, int)):
                raise OptionError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if (
            self.strict and self.missing == "auto"
        ):  # strict refuses missing values, too, unless told otherwise
            object.__setattr__(self, "missing", "error")
        self._check_marks()

    def _check_marks(self) -> None:
        """Separator, decimal mark and thousands mark are single, different characters."""
        marks = {name: getattr(self, name) for name in ("separator", "decimal", "thousands")}
        given = {name: mark for name, mark in marks.items() if mark is not None}
        for name, mark in given.items():
            if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii() or mark in '\r\n"':
                raise OptionError(f"{name} must be a single character, such as ',' or ';', not {mark!r}")
        if self.decimal not in (None, ".", ","):
            raise OptionError(f"decimal must be '.' or ',', not {self.decimal!r}")
        if self.decimal is not None and self.decimal in (self.thousands, self.separator):
            raise OptionError(f"{self.decimal!r} cannot be both the decimal mark and another mark")

    @property
    def wanted(self) -> dict[str, Wanted]:
        """The kinds of columns that the user gave."""
        return dict(self.kinds or {})

    def given(self) -> list[str]:
        """The names of the options that differ from their defaults."""
        usual = {"missing": "auto", "strict": False}  # defaults of `fit`
        return [
            field.name
            for field in fields(self)
            if getattr(self, field.name) not in (field.default, {}, usual.get(field.name, field.default))
        ]

    def marks(self, name: str) -> tuple[object, ...] | None:
        """The marks of missing values that the user gave for a column; None if they are to be found."""
        if isinstance(self.na, Mapping):
            return self.na.get(name)
        marks: tuple[object, ...] | None = self.na
        return marks


def _columns(columns: Any, option: str) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if isinstance(columns, str | bytes):
        raise OptionError(f"{option} must be a list of names, got {columns!r}: write {option}=[{columns!r}]")
    try:
        wanted = tuple(str(column) for column in columns)
    except TypeError:
        raise OptionError(f"{option} must be a list of names, got {columns!r}") from None
    if not wanted:
        raise OptionError(f"{option}=[] leaves nothing to read: name at least one column")
    return wanted


def _na(na: Any) -> Any:
    """Marks of missing values: a tuple for all columns, a dictionary of tuples by column, or None."""
    if na is None:
        return None
    if isinstance(na, Mapping):
        return {str(name): _na(marks) for name, marks in na.items()}
    if isinstance(na, str | int | float):
        return (na,)
    try:
        return tuple(na)
    except TypeError:
        raise OptionError(
            "na must be a mark of missing values such as '?' or -999, a list of marks, or a dictionary "
            f"of such by column, not {na!r}"
        ) from None


def _kinds(kinds: Any) -> dict[str, Wanted]:
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise OptionError(
            f"kinds must map names of columns to kinds, such as kinds={{'age': 'count'}}, not {kinds!r}"
        )
    return {str(name): _wanted(str(name), kind) for name, kind in kinds.items()}


def _wanted(name: str, kind: Any) -> Wanted:
    if isinstance(kind, str):
        try:
            return Kind(kind)
        except ValueError:
            known = ", ".join(repr(str(kind)) for kind in Kind)
            raise OptionError(
                f"the kind of column {name!r} must be one of {known}, or the words of an ordinal column from "
                f"low to high, not {kind!r}"
            ) from None
    if not isinstance(kind, Sequence) or len(kind) < 2 or len(set(map(str, kind))) != len(kind):
        raise OptionError(
            f"the words of the ordinal column {name!r} must be a list of at least two different words from "
            f"low to high, not {quoted([str(kind)])}"
        )
    return tuple(map(str, kind))
