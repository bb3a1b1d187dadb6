import ast
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from benchmarks import datasets, evaluate, execute, linear, methods, ours, peers, run
from benchmarks.peers import causal_learn
from sparsest.select import cost_per_edge


@pytest.fixture
def folder(tmp_path):
    """Three datasets, the middle one with three columns."""
    for name, columns in (("a", 2), ("b", 3), ("c", 2)):
        np.savez(tmp_path / name, X=np.zeros((4, columns)))
    return tmp_path


@pytest.fixture(scope="module")
def dataset():
    return next(datasets.linear(["ER1"], p=5, n=100, seeds=1, scales=["raw"]))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("raises", "RuntimeError: three is too many"), ("crashes", "code 7"), ("lingers", "timeout")],
)
def test_a_method_that_fails_on_one_dataset_still_answers_the_others(folder, name, reason):
    method = methods.Method(name, "tests.benchmarks.fake_peer", None)
    answers = execute.answer(method, Path(sys.executable), folder, folder / "answers", time_limit=1.0)
    assert answers["a"]["adjacency"] == answers["c"]["adjacency"] == [[0, 1], [0, 0]]
    assert answers["a"]["seconds"] >= 0
    assert reason in answers["b"]["error"]


def test_a_missing_peer_is_reported_on_every_dataset(folder):
    method = methods.Method("absent", "tests.benchmarks.fake_peer", ("absent==1",))
    answers = execute.answer(
        method, methods.PeerMissing("not installed"), folder, folder / "answers", time_limit=1.0
    )
    assert answers == {name: {"error": "not installed"} for name in "abc"}


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
    row = evaluate.judged(dataset, "auto", {"kind": "dag", "adjacency": result.dag.to_numpy()})
    assert row["objective"] == pytest.approx(result.objective, abs=1e-9)


def test_the_true_graph_is_at_distance_zero_as_a_dag_and_as_a_cpdag(dataset):
    cpdag = sp.graph.dag_to_cpdag(dataset.dag)
    as_cpdag = evaluate.judged(dataset, "oracle", {"kind": "cpdag", "adjacency": cpdag})
    assert evaluate.truth(dataset)["shd"] == as_cpdag["shd"] == 0
    assert as_cpdag["objective"] == pytest.approx(evaluate.truth(dataset)["objective"], abs=1e-9)


def test_a_cyclic_answer_counts_as_a_failure_and_not_as_undirected_edges(dataset):
    two_cycle = np.zeros((5, 5), dtype=int)
    two_cycle[0, 1] = two_cycle[1, 0] = 1
    row = evaluate.judged(dataset, "cyclic", {"kind": "dag", "adjacency": two_cycle, "seconds": 1.0})
    assert row["shd"] is None
    assert "cycle" in row["error"]


def test_a_pdag_that_no_dag_has_is_compared_mark_by_mark_and_has_no_objective(dataset):
    marks = sp.graph.dag_to_cpdag(dataset.dag)
    marks[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]  # a cycle of arrows
    differing = np.argwhere(marks != sp.graph.dag_to_cpdag(dataset.dag))
    row = evaluate.judged(dataset, "pc", {"kind": "pdag", "adjacency": marks})
    assert row["shd"] == len({frozenset(pair) for pair in differing.tolist()}) > 0
    assert row["objective"] is row["error"] is None
    assert "not a CPDAG" in evaluate.judged(dataset, "pc", {"kind": "cpdag", "adjacency": marks})["error"]


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
    rows = rows_of(evaluate.TRUTH) + rows_of("fast", (1.0, 5.0)) + rows_of("reference", (10.0, None))
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
    rows = rows_of(evaluate.TRUTH, objectives=(-1.0, 2.0)) + rows_of("search", seconds, objectives)
    assert f"| {shown} " in linear.summary(rows, "search").splitlines()[3]


@given(st.integers(3, 10**6), st.integers(2, 10**4))
def test_at_our_cost_an_edge_costs_causal_learn_what_it_costs_us(n, p):
    # its score, over -n: half the log variance, and λ log(n) / n for each parent
    assert causal_learn.our_lambda(n, p) * np.log(n) / n == pytest.approx(cost_per_edge("auto", n, p))


@pytest.mark.parametrize("method", ours.METHODS)
def test_each_of_our_methods_answers_with_a_dag_however_little_time_it_has(dataset, method):
    options = ours.METHODS[method]
    X = dataset.X > 0 if options.get("model") == "logistic" else dataset.X
    kind, adjacency = ours.fit(X, time_limit=0.05, **options)
    assert kind == "dag"
    assert sp.graph.is_dag(adjacency)


def test_causal_learn_endpoints_become_arrows_and_lines():
    tail, arrow = -1, 1
    graph = np.zeros((3, 3))
    graph[0, 1], graph[1, 0] = tail, arrow  # 0 -> 1
    graph[1, 2] = graph[2, 1] = tail  # 1 -- 2
    assert causal_learn.to_matrix(graph).astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    graph[1, 2] = graph[2, 1] = arrow  # 1 <-> 2
    with pytest.raises(ValueError, match="no CPDAG"):
        causal_learn.to_matrix(graph)


def test_peers_are_found_and_need_neither_us_nor_their_package_to_be_read():
    assert {"auto", "dagma", "boss@ours", "pc", "gcastle-notears", "varsort"} <= set(methods.known_methods())
    for file in Path(peers.__path__[0]).glob("*.py"):
        nodes = ast.walk(ast.parse(file.read_text()))
        imported = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not [line for line in imported if "sparsest" in line]
