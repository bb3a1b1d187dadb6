"""Each check finds the flaw that a table was built to have, names its columns, and is silent without it."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sparsest as sp

N = 400


def clean(seed=0, n=N):
    """Five Gaussian columns that depend on one another as in a graph."""
    rng = np.random.default_rng(seed)
    a, b, c, d, e = rng.normal(size=(5, n))
    columns = {"a": a, "b": a + b, "c": c, "d": b - c + d, "e": 0.5 * d + e}
    return pl.DataFrame({name: 3 * values + 7 for name, values in columns.items()})


def with_columns(**columns):
    return clean().with_columns(**{name: pl.Series(name, values) for name, values in columns.items()})


def normal(seed=1, n=N):
    return np.random.default_rng(seed).normal(size=n)


def walk(k):
    return np.cumsum(normal(k))


def where(rows, value, values=None):
    column = normal(5) if values is None else np.array(values, dtype=float)
    column[rows] = value
    return column


def groups(levels, shift, seed=3):
    """Labels, and the clean table shifted by them."""
    labels = np.random.default_rng(seed).integers(0, levels, N)
    means = shift * np.random.default_rng(seed + 1).normal(size=(levels, 5))
    return labels, clean() + pl.DataFrame(means[labels], schema=list("abcde"))


FAR = np.arange(2)
FLAWS = {
    "constant": ("constant", "serious", {"same"}, with_columns(same=np.full(N, 41.0))),
    "near-constant": (
        "near-constant",
        "caution",
        {"rare"},
        with_columns(rare=(np.arange(N) % 50 == 0) * 1.5),
    ),
    "empty": ("empty", "serious", {"none"}, with_columns(none=[None] * N)),
    "infinite": ("infinite", "serious", {"ratio"}, with_columns(ratio=where([3], np.inf))),
    "duplicate": (
        "duplicate",
        "serious",
        {"b", "b_in_miles"},
        clean().with_columns(b_in_miles=pl.col("b") * 0.62 - 5),
    ),
    "collinear": (
        "collinear",
        "serious",
        {"a", "c", "total"},
        clean().with_columns(total=pl.col("a") + pl.col("c")),
    ),
    "near-deterministic": (
        "near-deterministic",
        "serious",
        {"a", "c", "sum"},
        clean().with_columns(sum=pl.col("a") + pl.col("c") + 1e-4 * normal()),
    ),
    "nearly collinear": (
        "near-deterministic",
        "caution",
        {"a", "c", "sum"},
        clean().with_columns(sum=pl.col("a") + pl.col("c") + 0.05 * normal()),
    ),
    "numbers of rows": (
        "identifier",
        "caution",
        {"row"},
        with_columns(row=np.random.default_rng(0).permutation(N)),
    ),
    "an id": (
        "identifier",
        "caution",
        {"patient_id"},
        with_columns(patient_id=17 * np.arange(N)[::-1] + 10**6),
    ),
    "names": ("identifier", "caution", {"who"}, with_columns(who=[f"person {k}" for k in range(N)])),
    "text": (
        "text",
        "caution",
        {"city"},
        with_columns(city=[("Ulm", "Bonn", "Kiel")[k % 3] for k in range(N)]),
    ),
    "dates": (
        "dates",
        "caution",
        {"day"},
        with_columns(day=[f"2024-{k % 12 + 1:02}-{k % 28 + 1:02}" for k in range(N)]),
    ),
    "dates as numbers": (
        "dates",
        "caution",
        {"day"},
        with_columns(day=[20240100 + k % 31 + 1 for k in range(N)]),
    ),
    "years": (
        "dates",
        "caution",
        {"birth_year"},
        with_columns(birth_year=1950 + np.abs(10 * normal()).astype(int)),
    ),
    "few gaps": ("missing", "info", {"f"}, with_columns(f=where(FAR, np.nan))),
    "gaps": (
        "missing",
        "caution",
        {"f", "g"},
        with_columns(f=where(np.arange(0, N, 7), np.nan), g=where(np.arange(0, N, 5), np.nan, normal(6))),
    ),
    "mostly gaps": ("missing", "serious", {"f"}, with_columns(f=where(np.arange(N) % 3 > 0, np.nan))),
    "a code for gaps": ("missing-codes", "serious", {"f"}, with_columns(f=where(np.arange(0, N, 40), -999))),
    "outliers": (
        "outliers",
        "serious",
        {"f", "g"},
        with_columns(f=where(FAR, 1e3), g=where(FAR, -2e3, normal(6))),
    ),
    "heavy tails": (
        "heavy-tails",
        "caution",
        {"f"},
        with_columns(f=np.random.default_rng(0).standard_t(2, N)),
    ),
    "few rows": ("rows", "caution", set(), clean().head(20)),
    "too few rows": ("rows", "serious", set(), clean().head(5)),
    "codes": ("kinds", "caution", {"grade"}, with_columns(grade=np.random.default_rng(0).integers(1, 6, N))),
    "two values": ("kinds", "info", {"sex"}, with_columns(sex=np.random.default_rng(0).integers(1, 3, N))),
    "copied rows": ("repeated-rows", "caution", set(), pl.concat([clean(), clean().head(100)])),
    "mostly copies": ("repeated-rows", "serious", set(), pl.concat([clean()] * 3)),
    "a random walk": ("row-order", "caution", {"f"}, with_columns(f=walk(1))),
    "a time series": ("row-order", "serious", {"f", "g"}, pl.DataFrame({"f": walk(1), "g": walk(2)})),
    "an experiment": (
        "experiment-label",
        "caution",
        {"treatment"},
        groups(3, 2)[1].with_columns(
            treatment=pl.Series([("none", "low", "high")[k] for k in groups(3, 2)[0]])
        ),
    ),
    "numbers of experiments": (
        "experiment-label",
        "caution",
        {"z"},
        groups(4, 3)[1].with_columns(z=pl.Series(groups(4, 3)[0])),
    ),
    "subjects": (
        "clustered-rows",
        "caution",
        {"subject"},
        groups(40, 3)[1].with_columns(subject=pl.Series(groups(40, 3)[0] + 100)),
    ),
    "units": ("variances", "info", {"b", "d"}, clean().with_columns(pl.col("b") * 1e3, pl.col("d") * 1e-3)),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found_and_its_columns_are_named(flaw):
    check, severity, columns, table = FLAWS[flaw]
    findings = sp.audit(table).about(check)
    assert [(each.severity, set(each.columns)) for each in findings] == [(severity, columns)]
    assert findings[0].advice
    for name in sorted(columns)[:4]:
        assert repr(name) in findings[0].words
    # Nothing else is called serious because of it.
    assert all(each.check == check or each.severity != "serious" for each in sp.audit(table).findings)


def test_a_clean_table_has_no_findings():
    assert not sp.audit(clean())
    assert str(sp.audit(clean())).startswith("5 columns, 400 rows: nothing to remark\n\ncolumns\n")


@pytest.mark.parametrize("kind", ["ER", "SF"])
@pytest.mark.parametrize(("p", "n"), [(2, 40), (5, 60), (10, 200), (30, 400), (60, 1000)])
def test_clean_simulated_tables_have_no_serious_findings(p, n, kind):
    for seed in range(20):
        rng = np.random.default_rng([seed, p])
        dag = sp.simulate.random_dag(p, 0.5 if p == 2 and kind == "ER" else min(2, p // 2), kind, rng)
        data = sp.simulate.linear_gaussian(sp.simulate.random_weights(dag, rng), n, rng).data
        found = sp.audit(data)
        assert not found.serious, str(found)
        assert {each.check for each in found.findings} <= {"variances", "near-deterministic", "rows"}


def test_discrete_and_skewed_but_honest_tables_have_no_serious_findings():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame(
            {
                "age": rng.integers(18, 90, 300),
                "children": rng.poisson(1.5, 300),
                "smoker": rng.random(300) < 0.2,
                "income": np.exp(rng.normal(10, 1, 300)),
                "share": rng.beta(1, 9, 300),
                "grade": rng.integers(1, 6, 300),
            }
        )
        assert not sp.audit(table).serious


def test_a_relation_is_told_with_its_coefficients_in_the_tables_units():
    table = clean().with_columns(fare=2.5 * pl.col("a") - 4 * pl.col("c") + 3)
    assert "'fare' = 2.5 x 'a' - 4 x 'c'" in sp.audit(table).about("collinear")[0].words
    # ... whichever column comes first.
    other = sp.audit(table[["fare", "c", "b", "a"]])
    assert "'fare' = -4 x 'c' + 2.5 x 'a'" in other.about("collinear")[0].words


def test_the_rows_that_decide_are_counted_and_numbered():
    table = with_columns(f=where([17], 1e3), g=where([17], -2e3, normal(6)))
    words = sp.audit(table).about("outliers")[0].words
    assert "1 row of 400 (counting from 0: 17)" in words
    assert "'f' and 'g' is -1.00 with it and " in words
    with_gaps = table.with_columns(h=where([17, 30], np.nan))
    assert "(counting from 0: 17)" in sp.audit(with_gaps).about("outliers")[0].words


def test_missing_values_are_counted_with_what_dropping_rows_costs():
    f, g = where(np.arange(0, N, 10), np.nan), where(np.arange(5), np.nan, normal(7))
    words = str(sp.audit(with_columns(f=f, g=g)).about("missing")[0])
    assert "'f' (10 %), 'g' (1 %)" in words
    assert "in 4 patterns; dropping incomplete rows leaves 356 of 400" in words
    assert "same rows" in sp.audit(with_columns(f=f, g=f)).about("missing")[0].words


def test_moments_are_audited_for_what_a_covariance_shows():
    table = clean().with_columns(total=pl.col("a") + pl.col("c"))
    moments = sp.Moments.from_array(table.to_numpy(), table.columns)
    assert [each.check for each in sp.audit(moments).findings] == ["collinear"]
    assert "nothing to remark" in str(sp.audit(sp.Moments(np.eye(3), math.inf)))
    assert sp.audit(sp.Moments(np.diag([1.0, 0.0]), 50)).serious[0].check == "constant"
    with pytest.raises(sp.OptionError, match="columns apply to tables"):
        sp.audit(moments, columns=["a"])


def test_tables_without_a_single_usable_column_are_described():
    table = pl.DataFrame({"name": ["x", "y", "z"], "when": ["2024-01-01", "2024-01-02", "2024-01-03"]})
    assert {each.check for each in sp.audit(table).findings} == {"identifier", "dates"}
    gaps = np.full((6, 2), np.nan)
    gaps[:3, 0], gaps[3:, 1] = [1, 2, 4], [3, 5, 4]
    assert any("hardly a row is complete" in each.words for each in sp.audit(gaps).findings)
