import math
import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest.confidence.consensus import consensus_dag
from sparsest.graph import dag_to_cpdag, is_cpdag
from sparsest.models.choosing import Choices, penalty_of
from sparsest.models.gaussian import Gaussian

RNG = np.random.default_rng(5)
GARDEN = RNG.normal(size=(120, 4))
GARDEN[:, 2] += GARDEN[:, 0] + GARDEN[:, 1]
GARDEN[:, 3] += 0.4 * GARDEN[:, 2]


def same(one, other):
    return (one.arrows == other.arrows).all() and (one.lines == other.lines).all()


FOUND = sp.confidence(GARDEN, resamples=30)


def test_shares_of_the_marks_of_a_pair_add_up_to_the_share_in_which_it_is_joined():
    total = FOUND.arrow + FOUND.arrow.T + FOUND.undirected
    assert FOUND.adjacency == pytest.approx(total)
    assert (FOUND.adjacency == FOUND.adjacency.T).all()
    assert FOUND.adjacency.max() <= 1
    assert (FOUND.adjacency.diagonal() == 0).all()
    assert FOUND.resamples == FOUND.asked == 30


def test_each_resample_is_a_fit_of_its_rows():
    from sparsest.confidence.drawing import Drawing, units_of

    drawing = Drawing("half", units_of(len(GARDEN)), seed=0)
    classes = [sp.fit(GARDEN[drawing.rows(k)]).cpdag.to_numpy() for k in range(6)]
    found = sp.confidence(GARDEN, resamples=6)
    assert (found.arrows == sum(one * (1 - one.T) for one in classes)).all()
    assert (found.lines == sum(one * one.T for one in classes)).all()


def test_two_workers_give_the_same_numbers_as_one():
    assert same(sp.confidence(GARDEN, resamples=30, n_jobs=2), FOUND)


def test_the_units_of_the_columns_and_their_order_do_not_matter():
    scaled = sp.confidence(GARDEN * [1e3, 1, 1e-4, 7], resamples=30)
    assert same(scaled, FOUND)
    order = [2, 0, 3, 1]
    moved = sp.confidence(GARDEN[:, order], resamples=30)
    assert (moved.arrows == FOUND.arrows[np.ix_(order, order)]).all()


def test_the_answer_beside_the_shares_is_that_of_fit():
    assert FOUND.answer == sp.fit(GARDEN).cpdag
    assert FOUND.result.objective == sp.fit(GARDEN).objective
    shares = [FOUND.share(0, 2, "->"), FOUND.share(1, 2, "->"), FOUND.share(2, 3, "->")]
    assert FOUND.agreement == pytest.approx(np.mean(shares))


def test_fit_puts_the_same_shares_into_its_result():
    result = sp.fit(GARDEN, resamples=30)
    assert same(result.confidence, FOUND)
    summary = result.summary()
    assert "30 half-samples: the edges come again in" in summary
    arrows = result.cpdag.directed_edges
    place = result.names.index
    sure = [arrow for arrow in arrows if result.confidence.arrow[place(arrow[0]), place(arrow[1])] >= 0.9]
    assert f"sure (in 90 % and more): {len(sure)} of {len(arrows)} identified arrow" in summary
    assert "identified is not sure" not in result.summary()
    assert "identified is not sure" in sp.fit(GARDEN).summary()


def test_a_handful_of_resamples_makes_nothing_sure():
    few, enough = (sp.fit(GARDEN, resamples=resamples) for resamples in (1, 20))
    assert "1 half-sample: the edges come again in" in few.summary()
    for words in (few.summary(), str(few.confidence)):
        assert "to call any of them sure takes 20 and more" in words
        assert "sure (" not in words
    assert "sure (in 90 % and more)" in enough.summary()


def test_a_saved_result_keeps_its_shares(tmp_path):
    result = sp.fit(GARDEN, resamples=10)
    result.save(tmp_path / "kept.sparsest")
    again = sp.load(tmp_path / "kept.sparsest")
    assert same(again.confidence, result.confidence)
    assert again.summary() == result.summary()
    pairs = result.to_dict()["confidence"]["pairs"]
    assert {(one["source"], one["target"]) for one in pairs} >= {("x0", "x2"), ("x1", "x2")}


def test_the_table_of_edges_has_the_most_frequent_mark_first_and_its_share():
    table = FOUND.edges()
    assert table["adjacency"].to_list() == sorted(table["adjacency"], reverse=True)
    for row in table.iter_rows(named=True):
        assert row["share"] == max(row["forward"], row["backward"], row["undirected"])
        assert row["adjacency"] == pytest.approx(row["forward"] + row["backward"] + row["undirected"])
    assert len(FOUND.edges(least=0.9)) <= len(table)


def test_over_models_every_resample_counts_once_and_words_say_where_an_edge_holds():
    rng = np.random.default_rng(1)
    curved = rng.normal(size=(150, 3))
    curved[:, 2] = np.exp(6 * (curved[:, 0] + curved[:, 1]) + curved[:, 2])
    found = sp.confidence(curved, resamples=12, models=["gaussian", "rank"])
    assert found.resamples == 24
    assert (found.arrows == sum(one.arrows for one in found.by_model.values())).all()
    words = {(row["source"], row["target"]): row["holds"] for row in found.edges().iter_rows(named=True)}
    assert "holds under rank, not under gaussian" in words.values()
    assert same(found.by_model["rank"], sp.confidence(curved, resamples=12, model="rank"))


def test_all_models_are_those_that_the_columns_fit():
    numbers = sp.confidence(GARDEN[:60], resamples=2, models="all", max_parents=2)
    assert list(numbers.by_model) == ["gaussian", "rank", "mixed", "additive"]
    frame = pl.DataFrame({"a": ["u", "v", "w"] * 20, "b": np.random.default_rng(0).normal(size=60)})
    words = sp.confidence(frame, resamples=2, models="all")
    assert words.result.model == "mixed"


def test_an_edge_of_a_bootstrap_sample_costs_a_half_over_n_more():
    from sparsest._core.progress import Watch
    from sparsest.confidence.searching import dearer as priced
    from sparsest.data import Source, TableOptions

    prepared = Gaussian().prepare(Source(GARDEN, TableOptions(), Watch()), 0)
    dearer = priced(Choices(), prepared)
    assert dearer.penalty.cost == pytest.approx(penalty_of("auto", prepared).cost + 0.5 / len(GARDEN))


def test_without_the_correction_a_bootstrap_finds_more_edges_between_independent_columns():
    noise = np.random.default_rng(2).normal(size=(150, 8))
    corrected = sp.confidence(noise, resamples=40, how="bootstrap", penalty="bic").adjacency.sum()
    n = len(noise)
    uncorrected = sp.confidence(noise, resamples=40, how="bootstrap", penalty=(np.log(n) - 1) / (2 * n))
    assert corrected < uncorrected.adjacency.sum()


@given(seed=st.integers(0, 2**31), p=st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_the_consensus_is_a_class_with_the_pairs_that_were_asked_for(seed, p):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([1, 1, 1, 2], size=(p, p))
    arrow, line = np.zeros((p, p)), np.zeros((p, p))
    for i in range(p):
        for j in range(i):
            arrow[i, j], arrow[j, i] = shares[i, j, :2]
            line[i, j] = line[j, i] = shares[i, j, 2]
    joined = (arrow + arrow.T + line) > 0.5
    every, none = ~np.eye(p, dtype=bool), np.zeros((p, p), dtype=bool)
    dag = consensus_dag(joined, arrow, line, every, none)
    assert ((dag | dag.T) == joined).all()
    assert is_cpdag(dag_to_cpdag(dag.astype(int)))


@given(seed=st.integers(0, 2**31), p=st.integers(2, 7))
@example(seed=8388608, p=6)
@settings(max_examples=100, deadline=None)
def test_where_all_resamples_agree_the_consensus_is_their_class(seed, p):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((p, p)) < 0.5, 1)[np.ix_(order := rng.permutation(p), order)]
    essential = np.asarray(dag_to_cpdag(dag.astype(int))) != 0
    every, none = ~np.eye(p, dtype=bool), np.zeros((p, p), dtype=bool)
    arrow, line = (essential & ~essential.T).astype(float), (essential & essential.T).astype(float)
    found = consensus_dag(essential | essential.T, arrow, line, every, none)
    assert (np.asarray(dag_to_cpdag(found.astype(int))) != 0).tolist() == essential.tolist()


def test_the_consensus_obeys_knowledge_and_says_so():
    knowledge = sp.Knowledge(required=[("x3", "x2")], forbidden=[("x0", "x2")])
    found = sp.confidence(GARDEN, resamples=10, knowledge=knowledge)
    graph = found.graph(0.3)
    assert ("x3", "x2") in graph.directed_edges
    assert ("x0", "x2") not in graph.directed_edges
    with pytest.raises(sp.OptionError, match="between 0 and 1"):
        found.graph(1.5)


def test_moments_are_resampled_by_simulation_and_a_population_is_refused():
    covariance = np.cov(GARDEN, rowvar=False, bias=True)
    found = sp.confidence(sp.Moments(covariance, n=120), resamples=30)
    assert found.how == "wishart"
    assert "simulated covariance" in str(found)
    assert found.arrow[0, 2] > 0.5
    with pytest.raises(sp.DataError, match="no sampling error"):
        sp.confidence(sp.Moments(covariance, n=math.inf), penalty=0.01)
    with pytest.raises(sp.OptionError, match="about rows"):
        sp.confidence(sp.Moments(covariance, n=120), blocks=3)


def test_out_of_time_it_returns_what_there_is_and_says_so():
    found = sp.confidence(np.random.default_rng(0).normal(size=(200, 12)), resamples=10_000, time_limit=0.5)
    assert 0 < found.resamples < 10_000
    assert found.status is sp.Status.TIME_LIMIT
    assert f"after {found.resamples} of 10000" in str(found)


def test_out_of_time_before_the_first_resample_it_says_that_there_is_none():
    found = sp.confidence(GARDEN, resamples=5, time_limit=0)
    assert found.resamples == 0
    assert "stopped by the time limit after 0 of 5" in str(found)
    assert found.classes() == []
    assert found.edges().height == 0


def test_a_table_of_edges_is_cut_at_a_number():
    with pytest.raises(sp.OptionError, match="least must be"):
        sp.confidence(GARDEN, resamples=2).edges("x")


def test_a_store_is_continued_and_gives_the_same_shares(tmp_path):
    store = tmp_path / "shares"
    few = sp.confidence(GARDEN, resamples=10, store=store)
    assert few.resamples == 10
    assert same(sp.confidence(GARDEN, resamples=30, store=store), FOUND)
    assert same(sp.confidence(GARDEN, resamples=10, store=store), few)
    both = sp.confidence(GARDEN, resamples=10, models=["gaussian", "rank"], store=store)
    assert same(both.by_model["gaussian"], few)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (GARDEN[:-1], {}, "another table"),
        (GARDEN, {"how": "bootstrap"}, "another kind of resamples"),
        (GARDEN, {"blocks": 3}, "other groups, blocks or seeds"),
        (GARDEN, {"seed": 1}, "other groups, blocks or seeds"),
        (GARDEN, {"penalty": "bic"}, "other options"),
        (GARDEN, {"knowledge": sp.Knowledge(forbidden=[(0, 1)])}, "other background knowledge"),
    ],
)
def test_a_store_of_something_else_is_refused(tmp_path, data, options, words):
    store = tmp_path / "shares"
    sp.confidence(GARDEN, resamples=2, store=store)
    with pytest.raises(sp.DataError, match=words):
        sp.confidence(data, resamples=2, store=store, **options)


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a store")
    with pytest.raises(sp.DataError, match="not a store"):
        sp.confidence(GARDEN, resamples=2, store=file)
    assert file.read_text() == "not a store"


PROGRAM = """
import sys, numpy as np, sparsest as sp
rng = np.random.default_rng(5)
table = rng.normal(size=(120, 4)); table[:, 2] += table[:, 0] + table[:, 1]; table[:, 3] += 0.4 * table[:, 2]
if __name__ == "__main__":
    sp.confidence(table, resamples=30, store=sys.argv[1], n_jobs=int(sys.argv[2]), progress=lambda step:
                  print(step.step, flush=True) if step.stage.startswith("resamples of") else None)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_ten_random_moments_and_started_again_it_loses_nothing(tmp_path):
    store, rng, reached = tmp_path / "shares", np.random.default_rng(0), 0
    for number, more in enumerate(rng.integers(1, 4, size=10)):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(store), "2" if number in (3, 7) else "1"],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for line in process.stdout:
            if int(line) >= reached + more:
                time.sleep(rng.uniform(0, 0.01))
                break
        os.killpg(process.pid, signal.SIGKILL)  # the workers too
        process.wait()
        reached = int(line)
        process.stdout.close()
    steps = []
    found = sp.confidence(GARDEN, resamples=30, store=store, progress=steps.append)
    assert same(found, FOUND)
    done = [step.step for step in steps if step.stage.startswith("resamples of")]
    assert done == list(range(31 - len(done), 31))  # what was finished is not done again
    assert len(done) <= 30 - reached


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_surrounding_joblib_configuration_is_followed(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert same(sp.confidence(GARDEN, resamples=30), FOUND)
