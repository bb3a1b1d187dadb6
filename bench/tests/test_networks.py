import gzip
import json
import sys

import numpy as np
import pytest

from sparsest.simulate.designs import Design, simulate
from sparsest_bench import fetch, grid, networks
from sparsest_bench.experiment import parse_experiment
from sparsest_bench.peer_homes import Home

TEXT = """\
title = "Mine"
kind = "grid"
figure = "none"
[grid]
graphs = ["ecoli70", "sachs"]
data = ["raw", "standardised"]
seeds = 1
methods = ["empty"]
"""
SHIPPED = {
    "nodes": ["a", "b", "c"],
    "cpds": {
        "a": {"coefficients": {"(Intercept)": [1.0]}, "variance": [0.25], "parents": []},
        "b": {"coefficients": {"(Intercept)": [0.0], "a": [2.0]}, "variance": [1.0], "parents": ["a"]},
        "c": {"coefficients": {"(Intercept)": [3.0], "b": [-1.0]}, "variance": [4.0], "parents": ["b"]},
    },
}
BIF = "probability ( Raf ) {\n}\nprobability ( Mek | PKA, Raf ) {\n}\n"


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Packages that ship what pgmpy and cdt ship."""
    models, tables = tmp_path / "pgmpy/utils/example_models", tmp_path / "cdt/data/resources"
    for folder in (models, tables):
        folder.mkdir(parents=True)
    for package in ("pgmpy", "cdt"):
        (tmp_path / package / "__init__.py").write_text("raise ImportError('files only')")
    (models / "ecoli70.json").write_text(json.dumps(SHIPPED))
    (models / "sachs.bif.gz").write_bytes(gzip.compress(BIF.encode()))
    (tables / "cyto_full_data.csv").write_text("praf,pmek,PKA\n1,2,3\n4,5,7.5\n")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_files_are_read_without_importing_the_package(packages):
    found = fetch.gaussian("ecoli70")
    assert found["edges"] == [["a", "b", 2.0], ["b", "c", -1.0]]
    assert found["variances"] == [0.25, 1.0, 4.0]
    sachs = fetch.sachs()
    assert sachs["edges"] == [["PKA", "pmek", 1.0], ["praf", "pmek", 1.0]]
    assert sachs["rows"] == [[1, 2, 3], [4, 5, 7.5]]


def test_a_table_has_the_coefficients_and_the_noise_of_its_network():
    weights = np.array([[0, 2.0, 0], [0, 0, -1.0], [0, 0, 0]])
    made = networks.Network(
        (weights != 0).astype(int), weights, np.array([1.0, 0, 3.0]), np.array([0.25, 1.0, 4.0])
    )
    found = simulate(Design("ecoli70", 3, 200_000), 0, made.draw)
    assert found.covariance == pytest.approx(np.array([[0.25, 0.5, -0.5], [0.5, 2, -2], [-0.5, -2, 6]]))
    assert np.cov(found.X, rowvar=False) == pytest.approx(found.covariance, rel=0.02)
    assert found.X.mean(axis=0) == pytest.approx([1, 2, 1], abs=0.03)


def test_measured_rows_are_the_same_for_every_seed():
    rows = np.array([[1.0, 2.0], [3.0, 5.0]])
    made = networks.Network(np.array([[0, 1], [0, 0]]), np.zeros((2, 2)), np.zeros(2), np.ones(2), rows)
    for seed in (0, 1):
        table = simulate(Design("sachs", 2, 2), seed, made.draw).X
        assert np.array_equal(table, rows)


def test_a_network_has_a_size_of_its_own_and_is_missing_where_its_package_is():
    experiment = parse_experiment(TEXT, "mine.toml", "mine", "paper")
    found = list(grid.designs(experiment.settings))
    assert {(design.graph, design.p, design.n) for design in found} == {
        ("ecoli70", 46, 1000),
        ("sachs", 11, 7466),
    }
    assert len(found) == 4
    assert {method.peer for method in grid.needed(experiment)} == {"null", "pgmpy", "sachs"}
    missing = Home("", "missing", "not installed")
    homes = {"null": Home(sys.executable, "1"), "pgmpy": missing, "sachs": missing}
    outcomes = {grid.run(task).error for task in grid.plan(experiment, homes)}
    assert outcomes == {"the network ecoli70 is not installed", "the network sachs is not installed"}


def test_a_package_that_is_not_there_is_named():
    with pytest.raises(networks.NoNetworkError, match=r"'ecoli70': pgmpy is not installed"):
        networks.network("ecoli70", sys.executable)
