"""Knowledge as dictionaries, as the tiers of a study, and as suggestions that nothing enforces."""

import numpy as np
import pandas as pd
import pytest

import sparsest as sp


def people(n=400):
    rng = np.random.default_rng(0)
    drug, pain = rng.normal(size=n), rng.normal(size=n)
    late = drug + pain + 0.5 * rng.normal(size=n)  # arrows into it
    return pd.DataFrame({"score": rng.normal(size=n), "drug": drug, "pain": pain, "age": 50 + 9 * late})


def test_a_dictionary_is_knowledge():
    frame, roots = people(), {"roots": ["age", "drug"]}
    one, other = sp.fit(frame, knowledge=roots), sp.fit(frame, knowledge=sp.Knowledge(**roots))
    assert one.cpdag == other.cpdag
    assert not one.dag.to_numpy()[:, [1, 3]].any()
    with pytest.raises(sp.OptionError, match="knowledge: 'root' is not known; the keys are forbidden"):
        sp.fit(frame, knowledge={"root": ["age"]})


def test_the_tier_of_a_star_has_the_columns_of_no_other():
    names = ["a", "b", "c", "d"]
    starred = sp.Knowledge(tiers=[["a"], ["*"], ["d"]]).masks(names)
    assert (starred.allowed == sp.Knowledge(tiers=[["a"], ["b", "c"], ["d"]]).masks(names).allowed).all()


def test_a_study_is_tiers():
    study = sp.Knowledge.study(before=["age", "sex"], treatment="drug", outcome="pain", after=["job"])
    assert study == sp.Knowledge(tiers=[["age", "sex"], ["drug"], ["pain"], ["job"]])
    assert sp.Knowledge.study(treatment="a", outcome="b").masks(["a", "b", "c"]).allowed.sum() == 5
    with pytest.raises(sp.OptionError, match="a study has an outcome"):
        sp.Knowledge.study(treatment="a", outcome=[])


def test_knowledge_about_a_column_that_was_left_out_is_ignored():
    frame = people().assign(id=range(400))
    with pytest.warns(sp.DataWarning, match="left out 'id'"):
        result = sp.fit(frame, knowledge=sp.Knowledge(tiers=[["id", "age"], ["*"]]))
    assert not result.dag.to_numpy()[:, result.names.index("age")].any()
    with pytest.raises(sp.OptionError, match="no column is called 'ages'"):
        sp.fit(people(), knowledge={"roots": ["ages"]})


def test_roots_are_suggested_and_arrows_into_them_are_marked_but_nothing_is_enforced():
    result = sp.fit(people())
    words = result.summary()
    assert "knowledge=sp.Knowledge(roots=['age'])" in words
    into = [edge for edge in result.cpdag.directed_edges if edge[1] == "age"]
    assert into
    assert words.count("against common sense?") == len(into)
    known = sp.fit(people(), knowledge={"roots": ["age"]}).summary()
    assert "common sense" not in known
    assert "If not, say so" not in known
    assert sp.audit(people()).about("roots")[0].columns == ("age",)
    assert not sp.audit(people().rename(columns={"age": "stage"})).about("roots")


@pytest.mark.parametrize(
    ("name", "root"),
    [("age", True), ("Sex", True), ("birth_year", True), ("year", True), ("timestamp", True),
     ("dosage", False), ("time_to_event", False), ("survival_time", False), ("average", False)],
)  # fmt: skip
def test_names_of_roots(name, root):
    assert bool(sp.audit(people().rename(columns={"drug": name, "age": "z"})).about("roots")) == root
