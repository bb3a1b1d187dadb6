"""The inner rooms of `data` import one way, and its steps say what they notice."""

import ast
from pathlib import Path

import pytest

import sparsest.data

ROOT = Path(sparsest.data.__file__).parent
ROOMS = ["columns", "moments", "read", "audit"]
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).glob("*.py"))
by_path = pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")


@by_path
def test_an_inner_room_imports_only_rooms_before_it(path):
    allowed = {*ROOMS[: ROOMS.index(path.parent.name) + 1]}
    imported = {
        node.module.split(".")[2]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("sparsest.data.")
    }
    assert imported <= allowed


@by_path
def test_no_step_is_passed_a_list_of_notices_to_fill(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    arguments = [each for node in ast.walk(tree) if isinstance(node, ast.arguments) for each in node.args]
    assert not [
        each for each in arguments if each.arg == "notices" and "list" in ast.unparse(each.annotation)
    ]
