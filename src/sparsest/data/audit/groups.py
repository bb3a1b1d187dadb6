"""Columns that divide the rows into groups: experiments, batches, subjects measured repeatedly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsest._core.words import percent
from sparsest.data.audit.findings import Finding
from sparsest.data.audit.profile import Profile
from sparsest.data.audit.raw import Raw
from sparsest.data.columns.name_words import tokens

Array = NDArray[np.float64]

_LABELS = {
    "arm", "assignment", "batch", "class", "cohort", "condition", "control", "dataset", "experiment", "fold",
    "group", "inhibitor", "intervention", "knockout", "label", "perturbation", "plate", "run", "split",
    "stimulus",
    "study", "target", "treated", "treatment", "trial", "wave",
}  # fmt: skip
_ENTITIES = {
    "id", "subject", "patient", "person", "participant", "animal", "mouse", "donor", "family", "household",
    "school", "hospital", "clinic", "site", "center", "centre", "cluster", "country", "region", "firm",
    "company",
}  # fmt: skip
_FEW_LEVELS = 12
_SHIFTED = 0.1  # share of a column's variance that lies between the groups
_SAMPLE = 5000
_MOST_CANDIDATES = 20


@dataclass(frozen=True)
class _Grouping:
    position: int  #: in the table
    codes: NDArray[np.intp]
    levels: int


def check_groups(raw: Raw, facts: Profile, columns: NDArray[np.intp]) -> Iterator[Finding]:
    """Columns that look like the label of an experiment or a cluster; `columns` measure something."""
    others = columns[facts.distinct[columns] > 2]
    if raw.n < 20 or others.size == 0:
        return
    for grouping in _candidates(raw, facts, columns):
        names = tokens(raw.names[grouping.position])
        apart = others[raw.numeric[others] != grouping.position]
        if apart.size == 0:
            continue
        between = _between(raw.values, apart, grouping)
        shifted = between > _SHIFTED
        few = grouping.levels <= _FEW_LEVELS
        if few and ((names & _LABELS and shifted.any()) or shifted.sum() >= max(3, 0.5 * apart.size)):
            yield _label(raw, grouping, apart, between)
        elif not few and names & _ENTITIES and shifted.any():
            yield _clusters(raw, grouping, apart, between)


def _candidates(raw: Raw, facts: Profile, columns: NDArray[np.intp]) -> list[_Grouping]:
    """Columns with repeated values whose names suggest groups, and the discrete ones where these are few."""
    step = max(1, raw.n // _SAMPLE)
    chosen = []
    discrete = [int(k) for k in columns if facts.distinct[k] <= _FEW_LEVELS]
    unusual = len(discrete) <= max(1, len(columns) // 4)
    for k in map(int, columns):
        hinted = tokens(raw.names[int(raw.numeric[k])]) & (_LABELS | _ENTITIES)
        if (hinted and facts.whole[k]) or (unusual and facts.distinct[k] <= _FEW_LEVELS):
            chosen.append((int(raw.numeric[k]), raw.values[::step, k]))
    for j, words in raw.words.items():
        if words.levels and words.codes is not None:
            chosen.append((j, words.codes[::step]))
    groupings = []
    for j, values in chosen[:_MOST_CANDIDATES]:
        known = np.isfinite(values)
        levels, codes = np.unique(values[known], return_inverse=True)
        if 2 <= len(levels) <= known.sum() / 2:
            everyone = np.full(len(values), -1, dtype=np.intp)
            everyone[known] = codes
            groupings.append(_Grouping(j, everyone, len(levels)))
    return groupings


def _between(values: Array, columns: NDArray[np.intp], grouping: _Grouping) -> Array:
    """The share of each column's variance between the groups (η², adjusted for the number of groups)."""
    step = max(1, len(values) // _SAMPLE)
    block, codes = values[::step][:, columns], grouping.codes
    rows = (codes >= 0) & np.isfinite(block).all(axis=1)
    block, codes = block[rows], codes[rows]
    if len(block) <= grouping.levels + 1:
        return np.zeros(len(columns))
    block = block - block.mean(axis=0)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    sums = np.add.reduceat(block[order], starts, axis=0)
    total = (block**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        within = 1 - (sums**2 / sizes[:, None]).sum(axis=0) / total
    adjusted: Array = 1 - within * (len(block) - 1) / (len(block) - len(starts))
    return np.nan_to_num(adjusted)


def _label(raw: Raw, grouping: _Grouping, others: NDArray[np.intp], between: Array) -> Finding:
    shifted, most = int((between > _SHIFTED).sum()), int(between.argmax())
    return raw.about.finding(
        "experiment-label", "caution", [grouping.position],
        f"column {raw.names[grouping.position]!r} has {grouping.levels} values and shifts {shifted} of "
        f"{len(others)} other columns (most {raw.names[int(raw.numeric[others[most]])]!r}: "
        f"{percent(between[most])} of its variance): it looks like the label of an experiment, a batch or a "
        "group. Interventions are not modelled here: all rows are assumed to come from the same "
        "system",
        "if it says what was done to a row or where it was measured, learn from the rows of one value at a "
        "time, or leave the column out and expect edges that are due to the mixture; if it is a variable "
        "like any other, keep it",
    )  # fmt: skip


def _clusters(raw: Raw, grouping: _Grouping, others: NDArray[np.intp], between: Array) -> Finding:
    most = int(between.argmax())
    return raw.about.finding(
        "clustered-rows", "caution", [grouping.position],
        f"rows come in {grouping.levels} groups by column {raw.names[grouping.position]!r} and are alike "
        f"within them (most in {raw.names[int(raw.numeric[others[most]])]!r}: {percent(between[most])} of "
        "the variance lies between groups): there is less information than the number of rows suggests",
        "take one row or the mean of each group, or subtract the group means to learn about changes within "
        "groups",
    )  # fmt: skip
