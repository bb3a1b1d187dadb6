import json

import numpy as np
import pytest

from sparsest.graph import Dag
from sparsest.graph.files import write_graph
from sparsest.simulate import designs
from sparsest.simulate.designs import Design, simulate
from tests.cli.test_cli import in_a_folder_of_its_own, run  # noqa: F401 (a fixture)


def test_a_simulated_table_is_learned_and_compared_with_its_truth(tmp_path):
    done = run("simulate", "--graph", "ER1", "--columns", 8, "--rows", 500, "--seed", 3, "-o", "sim")
    assert done.exit_code == 0
    assert done.stdout.startswith("simulated 500 rows of 8 columns from a graph with ")
    assert run("fit", "sim/data.csv", "-o", "found", "-q").exit_code == 0
    done = run("compare", "sim", "found", "found/edges.csv", "--json", "c.json")
    assert done.exit_code == 0
    assert "SHD of the classes" in done.stdout
    tree = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert [one["graph"] for one in tree["compared"]] == ["found", "found/edges.csv"]
    whole, edges = tree["compared"]
    assert whole["shd"] == edges["shd"]
    assert whole["adjacencies"]["recall"] > 0.8


def test_the_table_is_that_of_experiments_of_the_same_design_and_seed(tmp_path):
    assert run("simulate", "--columns", 5, "--rows", 50, "--seed", 7, "--standardize").exit_code == 0
    data = np.loadtxt(tmp_path / "sparsest-simulation" / "data.csv", delimiter=",", skiprows=1)
    truth = json.loads((tmp_path / "sparsest-simulation" / "truth.json").read_text(encoding="utf-8"))
    expected = simulate(Design("ER2", 5, 50, data="standardised"), 7)
    assert (data == expected.X).all()
    assert len(truth["dag"]) == expected.dag.sum()
    assert truth["about"]["simulated"]["seed"] == 7


@pytest.mark.parametrize("model", ["linear", "logistic", "mlp", "additive", "mixed"])
def test_every_model_can_be_simulated(tmp_path, model):
    assert run("simulate", "--model", model, "--columns", 4, "--rows", 40, "--hidden", 1).exit_code == 0
    assert np.loadtxt("sparsest-simulation/data.csv", delimiter=",", skiprows=1).shape == (40, 4)


def test_the_help_names_what_can_be_simulated():
    words = " ".join(run("simulate", "--help").stdout.split())
    assert all(name in words for name in (*designs.MODELS, *designs.NOISES, *designs.WEIGHTS))


def test_a_simulation_may_be_replaced_and_a_users_table_may_not(tmp_path):
    assert run("simulate", "--columns", 4, "-o", "sim").exit_code == 0
    assert run("simulate", "--columns", 5, "-o", "sim").exit_code == 2
    assert run("simulate", "--columns", 5, "-o", "sim", "--force").exit_code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data.csv").write_text("a,b\n1,2\n")
    done = run("simulate", "-o", "mine")
    assert done.exit_code == 2
    assert "exists and is not from sparsest" in done.stderr
    assert (tmp_path / "mine" / "data.csv").read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "--graph", "EX2"], "unknown graph 'EX2'"),
        (["simulate", "--columns", 1], "columns must be an integer of at least 2, not 1"),
        (["simulate", "--model", "linaer"], "model must be 'linear', or another of"),
        (["simulate", "--model", "mlp", "--noise", "laplace"], "noise is for linear models"),
        (["simulate", "--seed", -1], "seed must be 0 or more"),
        (["simulate", "--r2sortability", 0.5, "--noise", "laplace"], "noise does not go with r2sortability"),
        (["simulate", "--model", "logistic", "--rows", 2, "--columns", 40], "some column never varies"),
        (["compare", "absent.json", "absent.json"], "there is no file 'absent.json'"),
        (["compare", "g.csv", "g.csv", "--json", "g.csv"], "would be overwritten"),
        (["compare", "sim", "g.csv", "--json", "sim/truth.json"], "would be overwritten"),
    ],
)
def test_the_users_mistakes_are_one_line_and_code_2(tmp_path, arguments, words):
    (tmp_path / "g.csv").write_text("source,target\na,b\n")
    (tmp_path / "sim").mkdir()
    write_graph(Dag([[0, 1], [0, 0]]), tmp_path / "sim" / "truth.json", {})
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
