import math

import pytest

import sparsest as sp
from sparsest.penalties.criteria import cost_per_edge


def test_bic_charges_half_a_log_n_per_row():
    assert cost_per_edge("bic", 1000, 10) == pytest.approx(math.log(1000) / 2000)


def test_the_extended_criterion_charges_for_the_choice_among_many_columns():
    assert cost_per_edge("ebic", 1000, 1) == cost_per_edge("bic", 1000, 1)
    assert cost_per_edge("ebic", 1000, 50) < cost_per_edge("ebic", 1000, 100)
    assert cost_per_edge("auto", 1000, 50) == cost_per_edge("ebic", 1000, 50)


def test_an_unknown_criterion_and_a_population_are_refused_with_the_way_out():
    with pytest.raises(
        sp.OptionError,
        match=r"unknown penalty 'aic': use 'auto', 'bic', 'ebic', 'stars', 'cv', 'cv-1se', a number",
    ):
        cost_per_edge("aic", 1000, 10)
    with pytest.raises(sp.OptionError, match=r"n = inf.*penalty=0.01"):
        cost_per_edge("bic", math.inf, 10)
