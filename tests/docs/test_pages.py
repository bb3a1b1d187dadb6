"""The pages that can be checked without building the site."""

import re
from pathlib import Path

import pytest

import sparsest
from tests.test_docstrings import PUBLIC

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def public_objects():
    modules = {"sparsest.graph", "sparsest.simulate", "sparsest.models"}
    return {name: value for name, value in PUBLIC.items() if name not in modules}


def listed():
    """What the names on the page of the reference stand for."""
    names = re.findall(
        r"^   ((?:graph|simulate|models)\.\w+|\w+)$", (DOCS / "reference/api.md").read_text(), re.M
    )
    for name in names:
        value = sparsest
        for part in name.split("."):
            value = getattr(value, part)
        yield name, value


def test_the_reference_lists_every_public_name_once():
    there = [value for _, value in listed()]
    assert len({id(value) for value in there}) == len(there)
    missing = [name for name, value in public_objects().items() if not any(value is other for other in there)]
    assert missing == []


def test_at_least_sixty_public_names_have_a_page():
    assert len(dict(listed())) >= 60


QUESTIONS = {
    "How do I install it?": "pip install .",
    "How sure is this edge?": "resamples=50",
    "What is the effect of X on Y?": "result.effect(",
    "Why is this line undirected?": "equally well",
    "My table has missing values.": "missing=",
    "How do I say that age is not caused?": "roots",
    "Can I trust it?": "hidden",
    "How do I cite it?": "Deng, C.",
}


@pytest.mark.parametrize(("question", "words"), QUESTIONS.items())
def test_every_question_of_a_newcomer_is_answered_one_click_from_the_first_page(question, words):
    row = re.search(
        rf"^\| {re.escape(question)} \| \[.+?\]\((.+?)\) \|$", (DOCS / "index.md").read_text(), re.M
    )
    assert words in (DOCS / row[1]).read_text(encoding="utf-8")


def test_the_index_for_programs_names_pages_that_exist():
    pages = re.findall(r"\(_sources/([^)]+)\)", (DOCS / "llms.txt").read_text())
    assert len(pages) > 15
    assert [page for page in pages if not (DOCS / page).exists()] == []


def test_every_page_is_reached_by_the_navigation():
    shown = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            shown |= {(page.parent / name).with_suffix(".md").resolve() for name in names}
    pages = {
        page.resolve()
        for page in DOCS.rglob("*.md")
        if not {"results", "generated"} & set(page.relative_to(DOCS).parts[:-1])
    }
    assert {page.name for page in pages - shown} == {"index.md"}


def test_there_are_fifteen_examples_and_more_and_each_draws_a_figure():
    examples = sorted((ROOT / "examples").glob("plot_*.py"))
    assert len(examples) >= 15
    assert [path.name for path in examples if "figure" not in path.read_text(encoding="utf-8")] == []


def test_the_readme_is_short_and_its_links_stay_in_the_repository():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    assert not re.findall(r"\]\(https?://", text)
