"""sparsest: the sparsest causal graph that explains a table, whatever the units of its columns.

Public names are imported when first used (PEP 562), so that `import sparsest` stays light: numba,
scikit-learn and the data frame libraries are loaded only by what needs them.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sparsest._core.lazy import lazy_names
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
    from sparsest.confidence import Confidence, confidence, posterior
    from sparsest.costs import Path, path
    from sparsest.data.audit import Audit, audit
    from sparsest.data.moments.moments import Moments
    from sparsest.effects import Effect
    from sparsest.estimator import StructureLearner
    from sparsest.export.archive import load
    from sparsest.fit import fit
    from sparsest.graph.types import Cpdag, Dag
    from sparsest.knowledge import Knowledge
    from sparsest.penalties import L1, MCP, SCAD, QuasiMCP
    from sparsest.result import Result

_HOMES = {
    "Audit": "sparsest.data.audit:Audit",
    "Confidence": "sparsest.confidence.shares:Confidence",
    "Cpdag": "sparsest.graph.types:Cpdag",
    "Dag": "sparsest.graph.types:Dag",
    "DataError": "sparsest._core.errors:DataError",
    "DataWarning": "sparsest._core.errors:DataWarning",
    "Effect": "sparsest.effects:Effect",
    "GraphError": "sparsest._core.errors:GraphError",
    "Knowledge": "sparsest.knowledge:Knowledge",
    "L1": "sparsest.penalties:L1",
    "MCP": "sparsest.penalties:MCP",
    "Moments": "sparsest.data.moments.moments:Moments",
    "OptionError": "sparsest._core.errors:OptionError",
    "Path": "sparsest.costs:Path",
    "QuasiMCP": "sparsest.penalties:QuasiMCP",
    "Result": "sparsest.result:Result",
    "SCAD": "sparsest.penalties:SCAD",
    "SparsestError": "sparsest._core.errors:SparsestError",
    "SparsestWarning": "sparsest._core.errors:SparsestWarning",
    "Status": "sparsest._core.progress:Status",
    "StructureLearner": "sparsest.estimator:StructureLearner",
    "audit": "sparsest.data.audit:audit",
    "confidence": "sparsest.confidence:confidence",
    "fit": "sparsest.fit:fit",
    "graph": "sparsest.graph",
    "load": "sparsest.export.archive:load",
    "models": "sparsest.models",
    "path": "sparsest.costs:path",
    "posterior": "sparsest.confidence:posterior",
    "show_versions": "sparsest._core.version:show_versions",
    "simulate": "sparsest.simulate",
}

__all__ = [
    "L1",
    "MCP",
    "SCAD",
    "Audit",
    "Confidence",
    "Cpdag",
    "Dag",
    "DataError",
    "DataWarning",
    "Effect",
    "GraphError",
    "Knowledge",
    "Moments",
    "OptionError",
    "Path",
    "QuasiMCP",
    "Result",
    "SparsestError",
    "SparsestWarning",
    "Status",
    "StructureLearner",
    "__version__",
    "audit",
    "confidence",
    "fit",
    "graph",
    "load",
    "models",
    "path",
    "posterior",
    "show_versions",
    "simulate",
]

__getattr__, __dir__ = lazy_names(globals(), _HOMES)


class _Package(ModuleType):
    """Keeps public functions in front of modules of the same name.

    Importing `sparsest.fit`, the module, would otherwise put it in the place of `sparsest.fit`, the function.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        shadows = isinstance(value, ModuleType) and _HOMES.get(name) == f"sparsest.{name}:{name}"
        super().__setattr__(name, getattr(value, name) if shadows else value)


sys.modules[__name__].__class__ = _Package
