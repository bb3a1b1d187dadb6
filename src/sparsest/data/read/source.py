"""Whatever the user passed as data, read at most once."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import Any

from sparsest._core.errors import OptionError
from sparsest._core.paths import given_path
from sparsest._core.progress import Watch
from sparsest.data.columns.account import Account
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.table import Table
from sparsest.data.columns.transforms import notices, transformed
from sparsest.data.moments.covariance_files import is_covariance_file, read_covariances
from sparsest.data.moments.from_table import TableMoments, table_moments
from sparsest.data.moments.moments import Moments, require_usable
from sparsest.data.read.halving import Halves, stream_halves
from sparsest.data.read.interpret import checked, interpreted, read_before
from sparsest.data.read.missing import MissingValueError
from sparsest.data.read.options import TableOptions
from sparsest.data.read.scattered import Scattered, is_dataset, scattered
from sparsest.data.read.selecting import selected
from sparsest.data.read.sheets import Sheet, read_sheet
from sparsest.data.read.streaming import first_rows, stream, worth_streaming

_ONLY_IN_ALL_ROWS = ("left out: constant", "left out: known in only")  # what the first rows cannot decide


class Source:
    """Whatever the user passed as data: a table in memory, a file or moments. It is read at most once.

    Parameters
    ----------
    data : array, data frame, path, Table or Moments
        What `read_table` can read, a table that was read already, or moments.
    options : TableOptions
        How a table is to be read. Moments need no reading, so with them any option raises an OptionError.
    watch : Watch
        Told how many rows of a large file have been read so far.

    Attributes
    ----------
    given : Moments or None
        The moments, where the user passed moments.

    Examples
    --------
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.data import Source, TableOptions
    >>> source = Source([[1.0, 0], [2.5, 1], [4.0, 1]], TableOptions(), Watch())
    >>> source.table(numbers_only=False).names
    ('x0', 'x1')
    >>> source.moments().moments.n
    3
    """

    def __init__(self, data: Any, options: TableOptions, watch: Watch) -> None:
        if options.connection is None and isinstance(data, str | os.PathLike):
            path = given_path(data)
            data = read_covariances(path, None) if is_covariance_file(path) else data
        self._data, self._watch = data, watch
        self.options = options
        self.given = data if isinstance(data, Moments) else None
        self._tables: dict[bool, Table] = {}
        self._accounts: dict[bool, Account] = {}
        if self.given is not None and (names := options.given()):
            raise OptionError(f"{' and '.join(names)} apply to tables: select from the covariance instead")

    def head(self) -> Table | None:
        """The first rows of a file so large that it would be streamed: their kinds stand for all rows.

        Returns
        -------
        Table or None
            None for all other data. Its columns are not checked: they may be constant or have missing values.
        """
        sheet = self.head_sheet
        if sheet is None:
            return None
        if self.options.strict:
            return interpreted(sheet, self._head_options, numbers_only=False)
        return selected(sheet, replace(self._head_options, missing="auto"), numbers_only=False).table

    def table(self, *, numbers_only: bool) -> Table:
        """The table, as `read_table` would return it.

        Parameters
        ----------
        numbers_only : bool
            Whether columns of words and dates are refused rather than coded, as in `read_table`.

        Returns
        -------
        Table
            Its `notices` are what there is to tell the user.
        """
        if numbers_only not in self._tables:
            self._tables[numbers_only] = self._read(numbers_only)
        return self._rescaled(numbers_only)

    def _rescaled(self, numbers_only: bool) -> Table:
        """The table with columns on the scales that were asked for, which the account says."""
        table = self._tables[numbers_only]
        found = transformed(table, self.options.transform)
        if found is table:
            return table
        if account := self._accounts.get(numbers_only):
            self._accounts[numbers_only] = account.on_scales(found.scale_words)
        return replace(found, notices=(*table.notices, *notices(found)))

    @property
    def account(self) -> Account:
        """What was done with each column when the table was last read; empty for moments."""
        return next(reversed(self._accounts.values()), Account())

    def moments(self) -> TableMoments:
        """The moments: those given, or those of the numbers in the table.

        Returns
        -------
        TableMoments
            Its `table` is None where moments were given, or where a large file was streamed.

        Raises
        ------
        DataError
            Where a column is constant.
        """
        found = self._moments
        require_usable(found.moments)
        return found

    @property
    def streamed(self) -> bool:
        """Whether this is a file so large that Gaussian models keep none of its rows."""
        return self._streamed

    def halves(self, pairs: int, seed: int) -> Halves:
        """The moments of random halves of a large file, in one pass.

        Parameters
        ----------
        pairs : int
            How many pairs of complementary halves.
        seed : int
            Decides which rows are in which half.

        Returns
        -------
        Halves
        """
        return stream_halves(self._data, self.options, pairs, seed, self._watch)

    @cached_property
    def sheet(self) -> Sheet:
        """The columns as given."""
        if self.given is not None:
            raise OptionError("the rows of a table are needed here, and moments have none: pass the table")
        data = self._data.to_table() if is_dataset(self._data) else self._data
        return read_sheet(data, self.options)

    @cached_property
    def head_sheet(self) -> Sheet | None:
        """The columns of the first rows of a file so large that it would be streamed, else None."""
        if self._scattered is not None:
            return read_sheet(self._scattered.head(), self._head_options)
        if not self._streamed:
            return None
        return read_sheet(first_rows(self._data, self.options), self._head_options)

    @property
    def _head_options(self) -> TableOptions:
        """The options that matter after `first_rows` has obeyed the marks of a text file."""
        options = self.options
        return TableOptions(options.columns, exclude=options.exclude, na=options.na, strict=options.strict)

    @cached_property
    def _streamed(self) -> bool:
        if self.options.transform:  # scales depend on all rows
            return False
        return isinstance(self._data, str | os.PathLike) and worth_streaming(self._data, self.options)

    @cached_property
    def _scattered(self) -> Scattered | None:
        return scattered(self._data, self.options)

    def _read(self, numbers_only: bool) -> Table:
        if isinstance(self._data, Table):
            return checked(read_before(self._data, self.options, numbers_only), self.options)
        if not self.options.strict:
            return self._selected(numbers_only)
        other = self._tables.get(not numbers_only)
        if numbers_only and other is not None and _is_plain(other):
            return other
        return checked(interpreted(self.sheet, self.options, numbers_only), self.options)

    def _selected(self, numbers_only: bool) -> Table:
        """The columns that can be modelled, with an account of all of them."""
        other = self._tables.get(not numbers_only)
        if numbers_only and other is not None and _is_plain(other):
            self._accounts[True] = self._accounts.pop(False)
            return other
        self._accounts.pop(numbers_only, None)
        found = selected(self.sheet, self.options, numbers_only)
        self._accounts[numbers_only] = found.account
        return found.table

    @cached_property
    def _moments(self) -> TableMoments:
        if self.given is not None:
            return TableMoments(self.given, None)
        if self.options.missing == "keep":
            raise OptionError("missing must be one of 'error', 'drop', 'pairwise', 'em', not 'keep'")
        if self.options.transform or (self._scattered is None and not self._streamed):
            return table_moments(self.table(numbers_only=True), self.options.missing)
        try:
            return self._passed_over(self._piece_options)
        except MissingValueError:
            if self.options.missing != "auto":
                raise
            if self._scattered is not None:  # its rows are collected
                return table_moments(self.table(numbers_only=True), "auto")
            return self._passed_over(replace(self._piece_options, missing="pairwise"))

    def _passed_over(self, options: TableOptions) -> TableMoments:
        """The moments of rows that are not kept in memory."""
        if self._scattered is not None:
            return self._scattered.moments(options)
        return stream(self._data, options, self._watch)

    @cached_property
    def _piece_options(self) -> TableOptions:
        """The options for rows that are read in pieces: of the columns, those that the first rows allow."""
        options = self.options
        if options.strict:
            return options
        head = self.head_sheet
        assert head is not None  # there is one where rows are read in pieces
        found = selected(head, replace(self._head_options, missing="auto"), numbers_only=True)
        constant = [note for note in found.account.left_out if note.done.startswith(_ONLY_IN_ALL_ROWS)]
        self._accounts[True] = found.account
        names = [note.name for note in found.account.notes if note.used or note in constant]
        missing = "error" if options.missing == "auto" else options.missing
        return replace(options, columns=tuple(names), exclude=None, missing=missing, drop_constant=True)


def _is_plain(table: Table) -> bool:
    """Whether all columns hold numbers as they were given, so that coding them changed nothing."""
    return not any(table.levels) and Kind.DATE not in table.kinds
