"""Malformed knowledge: 10^5 inputs to the parsers, each of which must be read or refused deliberately.

Each input is parsed and turned into masks over eight columns. *read*: it made sense; *refused*: a
`SparsestError` said why; *crashed*: anything else, which must never happen. Texts are made from
good files by deleting, doubling, exchanging and inserting pieces, or from pieces alone; objects for the
constructor are nested at random.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import sparsest as sp
from sparsest._core.allowed import integer
from sparsest.knowledge import tetrad, toml
from sparsest_bench.measures.common import Row
from sparsest_bench.tables import markdown

NAMES = ["age", "sex", "gene1", "gene2", "blood pressure", "a,b", "x*", "death"]
TOML = """# what is known
tiers = [
    ["age", "sex"],
    { columns = ["gene*"], edges_within = false },
    ["death"],
]
required = ["age -> death", ["gene1", "death"]]
forbidden = ["sex -- gene2", [0, "body"]]
roots = "age"
leaves = ['death']

[groups]
body = ["blood pressure", "a,b"]
"""
TETRAD = """/knowledge comma
addtemporal
1* age, sex   // no edges within
2- gene1, "a,b"
4 death

forbiddirect
sex, gene2

requiredirect
age, death

forbiddengroup
age, sex
x*, blood pressure

tierstructure other
0 age
1 death
"""
PIECES = [
    *TOML.split(), *TETRAD.split(), "\n", "\r", "\x00", "\x7f", "\ufeff", "\u2028", '"', "'", '"""', "[", "]",
    "[[", "{", "}", "=", ",", "->", "--", "*", "[z-a]", "[!", "99999999999999999999", "-1", "1e400", "nan",
    "1979-05-27", "true", "\\", "\\ud800", "/knowledge", "//", "\t", "é", "𝔘",
]  # fmt: skip


SETTINGS = {"inputs": integer(3), "seed": integer(0)}


def plan(settings: Mapping[str, Any]) -> list[Row]:
    """One task per parser, a third of the inputs each."""
    fixed = {"inputs": settings["inputs"] // 3, "seed": settings.get("seed", 0)}
    return [{"parser": name} | fixed for name in ATTEMPTS]


def run(spec: Mapping[str, Any]) -> Row:
    """Outcomes of the inputs to one parser."""
    name, seed = spec["parser"], spec["seed"]
    attempt = ATTEMPTS[name]
    outcomes: Counter[str] = Counter()
    crashes: list[str] = []
    slowest = 0.0
    for number in range(spec["inputs"]):
        began = time.perf_counter()
        try:
            attempt(Random(f"{seed} {name} {number}"))
            outcomes["read"] += 1
        except sp.SparsestError:
            outcomes["refused"] += 1
        except Exception as error:
            outcomes["crashed"] += 1
            crashes.append(f"{name} {number}: {type(error).__name__}: {error}")
        slowest = max(slowest, 1000 * (time.perf_counter() - began))
    counts = {key: outcomes[key] for key in ("read", "refused", "crashed")}
    return {**counts, "slowest": slowest, "crashes": crashes[:10]}


def mutated(text: str, random: Random) -> str:
    """A text with a few pieces deleted, doubled, exchanged or inserted."""
    if random.random() < 0.1:
        return "".join(
            random.choice(PIECES) + random.choice(["", " ", "\n"]) for _ in range(random.randint(0, 30))
        )
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(text))
        to = min(len(text), at + random.randint(0, 12))
        piece = random.choice(["", text[at:to] * 2, random.choice(PIECES), chr(random.randint(0, 0xD7FF))])
        text = text[:at] + piece + text[to:]
    return text


def anything(random: Random, depth: int = 0) -> Any:
    """A Python object that may or may not make sense."""
    kind = random.randint(0, 9 if depth < 3 else 5)
    if kind <= 2:
        return random.choice(NAMES)
    if kind <= 5:
        return random.choice(
            [0, 3, 7, 8, -1, True, None, 1.5, "", " ", "age -> sex", "a -- b", "gene*", "[", b"x"]
        )
    size = random.randint(0, 3)
    if kind == 6:
        keys = ["columns", "edges_within", "age", "g", 5]
        return {random.choice(keys): anything(random, depth + 1) for _ in range(size)}
    return [anything(random, depth + 1) for _ in range(size)]


ATTEMPTS: dict[str, Callable[[Random], Any]] = {
    "TOML": lambda random: toml.parse(mutated(TOML, random), "file").masks(NAMES),
    "Tetrad": lambda random: tetrad.parse(mutated(TETRAD, random), "file").masks(NAMES),
    "constructor": lambda random: sp.Knowledge(
        **{
            key: anything(random)
            for key in ("forbidden", "required", "tiers", "roots", "leaves", "groups")
            if random.random() < 0.3
        }
    ).masks(NAMES),
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per parser, then the crashes."""
    keys = ("inputs", "read", "refused", "crashed")
    lines = [[row["parser"], *(str(row[key]) for key in keys), f"{row['slowest']:.1f}"] for row in rows]
    crashes = [f"- {crash}" for row in rows for crash in row["crashes"]]
    return "\n".join([markdown(("parser", *keys, "slowest, ms"), lines), *crashes])
