"""The registry, the docs and the docstring of fit name the same models and solvers."""

import re
from pathlib import Path

import pytest

import sparsest as sp
from sparsest.models.registry import MODELS, SOLVERS, imported, solver_names

DOCS = Path(__file__).parents[2] / "docs"


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_table_in_the_docs_names_exactly_the_models_of_the_registry_in_its_order():
    assert re.findall(r'^\| `"(\w+)"` \|', page("models.md"), flags=re.MULTILINE) == list(MODELS)


@pytest.mark.parametrize("name", solver_names())
def test_the_docs_name_every_solver(name):
    assert f'"{name}"`' in page("methods.md") + page("search.md")


@pytest.mark.parametrize("name", [*MODELS, *solver_names()])
def test_the_docstring_of_fit_names_every_model_and_solver(name):
    assert f'"{name}"' in sp.fit.__doc__


@pytest.mark.parametrize("entry", [*MODELS.values(), *SOLVERS], ids=lambda entry: entry.home)
def test_every_home_can_be_imported(entry):
    assert imported(entry.home) is not None


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_the_name_under_which_it_is_registered(name):
    assert imported(MODELS[name].home)().name == name
