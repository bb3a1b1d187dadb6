"""Saved results, graphs, knowledge, experiments and stores, spoiled; and what is loaded, as a whole."""

from __future__ import annotations

import copy
import functools
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import sparsest as sp
from sparsest._core.store import Record, Store
from sparsest.graph.formats.known_formats import FORMATS
from sparsest_bench.experiment import parse_experiment
from sparsest_bench.hostile.spoiling import NAMES, some_names, spoiled_archive, spoiled_bytes, spoiled_text
from sparsest_bench.measures import fuzz_knowledge

_JSON = (
    "null",
    "NaN",
    "1e999",
    "-1",
    "[]",
    "{}",
    '"',
    "[",
    "}",
    ",",
    ":",
    "true",
    '"$array"',
    "1" * 5000,
    "\\u0000",
)


@dataclass(frozen=True)
class Read:
    """A file and its reader; what comes of it is not compared with anything."""

    path: Path
    reader: Callable[[Path], Any]
    check: Callable[[Any], str] = lambda _: ""

    def answer(self) -> Any:
        """What the reader makes of it."""
        return self.reader(self.path)

    def lost(self, answer: Any) -> str:
        """What is wrong with it."""
        return self.check(answer)


def saved_result(rng: np.random.Generator, folder: Path) -> Read:
    """A result as `save` writes it, spoiled inside or outside."""
    content = _results()[int(rng.integers(len(_results())))]
    way = rng.random()
    content = spoiled_bytes(content, rng) if way < 0.2 else _tampered(content, rng)
    path = folder / "answer.sparsest"
    path.write_bytes(content)
    return Read(path, sp.load, _usable)


@functools.cache
def _results() -> tuple[bytes, ...]:
    """Some saved results: two models, with and without knowledge."""
    rng, made = np.random.default_rng(0), []
    x = rng.normal(size=(60, 4)) @ np.triu(rng.normal(size=(4, 4)))
    answers = [
        sp.fit(x),
        sp.fit(x, knowledge=sp.Knowledge(required=["x0 -> x1"])),
        sp.fit(np.column_stack([x[:, :2], x[:, 2] > 0]), model="mixed"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for result in answers:
            result.save(Path(folder) / "a.sparsest")
            made.append((Path(folder) / "a.sparsest").read_bytes())
    return tuple(made)


def _tampered(content: bytes, rng: np.random.Generator) -> bytes:
    """A saved result in which a value of the tree was exchanged for another of any type."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if rng.random() < 0.3:
        return spoiled_archive(content, rng)
    tree = json.loads(members["result.json"])
    for _ in range(int(rng.integers(1, 3))):
        places = list(_places(tree))
        holder, key = places[int(rng.integers(len(places)))]
        others: list[Any] = [
            None,
            -7,
            1.5,
            "x",
            [],
            {},
            True,
            10**40,
            {"$float": "nan"},
            {"$array": "0.npy"},
            {"$tuple": []},
        ]
        away, at = places[int(rng.integers(len(places)))]
        holder[key] = (
            copy.deepcopy(away[at]) if rng.random() < 0.3 else others[int(rng.integers(len(others)))]
        )
    members["result.json"] = json.dumps(tree).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inside in members.items():
            archive.writestr(name, inside)
    return made.getvalue()


def _places(tree: Any) -> Any:
    """All places in a tree: what holds a value, and under which key."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in list(parts):
        yield tree, key
        yield from _places(part)


def _usable(result: Any) -> str:
    """What is wrong with a result as a whole: it must say what it is, and agree with itself."""
    if not np.isfinite(result.weights).all():
        return "weights that are not finite"
    if not np.array_equal(result.dag.to_cpdag().to_numpy(), result.cpdag.to_numpy()) and not isinstance(
        result.cpdag, sp.Mpdag
    ):
        return "a class that is not its DAG's"
    if not (len(result.names) == len(set(result.names)) == len(result.weights)):
        return "names that do not fit"
    for use in (str, repr, lambda r: r.summary(), lambda r: r.effects(), lambda r: r.to_dict()):
        try:
            use(result)
        except sp.SparsestError:
            continue
    return ""


def graph_file(rng: np.random.Generator, folder: Path) -> Read:
    """A graph in any format."""
    p = int(rng.integers(1, 7))
    dag = sp.Dag(np.triu(rng.random((p, p)) < 0.4, 1), some_names(p, rng))
    graph = dag if rng.random() < 0.5 else dag.to_cpdag()
    suffix = str(rng.choice([*(one.suffixes[0] for one in FORMATS.values()), ".json", ".csv"]))
    path = folder / f"graph{suffix}"
    graph.write(path)
    if rng.random() < 0.2:
        return Read(path, sp.graph.read, lambda read: _same_graph(read, graph))
    text = spoiled_text(path.read_bytes().decode("utf-8", "surrogatepass"), [*_JSON, *NAMES, "->", "--"], rng)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return Read(path, sp.graph.read)


def _same_graph(read: Any, graph: Any) -> str:
    fine = read.names == graph.names and np.array_equal(read.to_numpy(), graph.to_numpy())
    return "" if fine else f"{read} instead of {graph}"


def result_json(rng: np.random.Generator, folder: Path) -> Read:
    """A result.json, of which the graph is read."""
    path = folder / "result.json"
    text = spoiled_text(_result_json(), [*_JSON, *NAMES], rng)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return Read(path, sp.graph.read)


@functools.cache
def _result_json() -> str:
    from sparsest.export.json import to_dict

    rng = np.random.default_rng(1)
    return json.dumps(to_dict(sp.fit(rng.normal(size=(50, 3)) @ np.triu(np.ones((3, 3))))))


def knowledge_file(rng: np.random.Generator, folder: Path) -> Read:
    """Knowledge, as TOML or as Tetrad writes it."""
    random = Random(int(rng.integers(2**32)))
    toml = rng.random() < 0.5
    path = folder / ("known.toml" if toml else "known.txt")
    text = fuzz_knowledge.mutated(fuzz_knowledge.TOML if toml else fuzz_knowledge.TETRAD, random)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return Read(path, lambda file: sp.Knowledge.read(file).masks(fuzz_knowledge.NAMES))


_EXPERIMENT = """title = "One"
[problem]
graph = "ER2"
p = [5, 8]
n = 100
weights = [0.5, 1.5]
[methods]
names = ["sparsest", "null"]
[scale.smoke]
seeds = 2
"""


def experiment_file(rng: np.random.Generator, folder: Path) -> Read:
    """An experiment of the benchmark."""
    text = spoiled_text(_EXPERIMENT, [*_JSON, "[", "]]", "=", "scale", "peers", "'", "1979-05-27", "\n"], rng)
    path = folder / "experiment.toml"
    return Read(path, lambda file: parse_experiment(text, str(file), "experiment", "smoke"))


def store_file(rng: np.random.Generator, folder: Path) -> Read:
    """A store of finished work."""
    path = folder / "store"
    path.write_bytes(spoiled_bytes(_store(), rng))
    return Read(path, _records)


def _records(path: Path) -> int:
    with Store(path, read_only=True) as store:
        return len(store.records()) + len(store.agenda_names()) + len(store.states())


@functools.cache
def _store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store"
        with Store(path) as store:
            for k in range(5):
                store.put(Record(str(k), "grid", {"k": k}, row={"shd": k}, wall=1.0))
        return path.read_bytes()
