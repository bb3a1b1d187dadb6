import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.knowledge import tetrad, toml
from tests.knowledge.strategies import random_knowledge

PLAIN = """
tiers = [
    ["age", "sex"],
    { columns = ["gene*"], edges_within = false },
]
required = ["age -> death"]
forbidden = [["sex", "blood"], [0, "habits"]]
roots = "age"

[groups]
habits = ["smoking", "diet"]
"""

TETRAD = """/knowledge
addtemporal
1* age "blood pressure"   // no edges among these
2- smoking diet
3 weight
4 death

forbiddirect
age death
requiredirect
smoking weight
forbiddengroup
age diet
death weight
"""


def test_the_keys_of_a_toml_file_are_the_keywords(tmp_path):
    (tmp_path / "k.toml").write_text(PLAIN)
    assert sp.Knowledge.read(tmp_path / "k.toml") == sp.Knowledge(
        tiers=[["age", "sex"], {"columns": ["gene*"], "edges_within": False}],
        required=[("age", "death")],
        forbidden=[("sex", "blood"), (0, "habits")],
        roots=["age"],
        groups={"habits": ["smoking", "diet"]},
    )


words = st.text(min_size=1).filter(lambda text: text.strip())
columns = words | st.integers(0, 50)
pairs = st.lists(st.tuples(columns, columns), max_size=3)
knowledge = st.builds(
    sp.Knowledge,
    forbidden=pairs,
    required=pairs,
    tiers=st.lists(
        st.fixed_dictionaries({"columns": st.lists(columns, max_size=3), "edges_within": st.booleans()}),
        max_size=3,
    ),
    roots=st.lists(columns, max_size=2),
    leaves=st.lists(columns, max_size=2),
    groups=st.dictionaries(words, st.lists(columns), max_size=2),
)


@given(knowledge)
@settings(max_examples=200, deadline=None)
def test_toml_brings_back_what_was_written_whatever_the_names(said):
    assert toml.parse(said.to_toml(), "file") == said


@given(st.integers(0, 2**32 - 1))
def test_toml_keeps_the_masks(seed):
    said, names = random_knowledge(6, np.random.default_rng(seed)), list("abcdef")
    again = toml.parse(said.to_toml(), "file")
    for mask, other in zip(said.masks(names), again.masks(names), strict=True):
        assert np.array_equal(mask, other)


def test_a_tetrad_file_is_read_with_its_marks_and_groups(tmp_path):
    (tmp_path / "knowledge.txt").write_text(TETRAD)
    names = ["age", "blood pressure", "smoking", "diet", "weight", "death"]
    allowed, required = sp.Knowledge.read(tmp_path / "knowledge.txt").masks(names)
    expected, tier = ~np.eye(6, dtype=bool), [1, 1, 2, 2, 3, 4]
    for i in range(6):
        for j in range(6):
            expected[i, j] &= tier[i] <= tier[j]
    expected[0, 1] = expected[1, 0] = False  # 1*
    expected[2, 5] = expected[3, 5] = False  # 2-
    expected[0, 5] = expected[0, 4] = expected[3, 4] = False
    assert np.argwhere(required).tolist() == [[2, 4]]
    assert np.array_equal(allowed, expected)


def test_names_may_be_separated_by_commas():
    said = tetrad.parse('/knowledge comma\naddtemporal\n1 blood pressure, "a,b"\n2 c\n', "file")
    assert said == sp.Knowledge(tiers=[["blood pressure", "a,b"], ["c"]])


def test_a_further_tier_structure_rules_edges_out():
    said = tetrad.parse("tierstructure by place\n0 a\n1* b c\n", "file")
    assert set(said.forbidden) == {("b", "a"), ("c", "a"), ("b", "c"), ("c", "b")}


BROKEN = {
    "'file', line 2: expected one of addtemporal": "/knowledge\na b",
    "'file', line 3: an edge has two ends, but 'a b c' has 3": "/knowledge\nforbiddirect\na b c",
    "'file', line 2: a tier begins with its number": "addtemporal\na b",
    "'file', line 2: a quotation mark is missing": 'requiredirect\n"a b',
    "'file', line 2: a group needs two lines": "forbiddengroup\na b",
    "'file', line 3: a group needs two lines": "forbiddengroup\na b\nrequiredirect\n",
}


@pytest.mark.parametrize("words", BROKEN)
def test_a_broken_tetrad_file_is_refused_with_its_line(words):
    with pytest.raises(sp.DataError, match=words):
        tetrad.parse(BROKEN[words], "file")


BAD_TOML = {
    "'file' is not valid TOML: .*line 2": "roots = ['a']\nleaves = [}]",
    "'file', line 2: 'forbiden' is not known; the keys are forbidden": "roots = ['a']\nforbiden = []",
    "'file', line 2: required: 'a' is not an edge": "roots = ['a']\nrequired = ['a']",
    "'file', line 2: tier 1: 1.5 is not a column": "\ntiers = [[1.5]]",
    "'file', line 1: group 'g': ": "[groups]\ng = [1.5]",
    "nested too deeply": "roots = " + "[" * 5000,
}


@pytest.mark.parametrize("words", BAD_TOML)
def test_a_bad_toml_file_is_refused_with_its_line(words):
    with pytest.raises((sp.DataError, sp.OptionError), match=words):
        toml.parse(BAD_TOML[words], "file")


def test_a_file_that_cannot_be_read_is_refused_in_one_line(tmp_path):
    with pytest.raises(sp.DataError, match=r"there is no file .*nowhere\.toml"):
        sp.Knowledge.read(tmp_path / "nowhere.toml")
    (tmp_path / "k.toml").write_bytes(b"roots = ['\xff']")
    with pytest.raises(sp.DataError, match="not encoded in UTF-8"):
        sp.Knowledge.read(tmp_path / "k.toml")


PIECES = st.sampled_from([*TETRAD.split(" "), *PLAIN.split(" "), "\n", '"'])


@given(st.text() | st.lists(PIECES).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_any_text_is_knowledge_or_refused_on_purpose(text):
    for parse in (toml.parse, tetrad.parse):
        try:
            masks = parse(text, "file").masks(["age", "sex", "blood"])
        except sp.SparsestError:
            continue
        assert not (masks.required & ~masks.allowed).any()
