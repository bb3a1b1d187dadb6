"""Optional packages absent, one at a time: every path that needs one says what to install; the rest works."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

import sparsest as sp

OPTIONAL = {
    "jax": "sparsest[neural]",
    "fastexcel": "sparsest[excel]",
    "pyreadstat": "sparsest[stats]",
    "anywidget": "sparsest[notebook]",
    "pgmpy": "pip install pgmpy",
    "causallearn": "pip install causal-learn",
}
ALSO = (
    "dask",
    "distributed",
    "pandas",
    "pyarrow",
    "IPython",
    "ipykernel",
    "cloudpickle",
)  # never needed by what is below
TABLE = np.random.default_rng(0).normal(size=(60, 3))


@pytest.fixture(scope="module")
def result():
    return sp.fit(TABLE)


class Own:
    """A likelihood of a user."""

    def init(self, rng):
        return rng.normal(size=(3, 3))

    def nll(self, parameters, data):
        return ((data - data @ parameters) ** 2).mean()

    def adjacency(self, parameters):
        return abs(parameters)


def read(name):
    def path(result, folder):
        (folder / name).write_bytes(b"PK\x03\x04 not looked at")
        sp.fit(folder / name)

    return path


PATHS = {
    ("jax", "a network"): lambda result, folder: sp.fit(TABLE, model="mlp", solver="differentiable"),
    ("jax", "a likelihood of a user"): lambda result, folder: sp.fit(TABLE, model=Own()),
    ("fastexcel", "a workbook"): read("table.xlsx"),
    ("pyreadstat", "a file of SPSS"): read("table.sav"),
    ("pyreadstat", "a file of Stata"): read("table.dta"),
    ("pyreadstat", "a file of SAS"): read("table.sas7bdat"),
    ("anywidget", "the widget"): lambda result, folder: result.show(),
    ("pgmpy", "a graph for pgmpy"): lambda result, folder: result.dag.to_pgmpy(),
    ("causallearn", "a graph for causal-learn"): lambda result, folder: result.dag.to_causallearn(),
}


def remove(monkeypatch, package):
    """The package and its parts cannot be imported until the test ends."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize("case", PATHS, ids=lambda case: f"{case[1]} without {case[0]}")
def test_without_a_package_each_path_that_needs_it_says_what_to_install(case, result, tmp_path, monkeypatch):
    remove(monkeypatch, case[0])
    with pytest.raises(sp.SparsestError, match="pip install") as raised:
        PATHS[case](result, tmp_path)
    assert OPTIONAL[case[0]] in str(raised.value)


@pytest.mark.parametrize("package", [*OPTIONAL, *ALSO])
def test_without_a_package_everything_else_works(package, tmp_path, monkeypatch):
    remove(monkeypatch, package)
    (tmp_path / "table.csv").write_text("a,b\n" + "\n".join(f"{x:.3f},{y:.3f}" for x, y, _ in TABLE))
    result = sp.fit(tmp_path / "table.csv", resamples=4)
    result.report(tmp_path / "report.html")
    result.plot(tmp_path / "graph.png")
    result.save(tmp_path / "kept.sparsest")
    assert sp.load(tmp_path / "kept.sparsest").cpdag == result.cpdag
    assert result.effect("a", "b").values.size


def imported_somewhere():
    """Every top-level package that the source imports, with the files that do."""
    source = Path(sp.__file__).parent
    found = {}
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                found.setdefault(name.split(".")[0], set()).add(path.name)
    return found


CORE = {
    "numpy", "scipy", "numba", "sklearn", "threadpoolctl", "joblib", "narwhals", "polars", "matplotlib",
    "networkx", "typer", "rich", "click",
}  # fmt: skip


def test_the_source_imports_nothing_that_is_neither_declared_nor_known_to_be_optional():
    optional = {
        *OPTIONAL,
        *ALSO,
        "sparsest_bench",
        "jaxlib",
        "traitlets",
        "cloudpickle",
    }  # joblib has the last one
    unknown = {
        name: files
        for name, files in imported_somewhere().items()
        if name not in sys.stdlib_module_names | CORE | optional | {"sparsest"}
    }
    assert unknown == {}
