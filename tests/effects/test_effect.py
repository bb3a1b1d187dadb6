import json
import pickle

import numpy as np
import pytest

import sparsest as sp
from sparsest.effects.affected import open_outcomes, reached
from sparsest.effects.linear import (
    effects_on_all,
    implied_covariance,
    joint_effects,
    joint_regression_interval,
    regression_interval,
    variance_given_graph,
)
from sparsest.effects.orientations import orientations
from sparsest.graph import dag_to_cpdag, mec_members, refine
from sparsest.scores.gaussian import refit


def random_class(seed, most=7):
    """A class, with knowledge for odd seeds, and the covariance of a member."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(3, most + 1))
    dag = sp.simulate.random_dag(p, float(rng.uniform(0.4, min(2.0, (p - 1) / 2))), "ER", rng)
    weights = sp.simulate.random_weights(dag, rng)
    graph, edges = dag_to_cpdag(sp.Dag(dag)), np.argwhere(dag)
    if seed % 2 and len(edges):
        required = np.zeros((p, p), dtype=bool)
        required[tuple(edges[rng.integers(len(edges))])] = True
        graph = refine(sp.Dag(dag), None, required)
    return graph, weights, implied_covariance(weights, rng.uniform(0.5, 2, p))


def total_effects(covariance, member):
    return np.linalg.inv(np.eye(len(covariance)) - refit(covariance, member)[0])


def members(graph):
    return [one.pattern.copy() for one in mec_members(graph)]


def same_set(some, others):
    apart = np.abs(np.subtract.outer(np.asarray(some), np.asarray(others)))
    return apart.min(axis=0).max() < 1e-10 and apart.min(axis=1).max() < 1e-10


@pytest.mark.parametrize("seed", range(60))
def test_local_effects_are_those_of_listing_all_members(seed):
    graph, weights, covariance = random_class(seed)
    totals = [total_effects(covariance, member) for member in members(graph)]
    truth = np.linalg.inv(np.eye(len(weights)) - weights)
    for cause in range(len(graph)):
        found = orientations(graph, [cause])
        assert sum(found.counts(graph)) == len(totals)
        local = np.array(
            [effects_on_all(covariance, cause, np.flatnonzero(one[:, cause])) for one in found.patterns]
        )
        for outcome in set(range(len(graph))) - {cause}:
            listed = [total[cause, outcome] for total in totals]
            assert same_set(local[:, outcome], listed)
            assert np.abs(local[:, outcome] - truth[cause, outcome]).min() < 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_identified_and_zero_effects_are_those_that_all_members_agree_on(seed):
    graph, _, covariance = random_class(seed)
    totals = np.array([total_effects(covariance, member) for member in members(graph)])
    for cause in range(len(graph)):
        spread = np.ptp(totals[:, cause], axis=0) > 1e-9
        assert (open_outcomes(graph, [cause]) == spread).all()
        some = np.abs(totals[:, cause]).max(axis=0) > 1e-12
        some[cause] = False
        assert (reached(graph, [cause]) == some).all()


@pytest.mark.parametrize("seed", range(40))
def test_joint_effects_depend_on_the_parents_of_the_causes_alone(seed):
    graph, _, covariance = random_class(seed)
    causes, outcome = [0, 1], 2
    found = orientations(graph, causes)
    local = [joint_effects(refit(covariance, found.member(k))[0], causes, outcome).sum()
             for k in range(len(found.patterns))]  # fmt: skip
    listed = [joint_effects(refit(covariance, one)[0], causes, outcome).sum() for one in members(graph)]
    assert same_set(local, listed)
    assert bool(open_outcomes(graph, causes)[outcome]) == (np.ptp(listed) > 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_all_outcomes_at_once_agree_with_questions_to_the_graph(seed):
    graph, _, covariance = random_class(seed)
    for cause in range(len(graph)):
        unsure, affected = open_outcomes(graph, [cause]), reached(graph, [cause])
        parents = np.flatnonzero(members(graph)[0][:, cause])
        for outcome in set(range(len(graph))) - {cause}:
            assert unsure[outcome] == (not graph.identified(cause, outcome))
            assert affected[outcome] == graph.may_affect(cause, outcome)
            if affected[outcome] and not unsure[outcome]:
                chosen = [graph.position(name) for name in graph.optimal_adjustment_set(cause, outcome)]
                by_set, by_parents = (effects_on_all(covariance, cause, one) for one in (chosen, parents))
                assert by_set[outcome] == pytest.approx(by_parents[outcome], abs=1e-9)


def test_the_variance_given_the_graph_is_that_of_many_samples():
    rng = np.random.default_rng(3)
    weights = np.zeros((4, 4))
    weights[0, 1], weights[0, 2], weights[1, 3], weights[2, 3] = 0.8, -0.5, 0.7, 0.4
    dag, n = weights != 0, 200
    covariance = implied_covariance(weights, np.ones(4))
    root, found = np.linalg.cholesky(covariance), []
    for _ in range(2000):
        rows = rng.normal(size=(n, 4)) @ root.T
        found.append(joint_effects(refit(rows.T @ rows / n, dag)[0], [0], 3)[0])
    assert n * np.var(found) == pytest.approx(variance_given_graph(covariance, dag, [0], 3), rel=0.1)


def garden(n=400, seed=0):
    rng = np.random.default_rng(seed)
    rain, sprinkler = rng.normal(size=(2, n))
    wet = rain + sprinkler + 0.5 * rng.normal(size=n)
    return np.column_stack([rain, sprinkler, wet, 0.8 * wet + rng.normal(size=n)])


RESULT = sp.fit(garden())


def chain(n=300, seed=2):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + rng.normal(size=n)
    return np.column_stack([a, b, b + rng.normal(size=n)])


CHAINS = np.zeros((5, 5))
CHAINS[[0, 0, 1, 2, 1, 0, 4], [1, 2, 2, 3, 3, 4, 3]] = [0.8, 0.5, -0.7, 1.0, 0.6, 0.5, 1.2]


@pytest.mark.parametrize("causes", [(1, 4), (0, 2), (2, 0, 1)])
def test_intervals_of_joint_effects_cover_given_the_parents_of_the_causes(causes):
    rng, steps = np.random.default_rng(1), np.arange(1.0, 1 + len(causes))
    parents = [np.flatnonzero(CHAINS[:, cause]).tolist() for cause in causes]
    truth = joint_effects(CHAINS, causes, 3) @ steps
    covered, tables = 0, 400
    for _ in range(tables):
        covariance = np.cov(sp.simulate.linear_gaussian(CHAINS, 60, rng).data.T, bias=True)
        low, high = joint_regression_interval(covariance, 60, causes, 3, parents, 0.9, steps)
        covered += low <= truth <= high
    assert covered / tables == pytest.approx(0.9, abs=0.045)  # three standard errors


def test_the_interval_of_one_cause_is_that_of_a_joint_effect_of_one():
    covariance = np.cov(np.random.default_rng(0).normal(size=(5, 50)) * [[1], [9], [2], [5], [1]])
    joint = joint_regression_interval(covariance, 50, [0], 3, [[1, 2]], 0.95, np.ones(1))
    assert joint == pytest.approx(regression_interval(covariance, 50, 0, 3, [1, 2], 0.95))
    # Nothing is left to do for a cause that acts on the other one alone.
    both = joint_regression_interval(covariance, 50, [0, 1], 3, [[3], [3, 0]], 0.95, np.ones(2))
    assert both == (0.0, 0.0)


def test_shares_add_up_to_one_and_belong_to_values():
    found = sp.fit(chain()).effect(0, 2)
    assert not found.identified
    assert found.members == 3
    assert found.shares.sum() == pytest.approx(1)
    assert sorted(found.shares.round(3)) == [0.333, 0.667]  # either end of the chain may be first
    assert found.bounds[0] == 0
    assert found.value is None
    assert found.adjustment_set is None


def test_effects_do_not_depend_on_units():
    scaled = sp.fit(garden() * [10, 1, 1, 0.1]).effect(0, 3)
    found = RESULT.effect(0, 3)
    assert scaled.values == pytest.approx(found.values / 100)
    assert scaled.values_per_sd == pytest.approx(found.values_per_sd)
    assert scaled.interval == pytest.approx(np.array(found.interval) / 100)


def test_intervals_that_account_for_the_graph_contain_naive_ones():
    for cause, outcome in ((0, 3), (2, 3), (0, 1), (3, 0)):
        wide, naive = (RESULT.effect(cause, outcome, interval=how).interval for how in ("resampled", "naive"))
        assert wide[0] <= naive[0] <= naive[1] <= wide[1]


def test_an_effect_that_is_zero_by_the_graph_says_so():
    found = RESULT.effect(3, 0)
    assert found.zero
    assert found.values.tolist() == [0]
    assert "No directed path leads from x3 to x0 in any graph" in str(found)
    assert RESULT.effect(3, 0, interval="naive").interval == (0, 0)


def test_all_pairs_agree_with_single_effects():
    for data in (garden(), chain()):
        result = sp.fit(data)
        for row in result.effects().iter_rows(named=True):
            found = result.effect(row["cause"], row["outcome"], interval=None)
            assert (row["low"], row["high"]) == pytest.approx(found.bounds, abs=1e-12)
            assert row["identified"] == found.identified
            assert row["values"] == len(found.cases)
            assert row["change"] == found.change
    assert result.effects(interval="naive").columns[-1] == "how"


def test_a_change_scales_effects_and_intervals_of_linear_models():
    one, two = RESULT.effect(0, 3), RESULT.effect(0, 3, change=(1, 3))
    assert two.values == pytest.approx(2 * one.values)
    assert two.interval == pytest.approx(2 * np.array(one.interval))
    turned = RESULT.effect(0, 3, change=(3, 1))
    assert turned.interval == pytest.approx((-two.interval[1], -two.interval[0]))


def test_parts_of_a_joint_effect_add_up():
    found = RESULT.effect([0, 1], 3)
    assert found.cases[0].parts == pytest.approx((0.8, 0.8), abs=0.15)
    assert found.value == pytest.approx(sum(found.cases[0].parts))
    assert RESULT.effect([0, 2], 3).cases[0].parts[0] == 0  # wet is held fixed


def test_knowledge_makes_an_effect_identified():
    known = sp.Knowledge(required=["x0 -> x1"])
    found = sp.fit(chain(), knowledge=known).effect(0, 2)
    assert found.identified
    assert found.value == pytest.approx(1, abs=0.2)


def test_a_saved_result_keeps_what_its_intervals_need_and_no_rows(tmp_path):
    result = sp.fit(garden(), resamples=20)
    path = tmp_path / "one.sparsest"
    result.save(path)
    loaded = sp.load(path)
    assert loaded.inquiry is None
    assert pickle.loads(pickle.dumps(result)).inquiry is None
    assert loaded.effect(0, 3).interval == result.effect(0, 3).interval
    assert loaded.effect(0, 3).how == "resampled"
    with pytest.raises(sp.OptionError, match="no rows here"):
        loaded.effect(0, 3, interval="split")
    RESULT.save(path)
    assert sp.load(path).effect(0, 3).how == "naive"
    with pytest.raises(sp.OptionError, match="resamples=100"):
        sp.load(path).effect(0, 3, interval="resampled")


def test_split_and_population():
    low, high = RESULT.effect(0, 3, interval="split").interval
    assert low < 0.8 < high
    population = sp.Moments(np.array([[1.0, 0.5], [0.5, 1.0]]), n=np.inf)
    found = sp.fit(population, penalty=0.01).effect(0, 1)
    assert found.interval is None
    assert sorted(found.values) == pytest.approx([0, 0.5])


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("rain", "x1"), {}, "there is no such column"),
        (("x0", 9), {}, "position from 0 to 3"),
        (("x0", "x0"), {}, "same column"),
        ((["x0", "x0"], "x1"), {}, "named twice"),
        (([], "x1"), {}, "empty list"),
        (("x0", "x1"), {"change": (1, 1)}, "leaves 'x0' as it is"),
        (("x0", "x1"), {"change": 3}, "change must be a pair"),
        (("x0", "x1"), {"interval": "wide"}, "interval must be"),
        (("x0", "x1"), {"level": 95}, "level"),
        (("x0", "x1"), {"category": "red"}, "categorical"),
    ],
)
def test_bad_questions_are_refused_with_a_way_out(arguments, options, words):
    with pytest.raises(sp.OptionError, match=words):
        RESULT.effect(*arguments, **options)


def test_too_many_sets_of_parents_are_sampled_and_said():
    complete = sp.Dag(np.triu(np.ones((13, 13), dtype=int), 1))
    found = orientations(complete.to_cpdag(), [0], most=100)
    assert not found.complete
    assert found.counts(complete.to_cpdag()) is None
    sizes = [int(one[:, 0].sum()) for one in found.patterns]
    assert (min(sizes), max(sizes)) == (0, 12)


def test_words_name_every_value_and_json_stays_plain():
    said = str(sp.fit(chain()).effect(0, 2))
    assert "3 graphs explain the data equally well" in said
    assert "in 1 of them" in said
    assert "only if no common cause is hidden" in said
    json.dumps(RESULT.to_dict())


def test_intervals_do_not_depend_on_the_number_of_workers():
    one, two = (sp.fit(garden(), resamples=10, n_jobs=jobs) for jobs in (1, 2))
    assert one.effect(0, 3).interval == two.effect(0, 3).interval
    assert sum(times for _, times in one.confidence.lenient_classes()) == 10


def test_the_effect_in_the_classes_of_resamples_is_that_of_fits_to_them():
    result = sp.fit(chain(), resamples=10)
    table = result.effect(0, 2).over_resamples()
    assert table["resamples"].sum() == 10
    (same,) = [k for k, (one, _) in enumerate(result.confidence.classes()) if one == result.cpdag]
    assert table.row(same)[:2] == pytest.approx(result.effect(0, 2).bounds)
    assert "in the graphs of the resamples it is" in str(result.effect(0, 2))
    with pytest.raises(sp.OptionError, match="resamples=50"):
        RESULT.effect(0, 3).over_resamples()


def test_classes_of_resamples_are_kept_with_their_counts():
    found = sp.confidence(garden(), resamples=12)
    kept = found.classes()
    assert sum(times for _, times in kept) == 12
    arrows = sum(times * (one.pattern & ~one.pattern.T) for one, times in kept)
    assert (arrows == found.arrows).all()
    assert found.lenient_classes() == []


def test_the_interval_of_an_effect_that_a_graph_rules_out_is_exactly_zero_in_that_graph():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 300))
    b, c = a + b, a + 0.5 * c
    result = sp.fit(np.column_stack([a, b, c]), resamples=20)
    found = result.effect("x0", "x1")  # x0 - x1, x0 - x2: no direction is identified
    without = [case.interval for case in found.cases if case.value == 0]
    assert without == [(0.0, 0.0)]
    assert found.interval[0] == 0.0
    assert "[0, " in str(found)
