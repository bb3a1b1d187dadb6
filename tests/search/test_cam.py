"""Laws of causal additive models."""

import numpy as np
import pytest

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest.graph import is_dag
from sparsest.penalties import L0
from sparsest.problem import Problem
from sparsest.search import CAM
from sparsest.simulate import additive, random_dag
from tests.scores.test_glm import score_of
from tests.search.local_scores import binary_score


def test_cam_finds_strong_additive_edges_and_refuses_other_models():
    rng = np.random.default_rng(1)
    truth = random_dag(8, 1, "ER", rng)
    data = additive(truth, 500, rng).data
    solution = CAM().solve(Problem(score_of(data, ["gaussian"] * 8, spline=5), L0(0.02)), Watch())
    wrong = (solution.adjacency != 0) != (truth.to_numpy() == 1)
    assert wrong.sum() <= 3
    with pytest.raises(OptionError, match="model='additive'"):
        CAM().solve(Problem(binary_score(), L0(0.01)), Watch())


def test_cam_takes_a_few_candidates_a_node_where_there_are_many_columns():
    rng = np.random.default_rng(2)
    data = additive(random_dag(14, 1, "ER", rng), 300, rng).data
    score = score_of(data, ["gaussian"] * 14, spline=3)
    solution = CAM(neighbours=3).solve(Problem(score, L0(0.02)), Watch())
    assert is_dag(solution.adjacency.astype(int))
    assert solution.adjacency.sum(axis=0).max() <= 3
