"""Tables in files, read by Polars: text, Excel, Parquet, Arrow, compressed or not, or folders of parts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from glob import glob
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from sparsest._core.budget import require_room
from sparsest._core.errors import DataError
from sparsest._core.paths import given_path
from sparsest._core.words import quoted
from sparsest.data.read.arrow import rows_declared
from sparsest.data.read.declared_rows import more_rows_follow
from sparsest.data.read.delimited import Contents, read_text
from sparsest.data.read.forks import require_no_fork
from sparsest.data.read.options import TableOptions
from sparsest.data.read.packing import Part, damaged, reason, suffix_inside, unpacked
from sparsest.data.read.parquet import require_whole
from sparsest.data.read.workbook import read_workbook

if TYPE_CHECKING:
    import polars

TEXT = (".csv", ".tsv", ".txt", ".dat", ".data")
STATISTICS = (".sav", ".dta", ".sas7bdat")
ARROW = (".feather", ".arrow", ".ipc")
_FORMATS = (*TEXT, ".xlsx", ".parquet", *ARROW, *STATISTICS)
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz", ".zip")


def find_parts(path: Path) -> list[Part]:
    """The file, or the files in a folder (without those that begin with . or _), in order of name.

    Stars and brackets in a path that does not exist stand for all files that match it.
    """
    require_no_fork()
    path = given_path(path)
    try:
        folder, file = path.is_dir(), path.is_file()
    except OSError as error:  # too long
        raise DataError(f"cannot read {str(path)!r}: {reason(error)}") from None
    if folder:
        return _parts_of(path)
    if not file and any(mark in str(path) for mark in "*?["):
        return _matching(path)
    part = _part(path)
    if part is None:
        raise DataError(
            f"cannot tell how {str(path)!r} is written: supported are {', '.join(_FORMATS)}, also with "
            f"{', '.join(_COMPRESSED)}"
        )
    if not file:
        raise DataError(f"there is no file {str(path)!r}: check the path (now in {str(Path.cwd())!r})")
    return [part]


def read_file(path: Path, options: TableOptions) -> Contents:
    """The table in a file or in a folder of parts."""
    parts = find_parts(path)
    read = [_read_part(part, options) for part in parts]
    if len(read) == 1:
        return read[0]
    notices = dict.fromkeys(chain.from_iterable(part.notices for part in read))  # once, not for each part
    return Contents(_stacked(parts, [part.frame for part in read]), tuple(notices))


def require_same_names(parts: Sequence[Part], names: Sequence[Sequence[str]]) -> None:
    """Refuse parts that do not have the columns of the first one."""
    first = set(names[0])
    for part, found in zip(parts, names, strict=True):
        if set(found) != first:
            odd = sorted(first ^ set(found))
            raise DataError(
                f"the parts differ: {quoted(odd)} is in only one of {parts[0].shown} and {part.shown}. "
                "All parts must have the same columns"
            )


def _parts_of(folder: Path) -> list[Part]:
    parts = [part for path in _files_in(folder, frozenset()) if (part := _part(path)) is not None]
    if not parts:
        raise DataError(f"the folder {str(folder)!r} has no parts: supported are {', '.join(_FORMATS)}")
    kinds = sorted({part.format for part in parts})
    if len(kinds) > 1:
        raise DataError(
            f"the folder {str(folder)!r} has parts of different kinds ({', '.join(kinds)}): keep one "
            "kind in it"
        )
    return parts


def _matching(pattern: Path) -> list[Part]:
    names = sorted(glob(str(pattern), recursive=True), key=lambda name: (name.count(os.sep), name))
    once = {os.path.realpath(name): Path(name) for name in reversed(names) if Path(name).is_file()}
    found = sorted(once.values())  # a file that links lead to again is read once
    parts = [part for path in found if (part := _part(path)) is not None]
    if not parts:
        raise DataError(f"no table matches {str(pattern)!r} (now in {str(Path.cwd())!r})")
    if len({part.format for part in parts}) > 1:
        raise DataError(f"the files that match {str(pattern)!r} are of different kinds: name one kind")
    return parts


def _files_in(folder: Path, above: frozenset[str]) -> Iterator[Path]:
    """The visible files of a folder, and of its subfolders that are named like `year=2024`.

    A link to a folder `above` leads to the same files again, and is not followed.
    """
    above |= {os.path.realpath(folder)}
    try:
        inside = sorted(path for path in folder.iterdir() if path.name[0] not in "._")
    except OSError as error:
        raise DataError(f"cannot look into the folder {str(folder)!r}: {error.strerror or error}") from None
    for path in inside:
        if path.is_file():
            yield path
        elif "=" in path.name and path.is_dir() and os.path.realpath(path) not in above:
            yield from _files_in(path, above)


def _part(path: PurePath) -> Part | None:
    suffix, packing = path.suffix.lower(), ""
    if suffix in _COMPRESSED:
        packing, suffix = suffix, PurePath(path.stem).suffix.lower()
        if packing == ".zip" and suffix not in _FORMATS:
            suffix = suffix_inside(Path(path))
    return Part(Path(path), suffix, packing) if suffix in _FORMATS else None


def _read_part(part: Part, options: TableOptions) -> Contents:
    import polars

    try:
        source = unpacked(part) if part.packing else part.path
        if part.format in TEXT:
            return read_text(source, part.format, part.shown, options)
        if part.format in STATISTICS:
            return Contents(_read_statistics(source, part))
        if part.format == ".xlsx":
            return Contents(read_workbook(source, part))
        if part.format == ".parquet":
            return Contents(_read_parquet(source, part))
        return Contents(_read_arrow(source, part))
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        raise damaged(part, error) from None
    except MemoryError:
        raise DataError(f"there is not enough memory for {part.shown}: leave columns or rows out") from None


def _read_parquet(source: Path | bytes, part: Part) -> polars.DataFrame:
    import polars

    groups = require_whole(source, part.shown)
    whole = polars.scan_parquet(source, glob=False)
    width = len(whole.collect_schema())
    require_room(8.0 * sum(groups) * width, f"reading {part.shown}", "leave columns or rows out")
    frame = whole.collect()
    return _all_rows(frame, sum(groups), part) if groups else frame


def _read_arrow(source: Path | bytes, part: Part) -> polars.DataFrame:
    """Arrow's file format (Feather 2), or its stream format under the same names."""
    declared = rows_declared(source, part)
    return _all_rows(_arrow_frame(source), declared, part)


def _all_rows(frame: polars.DataFrame, declared: int, part: Part) -> polars.DataFrame:
    """The frame, which must have the rows that its file says it has."""
    if frame.height != declared and frame.width:
        raise DataError(
            f"{part.shown} says that it has {declared} rows, and {frame.height} could be read: save it anew"
        )
    return frame


def _arrow_frame(source: Path | bytes) -> polars.DataFrame:
    import polars

    try:
        return polars.scan_ipc(source, glob=False).collect()
    except polars.exceptions.PolarsError:
        try:
            return polars.read_ipc_stream(source)
        except polars.exceptions.PolarsError:
            pass
        raise


def _read_statistics(source: Path | bytes, part: Part) -> polars.DataFrame:
    """A file of Stata, SPSS or SAS, with the words of its labels; ordered as the file says."""
    import polars

    try:
        import pyreadstat
    except ImportError:
        raise DataError(
            f"reading {part.shown} needs the package pyreadstat: pip install 'sparsest[stats]', or save it "
            "as .csv"
        ) from None
    if isinstance(source, bytes):
        raise DataError(f"cannot read {part.shown} compressed: unpack it first")
    read = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta, ".sas7bdat": pyreadstat.read_sas7bdat}
    try:
        columns, about = read[part.format](str(source), output_format="dict")
        if not all(isinstance(name, str) for name in about.column_names):
            raise ValueError("it has columns without a name")
    except Exception as error:  # a damaged file raises anything there
        raise damaged(part, error) from None
    rows = len(next(iter(columns.values()), []))
    if more_rows_follow(source, rows):
        raise DataError(f"{part.shown} says that it has {rows} rows, and more follow them: save it anew")
    words = about.variable_value_labels
    found = {name: _labelled(list(columns[name]), words.get(name, {})) for name in about.column_names}
    return polars.DataFrame(found, strict=False)


def _labelled(cells: list[Any], words: Mapping[Any, str]) -> list[Any]:
    """Cells with the words of their labels, where every value has one; a scale with labelled ends stays."""
    if not words or any(cell is not None and cell == cell and cell not in words for cell in cells):
        return cells
    return [words.get(cell) for cell in cells]


def _stacked(parts: Sequence[Part], frames: Sequence[polars.DataFrame]) -> polars.DataFrame:
    """The parts one below the other, with the columns in the order of the first."""
    import polars

    require_same_names(parts, [frame.columns for frame in frames])
    filled = [frame for frame in frames if frame.height] or frames[:1]
    try:
        return polars.concat([frame[frames[0].columns] for frame in filled], how="vertical_relaxed")
    except polars.exceptions.PolarsError as error:
        raise DataError(
            f"the parts in {str(parts[0].path.parent)!r} do not fit together: {reason(error)}"
        ) from None
