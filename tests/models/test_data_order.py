"""The order of rows and columns decides nothing in a search over regressions."""

import numpy as np
import pandas as pd
import pytest

import sparsest as sp
from sparsest.models.data_order import _order

pytestmark = pytest.mark.filterwarnings("ignore::sparsest.DataWarning")


def table(seed, p=16, n=120):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    for j in range(1, p):
        x[:, j] += x[:, rng.choice(j, min(j, 3), replace=False)] @ rng.uniform(-1, 1, min(j, 3))
    frame = pd.DataFrame(x, columns=[f"c{j}" for j in range(p)])
    return frame.assign(
        **{f"c{j}": (frame[f"c{j}"] > 0).map({True: "yes", False: "no"}) for j in range(0, p, 3)}
    )


@pytest.mark.parametrize("seed", range(4))
def test_an_order_search_finds_the_same_class_in_any_order_of_rows_and_columns(seed):
    frame = table(seed)
    rng = np.random.default_rng(100 + seed)
    moved = frame.iloc[rng.permutation(len(frame)), rng.permutation(frame.shape[1])]
    knowledge = {"roots": ["c3"], "forbidden": [("c1", "c2")]}
    one, two = (sp.fit(each, model="mixed", solver="order", knowledge=knowledge) for each in (frame, moved))
    place = [two.names.index(name) for name in one.names]
    assert (two.cpdag.to_numpy()[np.ix_(place, place)] == one.cpdag.to_numpy()).all()
    assert two.objective == pytest.approx(one.objective, abs=1e-9)
    assert not one.dag.parents("c3")
    assert ("c1", "c2") not in one.dag.edges


def test_columns_that_are_lines_of_each_other_are_sorted_by_likelihood_and_values():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 2, size=40).astype(float)
    values = np.column_stack([code, rng.normal(size=40) + code, 3 * code + 1987, code])
    families = ["poisson", "gaussian", "gaussian", "bernoulli"]
    order = _order(values, None, families)
    moved = np.array([2, 3, 0, 1])
    again = _order(values[:, moved], None, [families[k] for k in moved])
    assert moved[again].tolist() == order.tolist()
