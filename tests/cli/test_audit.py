import json

import numpy as np
import pytest

from sparsest.export.csv import write_table
from tests.cli.test_cli import in_a_folder_of_its_own, run, shell  # noqa: F401 (a fixture)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    write_table(
        np.column_stack([a, b, a + b, np.full(200, 41)]), ["a", "b", "sum", "age"], tmp_path / "table.csv"
    )
    return tmp_path / "table.csv"


def test_findings_go_to_stdout_with_code_0_whatever_they_are(table):
    done = run("audit", table)
    assert done.exit_code == 0
    assert done.stdout.startswith("4 columns, 200 rows: 2 serious, ")
    assert "'age' (all 41)" in done.stdout
    assert "'sum' = 1 x 'a' + 1 x 'b'" in " ".join(done.stdout.split())
    assert done.stderr == ""


def test_findings_are_written_as_json_on_request(table, tmp_path):
    done = run("audit", table, "--json", "audit.json", "--columns", "a,age")
    assert done.exit_code == 0
    assert done.stdout.endswith("wrote audit.json\n")
    tree = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert (tree["format"], tree["rows"], tree["columns"]) == ("sparsest-audit", 200, 2)
    assert [each["check"] for each in tree["findings"]] == ["constant", "roots"]
    assert [(each["name"], each["used"]) for each in tree["account"]] == [("a", True), ("age", False)]


def test_marks_of_text_files_can_be_said(tmp_path):
    (tmp_path / "table.txt").write_text("a;b\n" + "".join(f"{k},5;{k * k % 7}\n" for k in range(40)))
    done = run("audit", "table.txt", "--separator", ";", "--decimal", ",")
    assert done.exit_code == 0
    assert done.stdout.startswith("2 columns, 40 rows")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.csv"], "absent.csv"),
        (["table.csv", "--columns", "a,z"], "no column 'z'"),
        (["table.csv", "--json", "absent/audit.json"], "no folder 'absent'"),
        (["table.csv", "--json", "table.csv"], "would be overwritten"),
    ],
)
def test_the_users_mistakes_are_one_line_and_code_2(table, tmp_path, arguments, words):
    before = table.read_bytes()
    done = run("audit", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("sparsest: error: ")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert table.read_bytes() == before


def test_a_terminal_without_unicode_gets_ascii(tmp_path):
    write_table(np.ones((9, 1)), ["Löhne"], tmp_path / "table.csv")
    done = shell("audit", "table.csv", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"L\\xf6hne" in done.stdout
