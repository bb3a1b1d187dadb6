"""Reference answers of about a thousand fits, kept with the source and compared after every change.

    sparsest-bench answers check          # about 3 minutes; --only linear for a part
    sparsest-bench answers write          # keep the present answers as the reference

Stored rows of our methods carry the identity of these answers (`identity.py`). `write` changes it when an
answer of the kind that experiments ask for differs by more than 1e-12. Moving a file or rewording a message
leaves stored rows valid.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import sparsest as sp
from sparsest_bench.questions import Options, ReferenceTable, questions_of, reference_tables

REFERENCE = Path("bench/answers/reference.jsonl")
IDENTITY = Path("bench/src/sparsest_bench/identity.json")
TOLERANCE = 1e-12
# The answer itself, as opposed to how it was reached and what was said about it.
NUMBERS = ("cpdag", "dag", "objective", "nll", "cost", "weights", "noise", "loglik")
# What experiments ask for; an answer under knowledge or a limit on parents says nothing about their rows.
IN_EXPERIMENTS = {"model", "solver", "penalty", "threshold", "kinds"}

Answer = dict[str, Any]
Key = tuple[str, str]


@dataclass
class Comparison:
    """How answers compare with the reference."""

    equal: int = 0
    close: int = 0
    largest: float = 0.0
    differ: dict[Key, dict[str, tuple[Any, Any]]] = field(default_factory=dict)
    words: dict[Key, dict[str, tuple[Any, Any]]] = field(default_factory=dict)
    new: list[Key] = field(default_factory=list)
    missing: list[Key] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether every number agrees to the tolerance and no answer is missing."""
        return not (self.differ or self.missing)


def compute(only: str = "") -> Iterator[tuple[Answer, float]]:
    """The present answers and the seconds each took, for tables whose name starts with `only`."""
    for table in reference_tables():
        if table.name.startswith(only):
            yield from answers_of(table)


def answers_of(table: ReferenceTable, labels: Iterable[str] | None = None) -> Iterator[tuple[Answer, float]]:
    """The present answers to all questions about a table, or to those with some labels."""
    wanted = None if labels is None else set(labels)
    for label, options in questions_of(table):
        if wanted is None or label in wanted:
            began = time.perf_counter()
            found = _answer(table, options)
            seconds = time.perf_counter() - began
            yield {"table": table.name, "asked": label} | found, seconds


def _answer(table: ReferenceTable, options: Options) -> Answer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = sp.fit(table.data, **options)
        except (ValueError, KeyError) as error:
            return {"error": f"{type(error).__name__}: {error}"}
        found = _described(result)
        if result.fitted is not None and table.kind != "singular":
            found["loglik"] = float(result.log_likelihood(table.data).sum())
        return found


def _described(result: sp.Result) -> Answer:
    edges = np.argwhere(result.dag.to_numpy())
    return {
        "cpdag": np.argwhere(result.cpdag.to_numpy()).tolist(),
        "dag": edges.tolist(),
        "objective": float(result.objective),
        "nll": float(result.nll),
        "cost": float(result.cost),
        "weights": _numbers(result.weights[i, j] for i, j in edges),
        "noise": _numbers(result.noise_variances),
        "status": result.status.value,
        "solver": result.solver,
        "model": result.model,
        "identifies": result.identifies,
        "from": result.evidence.graph_from,
        "same": result.evidence.same_when_rescaled,
        "steps": int(result.evidence.steps),
        "warnings": list(result.evidence.warnings),
    }


def _numbers(values: Iterable[Any]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]


def read(path: Path) -> dict[Key, Answer]:
    """The answers of a file by table and label."""
    with path.open(encoding="utf-8") as lines:
        return {_key(answer): answer for answer in map(json.loads, lines)}


def compare(old: Mapping[Key, Answer], new: Mapping[Key, Answer]) -> Comparison:
    """How answers compare with the reference."""
    found = Comparison(
        new=[key for key in new if key not in old], missing=[key for key in old if key not in new]
    )
    for key in old.keys() & new.keys():
        before, after = old[key], new[key]
        apart = {
            name: (before.get(name), after.get(name))
            for name in sorted(before.keys() | after.keys())
            if before.get(name) != after.get(name)
        }
        gaps = {name: _gap(*pair) for name, pair in apart.items() if name in NUMBERS}
        far = {name: apart[name] for name, gap in gaps.items() if not gap <= TOLERANCE}
        words = {name: pair for name, pair in apart.items() if name not in NUMBERS}
        found.largest = max([found.largest, *(gap for gap in gaps.values() if math.isfinite(gap))])
        if far:
            found.differ[key] = far | words
        elif words:
            found.words[key] = words
        found.equal += not apart
        found.close += bool(gaps) and not far and not words
    return found


def _gap(before: Any, after: Any) -> float:
    """The largest relative difference; infinite if the two are not numbers of the same shape."""
    try:
        a, b = (np.array(value, dtype=float) for value in (before, after))
    except (TypeError, ValueError):
        return math.inf
    if before is None or after is None or a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        return math.inf
    return float(np.nanmax(np.abs(a - b) / np.maximum(1, np.abs(a)), initial=0.0))


def check(reference: Path, only: str = "") -> tuple[Comparison, list[str]]:
    """Compare the present answers with the reference: the comparison, and a report."""
    old = {key: answer for key, answer in read(reference).items() if key[0].startswith(only)}
    timed = {_key(answer): (answer, seconds) for answer, seconds in compute(only)}
    found = compare(old, {key: answer for key, (answer, _) in timed.items()})
    seconds = sum(taken for _, taken in timed.values())
    return found, [*report(found, len(old)), *_times(reference, seconds, only)]


def report(found: Comparison, total: int) -> list[str]:
    """What agrees and what does not."""
    lines = [
        f"{total} answers: {found.equal} the same to the last bit, {found.close} to {TOLERANCE:g} "
        f"(largest difference {found.largest:.2g}), {len(found.differ)} different, "
        f"{len(found.words)} the same in other words, {len(found.new)} new, {len(found.missing)} missing"
    ]
    for title, group in (("different", found.differ), ("other words", found.words)):
        for key, apart in sorted(group.items()):
            shown = "; ".join(f"{name}: {_short(a)} -> {_short(b)}" for name, (a, b) in apart.items())
            lines.append(f"{title}: {' '.join(key)}: {shown}")
    return lines


def _times(reference: Path, seconds: float, only: str) -> list[str]:
    before = json.loads(reference.with_name("about.json").read_text(encoding="utf-8"))
    whole = "" if not only else " (of all answers)"
    return [f"seconds: {before['seconds']:.1f} for the reference{whole}, {seconds:.1f} now"]


def write(reference: Path, identity: Path) -> list[str]:
    """Store the present answers; change the identity if one of the kind that experiments ask for differs."""
    timed = list(compute())
    new = {_key(answer): answer for answer, _ in timed}
    old = read(reference) if reference.exists() else {}
    found = compare(old, new)
    lines = report(found, len(old))
    if found.same and not (found.new or found.words):
        return [*lines, "the reference is kept as it is"]
    # Answers within the tolerance stay as they were: a reference that follows every rounding would drift.
    kept = [old[key] if key in old and key not in {*found.differ, *found.words} else new[key] for key in new]
    text = as_text(kept)
    reference.write_text(text, encoding="utf-8")
    about = {"seconds": round(sum(seconds for _, seconds in timed), 1)}
    reference.with_name("about.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
    if set(found.differ) & _in_experiments():
        known = json.loads(identity.read_text(encoding="utf-8"))
        known["answers"] = f"{sp.__version__}, source {hashlib.sha256(text.encode()).hexdigest()[:10]}"
        identity.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        lines.append(f"our stored rows are now out of date: the identity is {known['answers']}")
    return [*lines, f"wrote {reference}"]


def as_text(answers: Sequence[Answer]) -> str:
    """One line per answer."""
    return "".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers)


def _in_experiments() -> set[Key]:
    """The answers whose options occur in experiments."""
    return {
        (table.name, label)
        for table in reference_tables()
        for label, options in questions_of(table)
        if set(options) <= IN_EXPERIMENTS
    }


def _key(answer: Answer) -> Key:
    return str(answer["table"]), str(answer["asked"])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 150 else text[:149] + "…"
