"""Every public name has a numpydoc docstring, and the examples in docstrings run."""

import doctest
import enum
import importlib
import inspect
import re
from pathlib import Path

import pytest

import sparsest

SOURCE = Path(sparsest.__file__).parent
PUBLIC_MODULES = [sparsest, sparsest.graph, sparsest.simulate, sparsest.models]

WITH_EXAMPLES = sorted(path for path in SOURCE.rglob("*.py") if ">>>" in path.read_text(encoding="utf-8"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def public_names():
    """Modules, classes and functions in the `__all__` of the public modules, by their full names."""
    for module in PUBLIC_MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value) or inspect.isclass(value) or inspect.isfunction(value):
                yield f"{module.__name__}.{name}", value


PUBLIC = dict(public_names())


def sections(docstring):
    """The text of each numpydoc section by its title; what comes before the first is the summary."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(docstring or ""), flags=re.MULTILINE)
    return {"Summary": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(section):
    """The names that head the entries of a section: `a, b : int` heads one entry for two names."""
    heads = re.findall(r"^(\S.*)$", section, flags=re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.split(" : ")[0].split(",")}


def arguments(function):
    return set(inspect.signature(function).parameters) - {"self", "cls"}


def returns_something(function):
    return inspect.signature(function).return_annotation not in (None, "None", inspect.Signature.empty)


def faults_of_function(function):
    found = sections(function.__doc__)
    if not found["Summary"]:
        yield "no summary"
    if unnamed := arguments(function) - documented(found.get("Parameters", "")):
        yield f"Parameters lack {sorted(unnamed)}"
    if returns_something(function) and not {"Returns", "Yields"} & set(found):
        yield "no Returns"


def faults_of_class(cls):
    found = sections(cls.__doc__)
    if not found["Summary"]:
        yield "no summary"
    if not issubclass(cls, Exception | enum.Enum) and not getattr(cls, "_is_protocol", False):
        entries = documented(found.get("Parameters", "")) | documented(found.get("Attributes", ""))
        if unnamed := arguments(cls) - entries:
            yield f"Parameters lack {sorted(unnamed)}"
    for name, member in public_members(cls):
        if isinstance(member, property):
            if not sections(member.__doc__)["Summary"]:
                yield f"{name}: no summary"
        else:
            yield from (f"{name}: {fault}" for fault in faults_of_function(member))


def public_members(cls):
    """Methods and properties that this package defines: what scikit-learn's classes add is theirs."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if function.__module__.startswith("sparsest."):
            yield name, member if isinstance(member, property) else function


def faults(value):
    """What a docstring lacks, in words."""
    if "Examples" not in sections(value.__doc__) or ">>>" not in value.__doc__:
        yield "no example"
    if inspect.isclass(value):
        yield from faults_of_class(value)
    elif inspect.isfunction(value):
        yield from faults_of_function(value)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_has_a_numpydoc_docstring_with_an_example(name):
    assert list(faults(PUBLIC[name])) == []


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_examples_in_docstrings_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # so that an example may write files
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    outcome = doctest.testmod(module, optionflags=OPTIONS)
    assert outcome.failed == 0, "see the captured output"
    assert outcome.attempted == path.read_text(encoding="utf-8").count(">>> ")  # none was overlooked
