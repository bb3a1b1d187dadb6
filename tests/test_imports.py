"""Who may import whom, and what `import sparsest` may load."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sparsest

SOURCE = Path(sparsest.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "contributing" / "architecture.md"

# The table of rooms in that page is the tested order: a room may import only rooms above it.
ROOMS = [
    name
    for row in re.findall(r"^\| ((?:`[\w./]+`(?:, )?)+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    for name in re.findall(r"`(\w+)(?:/|\.py)`", row)
]

# `simulate` knows graphs only, so that it can judge everything else.
ONLY = {"simulate": {"_core", "graph"}}

# Methods of a result that import, when called, what they delegate to, and what CLI commands run by name.
DELEGATES = {
    ("result", "explain"), ("result", "effects"), ("result", "export"), ("result", "plot"), ("result",
    "report"), ("graph", "plot"), ("graph", "export"), ("costs", "plot"), ("confidence", "plot"),
    ("effects", "plot"), ("fit", "confidence"), ("fit", "costs"),
}  # fmt: skip

MOST_IMPORTED = 8  # rooms that a room may import at module level
ASSEMBLERS = {"fit", "report", "app", "cli"}  # where everything meets

MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def room_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported_rooms(nodes):
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "sparsest":
            inside = node.module.split(".")[1:]
            yield from [inside[0]] if inside else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room they reach into"
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sparsest.")
            )


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_page_lists_every_room_once():
    assert sorted(ROOMS) == sorted({room_of(path) for path in MODULES})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way_inside_functions_too(path):
    room, tree = room_of(path), parsed(path)
    allowed = ONLY.get(room, set(ROOMS[: ROOMS.index(room)])) | {room}
    assert set(imported_rooms(tree.body)) <= allowed
    tree.body = [node for node in tree.body if not for_the_type_checker(node)]
    late = set(imported_rooms(ast.walk(tree))) - allowed
    assert {(room, other) for other in late} <= DELEGATES


def for_the_type_checker(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in ASSEMBLERS])
def test_a_room_imports_at_most_eight_others(room):
    rooms = {
        other for path in MODULES if room_of(path) == room for other in imported_rooms(parsed(path).body)
    }
    assert len(rooms - {room}) <= MOST_IMPORTED


def test_modules_have_names_of_their_own():
    """One meaning per name, but for protocols (`base`), commands, and models beside their scores."""
    homes = {}
    for path in MODULES:
        if path.stem not in ("__init__", "base") and room_of(path) != "cli":
            homes.setdefault(path.stem, []).append(room_of(path))
    assert {
        name: rooms for name, rooms in homes.items() if len(rooms) > 1 and rooms != ["models", "scores"]
    } == {}


def loaded_after(code):
    program = f"import sys\n{code}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    return set(
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_the_package_loads_nothing_heavy():
    heavy = {"sklearn", "numba", "jax", "pandas", "polars", "pyarrow", "matplotlib", "networkx", "scipy"}
    assert not loaded_after("import sparsest") & heavy
    assert not loaded_after("import sparsest; sparsest.graph.is_dag; sparsest.SparsestError") & (
        heavy - {"scipy"}
    )


def test_every_public_name_is_there_and_no_other():
    for package in (sparsest, sparsest.models):
        for name in package.__all__:
            assert getattr(package, name) is not None
        assert dir(package) == sorted(package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sparsest.nonsense


def test_importing_the_module_fit_leaves_the_function_in_place():
    importlib.import_module("sparsest.fit")
    importlib.import_module("sparsest.estimator")
    assert callable(sparsest.fit)
    program = "import sparsest.estimator, sparsest; assert callable(sparsest.fit)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_versions_are_shown(capsys):
    sparsest.show_versions()
    shown = capsys.readouterr().out
    assert f"sparsest      {sparsest.__version__}" in shown
    assert "numpy" in shown
