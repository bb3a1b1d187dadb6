import pytest

from sparsest_bench.measures.cost_rules import DESIGNS, RULES, plan, run, table


def test_seeds_that_are_reported_begin_at_7000():
    specs = plan({"seeds": 10})
    assert len(specs) == 10 * len(DESIGNS)
    assert {spec["seed"] for spec in specs} == set(range(7000, 7010))


def test_no_rule_is_better_than_the_best_of_the_path():
    (spec,) = plan({"seeds": 1, "most_columns": 8})
    rows = run(spec | {"p": 5, "n": 200})["rows"]
    assert [row["rule"] for row in rows] == list(RULES)
    assert all(row["shd"] >= row["best"] for row in rows)


def test_the_last_line_compares_each_rule_with_the_default():
    (spec,) = plan({"seeds": 1, "most_columns": 8})
    rows = [
        spec | {"rule": rule, "shd": shd, "best": 1, "cpu_seconds": 1.0}
        for rule, shd in zip(RULES, (3, 7, 1, 3, 3), strict=True)
    ]
    last = table(rows).splitlines()[-1].split("|")
    assert [float(cell) for cell in last[7:12]] == pytest.approx([1, 2, 0.5, 1, 1])
