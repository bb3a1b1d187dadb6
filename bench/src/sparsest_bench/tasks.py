"""Tasks of experiments and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsest._core.store import key_of


@dataclass(frozen=True)
class Task:
    """One unit of work.

    `spec` is everything its answer depends on, in plain values: tasks with the same spec are the same task,
    whatever the experiment. `call` is what else is needed to run it: paths, the time limit. `implied` are
    factors at their defaults: stored with the spec but not part of the key, so that a factor added later
    does not make old tasks new.
    """

    kind: str
    spec: Mapping[str, Any]
    call: Mapping[str, Any] = field(default_factory=dict)
    implied: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name of the task in the store."""
        return key_of(self.kind, self.spec)

    @property
    def time_limit(self) -> float | None:
        """The time limit in seconds, if any."""
        limit = self.call.get("time_limit")
        return None if limit is None else float(limit)


@dataclass(frozen=True)
class Outcome:
    """How a task ended: "done", "failed", "timeout" or "missing" (no such peer here).

    `row` holds what was measured; `wall` the seconds that all of it took.
    """

    status: str
    row: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    wall: float = 0.0
