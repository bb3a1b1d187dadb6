"""Laws of the exact search over any local score."""

import numpy as np
import pytest

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.search import LocalExactSearch
from tests.search.local_scores import Table, dags, total


@pytest.mark.parametrize("seed", range(4))
def test_exact_search_finds_the_best_of_all_dags_of_any_score(seed):
    score = Table(4, seed)
    solution = LocalExactSearch().solve(Problem(score, L0(0.3)), Watch())
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(min(total(score, 0.3, dag) for dag in dags(4)))
    assert total(score, 0.3, solution.adjacency.astype(int)) == pytest.approx(solution.objective)


def test_exact_search_is_exact_under_knowledge_too():
    score = Table(4, 7)
    allowed, required = np.ones((4, 4), dtype=bool), np.zeros((4, 4), dtype=bool)
    allowed[1, 2], required[0, 3] = False, True
    obeying = [dag for dag in dags(4) if not dag[1, 2] and dag[0, 3]]
    solution = LocalExactSearch().solve(Problem(score, L0(0.1), allowed, required), Watch())
    assert solution.objective == pytest.approx(min(total(score, 0.1, dag) for dag in obeying))


def test_exact_search_refuses_more_columns_than_it_can_fit():
    with pytest.raises(OptionError, match=r"17 \* 2\^16 models.*solver='order'"):
        LocalExactSearch().solve(Problem(Many(), L0(0.1)), Watch())


class Many:
    p = 17

    def local(self, node, parents):
        return 0.0
