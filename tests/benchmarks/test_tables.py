import pytest

from benchmarks import tables


def test_the_tables_of_the_pages_are_those_of_the_kept_results(capsys):
    assert tables.main(["--check"]) == 0, capsys.readouterr().err


def test_a_page_gets_the_table_between_its_marks_and_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- table: ges -->\nold\n<!-- end of table -->\nafter\n", encoding="utf-8")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert tables.main(["--check"]) == 1
    assert "old" in page.read_text(encoding="utf-8")
    assert tables.main([]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- table: ges -->\n| graph |")
    assert text.endswith("<!-- end of table -->\nafter\n")
    assert "old" not in text
    assert tables.main(["--check"]) == 0


def test_a_table_that_is_not_kept_is_an_error():
    with pytest.raises(FileNotFoundError):
        tables.made("no-such-result")
