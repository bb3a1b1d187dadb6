"""The classes learned from fixed tables, as hashes: the same on every system, Python and set of dependencies.

`python tests/test_golden_answers.py` prints the table anew. A hash changes only where a search finds a lower
objective; the changelog then says so. docs/how-to/same_answer.md has the rule for ties.
"""

import functools
import hashlib
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import sparsest as sp

GOLDEN = {
    ("wine", "gaussian", "auto"): "1eb844ffa469",
    ("diabetes", "gaussian", "auto"): "31c0ca0bc58f",
    ("iris", "gaussian", "auto"): "9294444a018d",
    ("breast-cancer", "gaussian", "auto"): "58bc84de73e3",
    ("er-10", "gaussian", "auto"): "1cf2f05c16c6",
    ("er-30", "gaussian", "auto"): "11a63aff99f1",
    ("sf-15", "gaussian", "auto"): "1e6e89525181",
    ("few-rows", "gaussian", "auto"): "3c33aff285a2",
    ("wine", "rank", "auto"): "4cb76223a72d",
    ("diabetes", "rank", "auto"): "2098ccbece64",
    ("er-10", "rank", "auto"): "1cf2f05c16c6",
    ("sf-15", "rank", "auto"): "1e6e89525181",
    ("wine", "gaussian", "exact"): "1eb844ffa469",
    ("wine", "gaussian", "order"): "1eb844ffa469",
    ("wine", "gaussian", "ges"): "62db372ad2b7",
    ("er-10", "gaussian", "exact"): "1cf2f05c16c6",
    ("er-10", "gaussian", "order"): "1cf2f05c16c6",
    ("er-10", "gaussian", "ges"): "13ae040b61f8",
    ("er-10", "gaussian", "notears"): "1cf2f05c16c6",
    ("er-10", "gaussian", "dagma"): "a131a2f14016",
    ("er-10", "gaussian", "golem-nv"): "7864936c91ec",
    ("er-10", "gaussian", "logll-dagma"): "a131a2f14016",
    ("curved", "additive", "cam"): "7e8e5db4979a",
    ("binary", "logistic", "auto"): "5e665c5eb375",
    ("counts", "poisson", "auto"): "78956f494fdf",
    ("mixed", "mixed", "auto"): "a381e9a4febe",
    ("curved", "additive", "auto"): "af39846e94a7",
}


def drawn(p, k, kind, n, seed):
    rng = np.random.default_rng(seed)
    truth = sp.simulate.random_dag(p, k, kind, rng)
    return sp.simulate.linear_gaussian(sp.simulate.random_weights(truth, rng), n, rng).data


def of_kind(simulate, n, seed):
    rng = np.random.default_rng(seed)
    truth = sp.simulate.random_dag(6, 1, "ER", rng)
    weights = sp.simulate.random_weights(truth, rng, ranges=((-1.0, -0.4), (0.2, 0.4)))
    return simulate(
        weights if simulate in (sp.simulate.logistic, sp.simulate.poisson) else truth, n, rng
    ).data


TABLES = {
    "wine": lambda: load_wine().data,
    "diabetes": lambda: load_diabetes(scaled=False).data,
    "iris": lambda: load_iris().data,
    "breast-cancer": lambda: load_breast_cancer().data[:, :10],
    "er-10": lambda: drawn(10, 2, "ER", 500, 1),
    "er-30": lambda: drawn(30, 1, "ER", 500, 2),
    "sf-15": lambda: drawn(15, 2, "SF", 800, 3),
    "few-rows": lambda: drawn(8, 1, "ER", 40, 4),
    "binary": lambda: of_kind(sp.simulate.logistic, 1000, 5),
    "counts": lambda: of_kind(sp.simulate.poisson, 500, 6),
    "mixed": lambda: of_kind(sp.simulate.mixed, 800, 7),
    "curved": lambda: of_kind(sp.simulate.additive, 400, 8),
}
CASES = [
    *((table, "gaussian", "auto") for table in list(TABLES)[:8]),
    *((table, "rank", "auto") for table in ("wine", "diabetes", "er-10", "sf-15")),
    *((table, "gaussian", solver) for table in ("wine", "er-10") for solver in ("exact", "order", "ges")),
    *(("er-10", "gaussian", solver) for solver in ("notears", "dagma", "golem-nv", "logll-dagma")),
    ("curved", "additive", "cam"),
    ("binary", "logistic", "auto"),
    ("counts", "poisson", "auto"),
    ("mixed", "mixed", "auto"),
    ("curved", "additive", "auto"),
]


@functools.cache
def answer(table, model, solver, shaken=False):
    """A hash of the learned class; `shaken` moves every value by a millionth of a millionth of itself."""
    data = TABLES[table]()
    if shaken:
        data = data * (1 + 1e-12 * np.random.default_rng(0).uniform(-1, 1, size=data.shape))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.DataWarning)
        result = sp.fit(data, model=model, solver=solver)
    return hashlib.sha256(result.cpdag.to_numpy().astype(np.uint8).tobytes()).hexdigest()[:12]


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_an_answer_is_the_same_on_every_machine(case):
    assert answer(*case) == GOLDEN[case]


# Shaking breaks ties between equal values, which are information to kinds of columns and to ranks.
CONTINUOUS = [
    case for case in CASES if case[0] not in {"binary", "counts", "mixed"} and case[1:] != ("rank", "auto")
]


@pytest.mark.parametrize("case", CONTINUOUS, ids=" ".join)
def test_differences_four_thousand_times_those_of_rounding_decide_nothing(case):
    assert answer(*case, shaken=True) == GOLDEN[case]


if __name__ == "__main__":
    for each in CASES:
        print(f"    {each!r}: {answer(*each)!r},".replace("'", '"'))  # noqa: T201
