"""Tetrad's knowledge files.

    /knowledge
    addtemporal
    1* age sex
    2 smoking

    forbiddirect
    sex smoking

    requiredirect
    age smoking

A tier marked * has no edges within it; one marked - causes only the next tier. `forbiddengroup` and
`requiredgroup` take two lines each, causes and effects. `tierstructure` is a further set of tiers. After
`/knowledge comma` names are separated by commas instead of spaces. Names may be in double quotes; // begins a
comment. In tiers and groups Tetrad replaces spaces in names by periods; here names are kept unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

from sparsest._core.budget import require_modest
from sparsest._core.errors import DataError, OptionError
from sparsest.knowledge.statement import Knowledge, Tier

_SECTIONS = (
    "addtemporal",
    "tierstructure",
    "forbiddirect",
    "requiredirect",
    "forbiddengroup",
    "requiredgroup",
)
_PER_PAIR = 256  # bytes
_TIER = re.compile(r"(\d{1,9})([*-]*)(?:\s+(.*))?")
_QUOTED_OR_BLANK = re.compile(r'"([^"]*)"|([^\s"]+)')
_QUOTED_OR_COMMA = re.compile(r'"([^"]*)"|([^,"]+)')


def parse(text: str, source: str) -> Knowledge:
    """Knowledge from the text of a Tetrad knowledge file; `source` names it in errors."""
    lines = list(_meaningful(text))
    reader = _Reader(source)
    if lines and lines[0][1].lower().startswith("/knowledge"):
        reader.commas = "comma" in lines[0][1].lower()
        lines = lines[1:]
    for number, line in lines:
        reader.take(number, line)
    return reader.finished()


def _meaningful(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without comments and blank lines."""
    for number, line in enumerate(text.splitlines(), start=1):
        if content := line.partition("//")[0].strip():
            yield number, content


@dataclass
class _Tiers:
    columns: dict[int, list[str]] = field(default_factory=dict)
    alone: set[int] = field(default_factory=set)  # no edges within
    stepwise: set[int] = field(default_factory=set)  # causes the next tier only


@dataclass
class _Reader:
    """Reads the sections of a file line by line."""

    source: str
    commas: bool = False
    section: str = ""
    number: int = 0
    main: _Tiers = field(default_factory=_Tiers)
    structures: list[_Tiers] = field(default_factory=list)
    forbidden: list[tuple[str, str]] = field(default_factory=list)
    required: list[tuple[str, str]] = field(default_factory=list)
    causes: list[str] | None = None  # of a group whose effects have not been read yet

    def take(self, number: int, line: str) -> None:
        self.number = number
        words = line.lower().split()
        if words[0] in _SECTIONS and (len(words) == 1 or words[0] == "tierstructure"):
            self._refuse_half_a_group()
            self.section = words[0]
            if self.section == "tierstructure":
                self.structures.append(_Tiers())
            return
        actions: dict[str, Callable[[str], None]] = {
            "addtemporal": lambda line: self._tier(line, self.main),
            "tierstructure": lambda line: self._tier(line, self.structures[-1]),
            "forbiddirect": lambda line: self.forbidden.append(self._edge(line)),
            "requiredirect": lambda line: self.required.append(self._edge(line)),
            "forbiddengroup": lambda line: self._group(line, self.forbidden),
            "requiredgroup": lambda line: self._group(line, self.required),
        }
        if not self.section:
            raise self._error(f"expected one of {', '.join(_SECTIONS)}, not {line!r}")
        actions[self.section](line)

    def finished(self) -> Knowledge:
        self._refuse_half_a_group()
        forbidden = list(self.forbidden)
        self._require_modest(
            sum(map(_pairs, self.structures)) + len(self.main.stepwise) * _columns(self.main) ** 2
        )
        for structure in self.structures:
            for earlier, later in combinations(sorted(structure.columns), 2):
                forbidden += product(structure.columns[later], structure.columns[earlier])
            for tier in structure.alone:
                forbidden += _different(structure.columns[tier])
        places = sorted(self.main.columns)
        for tier in self.main.stepwise:
            for later in places[places.index(tier) + 2 :]:
                forbidden += product(self.main.columns[tier], self.main.columns[later])
        tiers = [Tier(tuple(self.main.columns[k]), k not in self.main.alone) for k in places]
        try:
            return Knowledge(forbidden=forbidden, required=self.required, tiers=tiers)
        except OptionError as error:
            raise OptionError(f"{self.source!r}: {error}") from error

    def _tier(self, line: str, tiers: _Tiers) -> None:
        match = _TIER.fullmatch(line)
        if match is None:
            raise self._error(f"a tier begins with its number, such as 1 or 1*, but this line is {line!r}")
        tier, marks = int(match[1]), match[2]
        tiers.columns.setdefault(tier, []).extend(self._names(match[3] or ""))
        if "*" in marks:
            tiers.alone.add(tier)
        if "-" in marks:
            tiers.stepwise.add(tier)

    def _edge(self, line: str) -> tuple[str, str]:
        names = self._names(line)
        if len(names) != 2:
            raise self._error(f"an edge has two ends, but {line!r} has {len(names)}")
        return names[0], names[1]

    def _group(self, line: str, edges: list[tuple[str, str]]) -> None:
        names = self._names(line)
        if self.causes is None:
            self.causes = names
        else:
            self._require_modest(len(self.causes) * len(names))
            edges += [(a, b) for a, b in product(self.causes, names) if a != b]
            self.causes = None

    def _require_modest(self, pairs: int) -> None:
        require_modest(
            _PER_PAIR * pairs, 0, f"{self.source!r}, line {self.number}: {pairs} pairs", "use tiers"
        )

    def _names(self, text: str) -> list[str]:
        pattern = _QUOTED_OR_COMMA if self.commas else _QUOTED_OR_BLANK
        if text.count('"') % 2:
            raise self._error("a quotation mark is missing")
        names = [(quoted or plain).strip() for quoted, plain in pattern.findall(text)]
        return [name for name in names if name]

    def _refuse_half_a_group(self) -> None:
        if self.causes is not None:
            raise self._error("a group needs two lines, causes and effects, and the second is missing")

    def _error(self, words: str) -> DataError:
        return DataError(f"{self.source!r}, line {self.number}: {words}")


def _columns(tiers: _Tiers) -> int:
    return sum(map(len, tiers.columns.values()))


def _pairs(tiers: _Tiers) -> int:
    """Pairs of columns that a set of tiers forbids at most."""
    return _columns(tiers) ** 2


def _different(names: list[str]) -> list[tuple[str, str]]:
    return [(a, b) for a, b in product(names, names) if a != b]
