"""Who may import whom, and what `import sparsest` may load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sparsest

SOURCE = Path(sparsest.__file__).parent

# A room may import, at module level, only rooms above it.
ROOMS = [
    "_core", "graph", "knowledge", "data", "penalties", "acyclicity", "models", "scores", "likelihoods",
    "modelled", "problem", "rounding", "solvers", "fitted", "search", "theory", "result", "again", "explain",
    "choose", "fit", "estimator", "simulate", "export", "plot", "cli",
]  # fmt: skip

# `simulate` knows graphs only, and how sortable a table is, so that it can judge everything else.
ONLY = {"simulate": {"_core", "graph", "explain"}}

# Convenience methods that import, when called, what they delegate to.
DELEGATES = {("result", "explain"), ("result", "export"), ("result", "plot")}

MODULES = sorted(SOURCE.rglob("*.py"))


def room_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


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


def test_every_room_has_its_place():
    assert {room_of(path) for path in MODULES} - {""} == set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path):
    room = room_of(path)
    if not room:
        return  # the package itself names everything, lazily
    tree = ast.parse(path.read_text(encoding="utf-8"))
    allowed = ONLY.get(room, set(ROOMS[: ROOMS.index(room)])) | {room}
    assert set(imported_rooms(tree.body)) <= allowed
    late = set(imported_rooms(ast.walk(tree))) - allowed
    if room != "cli":  # commands import what they run when they run it, for a quick start
        assert {(room, other) for other in late} <= DELEGATES


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
    for name in sparsest.__all__:
        assert getattr(sparsest, name) is not None
    assert dir(sparsest) == sorted(sparsest.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sparsest.nonsense


def test_versions_are_shown(capsys):
    sparsest.show_versions()
    shown = capsys.readouterr().out
    assert f"sparsest      {sparsest.__version__}" in shown
    assert "numpy" in shown
