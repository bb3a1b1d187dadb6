import json
from collections import Counter
from pathlib import Path

import pytest

from sparsest_bench import answers
from sparsest_bench.questions import questions_of, reference_tables

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / answers.REFERENCE

pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason="needs a clone of the repository")

# Searches, whose answers do not depend on how a processor rounds, on one small table of each kind.
SAMPLE = {
    "linear-ER1-6-0": (
        "auto",
        "exact",
        "order",
        "ges",
        "bic",
        "raw",
        "limit",
        "known-exact",
        "known-ges",
        "rank",
        "rank-limit",
    ),
    "linear-ER2-8-1": ("auto", "order", "cost", "check", "known-order"),
    "large-ER2-25-0": ("auto", "ges"),
    "logistic-4-0": ("auto", "exact", "limit"),
    "poisson-4-0": ("auto", "known"),
    "additive-4-0": ("auto", "cam"),
    "mixed-4-0": ("auto", "order", "auto-model"),
}


def test_a_sample_of_our_answers_is_that_of_the_reference():
    reference = answers.read(REFERENCE)
    chosen = [table for table in reference_tables() if table.name in SAMPLE]
    found = [answer for table in chosen for answer, _ in answers.answers_of(table, SAMPLE[table.name])]
    assert len(found) == sum(map(len, SAMPLE.values()))
    for answer in found:
        expected = reference[answer["table"], answer["asked"]]
        where = f"{answer['table']} {answer['asked']}"
        assert (answer["dag"], answer["cpdag"]) == (expected["dag"], expected["cpdag"]), where
        for name in ("objective", "weights", "noise"):
            assert answer[name] == pytest.approx(expected[name], rel=1e-9, abs=1e-9), where


def test_the_reference_answers_what_is_asked_and_nothing_else():
    reference = answers.read(REFERENCE)
    assert list(reference) == [
        (table.name, label) for table in reference_tables() for label, _ in questions_of(table)
    ]
    assert len(reference) > 1000


def test_no_answer_of_the_reference_exceeds_a_limit_on_parents():
    reference = answers.read(REFERENCE)
    limits = {
        (table.name, label): options["max_parents"]
        for table in reference_tables()
        for label, options in questions_of(table)
        if "max_parents" in options
    }
    assert len(limits) > 50
    for key, most in limits.items():
        parents = Counter(child for _, child in reference[key]["dag"])
        assert max(parents.values(), default=0) <= most, key


def one(**changes):
    row = {"table": "t", "asked": "a", "dag": [[0, 1]], "objective": 1.0, "weights": [2.0, None], "steps": 3}
    return {("t", "a"): row | changes}


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, (1, 0, 0, 0)),
        ({"objective": 1.0 + 1e-14}, (0, 1, 0, 0)),
        ({"objective": 1.0 + 1e-9}, (0, 0, 1, 0)),
        ({"dag": [[1, 0]]}, (0, 0, 1, 0)),
        ({"dag": []}, (0, 0, 1, 0)),
        ({"weights": [2.0, 2.0]}, (0, 0, 1, 0)),
        ({"steps": 4}, (0, 0, 0, 1)),
        ({"steps": 4, "weights": [2.0 + 1e-15 * 4, None]}, (0, 0, 0, 1)),
    ],
)
def test_an_answer_is_equal_close_different_or_told_in_other_words(changes, counts):
    found = answers.compare(one(), one(**changes))
    assert (found.equal, found.close, len(found.differ), len(found.words)) == counts


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A reference of three answers and an identity; what is computed now is up to the test."""
    reference, identity = tmp_path / "reference.jsonl", tmp_path / "identity.json"
    keys = [("linear-ER1-3-0", "auto"), ("linear-ER1-3-0", "limit"), ("logistic-4-0", "auto")]
    kept = [{"table": table, "asked": label, "objective": 1.0, "warnings": []} for table, label in keys]
    reference.write_text(answers.as_text(kept))
    identity.write_text(json.dumps({"answers": "first", "starts": "other"}))

    def write(*changes):
        now = [row | change for row, change in zip(kept, changes, strict=True)]
        monkeypatch.setattr(answers, "compute", lambda: ((row, 0.5) for row in now))
        answers.write(reference, identity)
        return json.loads(identity.read_text()), reference.read_text()

    return write


@pytest.mark.parametrize(
    ("change", "old"),
    [
        (({}, {}, {}), False),
        (({"objective": 1.0 + 1e-14}, {}, {}), False),  # rounding
        (({"warnings": ["reworded"]}, {}, {}), False),
        (({}, {"objective": 2.0}, {}), False),  # under a limit on parents, which no experiment has
        (({"objective": 2.0}, {}, {}), True),
        (({}, {}, {"objective": 2.0}), True),
    ],
)
def test_rows_become_old_when_an_answer_that_experiments_ask_for_differs_and_only_then(clone, change, old):
    identity, _ = clone(*change)
    assert (identity["answers"] != "first") == old
    assert identity["starts"] == "other"


def test_a_reference_does_not_follow_rounding(clone):
    _, before = clone({}, {}, {})
    _, after = clone({"objective": 1.0 + 1e-14}, {}, {"warnings": ["new"]})
    reworded = '"asked": "auto", "objective": 1.0, "warnings": ["new"]'
    assert after.splitlines()[:2] == before.splitlines()[:2]
    assert reworded in after.splitlines()[2]
