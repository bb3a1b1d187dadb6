"""Tables in files of every format, whole or spoiled; what was read is compared with what was written."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import math
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparsest.data import Table, TableOptions, read_table
from sparsest_bench.hostile.spoiling import some_names, spoiled_archive, spoiled_bytes, spoiled_text

_WORDS = ("a,b", 'q"uote', "=1+1", "é", "<script>", "true story", "x;y", "a|b", "tab\tbed", "名", "-", "yes")
_PIECES = (",", ";", '"', "\n", "\r", "\t", "NA", "-", "1e999", "'", "|", " ", '""', "\n\n", "1,5", "^", "#")
_SEPARATORS = (",", ";", "\t", "|", " ")
_COUNTED = (
    ".parquet",
    ".feather",
    ".arrow",
    ".sav",
    ".dta",
)  # how many rows they have is seen in several places
_NOTHING = {"", "NA", "N/A", "#N/A", "<NA>", "n/a", "NaN", "nan", "NULL", "null", "None"}


@dataclass(frozen=True)
class TableCase:
    """A file with a table, and the table that is in it: certainly, if `certain`."""

    path: Path
    columns: dict[str, list[Any]]
    whole: bool  #: as it was written: to be read, not refused
    certain: bool  #: whether any table that is read from it must be this one
    text: bytes | None = None  #: what a text file holds after it was spoiled

    def answer(self) -> Table:
        """The table as it is read."""
        return read_table(self.path, numbers_only=False, missing="keep")

    def lost(self, answer: Table) -> str:
        """Rows or values that differ from what was written."""
        if self.text is not None and not self.whole:
            return _differs_from_text(answer, self.text)
        if self.whole or self.certain:
            return _differs(answer, self.columns)
        if self.path.suffix not in _COUNTED:
            return ""
        rows = len(next(iter(self.columns.values())))
        return f"{len(answer.values)} of {rows} rows" if len(answer.values) < rows else ""


def _differs(table: Table, columns: dict[str, list[Any]]) -> str:
    if list(table.names) != list(columns):
        return f"names {list(table.names)[:3]} instead of {list(columns)[:3]}"
    for j, (name, cells) in enumerate(columns.items()):
        values, levels = table.values[:, j], table.levels[j]
        if len(values) != len(cells):
            return f"{len(values)} of {len(cells)} rows"
        for value, cell in zip(values, cells, strict=True):
            if (cell is None) != bool(np.isnan(value)):
                return f"{value} instead of {cell!r} in {name!r}"
            found = levels[int(value)] if levels is not None and cell is not None else value
            if cell is not None and found != cell and str(found) != str(cell):
                return f"{found!r} instead of {cell!r} in {name!r}"
    return ""


def _differs_from_text(table: Table, content: bytes) -> str:
    """Compare with another reader's rows: there must be as many, by some separator and end of line."""
    whole = _decoded(content).replace("\r\n", "\n")
    counts = set()
    for text in (whole.replace("\r", "\n"), whole.replace("\r", " ")):  # a lone one ends a line, or does not
        counts.add(len([line for line in text.split("\n") if line.strip()]))
        counts |= {len(list(_rows(text, separator))) for separator in _SEPARATORS}
    rows = len(table.values)
    return "" if rows in counts or rows + 1 in counts else f"{rows} rows of {sorted(counts)}"  # or no names


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            if any(cell.strip() not in _NOTHING for cell in row):
                yield row
    except csv.Error:
        return


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _columns(rng: np.random.Generator, *, words: bool = True) -> dict[str, list[Any]]:
    """Some columns of 8 to 40 rows: measurements, counts, words, some of them missing."""
    rows = int(rng.integers(8, 40))
    makers: list[Callable[[], list[Any]]] = [
        lambda: [float(f"{value:.4f}") for value in rng.normal(size=rows)],
        lambda: [int(value) for value in rng.integers(-50, 10 ** int(rng.integers(2, 12)), size=rows)],
        lambda: _words(rng, rows),
    ]
    made: dict[str, list[Any]] = {}
    for name in some_names(int(rng.integers(1, 6)), rng):
        cells = makers[int(rng.integers(3 if words else 2))]()
        if rng.random() < 0.3:
            for k in rng.permutation(rows)[: int(rng.integers(1, 3))]:
                cells[int(k)] = None
        made[name] = cells
    if all(cells[k] is None for k in (0, -1) for cells in made.values()):
        next(iter(made.values()))[0] = next(cell for cell in next(iter(made.values())) if cell is not None)
    return made


def _words(rng: np.random.Generator, rows: int) -> list[Any]:
    chosen = [_WORDS[int(k)] for k in rng.permutation(len(_WORDS))[: int(rng.integers(2, 5))]]
    return [chosen[k % len(chosen)] for k in range(rows)]


def _without_empty_rows(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """A row without any value is a blank line in text: it is no observation."""
    rows = [row for row in zip(*columns.values(), strict=True) if any(cell is not None for cell in row)]
    return {name: [row[j] for row in rows] for j, name in enumerate(columns)}


def _csv(columns: dict[str, list[Any]], separator: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        ["" if cell is None else cell for cell in row] for row in zip(*columns.values(), strict=True)
    )
    return text.getvalue().encode()


def text_file(rng: np.random.Generator, folder: Path) -> TableCase:
    """CSV and TSV."""
    suffix, separator = ((".csv", ","), (".csv", ";"), (".tsv", "\t"), (".txt", "\t"))[int(rng.integers(4))]
    columns = _without_empty_rows(_columns(rng))
    whole = len(columns) > 1 and bool(rng.random() < 0.3)
    content = _csv(columns, separator)
    if not whole:
        spoilt = spoiled_text(content.decode(), _PIECES, rng)
        content = (
            spoilt.encode("utf-8", "surrogatepass") if rng.random() < 0.7 else spoiled_bytes(content, rng)
        )
    return TableCase(_written(folder, suffix, content), columns, whole, False, content)


def packed_file(rng: np.random.Generator, folder: Path) -> TableCase:
    """Packed text, which has sums over its content: spoiled, it is refused, or all of it comes out."""
    columns = _without_empty_rows(_columns(rng))
    columns.setdefault("second", list(range(len(next(iter(columns.values()))))))
    content = _csv(columns)
    packing = (".gz", ".bz2", ".xz", ".zip", ".zst")[int(rng.integers(5))]
    packed = _packed(content, packing)
    whole = bool(rng.random() < 0.3)
    if not whole:
        packed = spoiled_bytes(packed, rng)
    return TableCase(_written(folder, ".csv" + packing, packed), columns, whole, packing != ".zst")


def _packed(content: bytes, packing: str) -> bytes:
    if packing == ".zip":
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("table.csv", content)
        return made.getvalue()
    if packing == ".zst":
        import pyarrow

        sink = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        return bytes(sink.getvalue())
    pack: Any = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[packing]
    return bytes(pack(content))


def frame_file(suffix: str, writer: str) -> Callable[[np.random.Generator, Path], TableCase]:
    """Parquet and Arrow, as Polars writes them."""

    def made(rng: np.random.Generator, folder: Path) -> TableCase:
        import polars

        columns = _columns(rng)
        how: dict[str, Any] = {"compression": str(rng.choice(["uncompressed", "lz4", "zstd"]))}
        if writer == "write_parquet":
            how["row_group_size"] = int(rng.choice([5, 100]))
        file = io.BytesIO()
        getattr(polars.DataFrame(columns, strict=False), writer)(file, **how)
        content, whole = file.getvalue(), bool(rng.random() < 0.2)
        if not whole:
            content = spoiled_bytes(content, rng)
        return TableCase(_written(folder, suffix, content), columns, whole, False)

    return made


def workbook(rng: np.random.Generator, folder: Path) -> TableCase:
    """Excel."""
    columns = _without_empty_rows(_columns(rng))
    columns = {_printable(name): cells for name, cells in columns.items()}
    content, whole = _xlsx(columns), bool(rng.random() < 0.2)
    if not whole:
        content = spoiled_archive(content, rng) if rng.random() < 0.8 else spoiled_bytes(content, rng)
    return TableCase(_written(folder, ".xlsx", content), columns, whole, False)


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_FIXED = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
    '"application/xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="S" sheetId="1" '
    'r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" '
    f'Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}  # fmt: skip


def _xlsx(columns: dict[str, list[Any]]) -> bytes:
    """A workbook with one sheet; words are shared strings."""
    from xml.sax.saxutils import escape

    shared: dict[str, int] = {}

    def cell(value: Any, row: int, column: int) -> str:
        place = f"{chr(65 + column)}{row}"
        if value is None:
            return ""
        if isinstance(value, str):
            return f'<c r="{place}" t="s"><v>{shared.setdefault(value, len(shared))}</v></c>'
        return f'<c r="{place}"><v>{value!r}</v></c>'

    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    lines = "".join(
        f'<row r="{i}">{"".join(cell(value, i, j) for j, value in enumerate(row))}</row>'
        for i, row in enumerate(rows, 1)
    )
    texts = "".join(f'<si><t xml:space="preserve">{escape(_printable(text))}</t></si>' for text in shared)
    members = _FIXED | {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><dimension ref="A1:{chr(64 + len(columns))}'
        f'{len(rows)}"/><sheetData>{lines}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}" count="{len(shared)}" uniqueCount="{len(shared)}">'
        f"{texts}</sst>",
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)
    return made.getvalue()


def _printable(text: str) -> str:
    return text.replace("\x1b", "?")  # XML has no control characters


def statistics_file(rng: np.random.Generator, folder: Path) -> TableCase:
    """Stata and SPSS."""
    import pandas
    import pyreadstat

    columns = {f"v{k}": cells for k, cells in enumerate(_columns(rng, words=False).values())}
    stata = bool(rng.random() < 0.5)
    path = folder / ("table.dta" if stata else "table.sav")
    columns = {
        name: [math.nan if cell is None else float(cell) for cell in cells] for name, cells in columns.items()
    }
    if stata:
        pyreadstat.write_dta(
            pandas.DataFrame(columns), str(path), version=int(rng.choice([8, 10, 12, 14, 15]))
        )
    else:
        how = [{}, {"row_compress": True}, {"compress": True}][int(rng.integers(3))]
        pyreadstat.write_sav(pandas.DataFrame(columns), str(path), **how)
    whole = bool(rng.random() < 0.2)
    if not whole:
        path.write_bytes(spoiled_bytes(path.read_bytes(), rng))
    known = {name: [None if cell != cell else cell for cell in cells] for name, cells in columns.items()}
    return TableCase(path, known, whole, False)


def covariances(rng: np.random.Generator, folder: Path) -> Any:
    """Tetrad's covariance files."""
    from sparsest_bench.hostile.others import Read

    p = int(rng.integers(2, 5))
    matrix = np.cov(rng.normal(size=(p, 30)))
    rows = "\n".join(" ".join(f"{value:.3f}" for value in matrix[i, : i + 1]) for i in range(p))
    text = f"/Covariance\n30\n{' '.join(f'x{k}' for k in range(p))}\n{rows}\n"
    path = _written(folder, ".txt", spoiled_text(text, _PIECES, rng).encode("utf-8", "replace"))
    return Read(path, _moments)


def _moments(path: Path) -> Any:
    from sparsest._core.progress import Watch
    from sparsest.data import Source

    return Source(path, TableOptions(), Watch()).moments()


def _written(folder: Path, suffix: str, content: bytes) -> Path:
    path = folder / f"table{suffix}"
    path.write_bytes(content)
    return path
