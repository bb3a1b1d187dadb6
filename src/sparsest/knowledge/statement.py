"""Knowledge: what a user can say beforehand about the edges of a graph, and the masks that solvers obey."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sparsest._core.errors import OptionError
from sparsest.graph.acyclicity import cycle_outside, kahn_order, path_matrix
from sparsest.knowledge.column_lookup import Column, ColumnLookup, checked_columns
from sparsest.knowledge.edge_syntax import Edge, checked_edges
from sparsest.knowledge.masks import Mask, Masks


@dataclass(frozen=True)
class Tier:
    """Columns of one time or level; without `edges_within` they do not cause each other either."""

    columns: tuple[Column, ...]
    edges_within: bool = True


@dataclass(frozen=True, init=False)
class Knowledge:
    """What is known about the graph before looking at the data; every solver obeys it exactly.

    A column is given by its name, its position from 0 on, a wildcard ("gene*"), or the name of a group. An
    edge is a pair (cause, effect) or text "cause -> effect"; with wildcards and groups it stands for all the
    pairs of different columns.

    Args:
        forbidden: Edges that cannot be; "a -- b" rules out both directions.
        required: Edges that must be.
        tiers: Lists of columns, earliest first: no later one causes an earlier one directly. A tier may also
            be `{"columns": [...], "edges_within": False}`: these do not cause each other either. Columns in
            no tier are free.
        roots: Columns that nothing causes.
        leaves: Columns that cause nothing.
        groups: Names for sets of columns, to be used wherever a column is.
    """

    forbidden: tuple[Edge, ...] = ()
    required: tuple[Edge, ...] = ()
    tiers: tuple[Tier, ...] = ()
    roots: tuple[Column, ...] = ()
    leaves: tuple[Column, ...] = ()
    groups: Mapping[str, tuple[Column, ...]] = field(default_factory=dict)

    def __init__(
        self,
        *,
        forbidden: Iterable[Any] = (),
        required: Iterable[Any] = (),
        tiers: Iterable[Any] = (),
        roots: Iterable[Any] | str = (),
        leaves: Iterable[Any] | str = (),
        groups: Mapping[str, Any] | None = None,
    ):
        for name, value in {
            "forbidden": checked_edges(forbidden, "forbidden", undirected=True),
            "required": checked_edges(required, "required", undirected=False),
            "tiers": _checked_tiers(tiers),
            "roots": checked_columns(roots, "roots"),
            "leaves": checked_columns(leaves, "leaves"),
            "groups": _checked_groups({} if groups is None else groups),
        }.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        """Equal knowledge has equal hashes."""
        groups = tuple(sorted(self.groups.items()))
        return hash((self.forbidden, self.required, self.tiers, self.roots, self.leaves, groups))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Knowledge from a file: TOML (.toml), else the text of Tetrad's knowledge files."""
        from sparsest.knowledge.file_formats import read

        return read(path)

    def to_toml(self) -> str:
        """The text of a TOML file that `read` turns into the same knowledge."""
        from sparsest.knowledge.toml import to_toml

        return to_toml(self)

    def masks(self, names: Sequence[str]) -> Masks:
        """Which edges between columns of these names may be, and which must be.

        Unknown columns and contradictions raise OptionError. What follows from the required edges is ruled
        out, too: an effect, however far down, cannot cause its cause.
        """
        lookup = ColumnLookup(names, self.groups)
        allowed, required = Masks.unconstrained(len(names))
        for causes, effects in self._pairs(self.required, lookup, "required"):
            required[np.ix_(causes, effects)] = True
        np.fill_diagonal(required, False)
        for rule in self._rules(lookup):
            block = np.ix_(rule.causes, rule.effects)
            allowed[block] = False
            if (both := np.argwhere(required[block])).size:
                a, b = names[rule.causes[both[0, 0]]], names[rule.effects[both[0, 1]]]
                raise OptionError(f"{a!r} -> {b!r} is required, but {rule.words}: leave one of the two out")
        _refuse_cycle(required, names)
        return Masks(allowed & ~path_matrix(required).T, required)

    def _rules(self, lookup: ColumnLookup) -> Iterator[_Rule]:
        """What rules edges out, with the words for it."""
        everything = list(range(len(lookup)))
        for causes, effects in self._pairs(self.forbidden, lookup, "forbidden"):
            yield _Rule(causes, effects, "it is forbidden")
        for root in self.roots:
            for k in lookup.positions(root, "roots"):
                yield _Rule(everything, [k], f"{lookup[k]!r} is a root, which nothing causes")
        for leaf in self.leaves:
            for k in lookup.positions(leaf, "leaves"):
                yield _Rule([k], everything, f"{lookup[k]!r} is a leaf, which causes nothing")
        yield from self._tier_rules(lookup)

    def _tier_rules(self, lookup: ColumnLookup) -> Iterator[_Rule]:
        home: dict[int, int] = {}
        for number, tier in enumerate(self.tiers, start=1):
            earlier = list(home)
            members = sorted({k for c in tier.columns for k in lookup.positions(c, f"tier {number}")})
            for k in members:
                if k in home:
                    raise OptionError(f"column {lookup[k]!r} is in tier {home[k]} and in tier {number}")
                home[k] = number
            yield _Rule(members, earlier, f"the cause is in tier {number} and the effect in an earlier one")
            if not tier.edges_within:
                yield _Rule(members, members, f"tier {number} has no edges within")

    def _pairs(
        self, edges: Iterable[Edge], lookup: ColumnLookup, where: str
    ) -> Iterator[tuple[list[int], list[int]]]:
        for cause, effect in edges:
            causes, effects = lookup.positions(cause, where), lookup.positions(effect, where)
            if len(causes) == 1 and causes == effects:
                name = lookup[causes[0]]
                raise OptionError(f"{where}: {name!r} -> {name!r} is no edge: no column causes itself")
            yield causes, effects


class _Rule(NamedTuple):
    """All edges from some columns to some columns are ruled out, and why."""

    causes: list[int]
    effects: list[int]
    words: str


def _refuse_cycle(required: Mask, names: Sequence[str]) -> None:
    cycle = cycle_outside(required, kahn_order(required))
    if cycle is not None:
        words = " -> ".join(repr(names[k]) for k in [*cycle, cycle[0]])
        raise OptionError(f"the required edges form a cycle: {words}; leave one of them out")


def _checked_tiers(tiers: object) -> tuple[Tier, ...]:
    if isinstance(tiers, str | bytes | Mapping) or not isinstance(tiers, Iterable):
        raise OptionError(f"tiers must be a list of lists of columns, not {tiers!r}")
    return tuple(_checked_tier(tier, f"tier {number}") for number, tier in enumerate(tiers, start=1))


def _checked_tier(tier: object, where: str) -> Tier:
    if isinstance(tier, Tier):
        tier = {"columns": tier.columns, "edges_within": tier.edges_within}
    if not isinstance(tier, Mapping):
        return Tier(checked_columns(tier, where))
    if strange := [key for key in tier if key not in ("columns", "edges_within")]:
        raise OptionError(f"{where}: {strange[0]!r} is not known; a tier has 'columns' and 'edges_within'")
    within = tier.get("edges_within", True)
    if not isinstance(within, bool):
        raise OptionError(f"{where}: edges_within must be True or False, not {within!r}")
    return Tier(checked_columns(tier.get("columns", ()), where), within)


def _checked_groups(groups: object) -> dict[str, tuple[Column, ...]]:
    if not isinstance(groups, Mapping):
        raise OptionError(f"groups must map names to lists of columns, not {groups!r}")
    for name in groups:
        if not isinstance(name, str) or not name.strip():
            raise OptionError(f"groups: {name!r} is no name for a group")
    return {name: checked_columns(members, f"group {name!r}") for name, members in groups.items()}
