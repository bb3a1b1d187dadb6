"""What other places repeat of pyproject.toml."""

import re
import tomllib
from pathlib import Path

from sparsest._core.version import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "packaging/conda-forge/meta.yaml").read_text(encoding="utf-8")
OTHER_NAMES = {"matplotlib-base": "matplotlib"}  # conda-forge's package without a toolkit for windows


def test_the_recipe_needs_what_the_project_needs():
    run = RECIPE[RECIPE.index("  run:") : RECIPE.index("\ntest:")]
    needs = {OTHER_NAMES.get(name, name) + rest for name, rest in re.findall(r"- ([\w-]+) (>=[\d.]+)", run)}
    assert needs == set(PROJECT["dependencies"])
    assert f'default("{PROJECT["requires-python"].removeprefix(">=")}")' in run


def test_the_recipe_has_the_commands_and_the_version_of_the_project():
    for name, where in PROJECT["scripts"].items():
        assert f"- {name} = {where}" in RECIPE
    assert f'set version = "{__version__}"' in RECIPE
    assert f"license: {PROJECT['license']}" in RECIPE


def test_what_the_image_copies_is_there_and_its_extras_exist():
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for files in re.findall(r"^COPY (.+) \S+$", image, re.M):
        assert all((ROOT / name).exists() for name in files.split())
    (extras,) = re.findall(r'pip install .*"\.\[(.+)\]"', image)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
