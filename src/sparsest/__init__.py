"""sparsest: the sparsest causal graph that explains a table, whatever the units of its columns.

Public names are imported when first used (PEP 562), so that `import sparsest` stays light: numba,
scikit-learn and the data frame libraries are loaded only by what needs them.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sparsest._core.version import __version__

if TYPE_CHECKING:
    from sparsest import graph, models, simulate
    from sparsest._core.errors import (
        DataError,
        DataWarning,
        GraphError,
        OptionError,
        SparsestError,
        SparsestWarning,
    )
    from sparsest._core.progress import Status
    from sparsest._core.version import show_versions
    from sparsest.data.audit import Audit, audit
    from sparsest.data.moments.moments import Moments
    from sparsest.estimator import StructureLearner
    from sparsest.export.archive import load
    from sparsest.fit import fit
    from sparsest.graph.types import Cpdag, Dag
    from sparsest.knowledge import Knowledge
    from sparsest.penalties import L1, MCP, SCAD, QuasiMCP
    from sparsest.result import Result

_HOMES = {
    "Audit": "sparsest.data.audit",
    "Cpdag": "sparsest.graph.types",
    "Dag": "sparsest.graph.types",
    "DataError": "sparsest._core.errors",
    "DataWarning": "sparsest._core.errors",
    "GraphError": "sparsest._core.errors",
    "Knowledge": "sparsest.knowledge",
    "L1": "sparsest.penalties",
    "MCP": "sparsest.penalties",
    "Moments": "sparsest.data.moments.moments",
    "OptionError": "sparsest._core.errors",
    "QuasiMCP": "sparsest.penalties",
    "Result": "sparsest.result",
    "SCAD": "sparsest.penalties",
    "SparsestError": "sparsest._core.errors",
    "SparsestWarning": "sparsest._core.errors",
    "Status": "sparsest._core.progress",
    "StructureLearner": "sparsest.estimator",
    "audit": "sparsest.data.audit",
    "fit": "sparsest.fit",
    "graph": "sparsest.graph",
    "models": "sparsest.models",
    "load": "sparsest.export.archive",
    "show_versions": "sparsest._core.version",
    "simulate": "sparsest.simulate",
}
_MODULES = {"graph", "models", "simulate"}

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "Audit",
    "Cpdag",
    "Dag",
    "DataError",
    "DataWarning",
    "GraphError",
    "Knowledge",
    "Moments",
    "OptionError",
    "QuasiMCP",
    "Result",
    "SparsestError",
    "SparsestWarning",
    "Status",
    "StructureLearner",
    "__version__",
    "audit",
    "fit",
    "graph",
    "load",
    "models",
    "show_versions",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sparsest' has no attribute {name!r}")
    module = importlib.import_module(_HOMES[name])
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """Keeps public functions in front of modules of the same name.

    Importing `sparsest.fit`, the module, would otherwise put it in the place of `sparsest.fit`, the function.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        shadows = isinstance(value, ModuleType) and name in _HOMES and name not in _MODULES
        super().__setattr__(name, getattr(value, name) if shadows else value)


sys.modules[__name__].__class__ = _Package
