"""sparsest: the sparsest causal graph that explains a table, whatever the units of its columns.

Public names are imported when first used (PEP 562), so that `import sparsest` stays light: numba,
scikit-learn and the data frame libraries are loaded only by what needs them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sparsest._version import __version__

if TYPE_CHECKING:
    from sparsest import graph, models, simulate
    from sparsest._versions import show_versions
    from sparsest.data.audit import Audit, audit
    from sparsest.data.moments import Moments
    from sparsest.errors import (
        DataError,
        DataWarning,
        GraphError,
        OptionError,
        SparsestError,
        SparsestWarning,
    )
    from sparsest.estimator import StructureLearner
    from sparsest.export.archive import load
    from sparsest.graph.types import Cpdag, Dag
    from sparsest.knowledge import Knowledge
    from sparsest.learn import fit
    from sparsest.penalties import L1, MCP, SCAD, QuasiMCP
    from sparsest.progress import Status
    from sparsest.result import Result

_HOMES = {
    "Audit": "sparsest.data.audit",
    "Cpdag": "sparsest.graph.types",
    "Dag": "sparsest.graph.types",
    "DataError": "sparsest.errors",
    "DataWarning": "sparsest.errors",
    "GraphError": "sparsest.errors",
    "Knowledge": "sparsest.knowledge",
    "L1": "sparsest.penalties",
    "MCP": "sparsest.penalties",
    "Moments": "sparsest.data.moments",
    "OptionError": "sparsest.errors",
    "QuasiMCP": "sparsest.penalties",
    "Result": "sparsest.result",
    "SCAD": "sparsest.penalties",
    "SparsestError": "sparsest.errors",
    "SparsestWarning": "sparsest.errors",
    "Status": "sparsest.progress",
    "StructureLearner": "sparsest.estimator",
    "audit": "sparsest.data.audit",
    "fit": "sparsest.learn",
    "graph": "sparsest.graph",
    "models": "sparsest.models",
    "load": "sparsest.export.archive",
    "show_versions": "sparsest._versions",
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
