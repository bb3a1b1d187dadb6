import re
import shutil
from pathlib import Path

import pytest

import sparsest as sp
from sparsest._core.store import Record
from sparsest_bench import doc_tables, growth, published_rows, reporting
from sparsest_bench.experiment import parse_experiment
from sparsest_bench.result_store import Kept

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"

pytestmark = pytest.mark.skipif(not RESULTS.is_dir(), reason="needs a clone of the repository")


def test_the_tables_of_the_pages_are_those_of_the_published_rows():
    assert doc_tables.update(ROOT, check=True) == []


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*.csv")), ids=lambda file: file.stem)
def test_a_page_beside_the_rows_of_a_measurement_tells_what_they_say(file):
    kept = published_rows.read_kept(file)
    assert file.with_suffix(".md").read_text(encoding="utf-8") == reporting.summary_page(kept)
    assert kept.command.split()[2] == f"bench/measurements/{kept.experiment.name}.toml"
    assert (ROOT / kept.command.split()[2]).is_file()


def test_a_page_gets_the_table_between_its_marks_and_nothing_else(tmp_path):
    (tmp_path / "docs").mkdir()
    shutil.copytree(RESULTS, tmp_path / "bench" / "results")
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- table: ges -->\nold\n<!-- end of table -->\nafter\n", encoding="utf-8")
    assert doc_tables.update(tmp_path, check=True) == ["README.md"]
    assert "old" in page.read_text(encoding="utf-8")
    doc_tables.update(tmp_path, check=False)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- table: ges -->\n| graph |")
    assert text.endswith("<!-- end of table -->\nafter\n")
    assert "old" not in text
    assert doc_tables.update(tmp_path, check=True) == []


@pytest.mark.parametrize("name", ["no-such-result", "page:No such title:auto=ours"])
def test_a_table_whose_rows_are_not_published_is_an_error(name):
    with pytest.raises(sp.DataError, match=r"no-such-result|No such title"):
        doc_tables.made(name, ROOT)


GRID = """\
title = "Mine"
kind = "grid"
figure = "none"
reference = "dagma"
[grid]
graphs = ["ER2"]
p = [10]
methods = ["auto", "dagma"]
"""


def answer(method, seed, seconds=None, objective=None, error=""):
    spec = {"graph": "ER2", "p": 10, "n": 1000, "data": "raw", "method": method, "seed": seed}
    measured = {"seconds": seconds, "cpu_seconds": seconds, "objective": objective, "shd": 1, "edges": 9}
    row = {"true_objective": -5.0, "varsortability": 0.9} | ({} if error else measured)
    return Record(f"{method}{seed}", "grid", spec, "failed" if error else "done", row, error)


def lines(table):
    cells = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines())
    header, _, *rows = cells
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture
def kept():
    records = (
        answer("auto", 0, 1.0, -5.0 + 1e-12),
        answer("auto", 1, 100.0, -4.0),
        answer("auto", 2, 3.0, -6.0),
        answer("dagma", 0, 2.0, -4.9),
        answer("dagma", 1, error="out | of luck"),
        answer("dagma", 2, 4.0, -4.9),
    )
    return Kept(parse_experiment(GRID, "mine.toml", "mine", "paper"), "", records, len(records))


def test_times_are_compared_on_the_tables_that_both_answered(kept):
    truth, auto, dagma = lines(doc_tables.timed(kept))
    assert auto["time / dagma"] == f"{(1 + 3) / (2 + 4):.3g}"
    assert dagma["time / dagma"] == "1"
    assert (truth["method"], truth["SHD"], truth["time / dagma"]) == ("(true graph)", "0.0 ± 0.0", "–")
    assert dagma["failed"] == "1 of 3: out / of luck"


def test_the_truth_is_reached_where_the_objective_is_no_higher_and_a_failure_is_not(kept):
    _, auto, dagma = lines(doc_tables.timed(kept))
    assert (auto["≤ truth"], dagma["≤ truth"]) == ("2 of 3", "0 of 3")


def test_the_exponent_of_growth_is_the_slope_of_logarithms_from_200_columns_on():
    row = {"method": "auto", "graph": "ER2", "status": "done"}
    sizes = (100, 200, 400, 800)
    rows = [row | {"p": p, "cpu_seconds": 9.0 if p == 100 else 1e-5 * p**1.75} for p in sizes]
    (line,) = lines(growth.growth([*rows, rows[0] | {"status": "failed", "cpu_seconds": None}]))
    assert (line["p = 100"], line["exponent of p"]) == ("9", "1.75")
    (few,) = lines(growth.growth(rows[:3]))
    assert few["exponent of p"] == "–"


def test_the_figure_of_growth_has_a_line_and_an_exponent_for_every_graph(tmp_path):
    row = {"method": "auto", "status": "done"}
    rows = [
        row | {"graph": graph, "p": p, "cpu_seconds": 1e-5 * p**b}
        for graph, b in (("ER2", 1.5), ("ER4", 2.5))
        for p in (100, 200, 400, 800)
    ]
    growth.draw_growth(rows, tmp_path / "growth.svg")
    drawn = (tmp_path / "growth.svg").read_text(encoding="utf-8")
    assert all(words in drawn for words in ("auto, ER2", "auto, ER4", "CPU seconds", ">800<"))
    growth.draw_growth(rows, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == drawn


def test_at_bic_an_answer_with_more_edges_may_be_the_better_one():
    few = answer("dagma", 0, 1.0, -5.0)
    # At our cost its nine further edges make it worse; at BIC's, 4.6 times less for each, better.
    many = answer("auto", 0, 1.0, -4.97)
    many = Record(many.key, many.kind, many.spec, row=many.row | {"edges": 29})
    found = Kept(parse_experiment(GRID, "mine.toml", "mine", "paper"), "", (many, few), 2)
    auto, dagma = lines(doc_tables.at_bic(found))
    assert (auto["better"], auto["worse"]) == ("1", "0")
    assert dagma["same"] == "1"


def test_readme_and_the_page_say_the_same_two_sentences_about_the_paper():
    said = re.compile(
        r"<!-- the paper in two sentences -->\n(.*?)<!-- end of the paper in two sentences -->", re.DOTALL
    )
    texts = [
        said.findall((ROOT / page).read_text(encoding="utf-8"))
        for page in ("README.md", "docs/theory/paper.md")
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 1
