import os

import pytest

from sparsest_bench.measures import attack_processes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks and signals of POSIX")


@pytest.mark.parametrize(
    ("attack", "what"),
    [
        ("kill", "fit -o"),
        ("kill", "resamples"),
        ("full disk", "report"),
        ("full disk", "store"),
        ("threads and forks", "save"),
    ],
)
def test_an_attacked_process_leaves_one_whole_answer(attack, what):
    spec = {"attack": attack, "what": what, "count": 2, "seed": 7}
    row = attack_processes.run(spec)
    assert row["failures"] == []
    assert sum(row[word] for word in ("nothing", "old", "new")) == 2
    assert f"| {attack} " in attack_processes.table([spec | row])


def test_files_of_two_answers_and_half_files_are_told(tmp_path):
    folder = tmp_path / "answer"
    folder.mkdir()
    for word in ("old", "new"):
        (tmp_path / f"{word}.csv").write_text(f"{word}_0\n")
    assert attack_processes._of_file(tmp_path / "old.csv") == "old"
    (tmp_path / "old.csv").write_text("old_0,new_0\n")
    assert attack_processes._of_file(tmp_path / "old.csv") not in ("old", "new")
    (tmp_path / "new.csv").write_text("new_0")
    assert "truncated" in attack_processes._of_file(tmp_path / "new.csv")
    (folder / "result.json").write_text('{"names": ["old_0"]}\n')
    assert attack_processes._of_folder(tmp_path) == "files ['result.json']"
