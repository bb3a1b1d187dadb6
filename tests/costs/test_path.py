"""Laws of the path over costs, of its judges and of the rules that choose from it."""

import itertools
import math
import os
import signal
import threading

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.costs.judging import HeldOut, all_held_out, instabilities
from sparsest.costs.splits import Splits, subsample_size
from sparsest.data import read_table
from sparsest.graph import is_dag
from sparsest.penalties.criteria import cost_per_edge
from sparsest.problem import Solution
from sparsest.scores.gaussian import refit as least_squares
from sparsest.search import ExactSearch


def chain(n=200, p=5, seed=0):
    table = np.random.default_rng(seed).normal(size=(n, p))
    for j in range(1, p):
        table[:, j] += 0.7 * table[:, j - 1] - 0.3 * table[:, max(j - 3, 0)]
    return table


def graphs(path):
    return [point.cpdag.to_numpy().tolist() for point in path.points]


@pytest.fixture(scope="module")
def found():
    return sp.path(chain(), points=8, subsamples=6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_edges_never_become_more_as_they_become_dearer(seed, p):
    path = sp.path(chain(60, p, seed), folds=0, subsamples=0)
    counts = [point.edges for point in path.points]  # from the highest cost on
    assert counts == sorted(counts)
    assert list(path.costs) == sorted(path.costs, reverse=True)


def test_every_point_is_the_best_of_all_dags_at_its_cost():
    """And so no other selection of edges has as low an objective: brute force over all DAGs of 3 columns."""
    table = chain(80, 3)
    covariance = np.cov(table, rowvar=False, bias=True)
    places = [(i, j) for i in range(3) for j in range(3) if i != j]
    dags = []
    for bits in itertools.product([0, 1], repeat=6):
        matrix = np.zeros((3, 3), dtype=int)
        for (i, j), bit in zip(places, bits, strict=True):
            matrix[i, j] = bit
        if is_dag(matrix):
            nll = 0.5 * np.log(least_squares(covariance, matrix != 0)[1]).sum()
            dags.append((nll, matrix.sum()))
    for point in sp.path(table, folds=0, subsamples=0).points:
        least = min(nll + point.cost * edges for nll, edges in dags)
        assert point.result.objective == pytest.approx(least, abs=1e-9)


def test_a_point_is_what_fit_learns_at_its_cost(found):
    for point in found.points:
        alone = sp.fit(chain(), penalty=point.cost)
        assert alone.cpdag.edges == point.cpdag.edges
        assert alone.objective == pytest.approx(point.result.objective, abs=1e-12)
        assert point.result.settings["penalty"] == point.cost
        assert alone.settings == point.result.settings


def test_the_path_has_the_costs_of_both_criteria_and_their_answers(found):
    for rule in ("bic", "ebic"):
        point = found.choose(rule)
        assert point.cost == cost_per_edge(rule, 200, 5)
        assert point.cpdag.edges == sp.fit(chain(), penalty=rule).cpdag.edges
        assert getattr(point, rule) == pytest.approx(point.result.objective)
    assert found.points[0].edges == 0
    assert min(found.costs) == pytest.approx(cost_per_edge("bic", 200, 5) / 4)


def test_neither_units_nor_the_order_of_columns_matter(found):
    order, units = np.array([3, 0, 4, 1, 2]), np.array([1000.0, 0.01, 7.0, 1.0, 30.0])
    other = sp.path(chain()[:, order] * units, points=8, subsamples=6)
    assert other.costs == pytest.approx(found.costs)
    for mine, theirs in zip(found.points, other.points, strict=True):
        assert (mine.cpdag.to_numpy()[np.ix_(order, order)] == theirs.cpdag.to_numpy()).all()
        assert theirs.instability == pytest.approx(mine.instability)
        assert theirs.behind == pytest.approx(mine.behind, abs=1e-9)
        assert theirs.behind_error == pytest.approx(mine.behind_error, abs=1e-9)
        assert theirs.held_out == pytest.approx(mine.held_out - np.log(units).sum())


def test_the_numbers_do_not_depend_on_the_number_of_workers(found):
    other = sp.path(chain(), points=8, subsamples=6, n_jobs=2)
    left_out = ["status"]
    assert other.table().drop(left_out).equals(found.table().drop(left_out))
    assert graphs(other) == graphs(found)


def test_another_seed_draws_other_rows_but_has_the_same_answers(found):
    other = sp.path(chain(), points=8, subsamples=6, seed=1)
    assert graphs(other) == graphs(found)
    assert other.table()["held_out"].to_list() != found.table()["held_out"].to_list()
    assert other.table()["instability"].to_list() != found.table()["instability"].to_list()


def test_the_held_out_likelihood_is_that_of_rows_not_learned_from(found):
    table = chain()
    splits = Splits.checked(read_table(table), None, None, 5, 0)
    outside = [splits.fold(k)[1] for k in range(5)]
    assert sorted(np.concatenate(outside).tolist()) == list(range(200))
    for point in (found.points[2], found.choose("cv")):
        rows = np.concatenate(
            [
                sp.fit(table[splits.fold(k)[0]], penalty=point.cost).log_likelihood(table[outside[k]])
                for k in range(5)
            ]
        )
        assert point.held_out == pytest.approx(rows.mean())
        assert point.held_out_error == pytest.approx(rows.std(ddof=1) / math.sqrt(200))


def test_the_instability_is_how_often_two_subsamples_disagree_about_a_pair(found):
    """2θ(1 − θ) is the share of ordered pairs of subsamples, with repetition, that differ."""
    table = chain()
    splits = Splits.checked(read_table(table), None, None, 0, 0)
    assert len(splits.subsample(0)) == subsample_size(200) == 141
    point = found.points[5]
    skeletons = []
    for k in range(6):
        dag = sp.fit(table[splits.subsample(k)], penalty=point.cost).dag.to_numpy()
        skeletons.append((dag + dag.T)[np.triu_indices(5, 1)] != 0)
    direct = np.mean([np.mean(a != b) for a in skeletons for b in skeletons])
    assert point.instability == pytest.approx(direct)


@given(st.integers(0, 1000))
def test_subsamples_that_agree_are_stable(seed):
    pairs = np.random.default_rng(seed).random((3, 4, 4)) < 0.5
    pairs |= pairs.transpose(0, 2, 1)
    assert instabilities([pairs] * 5).tolist() == [0.0] * 3
    assert (instabilities([pairs, ~pairs]) == 0.5).all()


def test_folds_joined_one_by_one_are_all_rows_at_once():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(60, 3)) + 1e6, rng.uniform(0.5, 2, size=60)
    parts = [HeldOut.of(k, values[k::4], weights[k::4]) for k in (2, 0, 3, 1)]
    joined, whole = all_held_out(parts), HeldOut.of(0, values, weights)
    assert joined.mean == pytest.approx(whole.mean)
    assert joined.covariance == pytest.approx(whole.covariance)


def test_a_poor_search_is_corrected_by_its_neighbours():
    table = chain(300, 6, 3)

    class Erratic:
        """Learns nothing at every second cost."""

        standardizes = returns_dag = True
        calls = 0

        def solve(self, problem, watch):
            type(self).calls += 1
            if self.calls % 2:
                return ExactSearch().solve(problem, watch)
            empty = np.zeros((problem.p, problem.p))
            return Solution(empty, 0.0, sp.Status.CONVERGED, 1, 0.0)

    path = sp.path(table, solver=Erratic(), folds=0, subsamples=0)
    counts = [point.edges for point in path.points]
    assert counts == sorted(counts)
    assert counts[-2] > 0


def test_order_search_follows_the_path_of_the_exact_one():
    exact, order = (sp.path(chain(), solver=solver, points=8, subsamples=0) for solver in ("exact", "order"))
    assert graphs(order) == graphs(exact)


def test_edges_say_from_which_to_which_cost_they_are_there(found):
    runs = found.edges()
    for k, point in enumerate(found.points):
        here = runs.filter((polars.col("highest") >= point.cost) & (polars.col("lowest") <= point.cost))
        marks = {tuple(row) for row in here.select("source", "mark", "target").rows()}
        assert marks == {(a, mark, b) for a, mark, b in point.cpdag.edges}, k
    assert runs["points"].sum() == sum(point.edges for point in found.points)


def test_knowledge_holds_all_along_the_path():
    knowledge = sp.Knowledge(required=[("x0", "x4")], forbidden=[("x0", "x1"), ("x1", "x0")])
    path = sp.path(chain(), knowledge=knowledge, points=5, folds=2, subsamples=2)
    for point in path.points:
        assert ("x0", "x4") in point.result.dag.edges
        assert not {("x0", "x1"), ("x1", "x0")} & set(point.result.dag.edges)


MODELS = {
    "rank": np.exp(chain(120, 3)),
    "additive": chain(120, 3),
    "logistic": (chain(150, 3) > 0).astype(float),
    "mixed": np.column_stack([chain(150, 2), (chain(150, 3)[:, 2] > 0).astype(float)]),
}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_with_rows_has_all_of_a_path(model):
    path = sp.path(MODELS[model], model=model, points=4, folds=2, subsamples=3)
    assert path.rules == ("ebic", "bic", "stars", "cv", "cv-1se")
    parameters = [point.parameters for point in path.points]
    assert parameters == sorted(parameters)
    assert path.points[0].edges <= 1
    assert path.table().null_count().sum_horizontal().item() == 0


def test_words_are_held_out_too():
    rng = np.random.default_rng(0)
    word = rng.choice(["a", "b", "c"], size=120)
    table = polars.DataFrame({"word": word, "x": rng.normal(size=120) + 2 * (word == "a")})
    path = sp.path(table, points=4, folds=3, subsamples=3)
    assert path.choose("cv").edges == 1


def test_weighted_rows_count_as_much_as_they_weigh():
    table, weights = chain(100), np.repeat([1.0, 3.0], 50)
    path = sp.path(table, weights=weights, points=4, folds=2, subsamples=2)
    splits = Splits.checked(read_table(table), None, None, 2, 0)
    point, total = path.points[1], 0.0
    for k in range(2):
        inside, outside = splits.fold(k)
        fitted = sp.fit(table[inside], weights=weights[inside], penalty=point.cost)
        total += weights[outside] @ fitted.log_likelihood(table[outside])
    assert point.held_out == pytest.approx(total / weights.sum())


def test_moments_have_no_held_out_rows_but_simulated_subsamples():
    moments = sp.Moments.from_array(chain())
    path = sp.path(moments, points=5, subsamples=4)
    assert path.rules == ("ebic", "bic", "stars")
    assert path.table()["held_out"].null_count() == len(path.points)
    assert "no rows in memory to hold out" in path.summary()
    with pytest.raises(sp.OptionError, match=r"cannot choose by 'cv'.*no rows in memory"):
        path.choose("cv")
    with pytest.raises(sp.OptionError, match=r"penalty='cv' cannot be followed.*no rows"):
        sp.fit(moments, penalty="cv")
    assert sp.fit(moments, penalty="stars").settings["penalty"] == "stars"


def test_a_population_has_a_path_over_given_costs_only():
    moments = sp.Moments(np.cov(chain(), rowvar=False), math.inf)
    with pytest.raises(sp.OptionError, match=r"n = inf.*pass them"):
        sp.path(moments)
    with pytest.raises(sp.OptionError, match="pass the cost per edge as a number"):
        sp.fit(moments, penalty="stars")
    path = sp.path(moments, costs=[0.01, 0.5])
    assert path.rules == ()
    assert path.costs == (0.5, 0.01)
    assert "a population has no subsamples" in str(path)


def test_groups_stay_together():
    labels = np.arange(200) // 4
    splits = Splits.checked(read_table(chain()), labels, None, 5, 0)
    for rows in (splits.fold(0)[1], splits.subsample(0)):
        assert all((labels[rows] == label).sum() == 4 for label in set(labels[rows]))
    path = sp.path(chain(), groups=labels, points=4, subsamples=2)
    assert path.rules[-1] == "cv-1se"


def test_fit_chooses_from_the_path_and_says_why(found):
    full = sp.path(chain())
    for rule, words in (("cv", "highest held-out log-likelihood"), ("stars", "instability 0.0")):
        result = sp.fit(chain(), penalty=rule)
        assert result.cost == full.choose(rule).cost
        assert result.cpdag.edges == full.choose(rule).cpdag.edges
        assert result.settings["penalty"] == rule
        assert words in result.evidence.penalty_because
        assert result.evidence.penalty_because in result.summary()
        assert result.to_dict()["evidence"]["penalty_because"] == result.evidence.penalty_because
    assert "cross-validation" in sp.fit(chain(), penalty="cv").methods()


def test_a_chosen_cost_serves_resamples_checks_and_files(tmp_path):
    result = sp.fit(chain(), penalty="cv-1se", resamples=4, check=True)
    assert result.evidence.same_when_rescaled
    alone = sp.confidence(chain(), resamples=4, penalty=result.cost)
    assert (alone.arrow == result.confidence.arrow).all()
    result.save(tmp_path / "kept.sparsest")
    assert sp.load(tmp_path / "kept.sparsest").evidence == result.evidence


def test_stars_takes_the_lowest_cost_that_is_stable_all_the_way(found):
    for beta in (0.01, 0.05, 0.2):
        chosen = found.choose("stars", beta=beta)
        dearer = [point.instability for point in found.points if point.cost > chosen.cost]
        assert all(value <= beta for value in dearer)
        below = [point for point in found.points if point.cost < chosen.cost]
        assert not below or below[0].instability > beta or found.points[0] is chosen


def test_one_error_behind_is_never_denser_than_the_best(found):
    best, near = found.choose("cv"), found.choose("cv-1se")
    assert best.behind == 0
    assert near.cost >= best.cost
    assert near.behind <= near.behind_error or near is best


def test_what_is_finished_when_time_runs_out_is_kept():
    class Slow:
        standardizes = returns_dag = True

        def solve(self, problem, watch):
            threading.Event().wait(0.02)
            return ExactSearch().solve(problem, watch)

    path = sp.path(chain(), solver=Slow(), points=4, time_limit=1.0, subsamples=100)
    assert path.status is sp.Status.TIME_LIMIT
    assert len(path.points) == 6
    assert 0 < path.folds + path.subsamples < 105
    assert "stopped by the time limit after 6 of 6 costs" in path.summary()
    path = sp.path(chain(), time_limit=0)
    assert path.status is sp.Status.TIME_LIMIT
    assert len(path.points) == 1
    assert path.choose("ebic") is path.points[0]
    result = sp.fit(chain(), penalty="stars", time_limit=0)
    assert result.status is sp.Status.TIME_LIMIT
    assert "stopped before there was anything to choose by stars" in result.evidence.penalty_because


def test_an_interrupt_keeps_what_is_finished():
    steps = []

    def press(step):
        steps.append(step)
        if len(steps) == 12:
            os.kill(os.getpid(), signal.SIGINT)

    path = sp.path(chain(), points=6, progress=press)
    assert path.status is sp.Status.INTERRUPTED
    assert (len(path.points), path.folds) == (8, 4)
    assert path.rules == ("ebic", "bic", "cv", "cv-1se")
    assert "stopped by Ctrl-C after 8 of 8 costs, 4 of 5 folds, 0 of 20 subsamples" in path.summary()


BAD = {
    "not positive": ({"costs": [0.1, 0.0]}, "costs must be positive numbers"),
    "not finite": ({"costs": [0.1, math.inf]}, "costs must be positive numbers"),
    "a penalty object": ({"costs": [sp.L1(0.1), sp.L1(0.2)]}, "costs must be positive numbers"),
    "a number": ({"costs": 0.1}, "costs must be positive numbers"),
    "one cost": ({"costs": [0.1]}, "at least 2 different costs"),
    "the same cost twice": ({"costs": [0.1, 0.1]}, "at least 2 different costs"),
    "one point": ({"points": 1}, "points must be a whole number of at least 2"),
    "one fold": ({"folds": 1}, "folds must be at least 2, or 0"),
    "half a subsample": ({"subsamples": 0.5}, "subsamples must be a whole number"),
    "a penalty": ({"penalty": sp.L1(0.1)}, "leave penalty out, and pass costs"),
    "notears": ({"solver": "notears"}, "'notears' has a penalty of its own"),
    "logll-dagma": ({"solver": "logll-dagma"}, "'logll-dagma' has a penalty of its own"),
    "cam": ({"solver": "cam"}, "'cam' has a penalty of its own"),
    "too few rows": ({"folds": 150}, "in 150 folds needs at least 300 rows, and there are 200"),
    "no time": ({"time_limit": -1}, "time_limit must be a number of seconds"),
    "labels of other rows": ({"groups": [1, 2, 3]}, "groups needs one label per row"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_by_name(what):
    options, words = BAD[what]
    with pytest.raises(sp.SparsestError, match=words):
        sp.path(chain(), **options)


def test_options_of_other_functions_are_unexpected():
    with pytest.raises(TypeError, match=r"path\(\) got an unexpected option 'resamples'"):
        sp.path(chain(), resamples=10)


def test_a_path_says_what_it_does_not_know(found):
    with pytest.raises(sp.OptionError, match="unknown rule 'aic'"):
        found.choose("aic")
    with pytest.raises(sp.OptionError, match=r"beta.*between 0 and 0.5"):
        found.choose("stars", beta=0.7)
    with pytest.raises(sp.OptionError, match="is not a cost of this path; the nearest is"):
        found.result(0.123)
    assert found.result(found.costs[3]) is found.points[3].result
    assert found.result("cv") is found.choose("cv").result
    with pytest.raises(sp.OptionError, match="pass the cost that it chose"):
        sp.confidence(chain(), penalty="stars", resamples=2)


def test_a_value_too_rare_for_the_training_parts_is_named():
    table = chain(60, 2)
    rare = np.zeros((60, 1))
    rare[0] = 1
    with pytest.raises(sp.DataError, match="however the rows are divided into 5 folds, 'x2' lacks a value"):
        sp.path(np.column_stack([table, rare]), subsamples=0)
    assert sp.path(np.column_stack([table, rare]), folds=0, subsamples=0).rules == ("ebic", "bic")


def test_missing_values_leave_no_rows_to_hold_out():
    table = chain()
    table[3, 1] = np.nan
    with pytest.warns(sp.DataWarning, match="are missing"):
        path = sp.path(table, missing="em", points=4, subsamples=2)
    assert path.rules == ("ebic", "bic", "stars")
    assert "rows with missing values" in path.notes[0]


def test_a_single_column_has_a_path():
    path = sp.path(chain(50, 1), points=3)
    assert path.rules == ("ebic", "bic", "cv", "cv-1se")
    assert path.edges().height == 0
