"""An experiment as a TOML file: read, checked key by key, and reduced to a scale.

title = "Raw against standardised data"
kind = "grid"                       # or "starts", "example", "measure"
figure = "boxes"                    # how it is drawn
claim = "What the paper says."

[grid]                              # the paper's size
graphs = ["ER2"]
p = [10, 50]
methods = ["auto", "dagma"]

[scale.smoke]                       # what is different at another scale
p = [5]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sparsest._core.allowed import Check, between, integer, list_of, one_of, quoted_text
from sparsest._core.errors import DataError, OptionError
from sparsest._core.paths import existing_file
from sparsest._core.toml_text import toml_content
from sparsest.simulate import factors
from sparsest.simulate.designs import DATA
from sparsest.simulate.factors import DEFAULTS, ignored
from sparsest_bench.contenders import known_contenders
from sparsest_bench.judge import METRICS
from sparsest_bench.measures import registry
from sparsest_bench.networks import COLUMNS

SECTIONS = ("beyond", "robustness")  # of the index; an experiment with `where` is the paper's
SCALES = ("smoke", "small", "paper")
FIGURES = ("lines", "boxes", "times", "dots", "models", "penalty", "bias", "none")
STRUCTURES = ("fork", "diamond", "collider")
ENTRIES = ("all", "skeleton", "edges")  # those of a start that are random
SCORES = ("with determinant", "without determinant")  # of random starts
SOLVERS = ("OWL-QN", "L-BFGS-B")  # of the subproblems of random starts
EXAMPLES = ("quasi-mcp", "two-nodes", "three-nodes", "cancellation", "l1-bias")

_FILE_NAME = re.compile(r"[\w-][\w .+-]*")
_KIND = one_of(("grid", "starts", "example", "measure"))


def _graph(value: Any) -> str | None:
    """A random graph, or a network by name."""
    if value in tuple(COLUMNS):
        return None
    words = factors.FACTORS["graphs"](value)
    return None if words is None else f"{words}, or a network: {', '.join(COLUMNS)}"


def _by_method(method: Check, what: str, allowed: Check, example: str) -> Check:
    """A table of methods, each with a value of its own."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"a table of methods and {what}, such as {{ dagma = {example} }}"
        for name, given in value.items():
            if (words := method(name) or allowed(given)) is not None:
                return f"a table of methods and {what}, and {name!r} = {given!r} would have to be {words}"
        return None

    return check


def _keys(
    kind: str, body: Mapping[str, Any], methods: Iterable[str]
) -> tuple[dict[str, Check], dict[str, Check]]:
    """The keys that are allowed at the top of a file and in the table of its kind."""
    method = one_of(methods)
    top: dict[str, Check] = {
        "title": quoted_text,
        "kind": _KIND,
        "where": quoted_text,
        "section": one_of(SECTIONS),
        "figure": one_of(FIGURES),
        "metric": one_of(METRICS),
        "reference": method,
        "question": quoted_text,
        "claim": quoted_text,
        "verdict": quoted_text,
        "remark": quoted_text,
    }
    tables: dict[str, dict[str, Check]] = {
        "grid": {
            **{factor: list_of(check) for factor, check in (factors.FACTORS | {"graphs": _graph}).items()},
            "seeds": integer(1),
            "first_seed": integer(0),
            "methods": list_of(method),
            "peers": list_of(quoted_text),
            "largest": _by_method(method, "the largest p at which each is run", integer(2), "20"),
            "fewer": _by_method(method, "the number of seeds of each", integer(1), "5"),
            "only": _by_method(method, "the only data each is run on", one_of(DATA), '"raw"'),
            "time_limit": between(0.1),
        },
        "starts": {
            "structures": list_of(one_of(STRUCTURES)),
            "deltas": list_of(between(1e-6)),
            "lams": list_of(between(1e-6)),
            "entries": list_of(one_of(ENTRIES)),
            "scores": list_of(one_of(SCORES)),
            "solvers": list_of(one_of(SOLVERS)),
            "models": integer(0),
            "first_model": integer(0),
            "starts": integer(1),
            "batch": integer(1),
            "width": between(0.01),
        },
        "example": {"examples": list_of(one_of(EXAMPLES))},
        "measure": {"of": one_of(registry.NAMES)}
        | (registry.settings_of(body["of"]) if body.get("of") in registry.NAMES else {}),
    }
    return top, tables[kind]


_DEFAULTS: dict[str, dict[str, Any]] = {
    "grid": {
        **{factor: [value] for factor, value in DEFAULTS.items()},
        "seeds": 10,
        "first_seed": 0,
        "peers": [],
        "largest": {},
        "fewer": {},
        "only": {},
        "time_limit": 600.0,
    },
    "starts": {
        "lams": [0.1],
        "entries": ["all"],
        "scores": ["with determinant"],
        "solvers": ["OWL-QN"],
        "models": 0,  # the fixed one
        "first_model": 0,
        "batch": 2500,
        "width": 5.0,
    },
    "example": {},
    "measure": {},
}


@dataclass(frozen=True)
class Experiment:
    """An experiment at one scale; `settings` are those of its kind."""

    name: str
    scale: str
    title: str
    kind: str
    figure: str
    settings: Mapping[str, Any]
    metric: str = "shd"
    reference: str = ""
    where: str = ""
    section: str = ""
    question: str = ""
    claim: str = ""
    verdict: str = ""
    remark: str = ""

    def __post_init__(self) -> None:
        words = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "settings"}
        wrong = [name for name, word in words.items() if not isinstance(word, str)]
        if wrong or not isinstance(self.settings, Mapping):
            raise DataError(f"an experiment's {(*wrong, 'settings')[0]!r} is not of the kind that it must be")
        require_file_name(self.name)

    @classmethod
    def stored(cls, content: object) -> Experiment:
        """An experiment as it was written into a store, or beside published rows."""
        known = {each.name for each in fields(cls)}
        if not isinstance(content, Mapping) or not set(content) <= known:
            raise DataError("what is kept about an experiment is not an experiment")
        try:
            return cls(**content)
        except TypeError as error:
            raise DataError(f"what is kept about an experiment is not complete ({error})") from None


def require_file_name(name: object) -> None:
    """Refuse a name that would lead out of the folder in which files are called after it."""
    if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
        raise DataError(f"{name!r} is not a name for files: use letters, digits, '-', '_', '.' and spaces")


def read_experiment(path: Path, scale: str, outside: bool = False) -> Experiment:
    """An experiment from a file, at "smoke", "small" or "paper" scale.

    Its peers are files in the same folder; `outside` allows others.
    """
    file = existing_file(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {str(path)!r}: {error}") from None
    return parse_experiment(text, file.name, file.stem, scale, file.parent, outside)


def parse_experiment(
    text: str, source: str, name: str, scale: str, folder: Path | None = None, outside: bool = False
) -> Experiment:
    """An experiment from the text of its file; `source` names it in errors, `folder` holds its own peers."""
    if scale not in SCALES:
        raise OptionError(f"unknown scale {scale!r}: use one of {', '.join(SCALES)}")
    content = toml_content(text, source)
    file = _File(source, text)
    kind = content.get("kind")
    words = _KIND(kind)
    if words is not None:
        raise file.wrong("", "kind", f"must be {words}, not {kind!r}")
    body, sizes = content.pop(str(kind), None), content.pop("scale", {})
    if not isinstance(body, dict):
        raise file.wrong("", str(kind), f"there must be a table [{kind}]")
    body = _with_paths(file, str(kind), body, folder or Path(), outside) if "peers" in body else body
    _check(file, str(kind), content, body, sizes, {**known_contenders(), **_unread(body, sizes)})
    # Only now: finding out the names of methods runs the files of peers.
    _check(file, str(kind), content, body, sizes, known_contenders(body.get("peers", ())))
    keys = _keys(str(kind), body, ())[1]
    settings = _DEFAULTS[str(kind)] | body | sizes.get(scale, {})
    graphs = settings.get("graphs", ["none"])
    if all(graph in COLUMNS for graph in graphs):  # a network has a fixed size
        settings.setdefault("p", [COLUMNS[graph] for graph in graphs])
    needed = ("of",) if kind == "measure" else tuple(keys)
    missing = [key for key in needed if key not in settings]
    if missing:
        raise file.wrong(str(kind), "", f"{missing[0]!r} is missing from [{kind}]")
    for key in ("title", "figure"):
        if key not in content:
            raise file.wrong("", "", f"{key!r} is missing")
    if kind == "grid" and (found := ignored(settings)) is not None:
        at_scale = found[0] in sizes.get(scale, {})
        raise file.wrong(f"scale.{scale}" if at_scale else "grid", *found)
    reference = content.get("reference")
    if reference is not None and reference not in body.get("methods", ()):
        raise file.wrong("", "reference", f"must be one of the methods, and {reference!r} is not")
    if reference not in settings.get("methods", ()):  # it is left out at this scale
        content.pop("reference", None)
    return Experiment(name, scale, settings=settings, **content)


def _check(
    file: _File,
    kind: str,
    content: Mapping[str, Any],
    body: dict[str, Any],
    sizes: Any,
    methods: Iterable[str],
) -> None:
    """Refuse what is not known or not allowed, given the names of methods."""
    top, keys = _keys(kind, body, methods)
    file.check("", content, top, also=(f"[{kind}]", "[scale.smoke]", "[scale.small]"))
    file.check(kind, body, keys)
    file.check_limits(kind, body, body)
    if not isinstance(sizes, dict):
        raise file.wrong("", "scale", f"must be tables [scale.{SCALES[0]}] and [scale.{SCALES[1]}]")
    for size, change in sizes.items():
        if size not in SCALES[:-1] or not isinstance(change, dict):
            raise file.wrong("scale", size, f"is not known; the tables are {', '.join(SCALES[:-1])}")
        file.check(f"scale.{size}", change, {key: keys[key] for key in keys if key != "peers"})
        file.check_limits(f"scale.{size}", change, body | change)


def _unread(body: Mapping[str, Any], sizes: Any) -> dict[str, None]:
    """The names that may be methods of peers which have not been read yet."""
    if not body.get("peers"):
        return {}
    tables = [body, *(sizes.values() if isinstance(sizes, dict) else ())]
    named = [name for one in tables if isinstance(one, dict) for name in _listed(one.get("methods"))]
    return dict.fromkeys(named)


def _listed(names: Any) -> list[str]:
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _with_paths(file: _File, kind: str, body: dict[str, Any], folder: Path, outside: bool) -> dict[str, Any]:
    """The table of an experiment with the paths of the user's own peers, which its file names relatively."""
    names = body["peers"]
    if (words := list_of(quoted_text)(names)) is not None:
        raise file.wrong(kind, "peers", f"must be {words}, not {names!r}")
    paths = [folder.absolute() / name for name in names]
    for name, path in zip(names, paths, strict=True):
        if not path.is_file():
            raise file.wrong(kind, "peers", f"names {name!r}, and there is no file {str(path)!r}")
        if not outside and not path.resolve().is_relative_to(folder.resolve()):
            words = f"names {name!r}, code outside the experiment's folder: pass --outside to trust it"
            raise file.wrong(kind, "peers", words)
    return {**body, "peers": [str(path) for path in paths]}


@dataclass(frozen=True)
class _File:
    source: str
    text: str

    def check(
        self, table: str, given: Mapping[str, Any], keys: Mapping[str, Check], also: tuple[str, ...] = ()
    ) -> None:
        """Refuse unknown keys and values that are not allowed."""
        for key, value in given.items():
            if key not in keys:
                near = get_close_matches(key, keys, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                place = f"the keys of [{table}] are" if table else "the keys are"
                raise self.wrong(table, key, f"is not known{hint} ({place} {', '.join([*keys, *also])})")
            if (words := keys[key](value)) is not None:
                raise self.wrong(table, key, f"must be {words}, not {value!r}")

    def check_limits(self, table: str, given: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Refuse a limit on a method that is not run there: it is misspelt or left over."""
        run = settings.get("methods", ())
        for key in ("largest", "fewer", "only"):
            for name in given.get(key, ()):
                if name not in run:
                    words = f"names {name!r}, which is not among the methods there ({', '.join(run)})"
                    raise self.wrong(table, key, words)

    def wrong(self, table: str, key: str, words: str) -> OptionError:
        """The error, with its line."""
        number = self._line(table, key)
        line = f", line {number}" if number else ""
        return OptionError(f"{self.source!r}{line}: {f'{key!r} ' if key else ''}{words}")

    def _line(self, table: str, key: str) -> int | None:
        """The line of a key in a table; that of the table where the key is missing."""
        current, header = "", None
        for number, line in enumerate(self.text.splitlines(), start=1):
            if (match := re.match(r"\s*\[([^\]]*)\]", line)) and "=" not in line:
                current = match[1].strip()
                if current in (table, f"{table}.{key}".strip(".")):
                    header = number
                    if current != table:
                        return number
            elif key and current == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
                return number
        return header
