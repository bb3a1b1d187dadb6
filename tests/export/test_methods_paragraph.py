import math

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Status
from tests.export.results import GARDEN, WEIGHTS, make
from tests.test_fit import simulated


def test_the_paragraph_says_what_was_done_with_what_and_cites_the_paper():
    result = sp.fit(simulated().data, penalty="bic")
    text = result.methods()
    for words in (
        "500 observations of 6 variables",
        f"sparsest {sp.__version__}",
        f"NumPy {np.__version__}",
        "Gaussian noise of unequal variances",
        f"a cost of {result.cost:.3g} per parameter of an edge",
        "the Bayesian information criterion",
        "exactly, by dynamic programming",
        "does not depend on their units",
        "proved to minimise this score",
        "no hidden common causes",
        "Deng, C., Bello, K., Ravikumar, P., & Aragam, B. (2024). Markov Equivalence and Consistency in "
        "Differentiable Structure Learning.",
    ):
        assert words in text
    paragraph, citation = text.split("\n\n")
    assert "\n" not in paragraph
    assert citation.startswith("Deng")


@pytest.mark.parametrize("status", Status)
def test_how_the_search_ended_is_said(status):
    assert ("proved to minimise" in make(WEIGHTS, status=status).methods()) == (status is Status.OPTIMAL)


def test_directions_that_are_not_identified_are_counted():
    assert "3 have the same direction" in GARDEN.methods()
    assert "the direction of the other 1 is not identified" in GARDEN.methods()
    assert "All edges have the same direction" in make([[0, 0, 1], [0, 0, 1], [0, 0, 0]]).methods()
    assert "direction" not in make([[0.0]]).methods().replace("directed", "")


def test_solvers_thresholds_and_populations_have_their_words():
    X = simulated(1).data
    text = sp.fit(X, solver="logll-dagma", threshold=0.25).methods()
    assert "LogLL-DAGMA (Deng et al., 2024), on the variables as measured" in text
    assert "weights of size up to 0.25 were set to zero" in text
    assert "over orders of the variables (seed 7)" in sp.fit(X, solver="order", seed=7).methods()
    assert "population covariance" in make(WEIGHTS, n=math.inf).methods()
    assert "information criterion" not in sp.fit(X, penalty=0.1).methods()


def test_other_models_have_their_own_words_for_the_solver():
    X = simulated(1, p=4).data
    assert (
        "Algorithm 1 of Deng et al., 2024" in sp.fit(X, model="additive", solver="differentiable").methods()
    )
    assert "by a portfolio" in sp.fit(X, solver="differentiable").methods()
    assert "with CAM" in sp.fit(X, solver="cam").methods()
