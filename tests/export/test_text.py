import math

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Status
from sparsest.export.text import summary
from tests.export.results import GARDEN, NAMES, WEIGHTS, make


def test_the_summary_says_how_much_was_found_and_how():
    lines = summary(GARDEN).splitlines()
    assert lines[0] == "5 columns, 1000 rows: 4 edges, the direction of 3 identified"
    assert "objective -1.23 = -1.25 (likelihood) + 4 x 0.005 (cost per edge)" in lines
    assert "solver exact, 0.50 s: proved to be the best graph for this objective" in lines
    assert GARDEN.summary() == summary(GARDEN)


def test_edges_come_in_the_order_of_their_strength_whatever_the_units():
    def order(result):
        return [
            line.split("  ")[1] for line in summary(result).splitlines() if line.endswith(")") and "→" in line
        ]

    scales = np.array([1e4, 1.0, 1e-3, 10.0, 5.0])
    rescaled = make(WEIGHTS * scales / scales[:, None], NAMES, variances=scales**2)
    assert order(GARDEN) == ["wet → slippery", "sprinkler → wet", "rain → wet"]
    assert order(rescaled) == order(GARDEN)


def test_what_cannot_be_known_is_named():
    text = summary(GARDEN)
    assert "not known from these data: the direction of 1 edge " in text
    assert text.splitlines()[-3] == "  rain – season"
    assert text.splitlines()[-1].startswith("identified is not sure: resamples=100")
    assert "not known" not in summary(make([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.OPTIMAL, "proved to be the best"),
        (Status.CONVERGED, "a better graph may exist"),
        (Status.MAX_STEPS, "number of steps, best so far"),
        (Status.TIME_LIMIT, "stopped by the time limit, best so far"),
        (Status.INTERRUPTED, "stopped by Ctrl-C, best so far"),
    ],
)
def test_every_status_is_put_in_words(status, words):
    assert words in summary(make(WEIGHTS, status=status))


def test_asked_for_ascii_it_is_ascii():
    names = [f"a_rather_long_name_of_a_column_with_number_{k}" for k in range(5)]
    result = make(WEIGHTS, names)
    assert not summary(result).isascii()
    assert summary(result, ascii=True).isascii()
    assert "rain -> wet" in summary(GARDEN, ascii=True)
    assert "rain -- season" in summary(GARDEN, ascii=True)


def test_large_graphs_have_short_summaries():
    p = 60
    chain = np.diag(np.ones(p - 1), 1)
    lines = summary(make(chain)).splitlines()
    assert len(lines) < 20
    assert max(map(len, lines)) < 200
    assert "10 strongest edges" in summary(make(chain))
    assert "and 49 more" in lines[-2]


def test_populations_single_columns_and_warnings_have_their_words():
    assert "5 columns, a population" in summary(make(WEIGHTS, n=math.inf))
    assert summary(make([[0.0]], n=2)).startswith("1 column, 2 rows: no edges")
    assert summary(make(WEIGHTS, warnings=["too few rows"])).endswith("warning: too few rows")


def test_what_the_audit_found_is_mentioned():
    rng = np.random.default_rng(0)
    summary_of = sp.fit(np.column_stack([rng.normal(size=200), np.cumsum(rng.normal(size=200))])).summary()
    assert "to be careful about (row-order): print(result.audit) says more" in summary_of
    assert "careful" not in summary(GARDEN)
