"""Laws of the exact search over any local score."""

import numpy as np
import pytest

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.search import LocalExactSearch
from tests.search.local_scores import Table, binary_score, dags, total


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


@pytest.mark.parametrize("known", [False, True])
def test_tables_of_fits_that_are_filled_at_once_lead_to_the_same_answer(known):
    p, required = 7, np.zeros((7, 7), dtype=bool)
    required[3, 5] = known
    allowed = ~np.eye(p, dtype=bool)
    allowed[0, 1] = not known
    for seed in range(3):
        score = binary_score(seed, p)
        together, single = (
            LocalExactSearch().solve(Problem(one, L0(0.006), allowed, required), Watch())
            for one in (score, OneByOne(score))
        )
        assert together.objective == pytest.approx(single.objective, abs=1e-9)
        assert (together.adjacency == single.adjacency).all()
        assert len(together.stages) == 1  # no quick answer was needed


class OneByOne:
    """A score without its optional methods."""

    def __init__(self, score):
        self.p, self.local = score.p, score.local


def test_exact_search_refuses_more_columns_than_it_can_fit():
    with pytest.raises(OptionError, match=r"17 \* 2\^16 models.*solver='order'"):
        LocalExactSearch().solve(Problem(Many(), L0(0.1)), Watch())


class Many:
    p = 17

    def local(self, node, parents):
        return 0.0
