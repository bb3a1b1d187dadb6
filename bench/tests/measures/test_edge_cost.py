import math

import pytest

from sparsest.penalties.criteria import cost_per_edge
from sparsest_bench.measures.edge_cost import COSTS, edge_cost


@pytest.mark.parametrize(("times", "gamma"), COSTS.values(), ids=COSTS)
def test_a_cost_is_that_of_the_extended_bic(times, gamma):
    n, p = 500, 30
    expected = (times * math.log(n) + 4 * gamma * math.log(p)) / (2 * n)
    assert edge_cost(times, gamma, n, p) == pytest.approx(expected, rel=1e-14)


def test_the_cost_that_is_called_auto_is_the_default():
    assert edge_cost(*COSTS["extended BIC, γ = ½ (auto)"], 500, 30) == cost_per_edge("auto", 500, 30)
