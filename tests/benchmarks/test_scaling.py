import json

from benchmarks import scaling


def test_each_case_is_timed_weighed_and_judged(tmp_path):
    command = ["--exact", "4", "--p", "5", "--methods", "order1", "--graphs", "ER1", "--n", "100"]
    assert scaling.main([*command, "--results", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "scaling.json").read_text())["rows"]
    assert [(row["method"], row["p"]) for row in rows] == [("exact", 4), ("order1", 5)]
    for row in rows:
        assert row["error"] is None
        assert row["seconds"] > 0
        assert row["megabytes"] >= row["idle_megabytes"] > 10
    assert rows[0]["objective"] <= rows[0]["true_objective"] + 1e-9
    assert "| exact " in (tmp_path / "scaling.md").read_text()


def test_a_case_that_failed_is_named_and_not_averaged():
    row = {"method": "auto", "graph": "ER2", "p": 9, "true_edges": 18, "error": "timeout: more than 1 s"}
    line = scaling.summary([row]).splitlines()[2]
    assert "1 of 1: timeout" in line
    assert "| – " in line
