"""Laws of causal additive models."""

import numpy as np
import pytest
from scipy.stats import f as f_distribution

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


def grown_by_trying_every_edge(score):
    """The inclusion step as described: the edge that raises the likelihood most, until none is left."""
    dag = np.zeros((score.p, score.p), dtype=int)
    while True:
        gains = dict(gains_of_every_edge(score, dag))
        if not gains:
            return dag
        dag[max(gains, key=gains.get)] = 1


def gains_of_every_edge(score, dag):
    for source, target in np.argwhere(dag == 0):
        longer = dag.copy()
        longer[source, target] = 1
        if is_dag(longer):
            before, after = (np.flatnonzero(graph[:, target]) for graph in (dag, longer))
            yield (source, target), score.local(target, before) - score.local(target, after)


@pytest.mark.parametrize("seed", range(5))
def test_cam_adds_the_edges_that_trying_every_edge_would_add(seed):
    rng = np.random.default_rng(seed)
    score = score_of(additive(random_dag(4, 1, "ER", rng), 300, rng).data, ["gaussian"] * 4, spline=4)
    everything_kept = CAM(level=1 - 1e-12).solve(Problem(score, L0(0.02)), Watch())
    assert (everything_kept.adjacency == grown_by_trying_every_edge(score)).all()


def test_cam_removes_the_edges_whose_f_test_by_least_squares_is_not_significant():
    rng = np.random.default_rng(3)
    data = additive(random_dag(4, 1, "ER", rng), 300, rng).data
    score = score_of(data, ["gaussian"] * 4, spline=4)
    features = [column.basis.features(data[:, j]) for j, column in enumerate(score.columns)]
    grown, level = grown_by_trying_every_edge(score), 0.001
    kept = np.zeros_like(grown)
    for source, target in np.argwhere(grown):
        parents = np.flatnonzero(grown[:, target])
        full, freedom = squares_left(data[:, target], [features[k] for k in parents])
        less, more = squares_left(data[:, target], [features[k] for k in parents if k != source])
        ratio = (less - full) / (more - freedom) / (full / freedom)
        kept[source, target] = f_distribution.sf(ratio, more - freedom, freedom) < level
    assert 0 < kept.sum() < grown.sum()
    pruned = CAM(level=level).solve(Problem(score, L0(0.02)), Watch())
    assert (pruned.adjacency == kept).all()


def squares_left(response, features):
    """The residual sum of squares of a regression with an intercept, and its degrees of freedom."""
    design = np.column_stack([np.ones(len(response)), *features])
    residual = response - design @ np.linalg.lstsq(design, response, rcond=None)[0]
    return residual @ residual, len(response) - design.shape[1]
