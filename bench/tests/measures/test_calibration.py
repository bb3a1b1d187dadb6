"""The measurement of calibration, the families of tables behind it, and the fit of the map."""

from pathlib import Path

import numpy as np
import pytest

from sparsest.confidence.calibration import Evidence
from sparsest.graph import is_dag
from sparsest_bench import runner
from sparsest_bench.calibration.collecting import Example, drawn
from sparsest_bench.calibration.fitted_families import FITTED
from sparsest_bench.calibration.fitting import WELL, fitted_maps, table_weights
from sparsest_bench.calibration.reported_families import REPORTED
from sparsest_bench.experiment import read_experiment
from sparsest_bench.measures.calibration import table
from sparsest_bench.measures.shares import bins, calibration_error, chance_error
from sparsest_bench.result_store import ResultStore

MEASUREMENT = Path(__file__).parents[2] / "measurements" / "calibration.toml"


@pytest.mark.parametrize("family", [*FITTED, *REPORTED], ids=lambda family: family.name)
def test_a_family_draws_finite_tables_of_dags_again_from_the_same_seed(family):
    for seed in range(3):
        one, again = (drawn(family, 0, seed, 0) for _ in range(2))
        np.testing.assert_array_equal(one.X, again.X)
        assert np.isfinite(one.X).all()
        assert one.X.shape[1] == len(one.dag)
        assert is_dag(one.dag.astype(int))


def test_chance_gives_true_probabilities_the_error_that_is_expected():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        numbers = rng.uniform(0.06, 0.94, size=200)
        found.append([bins(numbers, rng.random(200) < numbers)])
    errors = [calibration_error(one) for one in found]
    assert np.mean(errors) == pytest.approx(np.mean([chance_error(one) for one in found]), rel=0.1)


def test_chance_gives_less_error_where_there_is_more_to_count():
    numbers = np.random.default_rng(0).uniform(0.06, 0.94, size=400)
    few, many = bins(numbers[:100], numbers[:100] > 0.5), bins(numbers, numbers > 0.5)
    assert chance_error([many]) < 0.7 * chance_error([few])
    assert chance_error([bins(np.zeros(5), np.zeros(5, dtype=bool))]) is None


def examples(sizes):
    """Tables of two columns, joined or not as their share says."""
    rng = np.random.default_rng(1)
    for family, (well, size) in sizes.items():
        for _ in range(size):
            share = max(rng.random() - 0.1, 0)  # never, now and then
            arrow = np.array([[0.0, share], [0.0, 0.0]])
            dag = (rng.random() < share) * np.array([[0, 1], [0, 0]]) == 1
            trust = rng.uniform(0.8, 1) if well else rng.uniform(0, 0.2)
            strength = rng.random() * (arrow + arrow.T)
            yield Example(family, well, Evidence(arrow, 0 * arrow, arrow > 0.5, strength, trust), dag)


def test_families_count_alike_whatever_their_number_of_tables():
    found = list(examples({"a": (True, 30), "b": (False, 5), "c": (False, 20)}))
    weights = np.array(table_weights(found))
    of = np.array([one.family for one in found])
    assert weights.mean() == pytest.approx(1)
    assert weights[of == "a"].sum() / weights.sum() == pytest.approx(WELL)
    assert weights[of == "b"].sum() == pytest.approx(weights[of == "c"].sum())


def test_the_fit_learns_that_shares_and_arrows_tell(monkeypatch):
    monkeypatch.setattr("sparsest_bench.calibration.fitting.DENSEST", 1.0)
    maps = fitted_maps(list(examples({"a": (True, 300), "b": (False, 300)})))
    assert min(maps["joining"]["joined, log-odds"]) > 0
    assert min(maps["direction"]["forward, log-odds"]) > 0


def test_a_peer_that_a_measurement_asks_is_told_to_be_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "default_peers_folder", lambda: tmp_path)
    told = []
    with ResultStore(tmp_path / "kept.sqlite") as store:
        found = runner.places(read_experiment(MEASUREMENT, "smoke"), store, tell=told.append)
    assert found["tetrad"].missing
    assert told == [f"tetrad is not installed in {tmp_path}: run with --install"]


def test_the_table_says_what_is_missing():
    judged = {
        "pair_bins": bins(np.array([0.5]), np.array([True])),
        "arrow_bins": bins(np.array([0.5]), np.array([False])),
        "open_bins": bins(np.array([0.25]), np.array([False])),
        "pair_brier": 0.25, "arrow_brier": 0.25, "sure": 0, "sure_right": 0, "open_sure": 0, "open_right": 0,
        "shd": 1, "shd_consensus": 1,
    }  # fmt: skip
    row = {"design": "linear", "seed": 1, "well": True, "arm": "shares", "failure": "no Java"} | judged
    shown = table([row])
    assert shown.endswith("Missing: no Java")
    assert "0.500 (0.399)" in shown  # one pair: √(2/π) · ½
