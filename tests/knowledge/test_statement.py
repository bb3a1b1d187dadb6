import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.knowledge import Masks, Tier
from tests.knowledge.strategies import random_knowledge

NAMES = ["age", "sex", "gene1", "gene2", "gene10", "blood", "death"]


def edges(mask):
    return {(NAMES[i], NAMES[j]) for i, j in np.argwhere(mask)}


def ruled_out(**said):
    allowed, _ = sp.Knowledge(**said).masks(NAMES)
    return edges(~allowed & ~np.eye(len(NAMES), dtype=bool))


def test_no_knowledge_allows_every_edge_and_requires_none():
    allowed, required = sp.Knowledge().masks(NAMES)
    assert allowed.sum() == 7 * 6
    assert not required.any()
    assert sp.Knowledge().masks(NAMES).say_nothing


def test_no_knowledge_is_the_same_as_masks_without_constraints():
    for mine, free in zip(sp.Knowledge().masks(NAMES), Masks.unconstrained(len(NAMES)), strict=True):
        assert np.array_equal(mine, free)


@pytest.mark.parametrize("edge", [("age", "death"), (0, 6), "age -> death", ["age", 6], (np.int64(0), 6)])
def test_an_edge_is_given_by_name_by_position_or_as_text(edge):
    assert ruled_out(forbidden=[edge]) == {("age", "death")}
    assert edges(sp.Knowledge(required=[edge]).masks(NAMES).required) == {("age", "death")}


def test_an_edge_without_direction_rules_out_both():
    assert ruled_out(forbidden=["age -- sex"]) == {("age", "sex"), ("sex", "age")}
    with pytest.raises(sp.OptionError, match="'age -- sex' has no direction"):
        sp.Knowledge(required=["age -- sex"])


def test_wildcards_and_groups_stand_for_all_their_columns_but_no_column_for_its_own_cause():
    genes = {"gene1", "gene2", "gene10"}
    assert ruled_out(forbidden=[("gene*", "age")]) == {(gene, "age") for gene in genes}
    assert ruled_out(forbidden=[("gene?", "age")]) == {("gene1", "age"), ("gene2", "age")}
    assert ruled_out(forbidden=["genes -> genes"], groups={"genes": ["gene*"]}) == {
        (a, b) for a in genes for b in genes if a != b
    }
    assert ruled_out(roots="body", groups={"body": ["blood", 6]}) == {
        (a, b) for a in NAMES for b in ("blood", "death") if a != b
    }


def test_a_column_with_the_name_of_a_wildcard_is_that_column():
    allowed, _ = sp.Knowledge(forbidden=[("a*", "b")]).masks(["a*", "ab", "b"])
    assert allowed.tolist() == [[False, True, False], [True, False, True], [True, True, False]]


def test_later_tiers_do_not_cause_earlier_ones_and_columns_without_a_tier_are_free():
    assert ruled_out(tiers=[["age", "sex"], ["gene1"], ["blood"]]) == {
        ("gene1", "age"), ("gene1", "sex"), ("blood", "age"), ("blood", "sex"), ("blood", "gene1"),
    }  # fmt: skip


def test_a_tier_may_have_no_edges_within():
    expected = {("age", "sex"), ("sex", "age")}
    assert ruled_out(tiers=[{"columns": ["age", "sex"], "edges_within": False}]) == expected
    assert ruled_out(tiers=[Tier(("age", "sex"), edges_within=False)]) == expected


def test_roots_have_no_causes_and_leaves_no_effects():
    assert ruled_out(roots=["age"]) == {(name, "age") for name in NAMES if name != "age"}
    assert ruled_out(leaves=["death"]) == {("death", name) for name in NAMES if name != "death"}


def test_an_effect_cannot_cause_its_cause_however_far_down():
    assert ruled_out(required=["age -> sex", "sex -> blood"]) == {
        ("sex", "age"), ("blood", "sex"), ("blood", "age"),
    }  # fmt: skip


CONTRADICTIONS = {
    "'age' -> 'sex' -> 'blood' -> 'age'": {"required": ["age -> sex", "sex -> blood", "blood -> age"]},
    "'age' -> 'sex' is required, but it is forbidden": {
        "required": ["age -> sex"], "forbidden": [("a*", "sex")],
    },
    "'sex' -> 'age' is required, but the cause is in tier 2": {
        "required": ["sex -> age"], "tiers": [["age"], ["sex"]],
    },
    "'sex' -> 'age' is required, but tier 1 has no edges within it": {
        "required": ["sex -> age"], "tiers": [{"columns": ["age", "sex"], "edges_within": False}],
    },
    "'sex' -> 'age' is required, but 'age' is a root": {"required": ["sex -> age"], "roots": ["age"]},
    "'sex' -> 'age' is required, but 'sex' is a leaf": {"required": ["sex -> age"], "leaves": ["sex"]},
    "'age' is in tier 1 and in tier 2": {"tiers": [["age"], ["sex", "ag*"]]},
    "no column causes itself": {"forbidden": [("age", 0)]},
    "'gene1' -> 'gene2' -> 'gene1'": {"required": [("gene*", "gene*")]},
}  # fmt: skip


@pytest.mark.parametrize("words", CONTRADICTIONS)
def test_contradictions_raise_and_name_the_edges(words):
    with pytest.raises(sp.OptionError, match=words.replace("*", r"\*")):
        sp.Knowledge(**CONTRADICTIONS[words]).masks(NAMES)


UNKNOWN = {
    "forbidden: no column is called 'agee'; did you mean 'age'": {"forbidden": [("agee", "sex")]},
    "no column is called 'qqq'; the columns are age, sex": {"roots": ["qqq"]},
    "tier 2: no column is called 'deaht'; did you mean 'death'": {"tiers": [["age"], ["deaht"]]},
    "'zz\\*' matches no column": {"leaves": ["zz*"]},
    "no column has position 7; positions run from 0 to 6": {"leaves": [7]},
    "did you mean 'genes'": {"leaves": ["gens"], "groups": {"genes": ["gene1"]}},
    "group 'g': no column is called 'h'": {"groups": {"g": ["h"]}},
    "group 'age' has the name of a column": {"groups": {"age": ["sex"]}},
}


@pytest.mark.parametrize("words", UNKNOWN)
def test_unknown_columns_raise_with_the_nearest_name(words):
    with pytest.raises(sp.OptionError, match=words):
        sp.Knowledge(**UNKNOWN[words]).masks(NAMES)


NONSENSE = {
    "forbidden must be a list of edges": {"forbidden": "age -> sex"},
    "'age' is not an edge": {"forbidden": ["age"]},
    "has 3": {"required": [("a", "b", "c")]},
    "-1 is not a column": {"roots": [-1]},
    "True is not a column": {"roots": [True]},
    "None is not a column": {"tiers": [[None]]},
    "tiers must be a list of lists": {"tiers": "age"},
    "'color' is not known": {"tiers": [{"color": 1}]},
    "edges_within must be True or False": {"tiers": [{"columns": ["a"], "edges_within": 0}]},
    "groups must map names": {"groups": ["a"]},
    "5 is not a valid name for a group": {"groups": {5: ["a"]}},
    "roots must be a list of columns": {"roots": 3.5},
}


@pytest.mark.parametrize("words", NONSENSE)
def test_what_is_no_knowledge_is_refused_at_once(words):
    with pytest.raises(sp.OptionError, match=words):
        sp.Knowledge(**NONSENSE[words])


def test_knowledge_is_a_value():
    said = {"forbidden": [("age", "sex")], "tiers": [["age"]], "groups": {"g": ["age"]}}
    first, second = sp.Knowledge(**said), sp.Knowledge(**said)
    assert first == second
    assert hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(first)) == first
    assert first != sp.Knowledge()
    with pytest.raises(FrozenInstanceError):
        first.forbidden = ()


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(1, 8))
@settings(max_examples=100, deadline=None)
def test_required_edges_are_allowed_and_what_closes_a_cycle_with_them_is_not(seed, p):
    names = [f"x{k}" for k in range(p)]
    allowed, required = random_knowledge(p, np.random.default_rng(seed)).masks(names)
    assert not (required & ~allowed).any()
    assert sp.graph.is_dag(required)
    for i, j in np.argwhere(allowed):
        more = required.copy()
        more[i, j] = True
        assert sp.graph.is_dag(more)
