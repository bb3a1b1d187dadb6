import re
from dataclasses import replace
from pathlib import Path

import pytest

from sparsest_bench import catalog, index, page, runner
from sparsest_bench import published_rows as rows
from sparsest_bench.leaderboard import board
from sparsest_bench.result_store import ResultStore
from sparsest_bench.settings_list import settings_list
from sparsest_bench.tables import failures

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "docs" / "results"
COMMAND = "sparsest reproduce --page docs --scale small"
MEASURED = ROOT / "bench" / "results"
needs_measurements = pytest.mark.skipif(not MEASURED.is_dir(), reason="needs a clone of the repository")
needs_docs = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the repository's docs")


def anchors(text):
    """The headings of a page, as Markdown's usual readers name them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    kept = ("".join(c for c in title.lower() if c.isalnum() or c in " -_") for title in titles)
    return {title.replace(" ", "-") for title in kept}


def broken_links(file):
    """Links of a page that lead to no file, or to no heading of one."""
    text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        there = file.parent / path if path else file
        if "://" not in target and not (
            there.exists() and (not anchor or anchor in anchors(there.read_text(encoding="utf-8")))
        ):
            yield f"{file.name}: {target}"


def published_figures(stem):
    names = (f"{stem}.svg", f"{stem}-raw.svg", f"{stem}-standardised.svg")
    return [PUBLISHED / name for name in names if (PUBLISHED / name).exists()]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """An empty store filled with the published rows."""
    with ResultStore(tmp_path_factory.mktemp("store") / "store") as store:
        rows.take(store, rows.published(PUBLISHED))
        yield store


@pytest.fixture
def told(published):
    return {kept.experiment.name: kept for kept in page.results_at(published, "small")}


@needs_docs
def test_the_published_rows_give_the_published_pages_byte_for_byte(published, tmp_path, monkeypatch):
    # The bytes of a figure depend on the release of matplotlib, so those that are there stand for it.
    monkeypatch.setattr(page, "draw", lambda kept, folder, stem: published_figures(stem))
    written = page.write_page(published, "small", tmp_path, COMMAND)
    assert {path.name for path in written[1:]} == {path.name for path in PUBLISHED.iterdir()}
    for path in written:
        if path.suffix != ".svg":
            same = path.read_bytes() == (ROOT / "docs" / path.relative_to(tmp_path)).read_bytes()
            assert same, f"{path.name} is out of date: {COMMAND}"


@needs_docs
def test_every_link_of_the_docs_and_of_the_readme_resolves_offline():
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert [link for file in files for link in broken_links(file)] == []


@needs_docs
def test_the_index_is_short_and_each_of_its_figures_is_on_the_page_that_it_links_to():
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    section = text.partition("## Where sparsest stands")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| [")]
    assert len(lines) > 10
    for line in lines:
        name, level = re.search(r"results/([\w-]+)\.md\), (\w+ = \w+)", line).groups()
        there = (PUBLISHED / f"{name}.md").read_text(encoding="utf-8")
        assert level in there
        for mean, seconds in re.findall(r"([\d.]+) \(([\d.]+) s\)", line):
            assert re.search(rf"{re.escape(mean)}\b.*, {re.escape(seconds)} ", there)


def test_links_to_pages_that_are_not_written_are_left_out(tmp_path):
    with ResultStore(tmp_path / "store") as store:
        runner.run(catalog.load("examples", "smoke"), store)
        page.write_page(store, "smoke", tmp_path, COMMAND)
    files = [tmp_path / "results.md", *(tmp_path / "results").glob("*.md")]
    assert len(files) == 3
    assert [link for file in files for link in broken_links(file)] == []
    assert "](errata.md)" in (tmp_path / "results" / "examples.md").read_text(encoding="utf-8")


def test_every_shipped_experiment_has_a_question_and_says_what_came_out():
    for name in catalog.names():
        experiment = catalog.load(name, "small")
        assert experiment.question, name
        assert experiment.verdict, name
        assert bool(experiment.claim) == bool(experiment.where), name  # a claim is the paper's
        assert bool(experiment.section) != bool(experiment.where), name


@needs_docs
def test_the_index_has_the_papers_experiments_then_others_by_what_they_ask(told):
    groups = {name: index.heading(kept) for name, kept in told.items()}
    assert groups["linear-grid"] == "The paper's experiments"
    assert groups["beyond-tetrad"] == "Beyond the paper"
    assert groups["beyond-hidden"] == "Robustness and speed"
    own = replace(told["beyond-tetrad"].experiment, name="mine", section="")
    assert index.heading(replace(told["beyond-tetrad"], experiment=own)) == "Other experiments"


@needs_docs
def test_an_experiment_within_another_does_not_repeat_its_table(told):
    whole = page.experiment_page(told["times"], [], "times.csv")
    short = page.experiment_page(told["times"], [], "times.csv", told["linear-grid"])
    assert "<details>" in whole
    assert "<details>" not in short
    assert "](linear-grid.md#every-design)" in short


def test_a_bar_in_prose_does_not_end_the_cell_of_a_table(kept):
    barred = replace(kept, experiment=replace(kept.experiment, verdict="with log|det| in it"))
    assert r"| with log\|det\| in it |" in index.index_page([barred], COMMAND)


def test_settings_say_what_was_run(kept):
    listed = settings_list(kept).splitlines()
    assert "- Columns (p): 5, 10" in listed
    assert "- Data: raw and standardised columns" in listed
    assert "- Seeds: 0 to 1, one table each per design" in listed
    assert "- Methods: `auto`, `empty`" in listed


@needs_measurements
def test_a_store_that_holds_measurements_gives_pages_too(tmp_path):
    with ResultStore(tmp_path / "store") as store:
        rows.take(store, rows.published(MEASURED))
        page.write_page(store, "paper", tmp_path, COMMAND)
    text = (tmp_path / "results" / "invariance.md").read_text(encoding="utf-8")
    assert "- Measurement: `invariance`\n- `datasets`: 200\n- `n`: 1000\n" in text
    assert "| variant " in text
    assert "results/invariance.md" in (tmp_path / "results.md").read_text(encoding="utf-8")


def test_a_failed_task_is_told_with_what_it_measured(kept):
    failed = replace(kept.records[0], spec={"measure": "streaming"}, status="failed", error="no memory")
    assert failures(replace(kept, records=(failed,))) == ["streaming: failed (no memory)"]


def test_a_page_says_what_is_not_finished_and_what_was_not_done(kept):
    place = {"cpu": "fast", "cores": 2, "system": "Linux", "python": "3.12", "sparsest": "1"}
    records = tuple(replace(record, environment=place) for record in kept.records)
    text = page.experiment_page(replace(kept, records=records, planned=20), ["mine.svg"], "mine.csv")
    assert "Not finished: 4 of 20 tasks" in text
    assert "- empty: timeout (why)" in text
    assert "![Mine](mine.svg)" in text
    assert "[All rows](mine.csv)" in text


def test_an_entry_that_lacks_answers_is_not_complete(kept):
    shown = board(kept)
    assert shown.levels == [5, 10]
    assert shown.entries["auto", 10].complete
    assert not shown.entries["empty", 10].complete
    assert str(shown.entries["empty", 10]) == "11.0 / 10.0, 0.5 (3 of 4)"
