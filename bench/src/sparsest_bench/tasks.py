"""A task: what it depends on, what it needs besides, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsest._core.store import key_of


@dataclass(frozen=True)
class Task:
    """One unit of work.

    `spec` is all that its answer depends on, in plain values: two tasks of the same spec are one task, in
    whichever experiment. `call` is what running it needs besides: paths, the time limit. `implied` are values
    at their defaults: kept with the spec, but a default that is added later makes no new task of an old one.
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
        """Seconds that it may take, where it has a limit."""
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
