"""The registry, the docs and the docstring of fit name the same models and solvers."""

import re
from pathlib import Path

import pytest

import sparsest as sp
from sparsest.models.registry import MODELS, SOLVERS, imported, solver_names

DOCS = Path(__file__).parents[2] / "docs"


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def rows(name):
    """The name and the sentence of every row of the first table of a page."""
    table = re.search(r"^\| `\w+=` \|.*\n(?:\|.*\n)+", page(name), flags=re.MULTILINE).group()
    return re.findall(r'^\| `"([\w-]+)"` \| (.+?) \|', table, flags=re.MULTILINE)


def test_the_table_of_models_in_the_docs_is_the_registry_name_by_name_and_sentence_by_sentence():
    assert rows("reference/models.md") == [(entry.name, entry.sentence) for entry in MODELS.values()]


def test_the_table_of_solvers_in_the_docs_is_the_registry_name_by_name_and_sentence_by_sentence():
    assert rows("reference/methods.md") == list(
        {entry.name: (entry.name, entry.sentence) for entry in SOLVERS}.values()
    )


def test_entries_of_one_solver_have_one_sentence():
    assert (
        len({(entry.name, entry.sentence) for entry in SOLVERS}) == len(solver_names()) - 1
    )  # without "auto"


@pytest.mark.parametrize("entry", [*MODELS.values(), *SOLVERS], ids=lambda entry: entry.home)
def test_sentences_are_plain_ascii_and_fit_on_a_line_of_the_docs(entry):
    assert entry.sentence.isascii()
    assert len(entry.sentence) < 100
    assert "|" not in entry.sentence


@pytest.mark.parametrize("name", [*MODELS, *solver_names()])
def test_the_docstring_of_fit_names_every_model_and_solver(name):
    assert f'"{name}"' in sp.fit.__doc__


@pytest.mark.parametrize("entry", [*MODELS.values(), *SOLVERS], ids=lambda entry: entry.home)
def test_every_home_can_be_imported(entry):
    assert imported(entry.home) is not None


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_the_name_under_which_it_is_registered(name):
    assert imported(MODELS[name].home)().name == name
