import json
import sys
from pathlib import Path

import numpy as np
import pytest

import sparsest as sp
from benchmarks import asking, datasets, linear, run
from sparsest.simulate.designs import Design
from sparsest_bench.contenders import Method
from sparsest_bench.peer_homes import Home

HERE = Home(sys.executable, "")


def fake(name):
    return Method(name, "fake_peer", str(Path(__file__).with_name("fake_peer.py")), "", None)


@pytest.fixture
def three():
    """Three tables, the middle one with five rows."""
    made = [(4, 2), (5, 2), (4, 2)]
    return [
        datasets.Dataset(np.zeros(shape), np.zeros((2, 2), int), None, Design("ER1", 2, 4), 0)
        for shape in made
    ]


@pytest.fixture(scope="module")
def dataset():
    return next(datasets.tables(["ER1"], p=5, n=100, seeds=1))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("raises", "RuntimeError: five is too many"), ("crashes", "code 7"), ("lingers", "timeout")],
)
def test_a_method_that_fails_on_one_table_still_answers_the_others(three, name, reason):
    first, middle, last = asking.answers(fake(name), HERE, three, time_limit=1.0)
    assert first["answer"] == last["answer"] == [[0, 1], [0, 0]]
    assert first["seconds"] >= 0
    assert reason in middle["error"]


def test_a_missing_peer_is_reported_on_every_table(three):
    home = Home("", "missing", "not installed")
    assert asking.answers(fake("raises"), home, three, time_limit=1.0) == [{"error": "not installed"}] * 3


def test_one_command_runs_ours_and_stores_rows_and_a_table_that_names_the_command(tmp_path):
    command = ["linear", "--p", "4", "--graphs", "ER1", "--n", "100", "--seeds", "2", "--methods", "auto"]
    command += ["--reference", "auto", "--name", "smoke", "--results", str(tmp_path)]
    assert run.main(command) == 0
    stored = json.loads((tmp_path / "smoke.json").read_text())
    ours = [row for row in stored["rows"] if row["method"] == "auto"]
    assert {(row["scale"], row["seed"]) for row in ours} == {
        (scale, seed) for scale in ("raw", "standardised") for seed in (0, 1)
    }
    assert all(row["error"] is None and row["seconds"] > 0 for row in ours)
    table = (tmp_path / "smoke.md").read_text()
    assert stored["command"] in table
    assert "| auto " in table


@pytest.mark.parametrize(
    "arguments", [["--methods", "nobody"], ["--graphs", "XX2"], ["--reference", "exact"]]
)
def test_a_wrong_option_ends_before_anything_runs(arguments, tmp_path):
    with pytest.raises(SystemExit):
        run.main(
            ["linear", "--methods", "auto", "--reference", "auto", "--results", str(tmp_path), *arguments]
        )
    assert not list(tmp_path.iterdir())


def test_the_objective_of_a_row_is_the_objective_of_the_result(dataset):
    result = sp.fit(dataset.X)
    row = asking.judged(dataset, {"kind": "dag", "answer": result.dag.to_numpy()})
    assert row["objective"] == pytest.approx(result.objective, abs=1e-9)


def test_the_true_graph_is_at_distance_zero_as_a_dag_and_as_a_cpdag(dataset):
    cpdag = sp.graph.dag_to_cpdag(dataset.dag)
    as_cpdag = asking.judged(dataset, {"kind": "cpdag", "answer": cpdag})
    assert asking.truth(dataset)["shd"] == as_cpdag["shd"] == 0
    assert as_cpdag["objective"] == pytest.approx(asking.truth(dataset)["objective"], abs=1e-9)


def test_a_cyclic_answer_counts_as_a_failure_and_not_as_undirected_edges(dataset):
    two_cycle = np.zeros((5, 5), dtype=int)
    two_cycle[0, 1] = two_cycle[1, 0] = 1
    row = asking.judged(dataset, {"kind": "dag", "answer": two_cycle, "seconds": 1.0})
    assert row.get("shd") is None
    assert "cycle" in row["error"]


def test_a_pdag_that_no_dag_has_is_compared_mark_by_mark_and_has_no_objective(dataset):
    marks = sp.graph.dag_to_cpdag(dataset.dag)
    marks[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]  # a cycle of arrows
    differing = np.argwhere(marks != sp.graph.dag_to_cpdag(dataset.dag))
    row = asking.judged(dataset, {"kind": "pdag", "answer": marks})
    assert row["shd"] == len({frozenset(pair) for pair in differing.tolist()}) > 0
    assert row["objective"] is row["error"] is None
    assert "not a CPDAG" in asking.judged(dataset, {"kind": "cpdag", "answer": marks})["error"]


def rows_of(method, seconds=(1.0, 1.0), objectives=(0.0, 0.0)):
    """Rows of a method on two datasets; no seconds: it failed."""
    design = {"graph": "ER1", "p": 2, "n": 9, "scale": "raw", "varsortability": 1.0, "shd": 0}
    return [
        design
        | {"method": method, "seed": seed, "seconds": time, "cpu_seconds": time}
        | {"objective": objective if time else None, "error": None if time else "timeout"}
        for seed, (time, objective) in enumerate(zip(seconds, objectives, strict=True))
    ]


def test_times_are_compared_on_the_datasets_that_both_answered():
    rows = rows_of(asking.TRUTH) + rows_of("fast", (1.0, 5.0)) + rows_of("reference", (10.0, None))
    _, fast, reference = linear.summary(rows, "reference").splitlines()[2:]
    assert "| 0.1 " in fast
    assert "1 of 2: timeout" in reference


@pytest.mark.parametrize(
    ("seconds", "objectives", "shown"),
    [
        ((1.0, 1.0), (-1.0, 2.0 + 1e-12), "2 of 2"),
        ((1.0, 1.0), (-1.1, 2.1), "1 of 2"),
        ((1.0, None), (-1.0, 2.0), "1 of 2"),
    ],
)
def test_the_truth_is_reached_on_a_dataset_where_the_objective_is_no_higher_than_the_true_graphs(
    seconds, objectives, shown
):
    rows = rows_of(asking.TRUTH, objectives=(-1.0, 2.0)) + rows_of("search", seconds, objectives)
    assert f"| {shown} " in linear.summary(rows, "search").splitlines()[3]
