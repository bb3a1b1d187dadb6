"""Knowledge: statements about the edges of a graph, and the masks that solvers obey."""

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
    """Columns of the same time or level.

    Parameters
    ----------
    columns : tuple of str or int
        References to the columns.
    edges_within : bool, default True
        Whether these columns may cause each other.

    Examples
    --------
    >>> import sparsest as sp
    >>> from sparsest.knowledge import Tier
    >>> early = Tier(("age", "sex"), edges_within=False)
    >>> sp.Knowledge(tiers=[early, ["pressure"]]).masks(["age", "sex", "pressure"]).allowed
    array([[False, False,  True],
           [False, False,  True],
           [False, False, False]])
    """

    columns: tuple[Column, ...]
    edges_within: bool = True

    @property
    def is_rest(self) -> bool:
        """Whether it stands for all columns that are in no other tier."""
        return self.columns == ("*",)


@dataclass(frozen=True, init=False)
class Knowledge:
    """Background knowledge about the graph, which every solver obeys exactly.

    A column is given by its name, its position (counting from 0), a wildcard ("gene*") or the name of a
    group. An edge is a pair (cause, effect) or text "cause -> effect"; with wildcards and groups it stands
    for all pairs of distinct columns.

    Parameters
    ----------
    forbidden : iterable of edges, optional
        Edges that must be absent; "a -- b" rules out both directions.
    required : iterable of edges, optional
        Edges that must be present.
    tiers : iterable of lists of columns, optional
        Tiers in temporal order: no column causes a column of an earlier tier directly. A tier may also be
        `{"columns": [...], "edges_within": False}`, whose columns do not cause each other either. The tier
        `["*"]` has all columns that are in no other; without it these are unconstrained.
    roots : iterable of columns, optional
        Columns that nothing causes.
    leaves : iterable of columns, optional
        Columns that cause nothing.
    groups : mapping of str to lists of columns, optional
        Names for sets of columns, to be used in place of a column.

    Raises
    ------
    OptionError
        If a statement cannot be understood. Unknown columns and contradictions raise when the knowledge
        meets a table.

    Examples
    --------
    >>> import sparsest as sp
    >>> knowledge = sp.Knowledge(tiers=[["age"], ["weight", "pressure"]], required=["weight -> pressure"])
    >>> allowed, required = knowledge.masks(["age", "weight", "pressure"])
    >>> allowed
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    >>> int(required.sum())
    1
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
        """Read knowledge from a file.

        Parameters
        ----------
        path : path-like
            A TOML file if the suffix is .toml, otherwise a Tetrad knowledge file.

        Returns
        -------
        Knowledge
            What the file states.

        Raises
        ------
        DataError
            If the file cannot be read or parsed.
        """
        from sparsest.knowledge.file_formats import read

        return read(path)

    @classmethod
    def study(
        cls,
        *,
        treatment: Any,
        outcome: Any,
        before: Iterable[Any] | str = (),
        after: Iterable[Any] | str = (),
    ) -> Knowledge:
        """Knowledge about a study: what came before the treatment, the outcome, and what came after it.

        Columns that are not mentioned are unconstrained.

        Parameters
        ----------
        treatment : column or list of columns
            What was done; nothing that came later causes it.
        outcome : column or list of columns
            What was observed in the end.
        before : list of columns, optional
            What was known before the treatment, such as age and sex.
        after : list of columns, optional
            What was measured after the outcome.

        Returns
        -------
        Knowledge
            The same as tiers in this order: before, treatment, outcome, after.

        Examples
        --------
        >>> import sparsest as sp
        >>> study = sp.Knowledge.study(before=["age"], treatment="drug", outcome="pain")
        >>> [tier.columns for tier in study.tiers]
        [('age',), ('drug',), ('pain',)]
        """
        parts = {"before": before, "treatment": treatment, "outcome": outcome, "after": after}
        tiers = [checked_columns(part, name) for name, part in parts.items()]
        for name, tier in zip(parts, tiers, strict=True):
            if name in ("treatment", "outcome") and not tier:
                raise OptionError(
                    f"a study has {'a' if name == 'treatment' else 'an'} {name}: name its column"
                )
        return cls(tiers=[tier for tier in tiers if tier])

    def to_toml(self) -> str:
        """Text of a TOML file from which `read` restores the same knowledge.

        Returns
        -------
        str
            The text.
        """
        from sparsest.knowledge.toml import to_toml

        return to_toml(self)

    def masks(self, names: Sequence[str], absent: Sequence[str] = ()) -> Masks:
        """Allowed and required edges between the columns of a table.

        Edges that would close a cycle with required edges are not allowed either.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.
        absent : sequence of str, optional
            Names of columns that the table has and the model does not: statements about them are ignored.

        Returns
        -------
        Masks
            The matrices `allowed` and `required`.

        Raises
        ------
        OptionError
            If a column is unknown, or if statements contradict each other; the message names the edge.
        """
        lookup = ColumnLookup(names, self.groups, absent)
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
        """Rules that exclude edges, each with the reason in words."""
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
        named = {
            k
            for number, tier in enumerate(self.tiers, start=1)
            if not tier.is_rest
            for k in self._members(tier, number, lookup)
        }
        rest = [k for k in range(len(lookup)) if k not in named]
        for number, tier in enumerate(self.tiers, start=1):
            earlier = list(home)
            members = rest if tier.is_rest else self._members(tier, number, lookup)
            for k in members:
                if k in home:
                    raise OptionError(f"column {lookup[k]!r} is in tier {home[k]} and in tier {number}")
                home[k] = number
            yield _Rule(members, earlier, f"the cause is in tier {number} and the effect in an earlier one")
            if not tier.edges_within:
                yield _Rule(members, members, f"tier {number} has no edges within it")

    def _members(self, tier: Tier, number: int, lookup: ColumnLookup) -> list[int]:
        return sorted({k for c in tier.columns for k in lookup.positions(c, f"tier {number}")})

    def _pairs(
        self, edges: Iterable[Edge], lookup: ColumnLookup, where: str
    ) -> Iterator[tuple[list[int], list[int]]]:
        for cause, effect in edges:
            causes, effects = lookup.positions(cause, where), lookup.positions(effect, where)
            if len(causes) == 1 and causes == effects:
                name = lookup[causes[0]]
                raise OptionError(f"{where}: {name!r} -> {name!r} is not an edge: no column causes itself")
            yield causes, effects


class _Rule(NamedTuple):
    """Excludes all edges from some columns to some columns, with the reason."""

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
            raise OptionError(f"groups: {name!r} is not a valid name for a group")
    return {name: checked_columns(members, f"group {name!r}") for name, members in groups.items()}
