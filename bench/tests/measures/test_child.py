import numpy as np
import pytest

from sparsest_bench.measures import first_fits, overrun
from sparsest_bench.model_tables import MODELS, diamonds, table_for


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_table_and_the_seed_decides_it(model):
    one, same, other = (np.asarray(table_for(model, 5, 50, seed)) for seed in (0, 0, 1))
    assert one.shape == (50, 5)
    assert (one == same).all()
    assert (one != other).any()


def test_simulated_diamonds_have_three_columns_of_words_with_few_of_them():
    table = diamonds(3000)
    words = [name for name in table.columns if not table[name].dtype.is_numeric()]
    assert {name: table[name].n_unique() for name in words} == {"cut": 5, "color": 7, "clarity": 8}
    assert table.shape == (3000, 10)


def test_a_fit_in_another_process_is_measured():
    (spec, _) = first_fits.plan({"tables": ["logistic"], "repetitions": 1, "columns": 3, "rows": 60})
    (row,) = first_fits.run(spec)["rows"]
    assert row["cpu"] > row["fit_cpu"] > 0
    assert row["solver"] == "exact"
    assert "| logistic |" in first_fits.table([spec | row])


def test_an_overrun_is_measured_and_the_graph_is_examined():
    settings = {"models": ["logistic"], "columns": [4], "ways": ["limit"], "caches": ["full"]}
    spec = next(spec for spec in overrun.plan(settings) if spec["solver"] == "order")
    row = spec | overrun.run(spec)
    assert row["obeys"]
    assert row["no_worse"]
    assert "fine" in overrun.table([row])
    assert "WRONG" in overrun.table([row | {"no_worse": False}])
